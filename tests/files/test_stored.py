"""Files of a store are read as local ones are, by their URLs."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from textveil.errors import InvalidInputError
from textveil.files import Holds, Selection, StoredPath, open_source, place_of, shards_of

TEXTS = [f"text {number}" for number in range(500)]


def write_all(folder):
    (folder / "deeper").mkdir(parents=True)
    table = pa.table({"text": TEXTS})
    pq.write_table(table, folder / "a.parquet", row_group_size=100)
    feather.write_feather(table, folder / "b.arrow", compression="uncompressed", chunksize=100)
    objects = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS).encode()
    (folder / "c.jsonl").write_bytes(objects)
    (folder / "deeper" / "d.jsonl.gz").write_bytes(gzip.compress(objects))
    (folder / "a.parquet.crc").write_bytes(b"")
    (folder / "_SUCCESS").write_bytes(b"")


def test_every_kind_of_file_is_read_from_a_store(tmp_path):
    write_all(tmp_path / "in")
    stored, local = shards_of(place_of(f"file://{tmp_path}/in/")), shards_of(tmp_path / "in")
    assert [shard.name for shard in stored.files] == ["a.parquet", "b.arrow", "c.jsonl", "deeper/d.jsonl.gz"]
    assert [shard.name for shard in local.files] == [shard.name for shard in stored.files]
    assert stored.left_out == local.left_out
    for there, here in zip(stored.files, local.files, strict=True):
        assert isinstance(there.path, StoredPath)
        assert there.path.stat()[:] == (here.path.stat().st_size, here.path.stat().st_mtime_ns)
        batches = open_source(there.path, there.format, Selection(column="text"), batch_bytes=2000).batches()
        assert b"".join(batch.items.data.tobytes() for batch in batches) == "".join(TEXTS).encode()


@pytest.mark.parametrize("name", ["vectors.npy", "vectors.npz"])
def test_arrays_are_read_from_a_store(tmp_path, name):
    vectors = np.arange(60.0).reshape(20, 3)
    if name.endswith("npy"):
        np.save(tmp_path / name, vectors)
    else:
        np.savez(tmp_path / name, vectors)
    (shard,) = shards_of(place_of(f"file://{tmp_path}/{name}")).files
    source = open_source(shard.path, shard.format, Selection(holds=Holds.VECTORS), batch_bytes=100)
    np.testing.assert_array_equal(np.concatenate([batch.items for batch in source.batches()]), vectors)


def test_a_file_is_put_into_a_store_and_stands_beside_others(tmp_path):
    folder = StoredPath(f"file://{tmp_path}/out")
    assert not folder.exists()
    (tmp_path / "local").write_bytes(bytes(range(256)) * 50_000)
    (folder / "deeper/a.bin").put(tmp_path / "local")
    folder.beside(".receipt.json").put_bytes(b"{}")
    assert (tmp_path / "out" / "deeper" / "a.bin").read_bytes() == (tmp_path / "local").read_bytes()
    assert (tmp_path / "out.receipt.json").read_bytes() == b"{}"
    assert folder.exists()
    assert folder.is_dir()
    assert folder.files() == ["deeper/a.bin"]
    assert (folder.name, str(folder / "b")) == ("out", f"file://{tmp_path}/out/b")


def test_a_file_on_a_disk_has_its_name_once_it_is_whole(tmp_path, monkeypatch):
    def parts():
        yield b"half"
        assert not (tmp_path / "out" / "a").exists()
        raise OSError("the machine stops")

    with pytest.raises(OSError, match="the machine stops"):
        (StoredPath(f"file://{tmp_path}/out") / "a")._write(parts())
    assert not list((tmp_path / "out").iterdir())


def test_what_is_no_url_is_a_path(tmp_path):
    assert not isinstance(place_of("C:/in.txt"), StoredPath)
    assert not isinstance(place_of(tmp_path), StoredPath)
    assert isinstance(place_of("s3://bucket/in"), StoredPath)


def test_a_url_with_a_password_is_refused_without_repeating_it():
    with pytest.raises(InvalidInputError, match="by the environment") as raised:
        place_of("s3://user:hunter2@bucket/in")
    assert "hunter2" not in str(raised.value)


def test_a_container_before_the_account_is_no_password():
    assert place_of("abfss://container@account.dfs.core.windows.net/x").name == "x"
    with pytest.raises(InvalidInputError, match="by the environment"):
        place_of("abfss://container:hunter2@account.dfs.core.windows.net/x")


def test_what_is_not_there_or_no_store_is_told(tmp_path):
    with pytest.raises(InvalidInputError, match="there is no file or folder file://"):
        shards_of(place_of(f"file://{tmp_path}/nothing"))
    with pytest.raises(InvalidInputError, match="pyarrow can't open carrier-pigeon://loft"):
        shards_of(place_of("carrier-pigeon://loft/in"))


def test_a_store_that_does_not_answer_is_named(monkeypatch):
    class Dead:
        def get_file_info(self, path):
            raise OSError("AWS Error NETWORK_CONNECTION")

    monkeypatch.setattr("textveil.files.stored._system", lambda url: (Dead(), "bucket/in"))
    with pytest.raises(OSError, match="the store does not answer, or refuses") as raised:
        shards_of(place_of("s3://bucket/in"))
    assert raised.value.filename == "s3://bucket/in"
