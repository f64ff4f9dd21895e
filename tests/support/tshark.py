"""tshark as an independent reader of the messages that we encode, without lower layers."""

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from support.daemons import require_peer

HANG_GUARD_S = 300


def capture(messages: Sequence[bytes], protocol: str) -> bytes:
    """Return a pcap file of upper PDUs (linktype 252): tag 12, protocol name, end tag, octets."""
    name = protocol.encode() + bytes(-len(protocol) % 4)
    head = struct.pack(">HH", 12, len(name)) + name + bytes(4)
    file = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 252)]
    for octets in messages:
        packet = head + octets
        file.append(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
    return b"".join(file)


def dissect(
    folder: Path, messages: Sequence[bytes], protocol: str, *options: str
) -> list[ElementTree.Element]:
    """Return the packets that tshark reads from messages of a protocol, as PDML.

    `folder` holds the capture, and replaces tshark's own configuration. Skip without tshark.
    """
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    path = folder / f"{protocol}.pcap"
    path.write_bytes(capture(messages, protocol))
    done = subprocess.run(
        [tshark, "-r", str(path), *options, "-T", "pdml"],
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(folder)},
        capture_output=True,
        check=True,
        timeout=HANG_GUARD_S,
    )
    packets = ElementTree.fromstring(done.stdout).findall("packet")
    assert len(packets) == len(messages), "a packet is read as one message"
    return packets


def complaints(packet: ElementTree.Element) -> list[str]:
    """Return the problems that tshark reports: malformed, truncated, expert notes, BER errors."""
    return list(_remarks(packet))


def _remarks(element: ElementTree.Element) -> Iterator[str]:
    name = element.get("name", "")
    if name.startswith(("_ws.", "ber.error")):
        yield f"{name}: {element.get('showname') or element.get('show')}"
        if name == "_ws.expert":
            return  # the parts repeat the same problem
    for inner in element:
        yield from _remarks(inner)


def shown(packet: ElementTree.Element, *names: str) -> list[str]:
    """Return the texts of all fields of these names, in order."""
    return [str(element.get("show")) for element in packet.iter() if element.get("name") in names]
