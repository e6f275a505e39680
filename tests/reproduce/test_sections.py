from __future__ import annotations

import pytest

from textveil.errors import InvalidInputError
from textveil.reproduce.claims import (
    NO,
    RULE,
    UNDECIDED,
    YES,
    Claim,
    Lead,
    claims_table,
    judged,
    leads,
    steps,
    told_leads,
    verdict,
)
from textveil.reproduce.pivots import chosen, mean_of, pivot
from textveil.reproduce.repeats import folder_digest, interval, told
from textveil.reproduce.sections import markdown_table, write_section


def test_a_section_is_written_at_the_end_then_replaced_in_place(tmp_path):
    page = tmp_path / "results.md"
    page.write_text("# Results\n\nBefore.\n")
    write_section(page, "one", "## One\n\nold")
    write_section(page, "two", "## Two")
    write_section(page, "one", "## One\n\nnew")
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("# Results\n\nBefore.\n")
    assert text.index("## One\n\nnew") < text.index("## Two")
    assert text.count("made by: textveil reproduce one") == 1


def test_a_section_that_has_no_heading_gets_one_where_it_is_added(tmp_path):
    page = tmp_path / "results.md"
    page.write_text("# Results\n")
    for text in ("old", "new"):
        write_section(page, "one", text)
    assert page.read_text() == (
        "# Results\n\n## one\n\n<!-- made by: textveil reproduce one -->\nnew\n<!-- end of one -->\n"
    )


def test_a_section_without_its_end_is_left_alone(tmp_path):
    page = tmp_path / "results.md"
    before = "<!-- made by: textveil reproduce one -->\ncut off"
    page.write_text(before)
    with pytest.raises(InvalidInputError, match="mend it by hand"):
        write_section(page, "one", "## One")
    assert page.read_text() == before


def test_a_markdown_table_has_a_line_a_row():
    assert markdown_table(["", "a"], [["x", "1"]]) == "|  | a |\n| --- | --- |\n| x | 1 |"


def test_an_interval_is_that_of_student():
    found = interval([1.0, 2.0, 3.0])
    assert found["mean"] == 2.0
    # t of 2 degrees of freedom at 97.5% is 4.30265; the deviation is 1.
    assert found["around"] == pytest.approx(4.30265 / 3**0.5, abs=1e-4)
    assert told(found, 1) == "2.0 ± 2.5"
    assert interval([4.0]) == {"mean": 4.0, "around": None, "runs": 1}
    assert told(interval([4.0])) == "4.000"
    # Three times .796 is not three times its mean in floating point.
    assert interval([0.796] * 3)["around"] is None


def test_a_digest_of_files_follows_their_content(tmp_path):
    (tmp_path / "a").write_text("1")
    first = folder_digest(tmp_path, ["a"])
    (tmp_path / "a").write_text("2")
    assert folder_digest(tmp_path, ["a"]) != first
    with pytest.raises(InvalidInputError, match="no file b"):
        folder_digest(tmp_path, ["a", "b"])


def records():
    about = {"data": "", "measure": "m", "around": 0.03, "runs": 4}
    return [
        {**about, "mechanism": name, "epsilon": epsilon, "mean": mean}
        for name, epsilon, mean in [
            ("A", 1.0, 0.5),
            ("A", 2.0, 0.7),
            ("B", 1.0, 0.6),
            ("B", 2.0, 0.6),
            ("flat", None, 0.9),
        ]
    ]


def test_records_become_a_table_with_flat_rows_in_every_column():
    table = pivot("title", records())
    assert table.header == ["", "ε = 1", "ε = 2"]
    assert table.rows[0] == ["A", "0.500 ± 0.030", "0.700 ± 0.030"]
    assert table.rows[2] == ["flat", "0.900 ± 0.030", "0.900 ± 0.030"]
    assert table.markdown().startswith("title:\n\n|  | ε = 1 |")
    assert table.rich().row_count == 3


def test_what_must_be_known_to_read_a_table_stands_above_it():
    table = pivot("title", records(), note="a note of many words " * 10)
    title, note, rows = table.markdown().split("\n\n", 2)
    assert title == "title:"
    assert note.split() == ("a note of many words " * 10).split()
    assert max(map(len, note.splitlines())) <= 120
    assert rows.startswith("|  | ε = 1 |")


def test_leads_are_where_everything_else_is_the_same():
    found = leads(records(), lambda one: one["mechanism"] == "A", lambda one: one["mechanism"] == "B")
    assert [one.value for one in found] == pytest.approx([-0.1, 0.1])
    # The root of the sum of two squares of 0.03.
    assert [one.around for one in found] == pytest.approx([0.0424, 0.0424], abs=1e-4)
    assert told_leads(found, 1) == "-0.1 to +0.1; 1 of 2 above 0 (1 clearly), 1 below (1 clearly)"
    assert told_leads(found[1:], 1, percent=True) == "+10.0 to +10.0 points; 1 of 1 above 0 (1 clearly)"
    assert mean_of(records(), mechanism="A", epsilon=2.0) == 0.7
    assert len(chosen(records(), mechanism="B")) == 2


def test_steps_are_from_each_record_to_the_next_with_everything_else_the_same():
    assert [one.value for one in steps(records())] == pytest.approx([0.1, -0.1])
    assert judged(steps(records()), 1) == ("-0.1 to +0.1; 1 of 2 above 0 (1 clearly), 1 below (1 clearly)", NO)


def test_leads_may_have_to_share_more_than_epsilon():
    def is_of(letter):
        return lambda one: one["mechanism"].startswith(letter)

    some = [{**one, "mechanism": f"{one['mechanism']}, {kind}"} for one in records() for kind in ("x", "y")]
    assert len(leads(some, is_of("A"), is_of("B"))) == 8
    assert len(leads(some, is_of("A"), is_of("B"), also=lambda one: one["mechanism"][-1])) == 4


def test_a_lead_of_single_runs_is_never_clear():
    single = [{**one, "runs": 1, "around": None} for one in records()]
    found = leads(single, lambda one: one["mechanism"] == "A", lambda one: one["mechanism"] == "B")
    assert {one.around for one in found} == {None}
    assert verdict(found) == UNDECIDED
    # Runs that are all equal have an interval: none of them is off.
    assert Lead(0.1, 0.0).is_clear


def test_a_verdict_needs_clear_differences():
    clear, near, behind, slightly = Lead(0.2, 0.1), Lead(0.05, 0.1), Lead(-0.2, 0.1), Lead(-0.05, 0.1)
    assert verdict([clear, clear]) == YES
    assert verdict([clear, near]) == UNDECIDED
    assert verdict([clear, slightly]) == UNDECIDED
    assert verdict([clear, behind]) == NO
    assert verdict([]) == UNDECIDED
    # One in forty is what chance gives.
    assert verdict([*[clear] * 39, behind]) == UNDECIDED
    assert verdict([*[clear] * 38, behind, behind]) == NO


def test_claims_say_whether_they_hold_and_by_which_rule():
    claims = [
        Claim("it is so", lambda records: ("5", YES), "because", YES),
        Claim("not so", lambda records: ("6", NO), "because", YES),
    ]
    table = claims_table("t", claims, [])
    # Reasons for another verdict are left out.
    assert table.rows == [["it is so", "5", "yes", "because"], ["not so", "6", "no", "-"]]
    assert table.note == RULE
