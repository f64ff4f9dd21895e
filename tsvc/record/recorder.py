"""The interface by which kinds turn messages into operations, in their part `recording`.

A Recorder names its protocols, tells how a stream of octets is cut into their messages, and makes
dialogues from the messages of a capture. A dialogue has a step for each message, with the
operations that send or expect it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from tsvc.kind import parts
from tsvc.record.layers import End
from tsvc.record.packets import Tell
from tsvc.registry import Registry
from tsvc.values import dataclass

Entry = dict[str, Any]  # an operation of a definition
CLIENT, SERVER = "client", "server"


class WireMessage(NamedTuple):
    """One message of a protocol as it was on the wire; `client`: the end that connected.

    `is_sent`: True if the capturing host sent it. Ends, client and is_sent are None if the capture
    does not say.
    """

    packet: int
    time: float
    protocol: str
    octets: bytes
    source: End | None = None
    destination: End | None = None
    client: End | None = None
    is_sent: bool | None = None


class Framing(NamedTuple):
    """The way to find the messages of a protocol in the data of TCP or SCTP.

    `length_of(octets)`: the length of the message with which the octets begin, 0 if more octets
    are needed, None if they are not of the protocol. `ports`: usual ports of a server; the
    protocol is recognized on other ports too. `payload_protocols`: identifiers of SCTP.
    """

    protocol: str
    length_of: Callable[[bytes], int | None]
    ports: frozenset[int] = frozenset()
    payload_protocols: frozenset[int] = frozenset()


@dataclass(slots=True)
class Step:
    """The step of one message: its packet, its time, its sender, its operations in order.

    `waits_by`: the path in the first operation of the longest time that it waits.
    """

    packet: int
    time: float
    is_sent: bool
    text: str
    operations: list[Entry] = field(default_factory=list)
    waits_by: tuple[str, ...] = ("seconds",)


@dataclass(slots=True)
class Dialogue:
    """One dialogue of the capture, from the tester's side.

    `title`: a description for people. `client`, `server`: names of its sides, which `--as` may
    give. `before`: operations that come before all others. `params`: members for the definition;
    if other dialogues have given different ones, `own` goes to the first operation instead.
    `naming`: the attribute by which operations name their dialogue, "" if they have none; `role`:
    the first word of such a name; `is_named`: a name is needed even for the only dialogue.
    `variables`: texts that become variables if they occur again, with the names of the variables.
    """

    title: str
    client: frozenset[str]
    server: frozenset[str]
    steps: list[Step] = field(default_factory=list)
    before: list[Entry] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    own: dict[str, Any] = field(default_factory=dict)
    naming: str = ""
    role: str = ""
    is_named: bool = False
    variables: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    """Problems of the definition; with any, it may fail against the same peer."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The side of the tester: `side` is "client", "server", the name of a side, or None."""

    side: str | None = None

    def is_client(self, client: Iterable[str], server: Iterable[str]) -> bool:
        """Return True if the tester is the client of a dialogue; also if no side has the name."""
        if self.side in (None, CLIENT, SERVER):
            return self.side != SERVER
        return self.side in client or self.side not in server


class Recorder(NamedTuple):
    """The protocols of a kind, and how they are recorded: see the docstring of this module."""

    protocols: frozenset[str]
    framings: tuple[Framing, ...]
    dialogues: Callable[[Sequence[WireMessage], Wanted, Tell], list[Dialogue]]


RECORDERS: Registry[Recorder] = Registry("recorder", near=parts("recording"))


def recorder(name: str, found: Recorder) -> None:
    """Register the recorder of a kind."""
    RECORDERS.register(name, found)
