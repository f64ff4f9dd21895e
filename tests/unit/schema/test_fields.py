import pytest
from marshmallow import Schema, ValidationError

from tsvc.errors import DefinitionError, RequestError, RunIdMissing
from tsvc.schema.fields import (
    Boolean,
    Choice,
    Digits,
    Integer,
    List,
    Members,
    Nested,
    Number,
    Object,
    RunParams,
    String,
    check_run_id,
    flatten_messages,
    unknown_members,
)


def load(field, value):
    return Schema.from_dict({"it": field})().load({"it": value})["it"]


def refusal(field, value):
    with pytest.raises(ValidationError) as refused:
        load(field, value)
    return refused.value.messages["it"][0]


@pytest.mark.parametrize(
    ("field", "given", "value"),
    [
        (Integer(), 2, 2),
        (Integer(), "2", 2),
        (Integer(), "-012", -12),
        (Integer(), 2.0, 2),
        (Integer(), 2**70, 2**70),
        (Integer(0, 7), "7", 7),
        (Number(), 2, 2.0),
        (Number(), "0.5", 0.5),
        (Number(), "-1e3", -1000.0),
        (Number(low=0), 0, 0.0),
        (Boolean(), True, True),
        (Boolean(), 0, False),
        (Boolean(), "1", True),
        (Boolean(), "0", False),
        (Digits(), "0064*#", "0064*#"),
        (Digits(), "", ""),
        (String(), "é", "é"),
        (Choice(["load", "linear"]), "load", "load"),
        (Object(), {"a": 1}, {"a": 1}),
        (List(Integer()), ["1", 2], [1, 2]),
    ],
)
def test_accepted(field, given, value):
    found = load(field, given)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("field", "given", "text"),
    [
        (Integer(), True, "must be an integer, not a boolean"),
        (Integer(), 2.5, "must be an integer, not a number"),
        (Integer(), "2.0", 'must be an integer, not "2.0"'),
        (Integer(), "", 'must be an integer, not ""'),
        (Integer(), " 2", 'must be an integer, not " 2"'),
        (Integer(), "٢", 'must be an integer, not "٢"'),
        (Integer(), "1_0", 'must be an integer, not "1_0"'),
        (Integer(), None, "must not be null"),
        (Integer(), [1], "must be an integer, not an array"),
        (Integer(0, 3), "4", "must be from 0 to 3, not 4"),
        (Integer(low=1), 0, "must be at least 1, not 0"),
        (Integer(high=1), 2, "must be at most 1, not 2"),
        (Number(), "1e999", 'must be a number, not "1e999"'),
        (Number(), "nan", 'must be a number, not "nan"'),
        (Number(), False, "must be a number, not a boolean"),
        (Number(), 10**400, "is too large a number"),
        (Boolean(), 2, "must be true, false, 0 or 1, not a number"),
        (Boolean(), "2", 'must be true, false, 0 or 1, not "2"'),
        (Boolean(), "yes", 'must be true, false, 0 or 1, not "yes"'),
        (Digits(), 64, "must be a string of digits, not a number: a number loses leading zeros"),
        (Digits(), True, "must be a string, not a boolean"),
        (Digits(), "12 34", '"12 34" has characters other than 0-9 A-F * #'),
        (String(), 1, "must be a string, not a number"),
        (Choice(["load", "linear"]), "lod", 'is not one of load, linear; did you mean "load"?'),
        (Choice(["load"]), 1, "must be a string, not a number"),
        (Object(), [], "must be an object, not an array"),
        (List(Integer()), {}, "must be an array"),
    ],
)
def test_refused(field, given, text):
    assert refusal(field, given).endswith(text)


class Check(Members):
    kpath = String(required=True)
    value = Integer()


class Operation(Members):
    type = String(required=True)
    tests = List(Nested(Check))


class Run(RunParams):
    open_prefixes = ("db_",)
    operations = List(Nested(Operation), required=True)


SCHEMA = Run()


def messages_of(params):
    with pytest.raises(ValidationError) as refused:
        SCHEMA.load(params)
    return refused.value.messages


def test_free_members_are_kept_at_every_level():
    free = {"x_1": [1], "comment": "c", "name": "n", "description": {"any": "thing"}}
    params = {"operations": [{"type": "wait", **free}], **free}
    assert SCHEMA.load(params) == params


def test_open_prefixes_are_kept():
    assert SCHEMA.load({"operations": [], "db_hlr": "DB-1"})["db_hlr"] == "DB-1"


def test_problems_of_all_depths_become_flat_paths():
    good = {"kpath": "a"}
    params = {
        "run_id": "r",
        "operation": [],
        "operations": [
            {"type": "a"},
            {"typ": "b"},
            5,
            {"type": "c", "tests": [good, {"kpath": "b", "value": "x", "vlaue": 1}]},
        ],
    }
    assert flatten_messages(messages_of(params)) == {
        "params.operation": ['unknown member; did you mean "operations"?'],
        "params.operations[1].type": ["is missing"],
        "params.operations[1].typ": ['unknown member; did you mean "type"?'],
        "params.operations[2]": ["must be an object"],
        "params.operations[3].tests[1].value": ['must be an integer, not "x"'],
        "params.operations[3].tests[1].vlaue": ['unknown member; did you mean "value"?'],
    }


def test_unknown_members_are_told_from_other_problems():
    messages = messages_of({"operations": [{"bad": 1}], "worse": 2})
    places = [steps for steps, _ in unknown_members(messages)]
    assert places == [("operations", 0, "bad"), ("worse",)]


def test_thousands_of_problems_are_cut_short():
    params = {f"member_{k}": k for k in range(20_000)}
    flat = flatten_messages(messages_of(params))
    assert len(flat) == 101
    assert flat["params"] == ["has more than 100 problems"]


def test_marshmallows_own_name_is_no_member():
    messages = messages_of({"operations": [], "_schema": 1})
    assert unknown_members(messages) == []
    assert flatten_messages(messages) == {"params": ["unknown member _schema"]}


@pytest.mark.parametrize("run_id", ["a", " ", "\x00", "é" * 128, "x" * 256, "0"])
def test_run_id(run_id):
    assert check_run_id({"run_id": run_id}, RequestError) == run_id


@pytest.mark.parametrize("params", [{}, {"run_id": None}, {"run_id": ""}])
def test_run_id_missing(params):
    with pytest.raises(RunIdMissing):
        check_run_id(params, RequestError)


@pytest.mark.parametrize("refuse", [RequestError, DefinitionError])
@pytest.mark.parametrize(
    ("run_id", "text"),
    [
        (1, "must be a string, not a number"),
        (False, "must be a string, not a boolean"),
        ([], "must be a string, not an array"),
        ("x" * 257, "is 257 octets long, the limit is 256"),
        ("é" * 129, "is 258 octets long, the limit is 256"),
    ],
)
def test_run_id_refused(run_id, text, refuse):
    with pytest.raises(refuse, match=text) as refused:
        check_run_id({"run_id": run_id}, refuse)
    assert refused.value.fields == {"params.run_id": [text]}
