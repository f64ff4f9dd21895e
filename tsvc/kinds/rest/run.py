"""What a run has of REST whatever its operations: a track, if all of them go the usual way."""

from tsvc.kinds.rest.gateway import RestGateway
from tsvc.kinds.rest.track import RequestTrack
from tsvc.kinds.rest.usual import looked_at
from tsvc.operations.operation import RunPart, run_part
from tsvc.operations.sayings import Sayings
from tsvc.operations.usual import Host, Track


@run_part
class RestRun(RunPart):
    """The REST side of a run."""

    def track(self, host: Host, sayings: Sayings, operations: int) -> Track | None:
        if not sayings.cover("rest", operations):
            return None
        gateways = [
            one
            for selection, one in host.context.gateways.items()
            if selection.partition("_")[0] == "rest"
        ]
        # What is asked twice, or beside others, is an affair of ordinary instances.
        if not all(type(one) is RestGateway and one.is_plain for one in gateways):
            return None
        return RequestTrack(host, sayings, looked_at(self.params["operations"]))
