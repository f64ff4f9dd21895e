"""The claims of the fuzz targets without the fuzzer: seeds, damaged seeds, and bounded work.

Work is counted in function calls and kept octets, not in seconds: a decoder has a limit for each
octet of its input, whatever the octets are.
"""

import gc
import struct
import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tiers
from support.examples import examples

from fuzz import peers, ss7, values
from tsvc.protocols import ber
from tsvc.protocols.m3ua import messages
from tsvc.protocols.smpp.commands import Command

TARGETS = ss7.TARGETS | values.TARGETS | peers.TARGETS
SEEDS = ss7.SEEDS | values.SEEDS | peers.SEEDS

# The maximum cost of an octet. The most expensive are indefinite lengths, read once per level, of
# which ber.MAX_DEPTH are allowed; and an empty TLV of two octets, kept with its own note.
CALLS_AN_OCTET = 40
MEMORY_AN_OCTET = 700
FREE_CALLS = 2000  # the calls of a target before it reads its input
FREE_MEMORY = 200_000
LONG = 3000


def indefinite(tag: bytes, depth: int) -> bytes:
    return (tag + b"\x80") * depth + b"\0\0" * depth


def nested(tag: bytes, size: int) -> bytes:
    """Return definite lengths inside one another, as deep as fits."""
    octets = b""
    while len(octets) < size:
        octets = ber.tlv(tag, octets)
    return octets


def hostile() -> dict[str, bytes]:
    small = b"\x05\x00" * (LONG // 2)
    members = {
        "empty TLVs": small,
        "empty SEQUENCEs": b"\x30\x00" * (LONG // 2),
        "nested": nested(b"\x30", LONG),
        "nested, indefinite": indefinite(b"\x30", LONG // 4),
        "indefinite as deep as is allowed": indefinite(b"\x30", ber.MAX_DEPTH - 1) * 30,
        "unended": b"\x30\x80" * (LONG // 2),
        "huge length": b"\x30\x84\x7f\xff\xff\xff" + bytes(LONG),
        "long integer": b"\x02\x82" + LONG.to_bytes(2, "big") + b"\x7f" * LONG,
        "long arcs": b"\x06\x82" + LONG.to_bytes(2, "big") + b"\xff" * (LONG - 1) + b"\x01",
        "long tags": b"\x3f\xff\xff\x7f\x00" * (LONG // 5),
        "the same members": b"\x80\x01\x00" * (LONG // 3),
        "zeros": bytes(LONG),
        "ones": b"\xff" * LONG,
    }
    found = dict(members)
    for name, octets in members.items():
        found[f"{name}, in a component portion"] = ber.tlv(b"\x62", b"\x48\x01\x07" + octets)
        component = b"\x02\x01\x00\x02\x01\x00" + octets
        portion = ber.tlv(b"\x6c", ber.tlv(b"\xa1", component))
        found[f"{name}, in an invoke"] = ber.tlv(b"\x62", b"\x48\x01\x07" + portion)
        dialogue = ber.tlv(b"\x6b", ber.tlv(b"\x28", octets))
        found[f"{name}, in a dialogue portion"] = ber.tlv(b"\x62", b"\x48\x01\x07" + dialogue)
        for form in range(0, len(values.INAP_FORMS), 40):
            value = form.to_bytes(2, "big") + ber.tlv(b"\x30", octets)
            found[f"{name}, in value {form}"] = value
    return found | framed()


def framed() -> dict[str, bytes]:
    """Return messages of the other protocols with as many minimal parameters as possible."""
    found = {}
    for number in messages.LAYOUTS:
        for tag in (b"\x00\x04", b"\x00\x12", b"\xff\xff"):
            parameters = (tag + b"\x00\x04") * (LONG // 4)
            head = struct.pack(">BBBBI", 1, 0, *number, 8 + len(parameters))
            found[f"M3UA and SUA {number} {tag.hex()}"] = b"\x00" + head + parameters
    for code in (0, 443):  # unknown, grouped
        avps = struct.pack(">II", code, 8) * (LONG // 8)
        head = struct.pack(">IIIII", 1 << 24 | 20 + len(avps), 0xC0 << 24 | 272, 4, 1, 1)
        found[f"Diameter, AVPs {code}"] = head + avps
        nested_avps = b""
        while len(nested_avps) < LONG:
            nested_avps = struct.pack(">II", 443, 8 + len(nested_avps)) + nested_avps
        head = struct.pack(">IIIII", 1 << 24 | 20 + len(nested_avps), 0xC0 << 24 | 272, 4, 1, 1)
        found["Diameter, nested"] = head + nested_avps
    for command in Command:
        tlvs = bytes(LONG)
        head = struct.pack(">IIII", 16 + len(tlvs), command, 0, 1)
        found[f"SMPP {command.name}"] = head + tlvs
    return found


HOSTILE = hostile()


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name: str) -> None:
    assert SEEDS[name]
    for seed in SEEDS[name]:
        TARGETS[name](seed)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=examples(150), deadline=None, derandomize=True)
@given(data=st.data())
def test_damaged_seeds(name: str, data: Any) -> None:
    octets = bytearray(data.draw(st.sampled_from(SEEDS[name])))
    for place in data.draw(st.lists(st.integers(0, len(octets) * 8 - 1), max_size=4)):
        octets[place // 8] ^= 1 << place % 8
    cut = data.draw(st.integers(0, len(octets)) | st.just(len(octets)))
    TARGETS[name](bytes(octets[:cut]) + data.draw(st.binary(max_size=6)))


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=examples(150), deadline=None, derandomize=True)
@given(octets=st.binary(max_size=80))
def test_random_octets(name: str, octets: bytes) -> None:
    TARGETS[name](octets)


class Calls:
    """A context manager that counts calls of functions, Python's and built-in ones."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> "Calls":
        gc.disable()  # the release of other tests' objects calls functions, too
        sys.setprofile(self._on_event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        gc.enable()

    def _on_event(self, frame: Any, event: str, argument: Any) -> None:
        self.count += event in ("call", "c_call")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", TARGETS)
def test_work_is_bounded(name: str) -> None:
    TARGETS[name](b"")  # initialises caches
    for what, octets in HOSTILE.items():
        with Calls() as calls:
            TARGETS[name](octets)
        assert calls.count <= FREE_CALLS + CALLS_AN_OCTET * len(octets), what


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", TARGETS)
def test_memory_is_bounded(name: str) -> None:
    TARGETS[name](b"")
    for what, octets in tiers.sample(list(HOSTILE.items()), 6, f"memory {name}"):
        tracemalloc.start()
        try:
            TARGETS[name](octets)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak <= FREE_MEMORY + MEMORY_AN_OCTET * len(octets), what
