from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.files import Selection
from textveil.files.json_lines import JsonLines
from textveil.files.spans import splice


def test_only_the_value_of_the_key_changes(copied):
    content = b'{ "id":1.50e3,"text" : "ab \\"c\\" \\n" , "n":{"text":"in"}, "l":["text", 0.10] }\r\n{"text":"x"}'
    expected = b'{ "id":1.50e3,"text" : "AB \\"C\\" \\n" , "n":{"text":"in"}, "l":["text", 0.10] }\r\n{"text":"X"}'
    for batch_bytes in (1, 9, 1 << 16):
        assert copied(content, "a.jsonl", column="text", batch_bytes=batch_bytes) == expected


def test_missing_null_and_empty_lines_stay(copied):
    content = b'{"text":"a"}\n\n{"id":2}\n{"text": null}\n  \n{}\n{"text":""}\n'
    assert copied(content, "a.jsonl", column="text") == content.replace(b'"a"', b'"A"')


def test_a_key_written_with_escapes_is_the_same_key(copied):
    assert copied(b'{"te\\u0078t":"ab"}\n', "a.jsonl", column="text") == b'{"te\\u0078t":"AB"}\n'


def test_odd_characters_come_through(copied):
    content = b'\xef\xbb\xbf{"text":"\\u00e9\\ud83d\\ude00 \\ud800 \xff \\u0000\\/"}\n'
    expected = b'\xef\xbb\xbf{"text":"\xc3\xa9\xf0\x9f\x98\x80 \\ud800 \xff \\u0000/"}\n'
    assert copied(content, "a.jsonl", column="text") == expected


def test_an_empty_file_gives_an_empty_file(copied):
    assert copied(b"", "a.jsonl", column="text") == b""


def test_a_missing_key_is_told_with_those_there_are(copied):
    with pytest.raises(InvalidInputError, match=r"no key 'body': .* has the keys id, text"):
        copied(b'{"id":1}\n{"text":"a"}\n', "a.jsonl", column="body")
    with pytest.raises(InvalidInputError, match="keys id, text; name the one"):
        copied(b'{"id":1, "text":"canary"}\n', "a.jsonl")


BROKEN = [
    b"canary",
    b'["canary"]',
    b'{"text":"canary"',
    b'{"text":"canary}',
    b'{"text":"canary"}}',
    b'{"text":"canary",}',
    b'{"text" "canary"}',
    b'{text:"canary"}',
    b'{"text":"can\\xary"}',
    b'{"text":"can\tary"}',
    b'{"text":"\\u12g4"}',
    b'{"a":01,"text":"canary"}',
    b'{"a":1.,"text":"canary"}',
    b'{"a":-,"text":"canary"}',
    b'{"a":tru,"text":"canary"}',
    b'{"a":[1,],"text":"canary"}',
    b'{"a":[1}],"text":"canary"}',
    b'{"a":{"b"},"text":"canary"}',
    b'{"text":"a"} {"text":"canary"}',
    b'{"a":' + b"[" * 600 + b"]" * 600 + b',"text":"canary"}',
]


@pytest.mark.parametrize("line", BROKEN)
def test_a_broken_line_is_named_and_not_quoted(copied, line):
    content = b'{"text":"a"}\n\n' + line + b'\n{"text":"b"}\n'
    with pytest.raises(InvalidInputError, match=r"a.jsonl, line 3: .*each line must be one") as caught:
        copied(content, "a.jsonl", column="text")
    assert "canary" not in str(caught.value)


def test_a_text_that_is_no_string_or_stands_twice_is_refused(copied):
    for value in (b"1", b"true", b'["canary"]', b'{"a":"canary"}', b"NaN"):
        with pytest.raises(InvalidInputError, match="line 1: the value of 'text' is neither a string nor null"):
            copied(b'{"text":' + value + b"}", "a.jsonl", column="text")
    with pytest.raises(InvalidInputError, match="twice"):
        copied(b'{"text":"a","text":"b"}', "a.jsonl", column="text")
    with pytest.raises(InvalidInputError, match="twice"):
        copied(b'{"text":"a","te\\u0078t":"b"}', "a.jsonl", column="text")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=80, deadline=None)
@given(
    rest=st.dictionaries(st.text(), values, max_size=3), text=st.text(), ascii_only=st.booleans(), spaced=st.booleans()
)
def test_whatever_python_writes_is_read_and_put_back(rest, text, ascii_only, spaced):
    record = {**rest, "the text": text}
    line = json.dumps(record, ensure_ascii=ascii_only, separators=None if spaced else (",", ":"))
    data = np.frombuffer(line.encode(errors="surrogatepass"), dtype=np.uint8)
    layout = JsonLines(Selection(column="the text"), "here")
    spans = layout.scan(data, final=True)
    assert spans.fault is None
    assert spans.rows == 1
    texts = layout.decode(data, spans)
    assert texts.data.tobytes() == text.encode(errors="surrogatepass")
    again = splice(data, spans, layout.encode(texts, spans)).tobytes()
    assert repr(json.loads(again)) == repr(json.loads(line))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='{}[]",:\\u0aeE+-.1truefalsn \t', max_size=25))
def test_a_line_is_accepted_if_and_only_if_python_accepts_it(line):
    data = np.frombuffer(line.encode() or b" ", dtype=np.uint8)
    fault = JsonLines(Selection(column="absent"), "here").scan(data, final=True).fault
    try:
        accepted = not line.strip(" \t") or isinstance(json.loads(line), dict)
    except ValueError:
        accepted = False
    assert (fault is None) == accepted
