"""How messages become operations: what kinds say of their protocols, in their part `recording`.

A Recorder names its protocols, says how a stream of octets is cut into their messages, and makes
dialogues of the messages of a capture. Its dialogues are steps: one a message, with the operations
that send or expect it.
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
    """One message of a protocol as it was on the wire; `client`: who opened its connection.

    `is_sent`: by who captured. Ends, client and is_sent are None where the capture does not say.
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
    """How the messages of a protocol stand in what TCP or SCTP carries.

    `length_of(octets)`: octets of the message that they begin with, 0 if more of them are needed
    to tell, None if they are none of the protocol. `ports`: usual ones of a server; elsewhere the
    protocol is recognized, too. `payload_protocols`: identifiers of SCTP.
    """

    protocol: str
    length_of: Callable[[bytes], int | None]
    ports: frozenset[int] = frozenset()
    payload_protocols: frozenset[int] = frozenset()


@dataclass(slots=True)
class Step:
    """What one message makes: in which packet, when, by whom, its operations in order.

    `waits_by`: where the first operation says how long it waits at most.
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

    `title`: what it is, for people. `client`, `server`: names of its sides, which `--as` may give.
    `before`: operations that stand before all others. `params`: members that the definition gets;
    where other dialogues have given it others, `own` stands in the first operation instead.
    `naming`: the attribute by which operations name their dialogue, "" if they have none; `role`:
    what such a name begins with; `is_named`: they need one even if it is the only dialogue.
    `variables`: texts that become variables where they stand again, with the names to give them.
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
    """What the definition lacks; with any, it may not pass against the same peer."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who is to be the tester: `side` is "client", "server", the name of a side, or None."""

    side: str | None = None

    def is_client(self, client: Iterable[str], server: Iterable[str]) -> bool:
        """Return whether the client of a dialogue is the tester; of one without the side it is."""
        if self.side in (None, CLIENT, SERVER):
            return self.side != SERVER
        return self.side in client or self.side not in server


class Recorder(NamedTuple):
    """What a kind says of its protocols: see the head of this module."""

    protocols: frozenset[str]
    framings: tuple[Framing, ...]
    dialogues: Callable[[Sequence[WireMessage], Wanted, Tell], list[Dialogue]]


RECORDERS: Registry[Recorder] = Registry("recorder", near=parts("recording"))


def recorder(name: str, found: Recorder) -> None:
    """Register how a kind's messages become operations."""
    RECORDERS.register(name, found)
