import json
import math
import sys
from contextlib import suppress

import pytest
import ujson
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import RequestError
from tsvc.rpc.strict_json import MAX_DEPTH, encode, parse, parse_object

ACCEPTED = [
    b"{}",
    b' \r\n\t{"a" : [ ] } ',
    b'{"a":[1,-0,2.5,1e308,-1E-300,true,false,null,"\\u00e9\\ud83d\\ude00"]}',
    '{"é":"😀"}'.encode(),
    b'"\\ud83d\\ude00"',
    b'{"a":{"x":1},"b":{"x":1}}',
    b"[" * 64 + b"]" * 64,
    b'{"a":"' + b"[{" * 100 + b'\\"]"}',
    b"123456789012345678901234567890",
    b'""',
    b'"\\ufffe\\u0000"',
]


@pytest.mark.parametrize("octets", ACCEPTED)
def test_accepted(octets):
    assert parse(octets) == json.loads(octets)


AT_COMMA = int(sys.version_info >= (3, 13))

# octets, kind, beginning of the message, position in fields
REFUSED = [
    (b"", "json.syntax", "line 1 column 1: JSON syntax: expecting value", None),
    (b"{\n\n  x}", "json.syntax", "line 3 column 3: JSON syntax: expecting property name", None),
    # Python 3.13 and later point at the comma, earlier versions at the text after it.
    (b'{"a":1,}', "json.syntax", f"line 1 column {8 - AT_COMMA}", None),
    (b"[1,]", "json.syntax", f"line 1 column {4 - AT_COMMA}", None),
    (b"[1 2]", "json.syntax", "line 1 column 4", None),
    (b'{"a" 1}', "json.syntax", "line 1 column 6", None),
    (b"{'a':1}", "json.syntax", "line 1 column 2", None),
    (b"{} {}", "json.syntax", "line 1 column 4: JSON syntax: extra data", None),
    (b"{}\0", "json.syntax", "line 1 column 3", None),
    (b"012", "json.syntax", "line 1 column 2", None),
    (b"-", "json.syntax", "line 1 column 1", None),
    (b"+1", "json.syntax", "line 1 column 1", None),
    (b".5", "json.syntax", "line 1 column 1", None),
    (b"5.", "json.syntax", "line 1 column 2", None),
    (b"0x10", "json.syntax", "line 1 column 2", None),
    (b"nan", "json.syntax", "line 1 column 1", None),
    (b"True", "json.syntax", "line 1 column 1", None),
    (b'"a\x01"', "json.syntax", "line 1 column 3: JSON syntax: invalid control character", None),
    (b'"a\nb"', "json.syntax", "line 1 column 3", None),
    (b'"\\x41"', "json.syntax", "line 1 column 2", None),
    (b'"\\u12"', "json.syntax", "line 1 column 3", None),
    (b'"abc', "json.syntax", "line 1 column 1: JSON syntax: unterminated string", None),
    (b'"abc\\', "json.syntax", "line 1 column 1", None),
    (b"/* c */ {}", "json.syntax", "line 1 column 1", None),
    (b"\xef\xbb\xbf{}", "json.syntax", "line 1 column 1: JSON syntax: a byte order mark", None),
    (b"\xff\xfe{\0}\0", "json.encoding", "invalid UTF-8 at octet 0", None),
    (b'{"a":"\xff"}', "json.encoding", "invalid UTF-8 at octet 6", None),
    (b'"\xc0\x80"', "json.encoding", "invalid UTF-8 at octet 1", None),
    (b'"\xed\xa0\x80"', "json.encoding", "invalid UTF-8 at octet 1", None),
    (b'"\xf4\x90\x80\x80"', "json.encoding", "invalid UTF-8 at octet 1", None),
    (b'{"a":1,"a":1}', "json.value", "a: duplicate member", "a"),
    (b'{"b":[{},{"c":{"d":1,"e":2,"d":3}}]}', "json.value", "b[1].c.d: duplicate", "b[1].c.d"),
    (b'{"a":1,"\\u0061":2}', "json.value", "a: duplicate member", "a"),
    (b'{"":1,"":2}', "json.value", '[""]: duplicate member', '[""]'),
    (b'{"a":[NaN]}', "json.value", "a[0]: NaN is not a JSON number", "a[0]"),
    (b'{"a":Infinity}', "json.value", "a: Infinity is not", "a"),
    (b"-Infinity", "json.value", "request: -Infinity is not", "request"),
    (b'{"a":1e999}', "json.value", 'a: the number "1e999" is too large', "a"),
    (b'{"a":[0,-1E+400]}', "json.value", 'a[1]: the number "-1E+400" is', "a[1]"),
    (b"[" + b"9" * 400 + b".0]", "json.value", "[0]: the number", "[0]"),
    (b'{"a":1,\n"b":' + b"9" * 4301 + b"}", "json.number", "line 2 column 5: an integer", None),
    (b'{"a":["x","\\ud800"]}', "json.surrogate", "a[1]: a lone surrogate", "a[1]"),
    (b'{"a":"\\udc00\\ud800"}', "json.surrogate", "a: a lone surrogate", "a"),
    (b'{"a":{"\\uDFFF":1}}', "json.surrogate", 'a["\\udfff"]: a lone surrogate in a name', None),
    (b"[" * 65 + b"]" * 65, "json.depth", "line 1 column 65: nesting over 64 levels", None),
    (b'{"a":' * 65 + b"1" + b"}" * 65, "json.depth", "line 1 column 321: nesting over 64", None),
    (b"[[],\n" + b"[" * 64, "json.depth", "line 2 column 64: nesting over 64 levels", None),
    (b'["[[",' + b"[" * 64, "json.depth", "line 1 column 70", None),
]


@pytest.mark.parametrize(("octets", "kind", "text", "place"), REFUSED)
def test_refused(octets, kind, text, place):
    with pytest.raises(RequestError) as refused:
        parse(octets)
    assert refused.value.message.startswith(text)
    assert refused.value.kind == kind
    if place is not None:
        assert list(refused.value.fields) == [place]
    encode(refused.value.as_error_object()).decode("ascii")


@pytest.mark.parametrize("octets", [b"[]", b'"a"', b"1", b"null", b"true"])
def test_one_object_is_needed(octets):
    with pytest.raises(RequestError, match="not one object") as refused:
        parse_object(octets)
    assert refused.value.kind == "json.not_object"


def test_max_depth():
    deepest = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert encode(parse(deepest)) == deepest
    with pytest.raises(RequestError, match=f"nesting over {MAX_DEPTH} levels"):
        parse(b"[" + deepest + b"]")


MEBIBYTE = 1 << 20


@pytest.mark.parametrize(
    "octets",
    [
        b"[" * MEBIBYTE,
        b'{"' * (MEBIBYTE // 2),
        b"[" * 65 + b'"' + b'\\"' * (MEBIBYTE // 2),
        b'"' * MEBIBYTE,
        b"[" * 65 + b'"' * MEBIBYTE,
        b"[]" * (MEBIBYTE // 2),
        b"9" * MEBIBYTE,
        b"\\" * MEBIBYTE,
        b'{"a":' + b" " * MEBIBYTE,
    ],
)
def test_hostile_octets_of_1_mib_are_refused(octets):
    # A quadratic, recursive or backtracking reader would not finish on these.
    with pytest.raises(RequestError):
        parse(octets)


@given(st.binary(max_size=60))
def test_any_octets_are_parsed_or_refused(octets):
    with suppress(RequestError):
        parse(octets)


@given(st.text(alphabet='{}[]",:\\u0dD8e1+-.NaInfity \n', max_size=40))
def test_what_is_accepted_is_what_ujson_reads_too(text):
    try:
        found = parse(text.encode())
    except RequestError:
        return
    assert found == ujson.loads(text)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_encode_and_parse_are_inverse(value):
    assert parse(encode(value)) == value


def test_encode_is_compact_ascii():
    assert encode({"a": ["é/😀", 1.0, True]}) == b'{"a":["\\u00e9/\\ud83d\\ude00",1.0,true]}'


def test_encode_has_null_for_what_json_lacks():
    value = {"a": math.nan, "b": (math.inf, [-math.inf, 0.1])}
    assert encode(value) == b'{"a":null,"b":[null,[null,0.1]]}'


def test_encode_cuts_endless_nesting():
    deep = []
    deep.append(deep)
    assert json.loads(encode(deep)) is not None
    assert encode(deep).endswith(b'"\\u2026"' + b"]" * 200)


def test_encode_refuses_what_is_no_value():
    with pytest.raises(TypeError):
        encode({"a": b"octets"})
