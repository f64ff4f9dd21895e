"""The SMPP side of a run that does not depend on its operations: its part in the fast path."""

from typing import Any

from tsvc.kinds.smpp.fast_path.looked_at import is_same, looks_at_address
from tsvc.kinds.smpp.fast_path.paths import SmscSource
from tsvc.kinds.smpp.gateway import SmppGateway
from tsvc.operations.eligibility import Eligibility
from tsvc.operations.fast_path.contract import Host
from tsvc.operations.operation import RunPart, run_part


@run_part
class SmppRun(RunPart):
    """The SMPP side of a run."""

    def fast_path(self, host: Host, eligibility: Eligibility) -> SmscSource | str | None:
        if "smpp" not in eligibility.kinds:
            return None
        gateway = host.context.gateways.get("smpp")
        if type(gateway) is not SmppGateway:
            return "its gateway is none of SMPP"
        if self.params.get("linger_ms"):
            return "linger_ms: an instance is told of what comes long after"
        expected = eligibility.expected_by("smpp")
        names = {one.what for arguments in expected.values() for one in arguments}
        if not all(is_same(path, names) for path in eligibility.lookups):
            return "an expression reads what differs from one message to the next"
        entries: list[Any] = self.params["operations"]
        own = [at for at in range(len(entries)) if eligibility.kind_of(at) == "smpp"]
        return SmscSource(
            host,
            gateway,
            eligibility.sent_by("smpp"),
            expected,
            {at for at in own if looks_at_address(entries[at])},
        )
