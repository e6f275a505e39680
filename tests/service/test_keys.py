from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
import threading

import pytest

import textveil as tv
from textveil.service.keys import KeyFile

RELEASE = {"mechanism": "words", "dataset": "tickets", "texts": ["w1"]}


def test_a_key_is_shown_once_and_kept_as_a_salted_hash(tmp_path):
    keys = KeyFile(tmp_path / "keys.json")
    first, second = keys.add("a", datasets=("d",)), keys.add("b", datasets=("d",))
    text = (tmp_path / "keys.json").read_text()
    secret = base64.urlsafe_b64decode(first.split("_", 2)[2] + "=")
    assert len(secret) == 32
    for form in (first.split("_", 2)[2], secret.hex(), hashlib.sha256(secret).hexdigest()):
        assert form not in text
    one, two = json.loads(text)["keys"]
    assert one["salt"] != two["salt"]
    assert one["digest"] == hashlib.scrypt(secret, salt=bytes.fromhex(one["salt"]), n=2**14, r=8, p=1, dklen=32).hex()
    assert stat.S_IMODE((tmp_path / "keys.json").stat().st_mode) == 0o600
    assert keys.check(second).name == "b"


def test_a_wrong_secret_a_wrong_id_and_nonsense_are_no_keys(tmp_path):
    keys = KeyFile(tmp_path / "keys.json")
    token, other = keys.add("a", datasets=("d",)), keys.add("b", datasets=("d",))
    swapped = f"tv_{token.split('_')[1]}_{other.split('_', 2)[2]}"
    changed = token[:-2] + ("BA" if token[-2] == "A" else "AA")
    for wrong in (swapped, changed, "tv_0000000000000000_" + token.split("_", 2)[2], "", "tv_", token * 2):
        assert keys.check(wrong) is None
        assert keys.remembered(wrong) is None
    assert keys.check(token) is not None
    assert keys.remembered(token) is not None


def test_a_revoked_key_is_refused_at_once_by_a_service_that_runs(client, service, place):
    service.keys = KeyFile(place.keys)
    assert client.post("/v1/release/texts", json=RELEASE).status_code == 200
    KeyFile(place.keys).revoke(place.token.split("_")[1])
    assert client.post("/v1/release/texts", json=RELEASE).status_code == 401


def test_a_key_that_is_revoked_while_another_is_made_stays_revoked(tmp_path, monkeypatch):
    path, sync = tmp_path / "keys.json", os.fsync
    token = KeyFile(path).add("a", datasets=("d",))
    other = threading.Thread(target=lambda: KeyFile(path).revoke(token.split("_")[1]))

    def slow(number):
        if other.ident is None:
            other.start()
            other.join(0.3)
        sync(number)

    monkeypatch.setattr(os, "fsync", slow)
    KeyFile(path).add("b", datasets=("d",))
    other.join()
    assert KeyFile(path).check(token) is None
    assert len(KeyFile(path).all()) == 2


def test_a_key_is_for_its_data_sets_and_others_look_as_if_they_were_not_there(client):
    for name in ("others", "nothing-of-the-kind"):
        refused = client.post("/v1/release/texts", json={**RELEASE, "dataset": name})
        assert (refused.status_code, refused.json()["code"]) == (404, "unknown-dataset")
        assert client.get(f"/v1/datasets/{name}").json() == refused.json()
        assert client.get(f"/v1/datasets/{name}/history").status_code == 404
        assert client.post(f"/v1/stream/texts?mechanism=words&records=1&dataset={name}").status_code in (404, 415)
    assert "others" not in client.get("/v1/datasets").text


@pytest.mark.parametrize("header", [{}, {"Authorization": "Basic eDp5"}, {"Authorization": "Bearer tv_x"}])
def test_without_a_key_nothing_but_health_is_answered(client, header):
    client.headers.pop("Authorization")
    for path in ("/v1/mechanisms", "/v1/datasets", "/metrics", "/v1/nothing"):
        answer = client.get(path, headers=header)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorised")
    assert client.post("/v1/release/texts", json=RELEASE, headers=header).status_code == 401
    assert client.get("/health", headers=header).status_code == 200


def test_metrics_need_a_key_for_them(client, place):
    assert client.get("/metrics").status_code == 403
    other = {"Authorization": f"Bearer {place.metrics_token}"}
    assert client.get("/metrics", headers=other).status_code == 200
    for path in ("release/texts", "explain", "audit", "page/word", "page/plausible", "page/size"):
        refused = client.post(f"/v1/{path}", json=RELEASE, headers=other)
        assert (refused.status_code, refused.json()["detail"]) == (403, "the key is for metrics alone")
    assert client.get("/v1/page", headers=other).status_code == 403


def test_a_file_that_others_may_read_or_that_holds_something_else_is_refused(tmp_path):
    keys = KeyFile(tmp_path / "keys.json")
    keys.add("a", datasets=("*",))
    (tmp_path / "keys.json").chmod(0o644)
    with pytest.raises(tv.InvalidInputError, match="chmod 600"):
        KeyFile(tmp_path / "keys.json").all()
    (tmp_path / "keys.json").chmod(0o600)
    (tmp_path / "keys.json").write_text("[]")
    with pytest.raises(tv.InvalidInputError, match="no file of keys"):
        KeyFile(tmp_path / "keys.json").all()


def test_a_key_for_nothing_or_with_a_bad_name_is_refused(tmp_path):
    keys = KeyFile(tmp_path / "keys.json")
    for name, more in (("a", {}), ("a b", {"metrics": True}), ("", {"metrics": True})):
        with pytest.raises(tv.InvalidInputError):
            keys.add(name, **more)
    with pytest.raises(tv.InvalidInputError):
        keys.revoke("0")
    assert not (tmp_path / "keys.json").exists()


def test_without_keys_only_this_machine_is_answered(open_client):
    assert open_client.get("/v1/mechanisms").status_code == 200
    assert open_client.get("/v1/mechanisms", headers={"Host": "evil.example"}).status_code == 401
