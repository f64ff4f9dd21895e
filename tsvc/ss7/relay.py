"""The relay: other processes of this machine use the associations, and the address, of a node.

A process is an ASP of this node, by a socket in a folder that only the same user can open. Its
number is its ASP identifier. Its messages are forwarded unchanged in the association of the
connection with the same name. The top 11 bits of the transaction id decide which process gets a
received message (tsvc.protocols.tcap.ids). Of a segmented message the first segment has the id.
Messages that begin a dialogue, and those for an absent process, belong to the node itself.

SCCP and TCAP are not encoded again, so that a message costs only a look at its frame. When an
association is not active, the processes lose theirs, and can connect again when it is active.
"""

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tsvc.clock import Clock
from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import messages
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.data import of_message, usual_user_data
from tsvc.protocols.m3ua.params import DIAGNOSTIC_INFORMATION, TrafficMode
from tsvc.protocols.sccp.address import Network
from tsvc.protocols.sccp.messages import (
    ExtendedUnitdata,
    Segmentation,
    decode,
    readable,
)
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua.connectionless import DataResponse
from tsvc.protocols.tcap.frame import destination_id, originating_id
from tsvc.protocols.tcap.ids import process_of
from tsvc.ss7.links import Link, LinkConfig
from tsvc.ss7.m3ua import SCCP_SERVICE, M3uaLink
from tsvc.ss7.network import SigtranNetwork
from tsvc.ss7.sccp import UDT
from tsvc.transport.socket_folder import SocketFolder
from tsvc.values import dataclass

_DATA = bytes(messages.DATA)
_ERR = bytes(messages.ERR)
_AUDIT = bytes(messages.DAUD)
_STATUS_CLASS = messages.DUNA[0]
_CARRIED = (_DATA, bytes(connectionless.CLDT), bytes(connectionless.CLDR))
_MOST_SEGMENTED = 1000  # messages whose segments are still arriving
OWN = 0  # the number of the process that has the associations


@dataclass(frozen=True, slots=True)
class Relayed:
    """The data for a process: the folders of gateways that have a relay, and its number."""

    folders: Mapping[str, str]
    number: int


def leg_of(config: LinkConfig, folder: Path, at: int, **more: object) -> LinkConfig:
    """Return the leg of a connection: the link between a process and the relay, the at-th one."""
    return replace(
        config,
        host=str(folder / str(at)),
        transport="unix",
        traffic_mode=TrafficMode.LOADSHARE,
        asp_identifiers=(),
        is_double_exchange=False,
        heartbeat_s=None,
        tid_label=False,
        **more,  # type: ignore[arg-type]
    )


def leg_of_process(config: LinkConfig, folder: Path, at: int, number: int) -> LinkConfig:
    """Return a connection as the process with this number uses it: a leg to the relay."""
    return leg_of(config, folder, at, mode="connect", role=Role.ASP, asp_identifier=number)


class Relay:
    """The relay of one node; it lives as long as the node's network."""

    def __init__(
        self, network: SigtranNetwork, configs: Sequence[LinkConfig], clock: Clock
    ) -> None:
        """`configs`: the connections of the network. The relay becomes the network's attendant."""
        self._folder = SocketFolder("relay")
        self.folder = self._folder.path
        self._network = network
        network.attendant = self
        legs = [
            leg_of(config, self.folder, at, mode="listen", role=Role.SGP, asp_identifier=None)
            for at, config in enumerate(configs)
        ]
        self._legs = SigtranNetwork(network.node, legs, clock, _nobody, _take_nothing, _nobody)
        self._legs.attendant = _AtLegs(self)
        self._by_number: dict[str, dict[int, Link]] = {config.name: {} for config in configs}
        self._segments: OrderedDict[Hashable, int] = OrderedDict()
        self._counters = {"relayed": 0, "relay_lost": 0}

    def start(self) -> None:
        """Accept processes. Errors: GatewayError."""
        self._legs.start()
        self.changed()

    def stop(self) -> None:
        """End all legs; never raises."""
        self._legs.kill()
        self._folder.remove()

    @property
    def counters(self) -> dict[str, int]:
        """The numbers of relayed and lost messages, and of connected processes."""
        numbers = {number for legs in self._by_number.values() for number in legs}
        return {**self._counters, "relay_processes": len(numbers)}

    # -- towards the peer ---------------------------------------------------------------------

    def admit(self, leg: Link) -> None:
        """Handle a process that has connected."""
        leg.machine.divert = partial(self._up, leg)

    def _up(self, leg: Link, octets: bytes) -> bool:
        """Forward a message of a process, if it is for the peer. Return True if it was taken."""
        kind = octets[2:4]
        if (kind not in _CARRIED and kind != _AUDIT) or not leg.is_active:
            return False
        link = self._network.active_link(leg.config.name)
        if link is None:
            self._counters["relay_lost"] += 1
        else:
            self._counters["relayed"] += 1
            link.machine.queue(octets, None)
            self._network.flush_soon()
        return True

    def legs_changed(self) -> None:
        """Update the legs by process: a leg became active or inactive."""
        for name, legs in self._by_number.items():
            before = set(legs.values())
            legs.clear()
            for leg in self._legs.live(name):
                number = leg.machine.asp_identifier
                if leg.is_active and number is not None:
                    legs[number] = leg
                    if leg not in before:
                        self._tell_known(leg)

    def _tell_known(self, leg: Link) -> None:
        """Send the peer's reports about destinations to a new process."""
        now = self._network.clock.now()
        for notice in self._network.destinations.notices(leg.config.name):
            leg.machine.send_destination_status(notice, now)

    # -- towards the processes: the attendant of the network ----------------------------------

    def attend(self, link: Link) -> None:
        """Handle a new association."""
        link.machine.divert = partial(self._down, link, self._by_number[link.config.name])

    def changed(self) -> None:
        """Accept or block processes: an association became active or inactive."""
        for name in self._by_number:
            is_active = self._network.active_link(name) is not None
            self._legs.set_blocked(name, is_blocked=not is_active)
            if is_active:
                continue
            for leg in self._legs.live(name):
                if leg.driver is not None and leg.is_active:
                    leg.driver.close("the association of the daemon is not active")

    def _down(self, link: Link, legs: dict[int, Link], octets: bytes) -> bool:
        """Forward a message of the peer, if it is only for another process. Return True if so."""
        kind = octets[2:4]
        if not link.is_active or len(octets) < messages.HEADER_OCTETS:
            return False
        if octets[2] == _STATUS_CLASS and kind != _AUDIT:
            for one in legs.values():
                one.machine.queue(octets, None)
            self._legs.flush_soon()
            return False  # it is for all processes, this one included
        if kind not in _CARRIED and kind != _ERR:
            return False
        leg = legs.get(self._number_of(link, kind, octets))
        if leg is None:
            return False
        self._counters["relayed"] += 1
        leg.machine.queue(octets, None)
        self._legs.flush_soon()
        return True

    def _number_of(self, link: Link, kind: bytes, octets: bytes) -> int:
        """Return the number of the process that a message is for."""
        try:
            if kind == _ERR:
                return _of_quoted(link, octets)
            part = _carried(kind, octets, link)
        except (RemoteProtocolError, IndexError):
            return OWN  # the node itself reports the error
        tid = originating_id(part.data) if part.is_back else destination_id(part.data)
        segment = part.segment
        if segment is None or part.is_back:
            return OWN if tid is None else process_of(tid)
        key = link, part.sender, segment.local_reference
        if segment.is_first:
            self._segments[key] = OWN if tid is None else process_of(tid)
            if len(self._segments) > _MOST_SEGMENTED:
                self._segments.popitem(last=False)
        number = self._segments.get(key, OWN)
        if not segment.remaining:
            self._segments.pop(key, None)
        return number


class _AtLegs:
    """The attendant of the legs."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    def attend(self, link: Link) -> None:
        self._relay.admit(link)

    def changed(self) -> None:
        self._relay.legs_changed()


class _Part(NamedTuple):
    """The carried data of a message: user data, a segment of it, or data that was given back."""

    data: bytes
    is_back: bool = False
    sender: Hashable = None  # of a segment
    segment: Segmentation | None = None


def _carried(kind: bytes, octets: bytes, link: Link) -> _Part:
    """Return the carried data. Errors: RemoteProtocolError, IndexError if it can't be read."""
    if kind != _DATA:
        return _of_sua(octets, Network(link.network))
    carried = usual_user_data(octets, SCCP_SERVICE)
    if carried[:1] == UDT:  # nearly always
        at = 4 + carried[4]
        return _Part(carried[at + 1 : at + 1 + carried[at]])
    data = of_message(messages.decode(octets))
    carried, network = data.user_data, Network(link.network)
    if data.si != SCCP_SERVICE:
        return _Part(b"")
    try:
        found = decode(carried, network)
    except RemoteProtocolError:
        # A returned message may be cut off; it is read as far as possible.
        rest = readable(carried, network)
        if rest is None:
            raise
        return _Part(rest.data, is_back=True)
    if not isinstance(found, ExtendedUnitdata):
        return _Part(found.data, is_back=True)
    sender = data.opc, found.calling_party_address
    return _Part(found.data, sender=sender, segment=found.options.segmentation)


def _of_sua(octets: bytes, network: Network) -> _Part:
    message = connectionless.decode(octets, network)
    if isinstance(message, DataResponse):
        return _Part(message.data or b"", is_back=True)
    part = message.segmentation
    if part is None:
        return _Part(message.data)
    segment = Segmentation(part.is_first, True, part.remaining, part.reference)
    return _Part(message.data, sender=message.source, segment=segment)


def _of_quoted(link: Link, octets: bytes) -> int:
    """Return the number of the process whose message an ERR quotes."""
    quoted = messages.decode(octets).get(DIAGNOSTIC_INFORMATION)
    if not quoted or not isinstance(link, M3uaLink):
        return OWN
    tid = originating_id(link.quoted(quoted))
    return OWN if tid is None else process_of(tid)


def _take_nothing(*_: object) -> bool:
    """Return False: no node is behind the relay's legs, so the leg itself refuses the message."""
    return False


def _nobody(*_: object) -> None:
    """Do nothing: no node is behind the relay's legs."""
