"""The sigtran gateway: TCAP over SCCP, on a loopback to the embedded SCP or on links.

It combines an Endpoint (tsvc.protocols.tcap) with the dialogues and a TcapNode (tsvc.ss7), which
runs its timers and passes messages both ways. Below that is a LoopbackNetwork, or a SigtranNetwork
with links. Operations open dialogues by open_dialogue() and send by flush(). A BEGIN of a peer is
offered to the handlers of on_begin(). Addresses of a definition are checked and made here
(scp_address(), own_address()).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import gevent
from marshmallow import ValidationError

from tsvc.errors import GatewayError, LocalProtocolError, Problem
from tsvc.flow.flow import Flow
from tsvc.gateways.gateway import Gateway, GatewayContext, GatewayState, GatewayStatus, gateway
from tsvc.protocols.sccp.address import (
    Address,
    GlobalTitle,
    Network,
    encode_address,
    gti_for,
)
from tsvc.protocols.tcap.dialogue import Dialogue, Indication
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.ids import ALL_IDS, IdRange
from tsvc.protocols.tcap.replayed import ReplayedDialogue
from tsvc.schema.fields import Boolean, Choice, Integer, List, Nested, Number, String
from tsvc.schema.table import Table, given_values, member, table
from tsvc.ss7.links import NodeConfig
from tsvc.ss7.loopback import LoopbackNetwork
from tsvc.ss7.network import SigtranNetwork
from tsvc.ss7.relay import OWN, Relay, Relayed, leg_of_process
from tsvc.ss7.sccp import Subsystems
from tsvc.ss7.scp_host import PathRecorder, ScpHost
from tsvc.ss7.scp_node import ScpNode
from tsvc.ss7.settings import ConnectionTable, RouteEntry, link_of, route_of
from tsvc.ss7.tcap_node import TcapNode, User
from tsvc.transport.mailbox import Mailbox
from tsvc.words import quoted

# Subsystem numbers of the tester's roles if none is configured: HLR, VLR, MSC, INAP, CAP, gsmSCF.
ROLE_SSNS = (6, 7, 8, 106, 146, 147)
_DRAIN_LOOK_S = 0.01  # between checks whether the last dialogue is over


@table
class ScpAddress(Table):
    """The `scp` object of ExecuteTest and `default_scp` of the configuration."""

    dri: int | None = member(
        Integer(
            choices=[0, 1],
            help="route on SSN (1) or GT (0); absent: SSN if `dpc` and `dssn` are given",
        )
    )
    dssn: int | None = member(Integer(1, 255, help="subsystem number"))
    dpc: int | None = member(Integer(0, 0xFFFFFF, help="point code"))
    dgt_digits: str | None = member(
        String(pattern=r"^[0-9A-Fa-f]*$", help="digits of the global title")
    )
    dgt_noa: int | None = member(Integer(0, 127, help="its nature of address"))
    dgt_np: int | None = member(Integer(0, 7, help="its numbering plan"))
    dgt_tt: int | None = member(Integer(0, 255, help="its translation type"))

    def given(self) -> dict[str, Any]:
        """Return the members that are given."""
        return {name: one for name, one in given_values(self).items() if one is not None}


@table
class SigtranConfig(Table):
    """`[application.NAME]` with module = "sigtran"."""

    network: str = member(
        Choice(
            ["itu", "ansi"], default="itu", help="point codes and SCCP addresses of ITU or ANSI"
        )
    )
    network_indicator: int = member(Integer(0, 3, default=2, help="network indicator of MTP 3"))
    opc: int = member(Integer(0, 0xFFFFFF, default=1, help="our point code"))
    ossn: int | None = member(
        Integer(
            1,
            255,
            default=None,
            help="our subsystem number, where a run names none; absent: its role's",
        )
    )
    ogt_digits: str = member(String(default="", help="digits of our global title; empty: none"))
    ogt_noa: int | None = member(Integer(0, 127, default=None, help="its nature of address"))
    ogt_np: int | None = member(Integer(0, 15, default=None, help="its numbering plan"))
    ogt_tt: int | None = member(Integer(0, 255, default=None, help="its translation type"))
    default_scp: ScpAddress | None = member(
        Nested(
            ScpAddress.schema,
            default=None,
            help="where dialogues go, as the parameter `scp` of a run, which goes before it",
        )
    )
    quarantine_s: float = member(
        Number(0, 3600, default=30.0, help="time before a transaction id is used again")
    )
    max_dialogues: int = member(
        Integer(1, 10_000_000, default=1_000_000, help="dialogues open at once")
    )
    connections: tuple[ConnectionTable, ...] = member(
        List(
            Nested(ConnectionTable.schema),
            default=list,
            help="links to peers; none: a loopback to the embedded SCP",
        )
    )
    routes: tuple[RouteEntry, ...] = member(
        List(
            Nested(RouteEntry.schema),
            default=list,
            help="what goes by which connection; what none matches, all connections share",
        )
    )
    relay: bool = member(
        Boolean(
            default=False,
            help="workers of a cluster send and receive by the connections of the daemon on their "
            "machine, from its address, instead of having their own",
        )
    )
    audit_s: float = member(
        Number(
            1,
            3600,
            default=30.0,
            help="time between questions about destinations that are not available",
        )
    )

    def check_connections(self) -> None:
        """Refuse connections and routes that can't work together."""
        kinds = {connection.type for connection in self.connections}
        if "loopback" in kinds and len(self.connections) > 1:
            raise ValidationError("a loopback stands alone", "connections")
        names = [connection.name for connection in self.connections]
        if len(set(names)) < len(names):
            raise ValidationError("two connections have the same name", "connections")
        for route in self.routes:
            if route.connection not in names:
                text = f"route to {quoted(route.connection)}, which is no connection"
                raise ValidationError(text, "routes")

    def check_relay(self) -> None:
        """Refuse a relay for connections that workers can't share."""
        for connection in self.connections if self.relay else ():
            if connection.type == "loopback":
                raise ValidationError("a loopback is in each worker anyway", "relay")
            if connection.mode == "listen" or connection.role in ("sgp", "sg"):
                text = "is for connections that the daemon opens, as an ASP or IPSP"
                raise ValidationError(text, "relay")
            if connection.routing_keys:
                text = "needs routing contexts that are configured, so no routing_keys"
                raise ValidationError(text, "relay")
            if connection.traffic_mode == "broadcast":
                raise ValidationError("knows no traffic mode broadcast", "relay")

    def check_addresses(self) -> None:
        """Refuse addresses that no message can carry."""
        if not _carries_sccp(self):
            return
        network = Network(self.network)
        own = {**given_values(self), "ossn": self.ossn or 1}
        scp = self.default_scp.given() if self.default_scp is not None else None
        for key, given, side in (("opc", own, "o"), ("default_scp", scp, "d")):
            try:
                if given is not None:
                    encode_address(_address(given, side, network), network)
            except LocalProtocolError as error:
                raise ValidationError(f"makes no address: {error}", key) from None


def _carries_sccp(config: SigtranConfig) -> bool:
    """Return True if a connection carries addresses of SCCP; those of SUA have other limits."""
    kinds = {connection.type for connection in config.connections}
    return kinds != {"sua"}


BeginHandler = Callable[[Indication], bool]


@gateway("sigtran")
class SigtranGateway(Gateway):
    """TCAP dialogues for testers in the role of SSP, SRF or HLR."""

    Config = SigtranConfig
    config: SigtranConfig

    def __init__(self, name: str, config: SigtranConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self.network = Network(config.network)
        self._begin_handlers: list[BeginHandler] = []
        self._ids = context.service(IdRange) or ALL_IDS
        self.endpoint = Endpoint(
            first_tid=int(context.random() * 0xFFFFFFFF),
            ids=self._ids,
            quarantine_s=config.quarantine_s,
            max_dialogues=config.max_dialogues,
        )
        self.node = TcapNode(self.endpoint, context.clock, self._on_begin)
        connections = config.connections
        self.is_loopback = not connections or connections[0].type == "loopback"
        self._network: SigtranNetwork | None = None
        self._links = [] if self.is_loopback else [link_of(item) for item in connections]
        if context.takes_free_ports:
            self._links = [
                replace(link, port=0) if link.mode == "listen" else link for link in self._links
            ]
        relayed = context.service(Relayed)
        if relayed is not None and name in relayed.folders:
            folder = Path(relayed.folders[name])
            self._links = [
                leg_of_process(link, folder, at, relayed.number)
                for at, link in enumerate(self._links)
            ]
        self._relay: Relay | None = None
        self._is_started = False
        self._is_draining = False
        self._unequipped = 0
        self._ssns = {*ROLE_SSNS, *filter(None, (config.ossn,))}
        self._subsystems = Subsystems(lambda: self._ssns, self._count_unequipped)

    def _count_unequipped(self) -> None:
        self._unequipped += 1

    def start(self) -> None:
        if self._is_started:
            return
        self._is_started = True
        if self.is_loopback:
            self.node.network = LoopbackNetwork(
                self.node, self._embedded_scp, self.network, self._subsystems
            )
        else:
            node = NodeConfig(
                self.config.opc,
                self.network,
                self.config.network_indicator,
                tuple(route_of(route) for route in self.config.routes),
                self.config.audit_s,
                self._subsystems,
                ids=self._ids,
            )
            self._network = SigtranNetwork(
                node,
                self._links,
                self.context.clock,
                self.node.deliver,
                self.node.deliver_returned,
                self._fail_route,
            )
            if self.config.relay and self._ids == IdRange.of_process(OWN):
                self._relay = Relay(self._network, self._links, self.context.clock)
                self._relay.start()
            self._network.start()
            self.node.network = self._network
        self.node.start()

    def stop(self, grace_s: float) -> None:
        self._is_draining = self._is_started
        deadline = self.context.clock.now() + grace_s
        while self.endpoint.dialogues and self.context.clock.now() < deadline:
            gevent.sleep(_DRAIN_LOOK_S)
        self._is_draining = self._is_started = False
        self.node.stop()
        self._stop_relay()
        if self._network is not None:
            self._network.stop()

    def kill(self) -> None:
        self._is_draining = self._is_started = False
        self.node.stop()
        self._stop_relay()
        if self._network is not None:
            self._network.kill()

    def _stop_relay(self) -> None:
        if self._relay is not None:
            self._relay.stop()

    def status(self) -> GatewayStatus:
        state, detail = self._state_and_detail()
        counters = {
            "dialogues": len(self.endpoint.dialogues),
            "dialogues_begun": self.endpoint.counters.begun,
            "dialogues_accepted": self.endpoint.counters.accepted,
            "messages_dropped": self.endpoint.counters.dropped,
            "undeliverable": self.node.undeliverable,
            "unequipped": self._unequipped,
            "refused": self.node.refusals.count,
        }
        levels = frozenset({"dialogues"})
        if self._network is not None and self._is_started and not self._is_draining:
            counters |= self._network.counters
            levels |= self._network.levels()
            if self._relay is not None:
                counters |= self._relay.counters
                levels |= {"relay_processes"}
        return GatewayStatus(self.name, self.kind, state, detail, counters, levels)

    def _state_and_detail(self) -> tuple[GatewayState, str]:
        refused = self.node.refusals.text
        if not self._is_started:
            return GatewayState.DOWN, "not started"
        if self._is_draining:
            return GatewayState.DRAINING, ""
        if self._network is None:
            return GatewayState.UP, f"loopback{'; ' if refused else ''}{refused}"
        state = self._network.state
        detail = "; ".join([*self._network.texts(), *([refused] if refused else [])])
        if state is GatewayState.UP:
            kinds = {link.kind for link in self._links}
            detail = f"{'+'.join(sorted(kinds))}{'; ' if detail else ''}{detail}"
        return state, detail

    # -- for operations ---------------------------------------------------------------------

    def open_dialogue(self, user: User, route: object = None) -> Dialogue:
        """Return a new dialogue whose indications go to `user`.

        Errors: GatewayError while the gateway stops.
        """
        if self._is_draining:
            raise GatewayError(f"{self.name}: is being stopped")
        dialogue = self.endpoint.new_dialogue(self.context.clock.now())
        dialogue.user = user
        dialogue.route = route
        return dialogue

    def mailbox(self) -> Mailbox[Any]:
        """Return a mailbox for the messages of a dialogue."""
        return Mailbox()

    def admit(self, dialogue: ReplayedDialogue, route: object = None) -> None:
        """Give a replayed dialogue a transaction id. Errors: as open_dialogue()."""
        if self._is_draining:
            raise GatewayError(f"{self.name}: is being stopped")
        self.endpoint.admit(dialogue, self.context.clock.now())
        dialogue.route = route

    def flush(self) -> None:
        """Send what dialogues have queued. Errors: GatewayError. Never switches."""
        try:
            self.node.flush()
        except GatewayError as error:
            raise GatewayError(f"{self.name}: {error}") from None

    def listens(self) -> bool:
        return any(link.mode == "listen" for link in self._links)

    def own_port(self) -> int:
        ports = [] if self._network is None else self._network.ports()
        return ports[0] if ports else 0

    def alone(self) -> str | None:
        if self.is_loopback or self.shares_address:
            return None
        return f"what is sent to point code {self.config.opc} reaches any of them"

    @property
    def shares_address(self) -> bool:
        """True if other processes have the same address, each with its own transaction ids."""
        return self.config.relay or (
            bool(self._links) and all(link.tid_label for link in self._links)
        )

    def relay(self) -> str | None:
        return None if self._relay is None else str(self._relay.folder)

    def problems(self, params: Mapping[str, Any]) -> list[Problem]:
        """Return the problems of scp, ssp, hlr and flow with this gateway."""
        problems: list[Problem] = []
        if params.get("flow") is not None and not self.is_loopback:
            problems.append(Problem("flow", "needs a loopback SIGTRAN instance"))
        for name, where in (("scp", "dpc"), ("ssp", "opc"), ("hlr", "opc")):
            problem = self._address_problem(name, where, params.get(name) or {})
            if problem is not None:
                problems.append(problem)
        return problems

    def _address_problem(self, name: str, where: str, given: Mapping[str, Any]) -> Problem | None:
        """Return why an object makes no address that a message can carry, otherwise None."""
        code, limit = given.get(where, 0), self.max_point_code
        if code > limit:
            return Problem(f"{name}.{where}", f"{code} is above {limit}, the network's highest")
        try:
            address = self._address_of(name, given)
            if _carries_sccp(self.config):
                encode_address(address, self.network)
        except LocalProtocolError as error:
            return Problem(name, f"makes no address: {error}")
        except GatewayError as error:
            return Problem(name, f"is needed: {error}")
        return None

    def _address_of(self, name: str, given: Mapping[str, Any]) -> Address:
        if name != "scp":
            return self.own_address(given, 1)
        is_given = any(one != "tcap_timeout" for one in given)
        return self.scp_address(given if is_given else None, 1)

    @property
    def max_point_code(self) -> int:
        """The highest point code of the network: 14 bits in ITU, 24 in ANSI."""
        return 0x3FFF if self.network is Network.ITU else 0xFFFFFF

    def private_scp(self, flow: Flow) -> ScpNode:
        """Return a running SCP that only the caller's dialogues use (as their `route`)."""
        host = self.context.service(ScpHost)
        if not self.is_loopback or host is None:
            raise LocalProtocolError("a flow needs a loopback instance")
        return host.private_node(flow)

    @property
    def paths(self) -> PathRecorder | None:
        """The recorder of call paths through the flows of the embedded SCP."""
        host = self.context.service(ScpHost)
        return None if host is None else host.paths

    def _embedded_scp(self) -> ScpNode | None:
        host = self.context.service(ScpHost)
        return None if host is None else host.node

    def scp_address(self, scp: Mapping[str, Any] | None, ssn: int) -> Address:
        """Return the called party address of an `scp` object, otherwise of default_scp.

        `ssn` is used by a loopback without an address. Errors: GatewayError if there is neither
        address and this is no loopback.
        """
        default = self.config.default_scp
        given = scp or (None if default is None else default.given())
        if given:
            return _address(given, "d", self.network)
        if not self.is_loopback:
            raise GatewayError(f"{self.name} has no default_scp")
        return Address(ri=1, ssn=ssn)

    def own_address(self, given: Mapping[str, Any] | None, ssn: int) -> Address:
        """Return the calling party address: the `ssp` or `hlr` object over the configured one.

        The subsystem that such an object names is equipped from then on.
        """
        given = given or {}
        self._ssns.update(filter(None, (given.get("ssn"),)))
        config = self.config
        merged = {
            "opc": given.get("opc", config.opc),
            "ossn": given.get("ssn", config.ossn or ssn),
            "ogt_digits": given.get("gt_digits", config.ogt_digits),
            "ogt_noa": given.get("gt_noa", config.ogt_noa),
            "ogt_np": given.get("gt_np", config.ogt_np),
            "ogt_tt": given.get("gt_tt", config.ogt_tt),
        }
        return _address(merged, "o", self.network)

    def on_begin(self, handler: BeginHandler) -> Callable[[], None]:
        """Offer received BEGINs to a handler, which returns True to take one. Return an undo."""
        self._begin_handlers.append(handler)
        return lambda: self._begin_handlers.remove(handler)

    def _fail_route(self, route: object, reason: str) -> None:
        self.node.fail_route(route, f"{self.name}: {reason}")

    def _on_begin(self, indication: Indication) -> None:
        for handler in self._begin_handlers:
            if handler(indication):
                return
        # No instance waits for it: abort, so that the peer does not wait for an answer.
        indication.dialogue.abort()


def _address(given: Mapping[str, Any], side: str, network: Network) -> Address:
    """Return the SCCP address of dpc/dssn/dgt_* (side d) or opc/ossn/ogt_* (side o) members.

    Errors: LocalProtocolError if no global title is made of these.
    """
    pc, ssn = given.get(f"{side}pc"), given.get(f"{side}ssn")
    digits = given.get(f"{side}gt_digits") or ""
    noa, np, tt = (given.get(f"{side}gt_{part}") for part in ("noa", "np", "tt"))
    gt = None
    if digits:
        if noa is None and np is None and tt is None:
            lacks = "its noa or tt" if network is Network.ITU else "its tt, and may have its np"
            raise LocalProtocolError(f"digits of a global title need {lacks}")
        gt = GlobalTitle(gti_for(noa, np, tt, network), digits.lower(), tt=tt, np=np, noa=noa)
    ri = given.get("dri")
    if ri is None:
        # Route on SSN if both point code and SSN are there (interface: scp.dri).
        is_complete = pc is not None and ssn is not None
        ri = 1 if is_complete and (side == "d" or gt is None) else 0
    return Address(ri=ri, ssn=ssn, pc=pc, gt=gt)
