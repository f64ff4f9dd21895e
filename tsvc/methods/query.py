"""QueryTest: the result of a run so far; a completed run is collected by reading it."""

from typing import ClassVar

from tsvc.engine.result.result import Part
from tsvc.engine.result.result_example import RESULT, RUN_ID
from tsvc.engine.result.result_schema import RunResult
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, OneRun, method
from tsvc.schema import fields
from tsvc.schema.load import LoadedParams

MAX_WAIT_S = 60


class QueryParams(OneRun):
    """run_id, how long to wait for the run to complete, and the requested part of the result."""

    class Meta(OneRun.Meta):
        include: ClassVar = {
            "fields": fields.List(
                fields.Choice(sorted(RunResult().fields)),
                help="members of the result that are wanted; `run_id`, `completed`, `state`, "
                "`verdict`, `result_id`, `archived` and `time_now` are always there; absent: all",
            )
        }

    wait_s = fields.Number(
        0,
        MAX_WAIT_S,
        default=0.0,
        help="how long to wait for the run to complete",
        unit="s",
    )
    collect = fields.Boolean(
        default=True,
        help="0: only look; a completed run keeps its run_id, for whoever collects it",
    )
    since = fields.Number(
        0,
        default=0.0,
        help="of `buckets`, only those that begin at this moment of the run or later",
        unit="s",
    )


@method
class QueryTest(Method):
    """Answers when the run completes, at the latest after wait_s."""

    name = "QueryTest"
    summary = (
        "The result of a run so far. A completed run is collected by it: its run_id is free, and "
        "further queries are answered from the archive. With `collect: 0` a look changes nothing."
    )
    Params = QueryParams
    Result = RunResult
    kinds = ("run_id.unknown", "archive.down")
    example = Example({"run_id": RUN_ID, "wait_s": 60}, RESULT)
    needs_run_id = True
    deadline_s = MAX_WAIT_S + 15.0

    def call(self, service: Service, params: LoadedParams) -> object:
        part = Part(frozenset(params.get("fields") or ()), params["since"])
        return service.query(
            params["run_id"], params["wait_s"], part, is_collected=params["collect"]
        )
