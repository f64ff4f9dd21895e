"""The REST side of a run that does not depend on its operations: its part in the fast path."""

from tsvc.kinds.rest.fast_path.looked_at import looked_at
from tsvc.kinds.rest.fast_path.paths import RequestSource
from tsvc.kinds.rest.gateway import RestGateway
from tsvc.operations.eligibility import Eligibility
from tsvc.operations.fast_path.contract import Host
from tsvc.operations.operation import RunPart, run_part


@run_part
class RestRun(RunPart):
    """The REST side of a run."""

    def fast_path(self, host: Host, eligibility: Eligibility) -> RequestSource | str | None:
        if "rest" not in eligibility.kinds:
            return None
        if not _are_plain(host):
            return "a REST gateway with HTTP/2, a proxy, cookies, retries or authentication"
        entries = self.params["operations"]
        own = [one for at, one in enumerate(entries) if eligibility.kind_of(at) == "rest"]
        found = looked_at(own, eligibility.lookups)
        if found is None:
            return "an expression reads more of a response than is compared"
        return RequestSource(host, eligibility.sent_by("rest"), found)


def _are_plain(host: Host) -> bool:
    """Return True if instances that use these gateways can be replayed."""
    gateways = [
        one
        for selection, one in host.context.gateways.items()
        if selection.partition("_")[0] == "rest"
    ]
    # Requests that are repeated or sent over HTTP/2 or a proxy need ordinary instances.
    return all(type(one) is RestGateway and one.is_plain for one in gateways)
