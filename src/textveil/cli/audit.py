"""textveil audit: whether a mechanism, or anybody's function, keeps its promise."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from textveil.cli.audit_subjects import KINDS
from textveil.cli.document_options import Nearest, Projections, PublicTexts, Utility
from textveil.cli.options import Table, Weights
from textveil.cli.outputs import refuse_inputs
from textveil.cli.utterances import Model
from textveil.cli.vector_options import (
    Covariance,
    Delta,
    Mix,
    Normalise,
    Projection,
    Public,
    Sampler,
    Sensitivity,
    Target,
)
from textveil.errors import InvalidInputError, NotPrivateWarning

_NOT_OF_MECHANISMS = {
    *("name", "claim", "everything", "template", "samples", "alpha", "seed", "json_file", "html_file"),
    *("checks", "digits", "processes", "timing"),
}


def run(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help=f"module:function, or one of {', '.join(KINDS)}.")
    ] = None,
    claim: Annotated[
        Path | None, typer.Option("--claim", help="What a function promises, and inputs to try: .yaml or .json.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every mechanism of textveil, in a table.")] = False,
    template: Annotated[bool, typer.Option("--template", help="Print a claim to fill in.")] = False,
    samples: Annotated[
        int | None, typer.Option("--samples", help="Outputs to draw of each input; by default what the promise needs.")
    ] = None,
    alpha: Annotated[
        float, typer.Option("--alpha", help="The chance, at most, that what keeps its promise is accused.")
    ] = 0.01,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Repeat an audit: for the noise of mechanisms, not of functions.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write the report as JSON.")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", metavar="OUT", help="Write it as a page.")] = None,
    checks: Annotated[
        bool, typer.Option("--checks/--no-checks", help="Look for what breaks privacy around the noise.")
    ] = True,
    digits: Annotated[
        bool,
        typer.Option(
            "--digits",
            help="Last digits of floats that tell the input accuse a function; else they are reported.",
        ),
    ] = False,
    processes: Annotated[
        bool, typer.Option("--processes", help="Compare the noise of forked workers and of new processes.")
    ] = False,
    timing: Annotated[
        bool, typer.Option("--timing", help="See whether the time of a release tells its input.")
    ] = False,
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="What the mechanism promises.")] = None,
    variant: Annotated[str | None, typer.Option("--variant", help="Such as published.")] = None,
    dimension: Annotated[int | None, typer.Option("--dimension", help="Numbers of a vector.")] = None,
    clip: Annotated[float | None, typer.Option("--clip", help="Longer vectors are shortened to this length.")] = None,
    delta: Delta = None,
    sensitivity: Sensitivity = None,
    precision: Annotated[str | None, typer.Option("--precision", help="exact or fast.")] = None,
    normalise: Normalise = False,
    vocabulary: Table = None,
    words: Annotated[int | None, typer.Option("--words", help="Words of the default vocabulary (300).")] = None,
    radius: Annotated[str | None, typer.Option("--radius", help='A number, "auto" or "none" (words).')] = None,
    weights: Weights = None,
    neighbours: Annotated[int | None, typer.Option("--neighbours", help="Of a word (nadp, jaccard).")] = None,
    threshold: Annotated[float | None, typer.Option("--threshold", help="Which words are joined (nadp).")] = None,
    covariance: Covariance = None,
    mix: Mix = None,
    target: Target = None,
    projection: Projection = None,
    certify: Annotated[str | None, typer.Option("--certify", help="How the projection is certified (privemb).")] = None,
    beta: Annotated[float | None, typer.Option("--beta", help="Of the published variant (privemb).")] = None,
    public: Public = None,
    sampler: Sampler = None,
    candidates: PublicTexts = None,
    nearest: Nearest = None,
    projections: Projections = None,
    utility: Utility = None,
    model: Model = None,
) -> None:
    """Test whether a mechanism, or a function of yours, keeps its promise. Exit status 1 if it does not."""
    if template + everything + (name is not None) != 1:
        raise InvalidInputError("give one of NAME, --all and --template; `textveil audit --help` has the names")
    if not checks and (digits or processes or timing):
        raise InvalidInputError("--digits, --processes and --timing would do nothing with --no-checks; leave one out")
    if template:
        from textveil.auditing.claim_file import TEMPLATE

        typer.echo(TEMPLATE, nl=False)
        return
    refuse_inputs([json_file, html_file], [claim, vocabulary])
    from textveil.cli.audit_running import Audit

    given = {
        option: value
        for option, value in context.params.items()
        if option not in _NOT_OF_MECHANISMS and value is not None and value is not False
    }
    audit = Audit(
        alpha=alpha,
        samples=samples,
        seed=seed,
        checks={"digits": digits or None, "processes": processes, "timing": timing} if checks else False,
        json_file=json_file,
        html_file=html_file,
    )
    with warnings.catch_warnings():
        # Nothing of an audit is private, so that repeatable noise may be used.
        warnings.simplefilter("ignore", NotPrivateWarning)
        broken = audit.of_all(given, claim) if name is None else audit.of_one(name, given, claim)
    raise typer.Exit(1 if broken else 0)
