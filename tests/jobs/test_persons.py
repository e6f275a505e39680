from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.files import Selection, shards_of
from textveil.hashing import Packed
from textveil.jobs import persons
from textveil.jobs.persons import Persons, person_names


def counted(path, column, **selection):
    (shard,) = shards_of(path).files
    people = Persons()
    for names, _ in person_names(shard, Selection(column="text", **selection), column):
        people.add(names)
    return sorted(people.counts.tolist())


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.sampled_from(["ann", "bob", "", "é", "ann ", "x" * 50]), max_size=20), max_size=8))
def test_every_record_of_a_person_is_counted(batches):
    people = Persons()
    for batch in batches:
        people.add(Packed.of([name.encode() for name in batch]))
    assert sorted(people.counts.tolist()) == sorted(Counter(name for batch in batches for name in batch).values())


def test_counts_are_merged_when_many_wait(monkeypatch):
    monkeypatch.setattr(persons, "_LEAST_WAITING", 100)
    people = Persons()
    for start in range(0, 1000, 30):
        people.add(Packed.of([b"%d" % (number % 450) for number in range(start, start + 30)]))
    assert len(people._waiting) < 34
    assert people.counts.sum() == 1020
    assert len(people.counts) == 450


def test_no_name_is_kept():
    people = Persons()
    people.add(Packed.of([b"anna", b"anna", b"bert"]))
    assert sorted(people.counts.tolist()) == [1, 2]
    assert {type(value) for value in vars(people).values()} == {bytes, np.ndarray, list, int}
    assert "anna" not in repr(vars(people))


def test_persons_are_read_from_each_format(tmp_path):
    rows = [("a", "x"), ("b", "y"), ("a", "z")]
    (tmp_path / "in.csv").write_text("user,text\n" + "".join(f"{user},{text}\n" for user, text in rows))
    lines = "".join(json.dumps({"user": user, "text": text}) + "\n" for user, text in rows)
    (tmp_path / "in.jsonl").write_text(lines)
    texts = pa.array([text for _, text in rows])
    users = {"in.parquet": [7, 8, 7], "names.parquet": [user for user, _ in rows]}
    for name, column in users.items():
        pq.write_table(pa.table({"user": column, "text": texts}), tmp_path / name)
    coded = pa.array([user for user, _ in rows]).dictionary_encode()
    pq.write_table(pa.table({"user": coded, "text": texts}), tmp_path / "coded.parquet")
    for name in ("in.csv", "in.jsonl", "in.parquet", "names.parquet", "coded.parquet"):
        assert counted(tmp_path / name, "user") == [1, 2]
    assert counted(tmp_path / "in.csv", 1, header=True) == [1, 2]


def test_a_record_that_names_no_person_is_refused(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"user":"a","text":"x"}\n{"text":"secret"}\n')
    pq.write_table(pa.table({"user": [1, None], "text": ["x", "y"]}), tmp_path / "in.parquet")
    for name in ("in.jsonl", "in.parquet"):
        with pytest.raises(InvalidInputError, match="names no person; fill it in") as caught:
            counted(tmp_path / name, "user")
        assert "secret" not in str(caught.value)
    (tmp_path / "in.txt").write_text("x\n")
    with pytest.raises(InvalidInputError, match="txt has no column"):
        counted(tmp_path / "in.txt", "user")
    pq.write_table(pa.table({"user": [[1], [2]], "text": ["x", "y"]}), tmp_path / "lists.parquet")
    with pytest.raises(InvalidInputError, match="can't be told apart"):
        counted(tmp_path / "lists.parquet", "user")


def test_too_many_records_are_refused_without_a_name():
    people = Persons()
    people.add(Packed.of([b"anna"] * 5 + [b"bert"] * 2))
    people.refuse_more_than(5)
    with pytest.raises(InvalidInputError, match=r"1 of 2 persons have more than 4 records \(one has 5\)") as caught:
        people.refuse_more_than(4)
    assert "anna" not in str(caught.value)
