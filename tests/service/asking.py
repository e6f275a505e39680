"""Ask an application directly, without a server and without a client that would refuse to send nonsense."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import unquote


@dataclass
class Answer:
    status: int = 0
    body: bytes = b""
    is_whole: bool = False


async def ask(app, method, path, content=b"", headers=None, *, pieces=1, delay=0.0, pause=0.0, last=0.0):
    """Send a request whose body comes in so many pieces, each after so many seconds; pause before each is read.

    The end of the answer is read after `last` more.
    """
    raw, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": unquote(raw),
        "raw_path": raw.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in (headers or {}).items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    answer, sent = Answer(), 0
    size = -(-len(content) // pieces) or 1

    async def receive():
        nonlocal sent
        if sent >= pieces:
            return {"type": "http.disconnect"}
        sent += 1
        await asyncio.sleep(delay)
        return {"type": "http.request", "body": content[(sent - 1) * size : sent * size], "more_body": sent < pieces}

    async def send(message):
        if message["type"] == "http.response.start":
            answer.status = message["status"]
        else:
            await asyncio.sleep(pause if message.get("more_body", False) else pause + last)
            answer.body += message.get("body", b"")
            answer.is_whole = not message.get("more_body", False)

    await app(scope, receive, send)
    return answer
