"""Captures made from messages with Wireshark's programs, and tshark's decoding of captures."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from support.daemons import require_peer

INSTALL = "apt-get install tshark"
HANG_GUARD_S = 60
OURS, THEIRS = "10.0.0.1", "10.0.0.2"

Shown = tuple[bool, float, bytes]  # True if we sent it, seconds, octets


def text2pcap(folder: Path, messages: Sequence[Shown], *options: str) -> bytes:
    """Return a capture (pcapng) of messages, with the headers that the options describe.

    The options are those of sent messages; for received messages addresses and ports are swapped.
    Each direction is written separately, because text2pcap counts the octets of both in one
    sequence.
    """
    parts = []
    for is_sent in (True, False):
        shown = [one for one in messages if one[0] is is_sent]
        directed = options if is_sent else [_turned(option) for option in options]
        parts.append(_one_direction(folder, shown, directed, f"{is_sent}"))
    return _merged(folder, parts)


def merged(folder: Path, *captures: bytes) -> bytes:
    """Return several captures merged into one, ordered by time; their link types may differ."""
    parts = [folder / f"part {at}" for at in range(len(captures))]
    for part, octets in zip(parts, captures, strict=True):
        part.write_bytes(octets)
    return _merged(folder, parts)


def _merged(folder: Path, parts: Sequence[Path]) -> bytes:
    target = folder / "made.pcapng"
    program = require_peer(shutil.which("mergecap"), INSTALL)
    _run([program, "-w", str(target), *map(str, parts)])
    return target.read_bytes()


def _turned(option: str) -> str:
    first, comma, rest = option.partition(",")
    second, more, last = rest.partition(",")
    return f"{second},{first}{more}{last}" if comma else option


def _one_direction(
    folder: Path, messages: Sequence[Shown], options: Sequence[str], name: str
) -> Path:
    program = require_peer(shutil.which("text2pcap"), INSTALL)
    lines = []
    for _, seconds, octets in messages:
        lines += [f"{seconds:.6f}", f"000000 {octets.hex(' ')}"]
    source, target = folder / f"{name}.txt", folder / f"{name}.pcapng"
    source.write_text("\n".join(lines) + "\n")
    _run([program, "-q", "-t", "%s.%f", *options, str(source), str(target)])
    return target


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=HANG_GUARD_S
    )
    return done.stdout


def editcap(folder: Path, capture: bytes, *options: str) -> bytes:
    """Return a capture in the form that editcap writes."""
    program = require_peer(shutil.which("editcap"), INSTALL)
    source, target = folder / "source.cap", folder / "target.cap"
    source.write_bytes(capture)
    _run([program, *options, str(source), str(target)])
    return target.read_bytes()


def fields(folder: Path, capture: bytes, *names: str) -> list[list[str]]:
    """Return the fields that tshark decodes: a list for each packet, in the order of names."""
    program = require_peer(shutil.which("tshark"), INSTALL)
    path = folder / "read.cap"
    path.write_bytes(capture)
    wanted = [part for name in names for part in ("-e", name)]
    done = subprocess.run(
        [program, "-r", str(path), "-T", "fields", *wanted],
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(folder)},
        check=True,
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
    )
    return [line.split("\t") for line in done.stdout.splitlines()]
