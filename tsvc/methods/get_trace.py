"""GetTrace: what was recorded of one instance, in the form that is asked for."""

from tsvc.archive.store import LARGEST_ID
from tsvc.engine.service import Service
from tsvc.errors import RequestError
from tsvc.methods.method import Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params, RunId, check_run_id
from tsvc.schema.load import LoadedParams


class TraceParams(Params):
    """run_id or result_id, which goes before it; instance (default the first), format."""

    result_id = fields.Integer(1, LARGEST_ID)
    run_id = RunId(allow_none=True)
    instance = fields.Integer(0, load_default=0)
    format = fields.Choice(("json", "text", "ladder", "svg", "pcap"), load_default="text")


@method
class GetTrace(Method):
    """Answers {run_id, instance, format, content}; content of pcap is base64."""

    name = "GetTrace"
    Params = TraceParams

    def call(self, service: Service, params: LoadedParams) -> object:
        result_id, run_id = params.get("result_id"), None
        if result_id is None or params.get("run_id") is not None:
            run_id = check_run_id(params, RequestError)
        return service.trace(run_id, result_id, params["instance"], params["format"])
