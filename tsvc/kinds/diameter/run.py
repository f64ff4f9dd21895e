"""What a run has of Diameter whatever its operations: a track, if all of them go the usual way."""

from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.track import RequestTrack
from tsvc.operations.operation import RunPart, run_part
from tsvc.operations.sayings import Sayings
from tsvc.operations.usual import Host, Track


@run_part
class DiameterRun(RunPart):
    """The Diameter side of a run."""

    def track(self, host: Host, sayings: Sayings, operations: int) -> Track | None:
        gateway = host.context.gateways.get("diameter")
        alone = sayings.reckoning("diameter", operations)
        # Who lingers is told of what comes long after: an affair of ordinary instances.
        if type(gateway) is not DiameterGateway or self.params.get("linger_ms") or alone is None:
            return None
        return RequestTrack(host, gateway, sayings, alone)
