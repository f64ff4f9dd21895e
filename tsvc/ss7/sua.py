"""SUA as a kind of link: TCAP messages in CLDT, without an SCCP below.

It does for CLDT and CLDR what an M3UA connection does for DATA (Application Servers, routing keys,
destinations). A message needs no point code: the node behind the link can route it.
"""

from dataclasses import replace

from tsvc.protocols.m3ua.indications import DataInd
from tsvc.protocols.m3ua.servers import Transfer
from tsvc.protocols.sccp import messages
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sccp.messages import RETURN_ON_ERROR, ExtendedUnitdata, ReturnCause
from tsvc.protocols.sccp.reassembly import Indication, ReassembledInd, Reassembler
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua.association import Association, SubsystemInd, UnitdataInd, transfer_of
from tsvc.protocols.sua.connectionless import RETURN_CAUSE, DataResponse, DataTransfer
from tsvc.protocols.sua.params import ProtocolClass, SccpCause
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.ss7.links import LinkConfig, Owner
from tsvc.ss7.m3ua import M3uaLink, M3uaLinks, ToLog

_NO_POINT_CODE = 0


class SuaLink(M3uaLink):
    """One SUA association."""

    def __init__(self, links: "SuaLinks", peer: str, machine: Association) -> None:
        super().__init__(links, peer, machine)
        self._reassembler = links.reassembler

    def on_indication(self, indication: object) -> None:
        """Handle an indication of the association."""
        if isinstance(indication, SubsystemInd):
            # It gives no information about the node; messages to that subsystem come back.
            self.owner.count("told_subsystem")
        else:
            super().on_indication(indication)

    def quoted(self, octets: bytes) -> bytes:
        """Return the TCAP message of this node that an ERR quotes, as far as it is quoted."""
        data: bytes = connectionless.readable(octets, self._links.network).get("data", b"")
        return data

    def _on_sccp(self, data: DataInd) -> None:
        assert isinstance(data, UnitdataInd)
        message = data.message
        self.owner.count("received")
        if message.source.pc is not None:
            self.owner.destinations.heard_from(self.config.name, message.source.pc)
        self._came = (data.octets,)
        if isinstance(message, DataResponse):
            self._on_returned(message, data.octets)
        elif (cause := self._refusal(message)) is not None:
            self.managed(False, data.octets)
            is_first = message.segmentation is None or message.segmentation.is_first
            if message.protocol_class.return_on_error and is_first:
                addresses = message.destination, message.source
                self._give_up(*addresses, cause, message.data, message.routing_context)
        elif message.segmentation is None:
            self.owner.deliver(self, message.data, message.destination, message.source)
        else:
            self._on_segment(message, data.octets)
        self._came = ()

    def _refusal(self, message: DataTransfer) -> ReturnCause | None:
        """Return why a message can't be delivered here, None if it can."""
        node, called = self.owner.node, message.destination
        if node.is_end_point and called.pc not in (None, self._links.opc):
            self.owner.count("other_point_code")
            return ReturnCause.NO_TRANSLATION_FOR_ADDRESS
        if node.subsystems is None or node.subsystems.has(called):
            return None
        return ReturnCause.UNEQUIPPED_USER

    def _on_returned(self, message: DataResponse, octets: bytes) -> None:
        returned = message.cause
        cause = returned.value if returned.cause_type == RETURN_CAUSE else ReturnCause.UNQUALIFIED
        if not self.owner.give_back(message.data or b"", cause, self, message.source):
            if message.data is None:
                self.owner.count("unreadable")  # its sender can't be found
            self.managed(False, octets)

    def _on_segment(self, message: DataTransfer, octets: bytes) -> None:
        now = self.owner.clock.now()
        tag = self.frame(False, octets)
        self.log.append(tag)  # until the whole message has come
        # Incomplete messages whose timer has expired are given up when other segments come.
        found: list[Indication] = self._reassembler.handle_timer(now)
        found += self._reassembler.receive(_as_sccp(message), now, tag=tag)
        for item in found:
            if isinstance(item, ReassembledInd):
                whole = item.message
                called, calling = whole.called_party_address, whole.calling_party_address
                self._came = item.tags
                self._forget(item.tags)
                self.owner.deliver(self, whole.data, called, calling)
            elif item.must_return:
                first = item.first
                addresses = first.called_party_address, first.calling_party_address
                self._give_up(*addresses, item.cause, first.data, message.routing_context)

    def _give_up(
        self,
        called: Address,
        calling: Address,
        cause: ReturnCause,
        data: bytes,
        context: int | None,
    ) -> None:
        back = DataResponse(called, calling, SccpCause(RETURN_CAUSE, cause), data)
        transfer = replace(transfer_of(back, self._links.network), trail=ToLog())
        self.machine.transfer(context, transfer)


class SuaLinks(M3uaLinks):
    """One configured SUA connection."""

    association_type = Association
    link_type = SuaLink

    def __init__(self, owner: Owner, config: LinkConfig) -> None:
        # Addresses may have no point code, unlike in a DATA.
        dpc = _NO_POINT_CODE if config.dpc is None else config.dpc
        super().__init__(owner, replace(config, dpc=dpc))
        self.reassembler = Reassembler()
        self._class = ProtocolClass(config.sccp_class, return_on_error=True)

    def new(self, peer: str) -> M3uaLink:
        link = super().new(peer)
        assert isinstance(link.machine, Association)
        link.machine.network = self.network
        if self.config.tid_label:
            link.machine.tid_label = self.owner.node.ids.label
        return link

    def transfers(self, outgoing: Outgoing, dpc: int, sls: int) -> list[Transfer]:
        """Return the CLDT that carries a TCAP message. Errors: LocalProtocolError."""
        called = outgoing.called
        if called.pc is None and dpc != _NO_POINT_CODE:
            called = replace(called, pc=dpc)
        message = DataTransfer(
            self.calling(outgoing), called, outgoing.octets, self._class, sequence_control=sls
        )
        transfer = transfer_of(message, self.network)
        return [transfer if outgoing.trail is None else replace(transfer, trail=outgoing.trail)]

    def carried(self, transfers: list[Transfer], now: float) -> list[bytes]:
        """Return the TCAP messages that these transfers should have carried."""
        messages = [
            connectionless.decode(transfer.user_data, self.network) for transfer in transfers
        ]
        return [message.data for message in messages if isinstance(message, DataTransfer)]


def _as_sccp(message: DataTransfer) -> ExtendedUnitdata:
    """Return a segment in the form that SCCP's reassembly takes."""
    part = message.segmentation
    assert part is not None
    segmentation = messages.Segmentation(
        part.is_first, message.protocol_class.number == 1, part.remaining, part.reference
    )
    return ExtendedUnitdata(
        message.destination,
        message.source,
        message.data,
        message.protocol_class.number,
        RETURN_ON_ERROR if message.protocol_class.return_on_error else 0,
        options=messages.OptionalPart(segmentation),
    )
