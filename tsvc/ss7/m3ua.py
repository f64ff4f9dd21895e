"""M3UA as a kind of link: SCCP messages in DATA, Application Servers, destinations.

All links of a listening connection belong to the same Application Servers. Their traffic mode
selects the link for a message without a link of its own.
"""

from dataclasses import replace
from typing import ClassVar

from tsvc.errors import GatewayError, LocalProtocolError, RemoteProtocolError
from tsvc.protocols.m3ua import answers
from tsvc.protocols.m3ua.answers import Known, Refused
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.data import quoted_user_data
from tsvc.protocols.m3ua.indications import (
    ActiveInd,
    CloseInd,
    DataInd,
    DestinationInd,
    DestinationStatus,
    DownInd,
    ErrorInd,
    InactiveInd,
    NotifyInd,
    ProtocolErrorInd,
    RegistrationInd,
)
from tsvc.protocols.m3ua.params import PointCode, TrafficMode
from tsvc.protocols.m3ua.routing_keys import RoutingKeys
from tsvc.protocols.m3ua.servers import ApplicationServers, Transfer
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sccp.messages import ReturnCause, readable
from tsvc.protocols.tcap.dialogue import Trail
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.protocols.tcap.frame import originating_id
from tsvc.results.records import ExchangeRecord
from tsvc.ss7.destinations import STATUSES
from tsvc.ss7.lane import Lane
from tsvc.ss7.links import Link, LinkConfig, Links, Owner
from tsvc.ss7.sccp import MAX_OCTETS, UDT, GivenBack, Sccp, ToReturn, Whole

SCCP_SERVICE = 3


class ToLog:
    """The trail of messages that belong to no dialogue: the link's log."""

    def carried(self, by: Link, octets: bytes) -> None:
        """Log the octets as a sent message."""
        by.managed(True, octets)

    def lost(self) -> None:
        """Do nothing."""


class M3uaLink(Link):
    """One M3UA association."""

    machine: Association

    def __init__(self, links: "M3uaLinks", peer: str, machine: Association) -> None:
        super().__init__(links.owner, links.config, peer, machine, links.log)
        self._links = links
        self._was_active = False

    def send_unitdata(self, outgoing: Outgoing, dpc: int, sls: int) -> None:
        """Queue a TCAP message in one or more DATA. Errors: LocalProtocolError."""
        machine = self.machine
        for transfer in self._links.transfers(outgoing, dpc, sls):
            context = self._links.context_of(transfer, self)
            if context is not None and machine.state_in(context) is not machine.state:
                context = None
            machine.send_transfer(transfer, context)

    def on_indication(self, indication: object) -> None:
        """Handle an indication of the association."""
        if isinstance(indication, DataInd):
            if indication.si == SCCP_SERVICE and not self._is_copy(indication):
                self._on_sccp(indication)
            return
        self.owner.epoch += 1
        health = self._links.health
        match indication:
            case CloseInd():
                assert self.driver is not None
                self.driver.close(indication.reason)
            case InactiveInd() | DownInd():
                health.inactive(indication, self.peer, was_active=self._was_active)
                self._was_active = self.is_active
                self.owner.changed()
            case ActiveInd():
                health.active(indication, self.peer)
                self._was_active = True
                self.owner.changed()
            case DestinationInd():
                self._on_destination(indication)
            case RegistrationInd():
                health.registered(indication, self.peer)
            case ErrorInd():
                self.owner.count("errors_received")
                health.refused(indication, self.peer, is_active=self.is_active)
                quoted = self.quoted(indication.diagnostic_information)
                if originating_id(quoted) is not None:
                    self.owner.give_back(quoted, indication.words, self)
            case NotifyInd():
                health.notified(indication, self.peer)
            case ProtocolErrorInd():
                health.at_fault(indication.text, self.peer)

    def _is_copy(self, data: DataInd) -> bool:
        """Return True if another association has brought the same message already (broadcast)."""
        if data.correlation_id is None or self.config.traffic_mode is not TrafficMode.BROADCAST:
            return False
        if not self.owner.copies.has(self, data):
            return False
        self.owner.count("duplicates")
        self.managed(False, data.octets)
        return True

    def quoted(self, octets: bytes) -> bytes:
        """Return the TCAP message of this node that an ERR quotes, as far as it is quoted."""
        found = readable(quoted_user_data(octets), self._links.network)
        return b"" if found is None else found.data

    def _on_sccp(self, data: DataInd) -> None:
        owner = self.owner
        owner.count("received")
        owner.destinations.heard_from(self.config.name, data.opc)
        if owner.node.is_end_point and data.dpc != self._links.opc:
            self._tell_unavailable(data)
            self.managed(False, data.octets)
            return
        # The segments of a message arrive one by one, so each has its own time.
        is_short = data.user_data[:1] == UDT
        tag = data.octets if is_short else self.frame(False, data.octets)
        now, subsystems = owner.clock.now(), owner.node.subsystems
        try:
            arrivals = self._links.sccp.decode(data.user_data, now, data.opc, subsystems, tag)
        except RemoteProtocolError:
            owner.count("unreadable")
            self.managed(False, data.octets)
            return
        for arrival in arrivals:
            match arrival:
                case Whole(octets, called, calling, tags):
                    if calling.pc is None and not owner.translates(calling):
                        # Answers go to the originating point code, even if the node is behind it.
                        calling = replace(calling, pc=data.opc)
                    self._came = tags
                    if len(tags) > 1:
                        self._forget(tags)
                    owner.deliver(self, octets, called, calling)
                case GivenBack(octets, cause, was_for):
                    self._came = (tag,)
                    if not owner.give_back(octets, cause, self, was_for):
                        self.managed(False, data.octets)
                case ToReturn(octets):
                    self._return(octets, data)
        if isinstance(tag, ExchangeRecord) and tag not in self._came:
            self.log.append(tag)
        self._came = ()

    def _forget(self, tags: tuple[ExchangeRecord, ...]) -> None:
        """Remove segments from the log: their whole message refers to them."""
        for tag in tags:
            if tag in self.log:
                self.log.remove(tag)

    def _tell_unavailable(self, data: DataInd) -> None:
        """Report by DUNA that no node is behind this one; only an SGP may (RFC 4666 §3.4.1)."""
        self.owner.count("other_point_code")
        if self.config.role is Role.SGP:
            contexts = () if data.routing_context is None else (data.routing_context,)
            unavailable = DestinationInd(
                DestinationStatus.UNAVAILABLE,
                (PointCode(data.dpc),),
                contexts,
                self.config.network_appearance,
                None,
                None,
                None,
            )
            self.machine.send_destination_status(unavailable, self.owner.clock.now())

    def _return(self, octets: bytes, data: DataInd) -> None:
        trail = ToLog()
        transfer = self._links.transfer(octets, data.opc, data.sls, trail)
        self.machine.transfer(data.routing_context, transfer)

    def _on_destination(self, notice: DestinationInd) -> None:
        owner = self.owner
        if notice.status is not DestinationStatus.AUDIT:
            owner.destinations.note(self.config.name, notice, owner.clock.now())
            self._links.health.destination(notice, self.peer)
            owner.flush()
            return
        try:
            found = answers.audit_answers(notice, self._known)
        except Refused as refused:
            self.machine.send(answers.error(refused.code, b"", refused.parameters))
            return
        for answer in found:
            self.machine.send_destination_status(answer, owner.clock.now())

    def _known(self, code: PointCode) -> Known | None:
        """Return the state of a destination: of this node, or as reported by other links."""
        if code.holds(self._links.opc):
            return DestinationStatus.AVAILABLE, 0
        state = self.owner.destinations.best(code.pc, except_by=self.config.name)
        return None if state is None else (STATUSES[state.reach], state.congestion_level)


class M3uaLinks(Links):
    """One configured M3UA connection."""

    association_type: ClassVar[type[Association]] = Association
    link_type: ClassVar[type[M3uaLink]] = M3uaLink

    def __init__(self, owner: Owner, config: LinkConfig) -> None:
        super().__init__(owner, config)
        node = owner.node
        self.opc = node.opc if config.opc is None else config.opc
        indicator = config.network_indicator
        self._ni = node.network_indicator if indicator is None else indicator
        self.network = config.network or node.network
        self.sccp = Sccp(
            self.network,
            wants_return=True,
            protocol_class=config.sccp_class,
            max_octets=config.max_udt_octets or MAX_OCTETS,
            references=node.ids.references,
        )
        self._keys = self._provisioned() if config.role is not Role.ASP else None
        self._servers: ApplicationServers | None = None
        if config.role is Role.SGP:
            self._servers = ApplicationServers(
                config.traffic_mode,
                config.recovery_s,
                needed_asps=config.needed_asps,
                max_pending=config.max_pending,
            )

    def new(self, peer: str) -> M3uaLink:
        config = self.config
        asks_for_keys = config.role is not Role.SGP
        association = self.association_type(
            config.role,
            routing_contexts=self._contexts(),
            network_appearance=config.network_appearance,
            traffic_mode=config.traffic_mode,
            asp_identifier=config.asp_identifier,
            heartbeat_s=config.heartbeat_s,
            ack_timeout_s=config.ack_s,
            initiates=config.mode == "connect",
            is_double_exchange=config.is_double_exchange,
            keys=config.routing_keys if asks_for_keys else (),
            routing_keys=self._keys,
            asp_identifiers=frozenset(config.asp_identifiers) or None,
            servers=self._servers,
            wake=self.owner.flush_soon,
        )
        return self.link_type(self, peer, association)

    @property
    def can_send(self) -> bool:
        """True if a link is active, or the Application Server stores messages for a moment."""
        servers = self._servers
        return super().can_send or (servers is not None and servers.is_pending)

    def send(self, outgoing: Outgoing, dpc: int, sls: int, wanted: Link | None) -> Link | None:
        """Send on the wanted link if it is active, otherwise as the Application Server decides."""
        servers = self._servers
        is_one_of_many = self.config.traffic_mode is not TrafficMode.BROADCAST
        if servers is None or (wanted is not None and wanted.is_active and is_one_of_many):
            return super().send(outgoing, dpc, sls, wanted)
        now = self.owner.clock.now()
        for transfer in self.transfers(outgoing, dpc, sls):
            try:
                servers.transfer(self.context_of(transfer, None), transfer, now)
            except LocalProtocolError as error:
                raise GatewayError(f"connection {self.config.name}: {error.text}") from None
        self.owner.flush()
        return self._carrier(sls)

    def transfers(self, outgoing: Outgoing, dpc: int, sls: int) -> list[Transfer]:
        """Return the SCCP messages that carry a TCAP message. Errors: LocalProtocolError."""
        trail = outgoing.trail
        messages = self.sccp.encode(outgoing, self.calling(outgoing))
        return [self.transfer(octets, dpc, sls, trail) for octets in messages]

    def lane(self, outgoing: Outgoing, dpc: int) -> Lane | None:
        """Return a lane for messages such as this one, if there is only one way to send them."""
        config = self.config
        if type(self) is not M3uaLinks or config.role is not Role.ASP or len(self.live) != 1:
            return None
        [link] = self.live
        is_plain = len(config.routing_contexts) < 2 and not config.routing_keys
        if not (is_plain and link.is_active and isinstance(link, M3uaLink)):
            return None
        transfers = self.transfers(outgoing, dpc, 0)
        if len(transfers) != 1 or transfers[0].user_data[:1] != UDT:
            return None
        frame = link.machine.frame(transfers[0])
        data = transfers[0].user_data
        if frame.count(data) != 1 or frame.count(outgoing.octets) != 1:
            return None
        return Lane(self.owner, link, frame, outgoing.octets, frame.index(data) - 1)

    def calling(self, outgoing: Outgoing) -> Address:
        """Return the calling address; this connection's point code replaces the node's."""
        calling: Address = outgoing.calling
        is_other = calling.pc == self.owner.node.opc != self.opc
        return replace(calling, pc=self.opc) if is_other else calling

    def transfer(self, octets: bytes, dpc: int, sls: int, trail: Trail | None = None) -> Transfer:
        """Return an SCCP message with its routing label."""
        return Transfer(self.opc, dpc, SCCP_SERVICE, self._ni, 0, sls, octets, trail)

    def context_of(self, transfer: Transfer, link: M3uaLink | None) -> int | None:
        """Return the routing context for a message's routing key, otherwise the first context."""
        if self._keys is not None:
            found = self._keys.context_for(transfer.dpc, transfer.opc, transfer.si)
            if found is not None:
                return found
        contexts = self._contexts()
        return contexts[0] if link is None and contexts else None

    def audit(self, point_codes: tuple[PointCode, ...]) -> None:
        """Send DAUD on the first active association."""
        audit = DestinationStatus.AUDIT
        notice = DestinationInd(audit, point_codes, (), None, None, None, None)
        for link in self.live:
            if link.is_active and isinstance(link, M3uaLink):
                link.machine.send_destination_status(notice, self.owner.clock.now())
                link.push()
                return

    def counters(self) -> dict[str, int]:
        """Return the number of messages that wait for an Application Server."""
        return {} if self._servers is None else {"pending": self._servers.pending()}

    def set_blocked(self, *, is_blocked: bool) -> None:
        """Refuse every ASPUP, or accept them again."""
        if self._servers is not None:
            self._servers.is_blocked = is_blocked

    def next_timer(self) -> float | None:
        """Return when T(r) expires; associations know it, too, but there may be none."""
        return None if self._servers is None else self._servers.next_timer()

    def handle_timer(self, now: float) -> None:
        """End AS-PENDING; messages that were stored in vain are given back to their senders."""
        if self._servers is None:
            return
        self._servers.handle_timer(now)
        for octets in self.carried(self._servers.take_dropped(), now):
            self.owner.give_back(octets, ReturnCause.MTP_FAILURE)

    def carried(self, transfers: list[Transfer], now: float) -> list[bytes]:
        """Return the TCAP messages that these transfers should have carried."""
        # Segments were queued in sequence, so this reassembles them.
        reader = Sccp(self.network, wants_return=False)
        return [
            arrival.data
            for transfer in transfers
            for arrival in reader.decode(transfer.user_data, now, transfer.opc)
            if isinstance(arrival, Whole)
        ]

    def _carrier(self, sls: int) -> Link | None:
        """Return the link of the association that just got a message, None if it is stored."""
        active = [link for link in self.live if link.is_active]
        return active[sls % len(active)] if active else None

    def _contexts(self) -> tuple[int, ...]:
        config = self.config
        if config.role is Role.ASP:
            return config.routing_contexts
        static = (key.routing_context for key in config.routing_keys)
        named = tuple(context for context in static if context is not None)
        return tuple(dict.fromkeys((*config.routing_contexts, *named)))

    def _provisioned(self) -> RoutingKeys | None:
        config = self.config
        if not config.may_register and (config.role is Role.IPSP or not config.routing_keys):
            return None
        return RoutingKeys(
            config.routing_keys if config.role is Role.SGP else (),
            may_add=config.may_register,
            traffic_mode=config.traffic_mode,
            network_appearance=config.network_appearance,
        )
