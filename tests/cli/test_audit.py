"""Auditing from the command line: mechanisms by name, functions by their claims, exit statuses, reports."""

from __future__ import annotations

import inspect
import json
import re
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pytest
from typer.testing import CliRunner

import textveil as tv
from textveil.cli import app, audit_running, audit_subjects
from textveil.cli.audit_subjects import KINDS, every_instance, instance
from textveil.mechanisms import Mechanism

FUNCTIONS = """
import numpy as np

rng = np.random.default_rng(7)

def kept(vector):
    return vector + rng.laplace(size=len(vector))

def broken(vector):
    return vector + rng.laplace(scale=0.2, size=len(vector))

def together(vectors):
    return vectors + rng.laplace(size=vectors.shape)

def failing(vector):
    raise RuntimeError("no weights")
"""
CLAIM = """
unit: vector
relation: metric
metric: l1
epsilon: 1.0
pairs: [[[0.5, 0.5], [-0.5, -0.5]]]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "k_functions.py").write_text(FUNCTIONS)
    (tmp_path / "claim.yaml").write_text(CLAIM)
    (tmp_path / "batch.yaml").write_text(CLAIM + "batch: true\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "k_functions", raising=False)
    return tmp_path


@cache
def few_words():
    rng = np.random.default_rng(8)
    return tv.Vocabulary([f"word{chr(97 + i)}" for i in range(24)], rng.normal(size=(24, 4)))


@pytest.fixture
def small(monkeypatch):
    """A vocabulary that needs no loading."""
    monkeypatch.setattr(audit_subjects, "_vocabulary", lambda vocabulary, words: few_words())


def run(*arguments, status=0):
    done = CliRunner().invoke(app, ["audit", *map(str, arguments)], env={"COLUMNS": "200"})
    code = 2 if isinstance(done.exception, tv.TextveilError) else done.exit_code
    assert code == status, (done.output, done.exception)
    return done.stdout + (str(done.exception) if status == 2 else "")


def test_what_holds_is_told_with_the_instance_and_status_0(small):
    told = run("exponential", "--epsilon", "1.5", "--seed", "1")
    assert "exponential epsilon 1.5; by default words 300" in told
    assert "✔ holds" in told
    assert "epsilon 1.5 per unit of distance, where 1.5 was claimed; by exact" in told
    assert "inputs that come out unchanged (check" in told


def test_a_published_version_is_violated_with_status_1():
    told = run("clipped-laplace", "--variant", "published", "--dimension", "4", status=1)
    assert "✖ violated" in told
    assert "epsilon 2, where 1 was claimed" in told
    assert "(-0.5, -0.5, -0.5, -0.5)" in told
    assert "variant published" in run("adept-published", status=1)


def test_what_can_not_be_certified_has_status_0():
    assert "? not certifiable" in run("hyperbolic", "--seed", "1", "--no-checks", "--samples", "100")


def test_the_same_seed_gives_the_same_report(tmp_path):
    reports = []
    for seed in (1, 1, 2):
        run(
            "privunit",
            "--dimension",
            "3",
            "--seed",
            seed,
            "--samples",
            "60",
            "--no-checks",
            "--json",
            tmp_path / "r.json",
        )
        reports.append((tmp_path / "r.json").read_text())
    assert reports[0] == reports[1] != reports[2]


def test_reports_are_written_as_json_and_as_a_page(tmp_path):
    run("adept-published", "--json", tmp_path / "r.json", "--html", tmp_path / "r.html", "--seed", "1", status=1)
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["verdict"] == "violated"
    assert report["findings"][0]["bound"] == pytest.approx(32**0.5)
    assert report["findings"][0]["curve"]["loss"]
    assert "<svg" in (tmp_path / "r.html").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.html", "r.json"]


def test_functions_are_audited_by_their_claims(folder):
    told = run("k_functions:kept", "--claim", "claim.yaml", "--samples", "300", "--no-checks")
    assert "k_functions:kept, for claim.yaml" in told
    assert "no breach in 600 outputs, which certifies nothing" in told
    told = run("k_functions:broken", "--claim", "claim.yaml", "--samples", "300", "--html", "r.html", status=1)
    assert "epsilon at least" in told
    assert "k_functions:broken" in (folder / "r.html").read_text()
    run("k_functions:together", "--claim", "batch.yaml", "--samples", "300", "--no-checks")


def test_options_of_checks_reach_them(folder, monkeypatch):
    seen = []
    monkeypatch.setattr(audit_running, "audit", lambda subject, **how: seen.append(how) or tv.audit(subject, **how))
    common = ("k_functions:kept", "--claim", "claim.yaml", "--samples", "50")
    # Forked workers share what NumPy's generator draws next, and are caught.
    told = run(*common, "--timing", "--digits", "--processes", status=1)
    assert seen[-1]["checks"] == {"digits": True, "processes": True, "timing": True}
    assert "time of a release" in told
    assert "✖ violated  noise of two forked workers" in told
    assert "time of a release" not in run(*common)
    assert seen[-1]["checks"] == {"digits": None, "processes": False, "timing": False}
    assert "(check" not in run(*common, "--no-checks")


def test_the_template_is_printed_and_can_be_used(folder):
    (folder / "made.yaml").write_text(run("--template"))
    run("k_functions:kept", "--claim", "made.yaml", "--samples", "50", "--no-checks")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "one of NAME, --all and --template"),
        (("laplace", "--all"), "one of NAME, --all and --template"),
        (("laplace", "--timing", "--no-checks"), "would do nothing with --no-checks"),
        (("laplac",), "did you mean laplace"),
        (("laplace", "--clip", "1"), "--clip is not for laplace, which takes --epsilon"),
        (("laplace", "--epsilon", "0"), "epsilon must be a finite number > 0"),
        (("laplace", "--alpha", "1.5"), "alpha must be at least 0 and below 1"),
        (("laplace", "--samples", "0"), "samples must be a whole number"),
        (("laplace", "--html", "nowhere/r.html"), "there is no folder nowhere"),
        (("laplace", "--claim", "claim.yaml"), "--claim is for functions"),
        (("k_functions:kept",), "--claim claim.yaml"),
        (("k_functions:kept", "--claim", "claim.yaml", "--epsilon", "1"), "--epsilon is not for functions"),
        (("k_functions:nothing", "--claim", "claim.yaml"), "no nothing in k_functions"),
        (("k_functions:failing", "--claim", "claim.yaml"), "k_functions:failing raised RuntimeError: no weights"),
        (("--all", "--epsilon", "1"), "--all takes no parameters"),
        (("--all", "--html", "r.html"), "--all takes no parameters"),
    ],
)
def test_bad_input_is_one_line_and_status_2(folder, arguments, told):
    said = run(*arguments, status=2)
    assert told in said
    assert "\n" not in said.strip()
    assert not list(folder.glob("r.*"))


def test_all_is_a_table_in_which_only_the_refuted_are_violated(small, tmp_path, monkeypatch):
    few = {name: KINDS[name] for name in ("exponential", "clipped-laplace", "adept-published", "jaccard")}
    monkeypatch.setattr(audit_subjects, "KINDS", few)
    told = run("--all", "--seed", "3", "--samples", "60", "--no-checks", "--json", tmp_path / "all.json")
    rows = [line for line in told.splitlines() if "violated " in line]
    assert len(rows) == 2
    assert all("refuted" in row for row in rows)
    assert "Only promises that are marked refuted are violated" in told
    reports = json.loads((tmp_path / "all.json").read_text())
    assert len(reports) == 8
    assert {report["instance"] for report in reports} >= {"jaccard", "clipped-laplace variant l1"}


def test_all_fails_if_a_promise_that_is_not_marked_refuted_is_broken(small, monkeypatch):
    class Halved(tv.Laplace):
        def _draw(self, streams):
            return super()._draw(streams) // 2

    monkeypatch.setattr(audit_subjects, "KINDS", {"laplace": audit_subjects.Kind(Halved, KINDS["laplace"].defaults)})
    told = run("--all", "--seed", "3", "--no-checks", status=1)
    assert "VIOLATED, though not marked refuted: laplace." in told
    del Mechanism.registry["Halved"]


def test_all_audits_together_accuse_by_chance_no_oftener_than_alpha(small, monkeypatch):
    few = {name: KINDS[name] for name in ("coordinate-laplace", "privunit")}
    monkeypatch.setattr(audit_subjects, "KINDS", few)
    levels = []
    monkeypatch.setattr(
        audit_running, "audit", lambda subject, alpha, **how: levels.append(alpha) or tv.audit(subject, **how)
    )
    run("--all", "--alpha", "0.03", "--seed", "3", "--samples", "60", "--no-checks")
    assert levels == pytest.approx([0.01] * 3)


def test_every_mechanism_of_the_library_can_be_named(small):
    for module in walk_packages(tv.__path__, "textveil."):
        if module.name.split(".")[1] in ("mechanisms", "text", "encoders"):
            import_module(module.name)
    there = {
        name
        for name, kind in Mechanism.registry.items()
        if kind.__module__.startswith("textveil.") and not inspect.isabstract(kind)
    }
    assert there == {type(make().mechanism).__name__ for make in every_instance()}


def test_parameters_that_are_given_are_used(small):
    made = instance("nadp", {"variant": "published", "delta": 1e-4, "epsilon": 3.0})
    assert (made.mechanism.variant, made.mechanism.delta, made.mechanism.epsilon) == ("published", 1e-4, 3.0)
    assert str(made) == "nadp variant published, delta 0.0001, epsilon 3; by default words 300"


def test_the_readme_shows_what_is_printed():
    page = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```\n\$ textveil audit (.*?)```", page, flags=re.DOTALL)
    command, *lines = shown.splitlines()
    printed = run(*command.split(), status=1).splitlines()
    assert len(lines) >= 4
    assert set(lines) - {"..."} <= {line.rstrip() for line in printed}


@pytest.mark.soak
def test_every_mechanism_keeps_its_promise_over_many_samples(tmp_path):
    """At a chance of a false alarm of 1e-6 for all together."""
    told = run("--all", "--alpha", "1e-6", "--samples", "20000", "--json", tmp_path / "all.json")
    assert "Only promises that are marked refuted are violated" in told
    verdicts = {report["instance"]: report["verdict"] for report in json.loads((tmp_path / "all.json").read_text())}
    assert verdicts["clipped-laplace variant published"] == "violated"
    assert list(verdicts.values()).count("holds") >= 30
