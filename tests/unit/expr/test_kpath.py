"""KPath: segments, escapes, and the two leniencies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import ExpressionSyntaxError
from tsvc.expr import Value, compile_kpath

AVPS: list[Value] = [
    {"name": "Origin-Host", "value": "ocs.example"},
    {"name": "Result-Code", "value": 2001},
    {"name": "Group", "value": [{"name": "Inner", "value": 7}]},
    {"name": "Twice", "value": 1},
    {"name": "Twice", "value": 2},
]
TREE: dict[str, Value] = {
    "returned": {"rows": [{"a": 1}, {"a": 2}, {"a": 3}]},
    "response": {"avps": AVPS},
    "rows": [{"Exists": 1}],
    "scalar": "x",
    "null": None,
    "zero": 0,
    "csv": "a,b,c",
    "csv_open": "a,b,,",
    "number": 1234,
    "statistics": {"num.started": [5]},
    "odd": {"a[0]": "bracket", "b\\c": "back", "split(x": 1},
    "empty": [],
    "rest": {
        "http_headers": [{"name": "X-A", "value": "1"}, {"name": "X-B", "value": "2"}],
        "content_json": {"flag": True},
    },
    "nested": [[1, 2], [3, 4]],
    "codes": [{"code": 5, "t": "five"}, {"code": 6, "t": "six"}],
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("scalar", "x"),
        ("returned.rows.[2].a", 3),
        ("returned.rows.[-1].a", 3),
        ("returned.rows[1].a", 2),
        ("returned.rows.[9].a", None),
        ("returned.rows.a", None),
        ("missing", None),
        ("missing.deeper.[0]", None),
        ("null", None),
        ("null.x", None),
        ("null.[0]", None),
        ("scalar.x", None),
        ("response.avps.[name=Origin-Host].value", "ocs.example"),
        ("response.avps.[name=Result-Code].value", 2001),
        ("response.avps.[name=Result-Code].[0].value", 2001),
        ("response.avps.[name=Group].value.[name=Inner].value", 7),
        ("response.avps.[name=Twice].value", None),
        ("response.avps.[name=Twice].[1].value", 2),
        ("response.avps.[name=Nobody].value", None),
        ("response.avps.[name=Nobody]", []),
        ("response.avps.[name='Origin-Host'].value", "ocs.example"),
        ("codes.[code=5].t", "five"),
        ("rest.http_headers.[name=X-B].[0].value", "2"),
        ("rest.content_json.flag", True),
        ("rows.Exists", 1),
        ("rows.[0].Exists", 1),
        ("scalar.[0]", "x"),
        ("scalar.[1]", None),
        ("returned.[0].rows.[0].a", 1),
        ("rest.[name=x]", None),
        ("nested.[1].[0]", 3),
        ("nested[1][0]", 3),
        ("statistics.num\\.started.[0]", 5),
        ("odd.a\\[0]", "bracket"),
        ("odd.b\\\\c", "back"),
        ("odd.split\\(x", 1),
        ("csv.split(',')", ["a", "b", "c"]),
        ("csv.split(',').[1]", "b"),
        ('csv.split(",").[2]', "c"),
        ("csv_open.split(',')", ["a", "b"]),
        ("csv.split('.')", ["a,b,c"]),
        ("number.split('2')", ["1", "34"]),
        ("empty.split(',')", None),
        ("missing.split(',')", None),
        ("missing.default('x')", "x"),
        ("missing.default(10)", 10),
        ("missing.default(1.5)", 1.5),
        ("missing.default('a.b)c')", "a.b)c"),
        ("null.default('x')", "x"),
        ("zero.default(5)", 0),
        ("scalar.default('y')", "x"),
        ("missing.default('a,b').split(',').[1]", "b"),
        ("empty.[0]", None),
        ("empty", []),
        ("empty.x", None),
    ],
)
def test_find(path: str, found: Value) -> None:
    assert compile_kpath(path).find(TREE) == found


def test_presence_differs_from_null() -> None:
    assert compile_kpath("null").has(TREE)
    assert not compile_kpath("missing").has(TREE)
    assert compile_kpath("missing").find(TREE, missing="none") == "none"
    assert compile_kpath("null").find(TREE, missing="none") is None


@pytest.mark.parametrize(
    ("path", "column", "part"),
    [
        ("", 0, "needs a segment"),
        (".a", 0, "empty segment"),
        ("a..b", 2, "empty segment"),
        ("a.", 2, "empty segment"),
        ("a.[1", 2, "not closed"),
        ("a.[x]", 2, "expected [n]"),
        ("a.[]", 2, "expected [n]"),
        ("a.[=x]", 2, "needs a key"),
        ("a.split(','", 7, "not closed"),
        ("a.split(x)", 2, "text in quotes"),
        ("a.default()", 2, "text in quotes"),
        ("a\\", 1, "backslash at the end"),
    ],
)
def test_syntax_error_has_its_column(path: str, column: int, part: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_kpath(path)
    assert caught.value.column == column
    assert part in caught.value.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abn"), inner),
    max_leaves=10,
)
SEGMENTS = st.sampled_from(
    ["a", "b", "[0]", "[1]", "[-1]", "[a=1]", "[n=x]", "split(',')", "default('x')", "default(1)"]
)


@given(JSON, st.lists(SEGMENTS, min_size=1, max_size=5))
def test_find_never_raises(tree: Value, segments: list[str]) -> None:
    path = compile_kpath(".".join(segments))
    if not path.has(tree):
        assert path.find(tree) is None
