"""Where the digits of a number stand in a request."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from tsvc.kinds.rest.patches import Patches, RequestOctets
from tsvc.kinds.rest.request import RequestMaker


def template(text: str) -> Callable[[Mapping[str, str]], bytes]:
    return lambda digits: text.format(**digits).encode()


def test_at_several_places_several_numbers() -> None:
    make = template("GET /{a}/{b} HTTP/1.1\r\nX: {a}0{b}{b}\r\n\r\n{a}")
    found = Patches.find(make, {"a": 3, "b": 2})
    assert found is not None
    assert found.fill({"a": b"123", "b": b"45"}) == make({"a": "123", "b": "45"})
    with pytest.raises(ValueError, match="another length"):
        found.fill({"a": b"1234", "b": b"45"})


def test_nothing_differs() -> None:
    found = Patches.find(template("GET / HTTP/1.1\r\n\r\n"), {})
    assert found == Patches([b"GET / HTTP/1.1\r\n\r\n"], [])


@pytest.mark.parametrize(
    "make",
    [
        lambda digits: b"%d" % (int(digits["a"]) + 5),
        lambda digits: b"%d" % (int(digits["a"]) % 10),
        lambda digits: digits["a"].encode("utf-16"),
        lambda digits: digits["a"][::-1].encode(),
        lambda digits: digits["a"].lstrip("0").encode(),
        lambda digits: digits["a"].replace("9", "x").encode(),
        lambda digits: digits["a"].replace("12", "21").encode(),
        lambda digits: (digits["a"] + str(sum(map(int, digits["a"])))).encode(),
        lambda digits: b"GET /%2" + digits["a"].encode() + b" HTTP/1.1",
    ],
)
def test_more_than_digits(make: Callable[[Mapping[str, str]], bytes]) -> None:
    assert Patches.find(make, {"a": 4}) is None


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"path": "/x"}, set()),
        ({"path": "{'/x/' . $v->{a} . '/' . $v->{b}}"}, {"a", "b"}),
        ({"path": "{ $v->{a} }", "query": {"q": ["{$v->{b}}"]}}, {"a", "b"}),
        ({"content": {"m": [{"n": "{$v->{a}}"}]}}, {"a"}),
        ({"http_headers": [{"name": "X", "value": "{$v->{a}}"}]}, {"a"}),
        ({"http_headers": [{"name": "{$v->{a}}", "value": "x"}]}, None),
        ({"http_headers": [{"name": "X", "value": "x", "append": "{$v->{a}}"}]}, None),
        ({"http_headers": "{$v->{a}}"}, None),
        ({"method": "{$v->{a}}"}, None),
        ({"content_type": "{'text/plain; charset=iso-8859-' . $v->{a}}"}, None),
        ({"content_hex": "{$v->{a}}"}, None),
        ({"multipart": [{"name": "n", "value": "{$v->{a}}"}]}, None),
        ({"path": "{$v->{a} + 1}"}, None),
        ({"path": "{$v->{a} = 1}"}, None),
        ({"path": "{$r->{a}}"}, None),
        ({"path": "{substr($v->{a}, 1)}"}, None),
        ({"path": "{'\\'' . $v->{a}}"}, None),
        ({"path": '{"$v->{a}"}'}, {"a"}),
        ({"path": '{"/x/$v->{a}/" . $v->{b} . "y"}'}, {"a", "b"}),
        ({"path": '{"$v->{a}[0]"}'}, None),
        ({"path": '{"$v->{a}->{b}"}'}, None),
        ({"path": '{"$v->{a}{b}"}'}, None),
        ({"path": '{"${v}"}'}, None),
        ({"path": '{"@{[1]}"}'}, None),
        ({"path": '{"$r->{idx}"}'}, None),
        ({"path": '{"\\x41$v->{a}"}'}, None),
        ({"path": "{'" + "x" * 1000 + "' . $v->{a}}"}, None),
    ],
)
def test_variables_that_are_put_into_texts(given: dict[str, Any], names: set[str] | None) -> None:
    assert RequestOctets(cast(RequestMaker, None), given).names == names
