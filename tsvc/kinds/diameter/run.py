"""The Diameter side of a run that does not depend on its operations: the fast path."""

from tsvc.kinds.diameter.avps import SESSION_ID
from tsvc.kinds.diameter.fast_path.paths import RequestSource
from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.operations.eligibility import Eligibility, Lookup
from tsvc.operations.fast_path.contract import Host
from tsvc.operations.operation import RunPart, run_part


@run_part
class DiameterRun(RunPart):
    """The Diameter side of a run."""

    def fast_path(self, host: Host, eligibility: Eligibility) -> RequestSource | str | None:
        if "diameter" not in eligibility.kinds:
            return None
        gateway = host.context.gateways.get("diameter")
        if type(gateway) is not DiameterGateway:
            return "its gateway is none of Diameter"
        if self.params.get("linger_ms"):
            return "linger_ms: an instance is told of what comes long after"
        if not all(map(_is_same, eligibility.lookups)):
            return "an expression reads a Session-Id that came"
        return RequestSource(host, gateway, eligibility.sent_by("diameter"))


def _is_same(path: Lookup) -> bool:
    """Return True if an expression reads no identifier from a received message."""
    if path[0] != "DIAMETER":
        return True
    return path[1:2] == ("response",) and (
        path[2:] in (("code",), ("name",), ("is_error",))
        or (path[2:3] == ("avp",) and len(path) > 3 and path[3] != SESSION_ID)
    )
