"""GetTrace: what was recorded of one instance, in the form that is asked for."""

from tsvc.archive.store import LARGEST_ID
from tsvc.engine.outcome import member
from tsvc.engine.outcome.member import AnswerMembers
from tsvc.engine.outcome.result_example import RUN_ID
from tsvc.engine.outcome.traces import FORMS
from tsvc.engine.service import Service
from tsvc.errors import RequestError
from tsvc.methods.method import RUN_ID_HELP, Example, Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params, RunId, check_run_id
from tsvc.schema.load import LoadedParams


class TraceParams(Params):
    """run_id or result_id, which goes before it; instance (default the first), format."""

    result_id = fields.Integer(
        1,
        LARGEST_ID,
        help="number of a result in the archive; it goes before run_id",
    )
    run_id = RunId(allow_none=True, help=f"{RUN_ID_HELP}; needed where there is no result_id")
    instance = fields.Integer(
        0,
        default=0,
        help="which instance, one of those that the result has in detail",
    )
    format = fields.Choice(FORMS, default="text", help="form of the content")


class TraceMembers(AnswerMembers):
    """A trace."""

    run_id = member.text("the run")
    instance = member.count("the instance")
    format = member.choice(tuple(FORMS), "form of the content")
    content = member.anything(
        "`text`, `ladder`, `svg`: the text; `pcap`: a capture in base64, of the octets that links "
        "and connections carried, refused if there are none; `json`: the instance in "
        "detail, as results have it in `first_call_summary`, `first_fails`, `first_aborts`, its "
        "messages with `spans` and `arrow` (from, to, label, details, is_failure), beside them "
        "`lifelines` (roles of the tester, peers; both from left to right)"
    )


@method
class GetTrace(Method):
    """Answers {run_id, instance, format, content}; content of pcap is base64."""

    name = "GetTrace"
    summary = "What was recorded of an instance: as text, as a drawing, as a capture."
    Params = TraceParams
    Result = TraceMembers
    kinds = ("run_id.missing", "run_id.unknown", "instance.not_kept", "archive.down")
    example = Example(
        {"run_id": RUN_ID, "format": "text"},
        {
            "run_id": RUN_ID,
            "instance": 0,
            "format": "text",
            "content": "     0.012 ms  op 0  wait\n",
        },
    )

    def call(self, service: Service, params: LoadedParams) -> object:
        result_id, run_id = params.get("result_id"), None
        if result_id is None or params.get("run_id") is not None:
            run_id = check_run_id(params, RequestError)
        return service.trace(run_id, result_id, params["instance"], params["format"])
