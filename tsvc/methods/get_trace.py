"""GetTrace: what was recorded of one instance, in the form that is asked for."""

from typing import Any

from tsvc.methods._base import Method, method
from tsvc.rpc import fields
from tsvc.rpc.fields import RunParams
from tsvc.rpc.params import LoadedParams


class TraceParams(RunParams):
    """run_id, instance (default the first), format."""

    instance = fields.Integer(0, load_default=0)
    format = fields.Choice(("json", "text", "ladder", "svg", "pcap"), load_default="text")


@method
class GetTrace(Method):
    """Answers {run_id, instance, format, content}; content of pcap is base64."""

    name = "GetTrace"
    Params = TraceParams
    needs_run_id = True

    def call(self, service: Any, params: LoadedParams) -> object:
        return service.trace(params["run_id"], params["instance"], params["format"])
