"""What a run has of REST whatever its operations: a track, if all of them go the usual way."""

from tsvc.kinds.rest.gateway import RestGateway
from tsvc.kinds.rest.leg import RequestSource
from tsvc.kinds.rest.track import RequestTrack
from tsvc.kinds.rest.usual import looked_at
from tsvc.operations.operation import RunPart, run_part
from tsvc.operations.sayings import Sayings
from tsvc.operations.usual import Host, Track


@run_part
class RestRun(RunPart):
    """The REST side of a run."""

    def track(self, host: Host, sayings: Sayings, operations: int) -> Track | None:
        is_known = sayings.cover("rest", operations) and not sayings.lookups
        if not is_known or not _are_plain(host):
            return None
        found = looked_at(self.params["operations"])
        return None if found is None else RequestTrack(host, sayings.makers(), found)

    def source(self, host: Host, sayings: Sayings) -> RequestSource | None:
        if "rest" not in sayings.kinds or not _are_plain(host):
            return None
        makers = [one for one in sayings.makers() if sayings.kind_of(one[0]) == "rest"]
        entries = self.params["operations"]
        own = [one for at, one in enumerate(entries) if sayings.kind_of(at) == "rest"]
        found = looked_at(own, sayings.lookups)
        return None if found is None else RequestSource(host, makers, found)


def _are_plain(host: Host) -> bool:
    """Whether instances may go the usual way with the gateways."""
    gateways = [
        one
        for selection, one in host.context.gateways.items()
        if selection.partition("_")[0] == "rest"
    ]
    # What is asked twice, or beside others, is an affair of ordinary instances.
    return all(type(one) is RestGateway and one.is_plain for one in gateways)
