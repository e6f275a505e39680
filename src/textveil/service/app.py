"""The application: routes inside a gate inside a shield."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Response, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount
from starlette.types import Scope

import textveil
from textveil.errors import TextveilError
from textveil.service.bodies import State
from textveil.service.errors import Code, Problem, Refusal, answer_error, documented
from textveil.service.gate import Gate
from textveil.service.metrics import CONTENT_TYPE
from textveil.service.playground.routes import router as playground
from textveil.service.routes import router as releases
from textveil.service.service import Service, ServiceOf
from textveil.service.shield import Shield
from textveil.service.streaming import router as streams

PAGE = Path(__file__).parent / "page"
_ABOUT = "Releases text and embeddings under differential privacy. Every answer carries its receipt."


def build(service: Service) -> FastAPI:
    """Return the application of a service."""
    key = HTTPBearer(auto_error=False, description="A key that the operator made: tv_ID_SECRET")
    app = FastAPI(
        title="textveil",
        version=textveil.__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    app.include_router(releases, dependencies=[Security(key)])
    app.include_router(streams, dependencies=[Security(key)])
    app.include_router(playground, dependencies=[Security(key)])
    _add_own_routes(app, key)
    for kind in (Refusal, TextveilError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, answer_error)
    app.add_middleware(Gate, service=service)
    app.add_middleware(Shield, service=service)
    app.router.routes.append(_Page("/", app=StaticFiles(directory=PAGE, html=True)))
    _document_problems(app)
    return app


class _Page(Mount):
    """All paths that are no requests to the service: of those, a wrong method is to be told as such."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Leave out what the service answers."""
        return (Match.NONE, {}) if scope["path"].startswith("/v1/") else super().matches(scope)


def _add_own_routes(app: FastAPI, key: HTTPBearer) -> None:
    @app.get("/health", response_model=State, operation_id="health")
    def health() -> Any:
        """Say that the service lives."""
        return {"state": "alive"}

    @app.get("/ready", response_model=State, responses={503: {"model": State}}, operation_id="ready")
    def ready(service: ServiceOf, response: Response) -> Any:
        """Say whether the service takes work: not while it stops, nor without its ledger."""
        if service.stopping or not service.spending.answers():
            response.status_code = 503
            return {"state": "stopping" if service.stopping else "starting"}
        return {"state": "ready"}

    @app.get(
        "/metrics",
        response_class=Response,
        responses={200: {"content": {"text/plain": {}}}, **documented(Code.UNAUTHORISED)},
        dependencies=[Security(key)],
        operation_id="metrics",
    )
    def metrics(service: ServiceOf) -> Response:
        """Return numbers for Prometheus."""
        return Response(service.metrics.page(), media_type=CONTENT_TYPE)


def _document_problems(app: FastAPI) -> None:
    """Let OpenAPI know what a problem looks like, and forget the validation errors that are never sent."""
    made = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schemas = made()["components"]["schemas"]
            full = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas.update(full.pop("$defs", {}))
            schemas["Problem"] = full
            schemas.pop("HTTPValidationError", None)
            schemas.pop("ValidationError", None)
        return app.openapi_schema or {}

    app.openapi = described  # type: ignore[method-assign]
