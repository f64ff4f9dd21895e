"""A message that comes back ends its dialogue at once, however little of it can be read."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.clock import FakeClock
from support.daemons import Daemon, example
from unit.ss7.by_hand import Refusing

from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.data import decode_data, encode_data
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sccp.messages import (
    ExtendedUnitdata,
    OptionalPart,
    Segmentation,
    Unitdata,
    decode,
    encode,
    readable,
    returned,
)
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua import params as sua
from tsvc.protocols.tcap.dialogue import Indication
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.ss7.tcap_node import TcapNode

Back = Callable[[bytes], bytes]


def _sccp(change: Callable[[Any], bytes]) -> Back:
    """Return a function that answers a DATA with a message made from its SCCP message."""

    def back(octets: bytes) -> bytes:
        data = decode_data(octets)
        assert data is not None
        carried = decode(data.user_data)
        if not carried.handling:
            return b""  # a segment after the first
        return encode_data(data.dpc, data.opc, 3, 2, 0, 0, change(carried))

    return back


def _cut(by: int) -> Back:
    return _sccp(lambda carried: encode(returned(carried, 4))[:-by])


def _until_id(carried: Any) -> bytes:
    """Return the message, cut off behind two octets of the originating id."""
    whole = encode(returned(carried, 4))
    return whole[: whole.index(carried.data) + 6]


def _without_addresses(carried: Any) -> bytes:
    # The addresses are empty, which is not allowed.
    size = len(carried.data)
    return bytes((0x0A, 4, 3, 3, 3, 0, 0, size)) + carried.data


def _bare(carried: Any) -> bytes:
    """Return an XUDTS whose optional part has no end mark."""
    return encode(returned(carried, 4))[:-1]


def _err(octets: bytes) -> bytes:
    return messages.encode(
        messages.message(
            messages.ERR,
            params.ERROR_CODE.of(0x15),
            params.DIAGNOSTIC_INFORMATION.of(octets[:80]),
        )
    )


M3UA: dict[str, tuple[Back, str]] = {
    "UDTS": (_sccp(lambda one: encode(returned(one, 4))), "unequipped user"),
    "UDTS, data cut": (_cut(9), "unequipped user"),
    "UDTS, cut in the originating id": (_sccp(_until_id), "unequipped user"),
    "UDTS without addresses": (_sccp(_without_addresses), "unequipped user"),
    "ERR that quotes the DATA": (_err, "refused the message: ERR 0x15"),
    "XUDTS for the first segment": (
        _sccp(lambda one: encode(returned(one, 4))),
        "unequipped user",
    ),
    "XUDTS, optional part without its end": (_sccp(_bare), "unequipped user"),
}


def _cldr(**change: Any) -> Back:
    def back(octets: bytes) -> bytes:
        sent = connectionless.decode(octets)
        assert isinstance(sent, connectionless.DataTransfer)
        answer = connectionless.returned(sent, 4)
        return connectionless.encode(
            connectionless.DataResponse(
                **{name: getattr(answer, name) for name in answer.__slots__} | change
            )
        )

    return back


def _without(*tags: int) -> Back:
    def back(octets: bytes) -> bytes:
        whole = messages.decode(_cldr()(octets))
        kept = tuple(one for one in whole.parameters if one.tag not in tags)
        return messages.encode(messages.Message(*whole.id, kept))

    return back


def _broken(octets: bytes) -> bytes:
    """Return a CLDR whose segmentation has a wrong size."""
    whole = messages.decode(_cldr()(octets))
    odd = params.Parameter(sua.SEGMENTATION.tag, b"12345")
    return messages.encode(messages.Message(*whole.id, (*whole.parameters, odd)))


SUA: dict[str, tuple[Back, str]] = {
    "CLDR": (_cldr(), "unequipped user"),
    "CLDR without data": (_cldr(data=None), "unequipped user"),
    "CLDR, routing context 0": (_cldr(routing_context=0), "unequipped user"),
    "CLDR, another routing context": (_cldr(routing_context=99), "unequipped user"),
    "CLDR without addresses": (
        _without(sua.SOURCE_ADDRESS.tag, sua.DESTINATION_ADDRESS.tag),
        "unequipped user",
    ),
    "CLDR without anything": (
        _without(
            sua.SOURCE_ADDRESS.tag,
            sua.DESTINATION_ADDRESS.tag,
            sua.DATA.tag,
            sua.SCCP_CAUSE.tag,
        ),
        "unqualified",
    ),
    "CLDR with a parameter that is broken": (_broken, "unequipped user"),
    "CLDR, a cause of another type": (_cldr(cause=sua.SccpCause(2, 4)), "unqualified"),
}
CASES = [
    *(("m3ua", name, *case) for name, case in M3UA.items()),
    *(("sua", name, *case) for name, case in SUA.items()),
]


@pytest.mark.parametrize(("kind", "name", "back", "text"), CASES)
def test_it_is_told_at_once(tmp_path: Path, kind: str, name: str, back: Back, text: str) -> None:
    sgp = Refusing(messages.DATA if kind == "m3ua" else connectionless.CLDT, to_data=back)
    most = ", max_udt_octets = 80" if name.startswith("XUDTS") else ""  # makes segments
    configuration = f"""
    [application.STP]
    module = "sigtran"
    default_scp = {{ dpc = 2, dssn = 146 }}
    connections = [
        {{ name = "sg", type = "{kind}", remote_port = {sgp.port}, routing_context = 7{most} }},
    ]
    """
    daemon = Daemon.of_toml(tmp_path, configuration)
    try:
        daemon.until_up()
        definition = example("extension_dialing")
        operations = definition.pop("operations")
        definition["scp"] = {"dpc": 2, "dssn": 146, "tcap_timeout": 60}
        result = daemon.run(*operations, **definition)
        summary = result["first_call_summary"]
        assert text in str(summary["reason"]), summary
        # The status has it, too, for the operator of the tester.
        (gateway,) = daemon.ask("DescribeService")["result"]["gateways"]
        assert text in gateway["detail"]
        assert gateway["counters"]["refused"] == 1
    finally:
        daemon.stop()
        sgp.stop()


BEGIN = bytes.fromhex("620c4804000000016b0200006c00")
LABELS = [Address(ri=1, ssn=8, pc=1), Address(ri=1, ssn=146, pc=2)]


@given(st.integers(0, 80), st.binary(max_size=4), st.integers(0, 2), st.integers(0, 0xFF))
def test_any_cut_or_change_leaves_what_is_readable(cut, change, shape, cause):
    options = OptionalPart(Segmentation(True, True, 1, 7))
    message = (
        Unitdata(*LABELS, BEGIN),
        ExtendedUnitdata(*LABELS, BEGIN, options=options),
        ExtendedUnitdata(*LABELS, BEGIN, is_long=True),
    )[shape]
    octets = encode(returned(message, cause))
    found = readable(octets[:cut])
    assert (found is None) == (cut == 0)
    assert found is None or BEGIN.startswith(found.data)
    whole = readable(octets)
    assert whole is not None
    assert (whole.data, whole.calling) == (BEGIN, LABELS[0])
    readable(octets[:1] + change + octets[1 + len(change) :])


@given(st.integers(0, 200), st.binary(max_size=6), st.integers(0, 150))
def test_any_cut_or_change_of_a_cldr(cut, change, at):
    octets = connectionless.encode(
        connectionless.returned(connectionless.DataTransfer(*LABELS, BEGIN), 4)
    )
    found = connectionless.salvaged(octets[:cut])
    assert found is None or found.data is None or BEGIN.startswith(found.data)
    connectionless.salvaged(octets[:at] + change + octets[at + len(change) :])


def test_a_dialogue_that_can_not_be_told_from_others_is_left_alone():
    told: list[Indication] = []

    class User:
        def on_indication(self, indication: Indication) -> None:
            told.append(indication)

    node = TcapNode(Endpoint(), FakeClock(), on_begin=lambda _: None)

    class Network:
        def transmit(self, outgoing: Any) -> None:
            outgoing.dialogue.route = "link"

    node.network = Network()
    for pc in (2, 2, 3):
        dialogue = node.endpoint.new_dialogue(0.0)
        dialogue.user = User()
        dialogue.begin(Address(ri=1, ssn=146, pc=pc), LABELS[0])
    node.flush()
    assert not node.deliver_returned(b"", 4, "link", Address(ri=1, ssn=146, pc=2))
    assert not node.deliver_returned(b"", 4, "other link", Address(ri=1, ssn=146, pc=3))
    assert not node.deliver_returned(struct.pack("2sI", b"\x64\x04", 1), 4, "link")
    assert node.deliver_returned(b"", 4, "link", Address(ri=1, ssn=146, pc=3))
    assert node.deliver_returned(BEGIN[:4], 4, "link", Address(pc=3))
    assert [one.dialogue.remote_address.pc for one in told] == [3, 3]
