"""What a run has of Diameter whatever its operations: a track, if all of them go the usual way."""

from tsvc.kinds.diameter.avps import SESSION_ID
from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.leg import RequestSource
from tsvc.kinds.diameter.track import RequestTrack
from tsvc.operations.following import Arguments
from tsvc.operations.operation import RunPart, run_part
from tsvc.operations.sayings import Lookup, Sayings
from tsvc.operations.usual import Host, Track


@run_part
class DiameterRun(RunPart):
    """The Diameter side of a run."""

    def track(self, host: Host, sayings: Sayings, operations: int) -> Track | None:
        gateway = self._gateway(host, sayings)
        alone = sayings.reckoning(("diameter",), operations)
        if gateway is None or alone is None:
            return None
        arguments = Arguments(host, sayings.makers(), alone)
        return RequestTrack(host, gateway, arguments, sayings.lookups)

    def source(self, host: Host, sayings: Sayings) -> RequestSource | None:
        gateway = self._gateway(host, sayings)
        if gateway is None or "diameter" not in sayings.kinds:
            return None
        return RequestSource(host, gateway)

    def _gateway(self, host: Host, sayings: Sayings) -> DiameterGateway | None:
        """Return the gateway, if instances may go the usual way with it."""
        gateway = host.context.gateways.get("diameter")
        # Who lingers is told of what comes long after: an affair of ordinary instances.
        if type(gateway) is not DiameterGateway or self.params.get("linger_ms"):
            return None
        if not all(map(_is_same, sayings.lookups)):
            return None
        return gateway


def _is_same(path: Lookup) -> bool:
    """Whether what an expression reads of what came is the same in all: no identifier."""
    if path[0] != "DIAMETER":
        return True
    return path[1] == "response" and (
        path[2:] in (("code",), ("name",), ("is_error",))
        or (path[2:3] == ("avp",) and len(path) > 3 and path[3] != SESSION_ID)
    )
