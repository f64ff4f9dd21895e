"""CompareResults: two archived runs side by side."""

from typing import Any

from tsvc.archive.store import LARGEST_ID
from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_example import NOW, SUMMARY
from tsvc.engine.result.result_schema import Check, Summary
from tsvc.engine.run import VERDICTS
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, method
from tsvc.results.compare import HIGHER, LOWER, MOST_DIFFERENCES, compare, differences
from tsvc.schema import fields
from tsvc.schema.fields import Params
from tsvc.schema.load import LoadedParams


class CompareParams(Params):
    """The two results to compare."""

    a = fields.Integer(1, LARGEST_ID, required=True, help="result_id of the one compared with")
    b = fields.Integer(1, LARGEST_ID, required=True, help="result_id of the other one")


class ComparedRun(Summary):
    """One of the two runs, in short."""

    result_id = member.count("its number in the archive")


class Verdicts(AnswerMembers):
    """`verdict`."""

    a = member.choice(VERDICTS, "of the first")
    b = member.choice(VERDICTS, "of the second")
    is_worse = member.flag("whether the second one's is worse")


class Change(AnswerMembers):
    """The change of a number from the first run to the second."""

    delta = member.number("b less a; null where one is null", is_null=True)
    percent = member.number("delta in percent of a; null where a is 0 or null", is_null=True)


class ComparedNumber(Change):
    """One of `metrics`."""

    name = member.text("the metric; as thresholds name it, where they do")
    unit = member.text("its unit, or empty")
    better = member.choice((LOWER, HIGHER), "what is better; null: neither", is_null=True)
    a = member.number("of the first; null: it has none", is_null=True)
    b = member.number("of the second; null: it has none", is_null=True)


class ComparedOperation(Change):
    """One of `operations`."""

    op = member.count("index of the operation in the definition")
    name = member.text("its type")
    a_p99_ms = member.number("99 % of the first run's took no longer", "ms", is_null=True)
    b_p99_ms = member.number("99 % of the second run's took no longer", "ms", is_null=True)


class ComparedThreshold(AnswerMembers):
    """One of `thresholds`."""

    metric = member.text("the metric")
    op = member.text("the comparison")
    value = member.number("the limit")
    a = member.anything("whether the first run kept to it; null: it had no such threshold")
    b = member.anything("whether the second one did")


class ComparedFailures(AnswerMembers):
    """One of `failures`."""

    state = member.text("what became of the instances")
    op = member.integer("index of the operation", is_null=True)
    cause = member.text("what it was")
    a = member.count("how many instances of the first run")
    b = member.count("how many of the second")


class ComparedCheck(AnswerMembers):
    """`check`."""

    index = member.count("its place in `check_log` of the first instance")
    a = member.one(Check, "what the first run has there; null: nothing", is_null=True)
    b = member.one(Check, "what the second has there", is_null=True)


class Difference(AnswerMembers):
    """One of `definition`."""

    pointer = member.text("the place in the definition, a JSON pointer (RFC 6901)")
    a = member.anything("what the first one has there; null, if nothing")
    b = member.anything("what the second one has there")


class Comparison(AnswerMembers):
    """Two runs side by side."""

    time_now = member.moment("wall time of the answer")
    a = member.one(ComparedRun, "the first")
    b = member.one(ComparedRun, "the second")
    verdict = member.one(Verdicts, "their verdicts")
    metrics = member.each(ComparedNumber, "numbers of whole runs, the same for any two")
    operations = member.each(ComparedOperation, "how long operations waited for peers")
    thresholds = member.each(ComparedThreshold, "thresholds of either")
    failures = member.each(
        ComparedFailures,
        f"failures by operation and cause, what changed most first; at most {MOST_DIFFERENCES}",
    )
    check = member.one(
        ComparedCheck, "the first check of the first instances that differs", is_null=True
    )
    definition = member.each(
        Difference, f"where the definitions differ, at most {MOST_DIFFERENCES} places"
    )


_SHORT = tuple(ComparedRun().fields)
_RUN = {**{name: SUMMARY[name] for name in SUMMARY}, "result_id": 1041}


@method
class CompareResults(Method):
    """Answers the differences of two results and of their definitions."""

    name = "CompareResults"
    summary = "Two runs of the archive side by side: verdicts, numbers, failures, definitions."
    Params = CompareParams
    Result = Comparison
    kinds = ("run_id.unknown", "archive.down")
    example = Example(
        {"a": 1041, "b": 1042},
        {
            "time_now": NOW,
            "a": _RUN,
            "b": {**_RUN, "result_id": 1042, "verdict": "fail"},
            "verdict": {"a": "pass", "b": "fail", "is_worse": 1},
            "metrics": [
                {
                    "name": "response_p99_ms",
                    "unit": "ms",
                    "better": "lower",
                    "a": 200.0,
                    "b": 250.0,
                    "delta": 50.0,
                    "percent": 25.0,
                }
            ],
            "operations": [],
            "thresholds": [
                {"metric": "response_p99_ms", "op": "<=", "value": 225, "a": True, "b": False}
            ],
            "failures": [],
            "check": None,
            "definition": [{"pointer": "/vars/number", "a": "6421", "b": "6422"}],
        },
    )

    def call(self, service: Service, params: LoadedParams) -> object:
        a, b = (service.get_result(params[name], has_definition=True) for name in ("a", "b"))
        return {
            "time_now": b["time_now"],
            "a": _short(a),
            "b": _short(b),
            **compare(a, b),
            "definition": differences(
                _without_run_id(a["definition"]), _without_run_id(b["definition"])
            ),
        }


def _short(result: dict[str, Any]) -> dict[str, Any]:
    return {name: result[name] for name in _SHORT if name in result}


def _without_run_id(definition: Any) -> Any:
    """Return a definition without its run_id, which two runs never have in common."""
    if not isinstance(definition, dict):
        return definition
    return {name: value for name, value in definition.items() if name != "run_id"}
