"""The declaration of each method: its example works, and it declares all its errors."""

import pytest
from unit.methods.declared import Answers

from tsvc.engine.result.result_example import DEFINITION
from tsvc.errors import KINDS, RequestError
from tsvc.methods.method import METHODS
from tsvc.schema.fields import RunParams
from tsvc.schema.load import load_params

METHODS.load()


@pytest.fixture(params=METHODS.names())
def method(request):
    return METHODS.get(request.param)


def test_the_summary_is_a_sentence(method):
    assert method.summary[0].isupper()
    assert method.summary.endswith(".")


def test_the_params_of_the_example_are_taken(method):
    schema = (method.Definition or method.Params)()
    load_params(schema, dict(method.example.params), refuse=RequestError)
    assert ("run_id" in method.example.params) >= method.needs_run_id


def test_the_result_of_the_example_is_as_declared(method):
    answers = Answers()
    answers.hold(method.Result, method.example.result, method.name)
    assert answers.problems == []


def test_every_parameter_has_a_help(method):
    if method.Definition is None:
        fields = method.Params().fields
        assert [name for name in fields if not fields[name].metadata.get("help")] == []


def test_errors_are_declared_and_no_general_ones(method):
    assert [kind for kind in method.kinds if kind not in KINDS] == []
    assert [kind for kind in method.kinds if KINDS[kind].is_general] == []


def test_a_run_id_that_is_needed_is_a_parameter(method):
    if method.needs_run_id and method.Definition is None:
        assert issubclass(method.Params, RunParams)


def test_the_definition_of_the_examples_runs(daemon):
    more = {name: DEFINITION[name] for name in DEFINITION if name != "operations"}
    result = daemon().run(*DEFINITION["operations"], **more)
    assert result["verdict"] == "pass"


def test_the_catalogue_of_the_example_is_that_of_the_service(daemon):
    example = METHODS.get("DescribeOperations").example
    answer = daemon().call("DescribeOperations", **example.params)
    assert {**answer, "etag": example.result["etag"]} == example.result


def test_the_judgement_of_the_example_is_that_of_the_service(daemon):
    example = METHODS.get("ValidateTest").example
    assert daemon().call("ValidateTest", **example.params) == example.result
