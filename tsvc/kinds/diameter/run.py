"""What a run has of Diameter whatever its operations: a track, if all of them go the usual way."""

from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.leg import RequestSource
from tsvc.kinds.diameter.track import RequestTrack
from tsvc.operations.following import Arguments
from tsvc.operations.operation import RunPart, run_part
from tsvc.operations.sayings import Sayings
from tsvc.operations.usual import Host, Track


@run_part
class DiameterRun(RunPart):
    """The Diameter side of a run."""

    def track(self, host: Host, sayings: Sayings, operations: int) -> Track | None:
        gateway = self._gateway(host)
        alone = sayings.reckoning(("diameter",), operations)
        if gateway is None or alone is None:
            return None
        return RequestTrack(host, gateway, Arguments(host, sayings.makers(), alone))

    def source(self, host: Host, sayings: Sayings) -> RequestSource | None:
        gateway = self._gateway(host)
        if gateway is None or "diameter" not in sayings.kinds:
            return None
        return RequestSource(host, gateway)

    def _gateway(self, host: Host) -> DiameterGateway | None:
        """Return the gateway, if instances may go the usual way with it."""
        gateway = host.context.gateways.get("diameter")
        # Who lingers is told of what comes long after: an affair of ordinary instances.
        if type(gateway) is not DiameterGateway or self.params.get("linger_ms"):
            return None
        return gateway
