"""GetTrace: the record of one instance, in the requested form."""

from typing import ClassVar

from tsvc.archive.store import LARGEST_ID
from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_example import RUN_ID
from tsvc.engine.result.result_schema import TracedInstance
from tsvc.engine.result.traces import FORMS, Excerpt
from tsvc.engine.service import Service
from tsvc.errors import RequestError
from tsvc.methods.method import RUN_ID_HELP, Example, Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params, RunId, check_run_id
from tsvc.schema.load import LoadedParams


class TraceParams(Params):
    """run_id or result_id, which takes precedence; instance (default the first), format; for the
    format json, the part to return."""

    class Meta(Params.Meta):
        include: ClassVar = {
            "from": fields.Integer(
                0,
                allow_none=True,
                help="`json`: the first of the messages that are wanted, by the number of its "
                "record, from 0",
            ),
            "fields": fields.List(
                fields.Choice(sorted(TracedInstance().fields)),
                help="`json`: members of the content that are wanted; absent: all",
            ),
        }

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
    count = fields.Integer(
        1,
        allow_none=True,
        help="`json`: how many records from there on; fewer are given where they have more than "
        "256 KiB. `portion` of the content says which they are and where the next begin",
    )
    summary = fields.Boolean(
        default=False,
        help="`json`: 1: of the messages only what a ladder is drawn and searched by: protocol, "
        "t, direction, dialogue or peer, operations, hex, arrow",
    )


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
        "`lifelines` (roles of the tester, peers; both from left to right). A portion has the "
        "lifelines of its own messages, and no `ladder`"
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
        form = params["format"]
        first, count, is_summary = params.get("from"), params.get("count"), params["summary"]
        names = frozenset(params.get("fields") or ())
        is_portion = first is not None or count is not None or is_summary
        if form != "json" and (is_portion or names):
            raise RequestError(f"params.format: only json has parts, not {form}")
        wanted = Excerpt(names, first or 0, count, is_portion=is_portion, is_summary=is_summary)
        return service.trace(run_id, result_id, params["instance"], form, wanted)
