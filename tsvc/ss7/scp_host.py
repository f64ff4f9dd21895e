"""The embedded SCP of the daemon: created from [scp], reached by loopback and by M3UA links.

Without flows there is no SCP, and its code is not imported: that is a fifth of a daemon.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsvc.clock import Clock
from tsvc.config.scp_tables import Scp
from tsvc.errors import GatewayError, Problem
from tsvc.log import get_logger
from tsvc.protocols.tcap.ids import ALL_IDS, IdRange
from tsvc.rpc import strict_json

if TYPE_CHECKING:
    from tsvc.flow.flow import Flow, PathStep
    from tsvc.scp.service import ScpService
    from tsvc.ss7.links import LinkConfig
    from tsvc.ss7.network import SigtranNetwork
    from tsvc.ss7.scp_node import ScpNode

log = get_logger("scp")

SCP_POINT_CODE = 2


class FlowProblems(Exception):
    """Flow documents are wrong; `problems` are all of them."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{problem.path}: {problem.text}" for problem in problems))
        self.problems = list(problems)


_TAKEN: dict[str, Any] = {}


class PathRecorder:
    """Paths of requested calls through flows, by the SSP's transaction id."""

    def __init__(self) -> None:
        self._paths: dict[bytes, dict[str, Any] | None] = {}
        self._unserved: dict[bytes, str] = {}

    def want(self, otid: bytes) -> None:
        """Record the path of this call when the call is over."""
        self._paths[otid] = None

    def drop(self, otid: bytes) -> None:
        """Remove the path of a call."""
        self._paths.pop(otid, None)
        self._unserved.pop(otid, None)

    def get(self, otid: bytes) -> dict[str, Any] | None:
        """Return the path of a call, None while it is not over."""
        return self._paths.get(otid)

    def why_unserved(self, otid: bytes) -> str:
        """Return the reason why no flow serves a call, "" if one does."""
        return self._unserved.get(otid, "")

    def record_unserved(self, otid: bytes, reason: str) -> None:
        """Store the reason why no flow serves a call, if its path was requested."""
        if self._paths.get(otid, _TAKEN) is None:
            self._unserved.setdefault(otid, reason)

    def record(self, otid: bytes, flow: str, path: "list[PathStep]") -> None:
        """Store the path of a call that is over, if it was requested."""
        # Only the first path counts: another SSP may use the same transaction id later.
        if self._paths.get(otid, _TAKEN) is None:
            self._paths[otid] = {
                "flow": flow,
                "path": [
                    {
                        "operation": step.operation_id,
                        "type": step.type,
                        "exit": step.exit_index,
                        "exit_name": step.exit_name,
                    }
                    for step in path
                ],
            }


class ScpHost:
    """Owns the shared SCP, and creates private ones for runs with a flow."""

    def __init__(
        self, scp: Scp, clock: Clock, ids: IdRange = ALL_IDS, *, takes_free_ports: bool = False
    ) -> None:
        """`takes_free_ports`: it listens on any free port, whatever `listen` says."""
        self._takes_free_ports = takes_free_ports
        self.paths = PathRecorder()
        self._clock = clock
        self._ids = ids
        self.settings = scp
        _links(scp)
        self.node: ScpNode | None = None
        self._network: SigtranNetwork | None = None
        flows = load_flows(scp.flows, scp)
        if flows:
            self.node = self._node(self._service(flows))
        else:
            _refuse_links(scp)

    def _node(self, service: "ScpService") -> "ScpNode":
        from tsvc.ss7.sccp import Subsystems
        from tsvc.ss7.scp_node import ScpNode

        subsystems = Subsystems(lambda: self.settings.ssn, service.count_unequipped)
        return ScpNode(service, self._clock, subsystems)

    def _service(self, flows: "Sequence[Flow]", *, is_own_flow: bool = False) -> "ScpService":
        from tsvc.scp.service import ScpService

        service = ScpService(
            flows,
            self.settings,
            first_tid=random.getrandbits(32),
            ids=self._ids,
            random=random.random,
            wall=self._clock.wall,
            is_own_flow=is_own_flow,
        )
        service.on_path = self.paths.record
        service.on_unserved = self.paths.record_unserved
        return service

    def start(self) -> None:
        """Start serving. Errors: GatewayError if a port to listen on is taken."""
        if self.node is None:
            return
        self.node.start()
        self._join(self.node)

    def _join(self, node: "ScpNode") -> None:
        links = _links(self.settings)
        if self._takes_free_ports:
            links = [replace(one, port=0) if one.mode == "listen" else one for one in links]
        if links:
            from tsvc.ss7.links import NodeConfig
            from tsvc.ss7.network import SigtranNetwork

            self._network = SigtranNetwork(
                NodeConfig(opc=SCP_POINT_CODE, subsystems=node.subsystems, is_end_point=True),
                links,
                self._clock,
                node.receive,
                node.give_back,
                lambda route, reason: None,  # its calls end by their timers
            )
            try:
                self._network.start()
            except GatewayError as error:
                raise GatewayError(f"scp.listen: {error}") from None

    def own_port(self) -> int:
        """Return the first port that it listens on, 0 if there is none."""
        ports = [] if self._network is None else self._network.ports()
        return ports[0] if ports else 0

    def stop(self) -> None:
        """End all calls and close."""
        if self.node is not None:
            self.node.stop()
        if self._network is not None:
            self._network.stop()

    def prepare(self, scp: Scp) -> Callable[[], None]:
        """Check a new configuration; the returned call applies it. Errors: FlowProblems.

        Calls in progress keep their flow and settings; connections stay up unless `listen` or
        `connect` changed.
        """
        _links(scp)
        flows = load_flows(scp.flows, scp)
        if not flows:
            _refuse_links(scp)
        return lambda: self._apply(scp, flows)

    def _apply(self, scp: Scp, flows: "list[Flow]") -> None:
        before = self.settings
        has_moved = (scp.listen, scp.connect) != (before.listen, before.connect)
        self.settings = scp
        if has_moved and self._network is not None:
            self._network.stop()
            self._network = None
        if self.node is not None:
            self.node.service.reconfigure(flows, scp)
        elif flows:
            self.node = self._node(self._service(flows))
            self.node.start()
        if has_moved and self.node is not None:
            try:
                self._join(self.node)
            except GatewayError as error:
                # As with gateways: faults outside of the configuration do not undo the change.
                log.error("SCP does not listen", reason=str(error))

    def private_node(self, flow: "Flow") -> "ScpNode":
        """Return a running SCP that runs only this flow."""
        node = self._node(self._service([flow], is_own_flow=True))
        node.start()
        return node

    def ports(self) -> list[int]:
        """Return the ports that SSPs may connect to."""
        return [] if self._network is None else self._network.ports()

    def links(self) -> dict[str, Any]:
        """Return the number of active associations, and the problems of the others."""
        network = self._network
        if network is None:
            return {}
        return {"links_active": network.counters["links_active"], "problems": network.texts()}

    def counters(self) -> dict[str, Any]:
        """Return the counters of the SCP."""
        return {} if self.node is None else self.node.service.counters


def load_flows(paths: Sequence[Path], settings: Scp) -> "list[Flow]":
    """Return the compiled flows of files. Errors: FlowProblems with every problem by file."""
    flows: list[Flow] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            document = strict_json.parse(path.read_bytes())
        except Exception as error:  # noqa: BLE001 - unreadable, for any reason
            problems.append(Problem(str(path), str(error)))
            continue
        from tsvc.flow.document import compile_flow

        flow, found = compile_flow(document, settings)
        for problem in found:
            if problem.severity == "error":
                problems.append(Problem(f"{path}: {problem.path}", problem.text))
            else:
                log.warning("flow", file=path, path=problem.path, text=problem.text)
        if flow is not None:
            flows.append(flow)
    if problems:
        raise FlowProblems(problems)
    return flows


def _links(scp: Scp) -> "list[LinkConfig]":
    """Return the links of `listen` and `connect`. Errors: FlowProblems with each wrong URL."""
    links: list[LinkConfig] = []
    problems: list[Problem] = []
    for mode, urls in (("listen", scp.listen), ("connect", scp.connect)):
        for url in urls:
            from tsvc.ss7.settings import link_of_url

            try:
                links.append(link_of_url(url, mode))
            except ValueError as error:
                problems.append(Problem(f"scp.{mode}", f"{url}: {error}"))
    names = [link.name for link in links]
    twice = sorted({name for name in names if names.count(name) > 1})
    problems += [Problem("scp", f"{name}: is there twice") for name in twice]
    if problems:
        raise FlowProblems(problems)
    return links


def _refuse_links(scp: Scp) -> None:
    """Raise FlowProblems if there are links, but no flow."""
    keys = [key for key, urls in (("listen", scp.listen), ("connect", scp.connect)) if urls]
    if keys:
        text = "there are no flows to serve"
        raise FlowProblems([Problem(f"scp.{key}", text) for key in keys])
