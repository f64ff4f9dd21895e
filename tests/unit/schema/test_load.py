import pytest

from tsvc.errors import DefinitionError, Problem
from tsvc.schema.fields import Integer, List, Members, Nested, RunParams
from tsvc.schema.load import load_params


class Operation(Members):
    count = Integer()


class Run(RunParams):
    operations = List(Nested(Operation))


SCHEMA = Run()


def test_loaded_values():
    found = load_params(SCHEMA, {"operations": [{"count": "2"}]}, refuse=DefinitionError)
    assert found == {"operations": [{"count": 2}]}
    assert found.warnings == []


def test_refused_with_all_places():
    params = {"operations": [{"count": "x"}, {"cuont": 1}]}
    with pytest.raises(DefinitionError) as refused:
        load_params(SCHEMA, params, refuse=DefinitionError)
    assert refused.value.message == (
        'params.operations[0].count: must be an integer, not "x" (and 1 more)'
    )
    assert refused.value.fields == {
        "params.operations[0].count": ['must be an integer, not "x"'],
        "params.operations[1].cuont": ['unknown member; did you mean "count"?'],
    }


def test_tolerated_unknown_members_become_warnings():
    params = {"operations": [{"count": 1, "cuont": 1}, {"count": 2}], "new": {"a": 1}}
    found = load_params(SCHEMA, params, refuse=DefinitionError, are_unknown_refused=False)
    assert found == {"operations": [{"count": 1}, {"count": 2}]}
    assert sorted(found.warnings, key=lambda problem: problem.path) == [
        Problem("params.new", "unknown member", "warning"),
        Problem("params.operations[0].cuont", 'unknown member; did you mean "count"?', "warning"),
    ]
    assert params["new"] == {"a": 1}, "the caller's own object is left as it was"


def test_other_problems_are_refused_though_unknown_members_are_not():
    params = {"operations": [{"count": "x", "cuont": 1}]}
    with pytest.raises(DefinitionError) as refused:
        load_params(SCHEMA, params, refuse=DefinitionError, are_unknown_refused=False)
    assert list(refused.value.fields) == ["params.operations[0].count"]
