"""Apply each wrong patch to a copy of the repository and see that a test fails: `python -m tests.mutants [WORDS]`.

With WORDS only the patches whose name or file holds them are tried. The exit status is 1 if a patch survived or
is broken: its old text is not there exactly once, or the patched code does not even run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table
from tests.mutants.patches import PATCHES, Patch

ROOT = Path(__file__).parents[2]
AT_ONCE = 2
PATIENCE_SECONDS = 300
# Failures that say that the patch is nonsense, not that a test saw what it does.
NONSENSE = re.compile(
    r"(Syntax|Indentation|Name|UnboundLocal|Import|ModuleNotFound|Attribute|Type|Typing|Lowering)Error"
)


class Verdict(StrEnum):
    CAUGHT = "caught"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN"


class Outcome(NamedTuple):
    patch: Patch
    verdict: Verdict
    detail: str
    seconds: float


def main() -> int:
    asked = " ".join(sys.argv[1:]).lower()
    chosen = [patch for patch in PATCHES if asked in patch.name.lower() or asked in patch.file]
    console, began = Console(), time.perf_counter()
    outcomes: list[Outcome] = []
    with TemporaryDirectory(prefix="textveil-mutants-") as folder:
        clean = clean_copy(Path(folder, "clean"))
        tests = sorted({test for patch in chosen for test in patch.tests})
        status, output = run_tests(clean, tests, "-n", str(AT_ONCE))
        if status != 0:
            console.print(output, markup=False, highlight=False)
            console.print(f"Without any patch these tests must pass; pytest ended with status {status}.")
            return 1
        console.print(f"Without any patch the tests pass ({time.perf_counter() - began:.0f} s).")
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for outcome in pool.map(lambda patch: try_out(patch, clean), chosen):
                outcomes.append(outcome)
                console.print(f"{len(outcomes)}/{len(chosen)} {outcome.verdict}: {outcome.patch.name}", highlight=False)
    console.print(table_of(outcomes))
    caught = sum(outcome.verdict is Verdict.CAUGHT for outcome in outcomes)
    console.print(f"{caught} of {len(outcomes)} caught in {time.perf_counter() - began:.0f} s.", highlight=False)
    return 0 if outcomes and caught == len(outcomes) else 1


def clean_copy(folder: Path) -> Path:
    """Copy what tests need, once, so that edits made meanwhile do not matter."""
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "mutants"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def try_out(patch: Patch, clean: Path) -> Outcome:
    """Run the tests of a patch against a patched copy of `clean`."""
    began = time.perf_counter()
    source = (clean / "src/textveil" / patch.file).read_text(encoding="utf-8")
    if (found := source.count(patch.old)) != 1:
        return Outcome(patch, Verdict.BROKEN, f"no longer applies: its old text is there {found} times", 0.0)
    with TemporaryDirectory(prefix="mutant-", dir=clean.parent) as folder:
        copy = shutil.copytree(clean, Path(folder, "copy"), ignore=shutil.ignore_patterns("*.pyc"))
        for kernel in kernels_with_code_of(copy, patch.file):
            kernel.unlink()
        (copy / "src/textveil" / patch.file).write_text(source.replace(patch.old, patch.new), encoding="utf-8")
        try:
            verdict, detail = judge(*run_tests(copy, patch.tests))
        except subprocess.TimeoutExpired:
            verdict, detail = Verdict.BROKEN, f"ran for more than {PATIENCE_SECONDS} seconds"
    return Outcome(patch, verdict, detail, time.perf_counter() - began)


def kernels_with_code_of(folder: Path, file: str) -> list[Path]:
    """Return the compiled kernels, kept beside the sources, of a file and of all that import it, directly or not.

    Numba does not see that a function called from another file has changed, so these must be compiled again. Were
    one forgotten, its patch would survive: no patch is called caught that is not.
    """
    sources = {path: path.read_text(encoding="utf-8") for path in (folder / "src").rglob("*.py")}
    waiting, seen = [folder / "src/textveil" / file], set()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        module = ".".join(path.relative_to(folder / "src").with_suffix("").parts)
        waiting += [other for other, text in sources.items() if f"from {module} import" in text and other not in seen]
    return [kernel for path in seen for kernel in path.parent.glob(f"__pycache__/{path.stem}.*.nb?")]


def judge(status: int, output: str) -> tuple[Verdict, str]:
    """Tell from pytest's exit status and summary what became of a patch, and which test saw it."""
    if status == 0:
        return Verdict.SURVIVED, "every test passed"
    failed = re.search(r"^FAILED tests/(?P<test>.+?) - (?P<reason>.*)$", output, flags=re.MULTILINE)
    if status != 1 or failed is None:
        return Verdict.BROKEN, f"pytest ended with status {status}: {output[-300:]}"
    if NONSENSE.search(failed["reason"]):
        return Verdict.BROKEN, f"the patched code does not run: {failed['reason'][:300]}"
    return Verdict.CAUGHT, failed["test"]


def run_tests(folder: Path, tests: tuple[str, ...] | list[str], *options: str) -> tuple[int, str]:
    """Run tests of a copy against its own sources; return pytest's exit status and what it printed."""
    command = [sys.executable, "-m", "pytest", "-x", "-rf", "--tb=no", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTEST_"))}
    environment |= {"PYTHONPATH": str(folder / "src"), "COLUMNS": "500"}
    done = subprocess.run(
        [*command, *options, *tests],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=None if options else PATIENCE_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def table_of(outcomes: list[Outcome]) -> Table:
    table = Table("what a careless author did", "", Column("seen by", overflow="fold"), "seconds", title="Mutants")
    colours = {Verdict.CAUGHT: "green", Verdict.SURVIVED: "bold red", Verdict.BROKEN: "bold yellow"}
    for patch, verdict, detail, seconds in outcomes:
        table.add_row(patch.name, f"[{colours[verdict]}]{verdict}", escape(detail), f"{seconds:.0f}")
    return table


if __name__ == "__main__":
    sys.exit(main())
