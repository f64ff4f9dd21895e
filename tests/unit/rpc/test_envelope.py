import pytest

from tsvc.errors import RequestError, UnknownMethod
from tsvc.rpc.envelope import Request, failure, id_as_string, id_of, read_request, success

GOOD = {"jsonrpc": "2.0", "method": "QueryTest", "params": {"run_id": "r"}, "id": 1}


def test_request():
    assert read_request(GOOD) == Request("QueryTest", {"run_id": "r"}, 1)


@pytest.mark.parametrize("params", [None, {}])
def test_params_may_be_null_or_empty(params):
    assert read_request({**GOOD, "params": params}).params == {}


def test_params_may_be_absent():
    document = {name: GOOD[name] for name in ("jsonrpc", "method", "id")}
    assert read_request(document).params == {}


@pytest.mark.parametrize("request_id", ["", "a", 0, -1, 2.5, 2**80])
def test_ids(request_id):
    found = read_request({**GOOD, "id": request_id}).id
    assert (type(found), found) == (type(request_id), request_id)


@pytest.mark.parametrize(
    ("change", "text", "path"),
    [
        ({"jsonrpc": "1.0"}, 'jsonrpc must be the string "2.0"', "jsonrpc"),
        ({"jsonrpc": 2.0}, 'jsonrpc must be the string "2.0"', "jsonrpc"),
        ({"jsonrpc": None}, "jsonrpc must not be null", "jsonrpc"),
        ({"method": 1}, "method must be a string, not a number", "method"),
        ({"method": None}, "method must not be null", "method"),
        ({"params": []}, "params must be an object, not an array", "params"),
        ({"params": "x"}, "params must be an object, not a string", "params"),
        ({"params": 0}, "params must be an object, not a number", "params"),
        ({"id": None}, "id must not be null", "id"),
        ({"id": True}, "id must be a string or a number, not a boolean", "id"),
        ({"id": []}, "id must be a string or a number, not an array", "id"),
        ({"id": {}}, "id must be a string or a number, not an object", "id"),
    ],
)
def test_refused(change, text, path):
    with pytest.raises(RequestError) as refused:
        read_request({**GOOD, **change})
    assert refused.value.message == text
    assert list(refused.value.fields) == [path]
    assert refused.value.kind == "envelope.invalid"


@pytest.mark.parametrize("name", ["jsonrpc", "method", "id"])
def test_required(name):
    document = {other: value for other, value in GOOD.items() if other != name}
    with pytest.raises(RequestError, match=f"^{name} is missing$"):
        read_request(document)


def test_all_problems_at_once():
    with pytest.raises(RequestError, match="and 3 more") as refused:
        read_request({"params": []})
    assert set(refused.value.fields) == {"jsonrpc", "method", "params", "id"}


def test_further_members_do_no_harm():
    assert read_request({**GOOD, "error": None, "trace": 1}) == read_request(GOOD)


def test_misspelt_params_are_not_taken_for_none():
    document = {"jsonrpc": "2.0", "method": "QueryTest", "parms": {}, "id": 1}
    with pytest.raises(RequestError, match='did you mean "params"'):
        read_request(document)


@pytest.mark.parametrize(
    ("document", "found"),
    [({}, None), ({"id": False}, None), ({"id": [1]}, None), ({"id": 0}, 0), ({"id": "a"}, "a")],
)
def test_id_of_an_invalid_envelope(document, found):
    assert id_of(document) == found


def test_success_has_no_error_member():
    assert success("ok", 3) == {"jsonrpc": "2.0", "result": "ok", "id": 3}


def test_failure_has_a_null_result():
    error = UnknownMethod("unknown method", method="X")
    assert failure(error, None) == {
        "jsonrpc": "2.0",
        "result": None,
        "error": {
            "code": 1001,
            "message": "unknown method",
            "data": {"kind": "method.unknown", "method": "X"},
        },
        "id": None,
    }


@pytest.mark.parametrize(
    ("given", "found"), [(1, "1"), (1.5, "1.5"), ("a", "a"), (2**80, str(2**80)), (None, None)]
)
def test_id_as_string(given, found):
    assert id_as_string(given) == found
