"""Scripts of conversations with a sans-I/O machine, which are executed; inspired by mitmproxy.

    assert (
        playbook(Association(Role.ASP), M3UA)
        >> connected()
        << sent("ASPUP")
        >> received(message(ASPUP_ACK))
        << indicated(InactiveInd((None,), "ASPUP_ACK"))
        << sent("ASPAC")
        >> after(2.0)
        << sent("ASPAC")
    )

`>>` is followed by an event for the machine, `<<` by a reaction that the machine must show. The
machine must show all reactions, in this order, and no others. Messages and indications have
separate orders, because the machine returns them separately. The script is executed when it is
asserted; a mismatch is shown as a diff of the conversation. A script without an assert would
always pass: unplayed() counts such scripts.
"""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Language:
    """The functions that encode and decode a protocol's messages.

    `encode`: message → octets; `decode`: octets → message; `name`: message → its short name.
    `receive` and `octets` are for machines that need addresses with the octets, or return them.
    """

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    name: Callable[[Any], str]
    receive: Callable[[Any, bytes, float], list[Any]] = lambda machine, octets, now: (
        machine.receive(octets, now)
    )
    octets: Callable[[Any], bytes] = bytes


# -- events for the machine ----------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """An event for the machine: act(machine, now, language) returns the indications."""

    text: str
    act: Callable[[Any, float, Language], Any]
    seconds: float = 0.0


def connected() -> Step:
    """Return the event that the transport is connected."""
    return Step("connected", lambda machine, now, language: machine.connected(now))


def received(*messages: Any) -> Step:
    """Return the event that messages, or octets, come in one piece."""

    def act(machine: Any, now: float, language: Language) -> Any:
        octets = [one if isinstance(one, bytes) else language.encode(one) for one in messages]
        return language.receive(machine, b"".join(octets), now)

    return Step(f"received {', '.join(map(_text, messages))}", act)


def asked(text: str, act: Callable[[Any, float], Any]) -> Step:
    """Return the event that the user calls the machine: act(machine, now).

    A list that act() returns contains indications.
    """
    return Step(text, lambda machine, now, language: act(machine, now))


def after(seconds: float) -> Step:
    """Return the event that time passes; timers that become due are handled at their time."""
    return Step(f"after {seconds:g} s", lambda machine, now, language: None, seconds)


# -- reactions of the machine --------------------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """One message or indication that must come."""

    kind: str  # "sent" or "indicated"
    what: Any

    def fits(self, found: Any, language: Language) -> bool:
        match self.what:
            case type():
                return isinstance(found, self.what)
            case str() if self.kind == "sent":
                return language.name(language.decode(found)) == self.what
            case bytes() if self.kind == "sent":
                return bytes(found) == self.what
            case _ if self.kind == "sent":
                found = language.decode(found)
        if callable(self.what):
            return bool(self.what(found))
        return bool(found == self.what)


def sent(what: Any) -> Expected:
    """Return the reaction that a message is sent: a message, its octets, its name, or a test."""
    return Expected("sent", what)


def indicated(what: Any) -> Expected:
    """Return the reaction that the machine indicates a value: the value, its class, or a test."""
    return Expected("indicated", what)


# -- the script ----------------------------------------------------------------------------------


@dataclass
class _Length:
    """The number of lines of a script that were written, and that were executed."""

    written: int = 0
    played: int = 0


@dataclass(frozen=True)
class Playbook:
    """A script for one machine. bool() executes it, and is True if nothing differs."""

    machine: Any
    language: Language
    now: float
    lines: tuple[Step | Expected, ...]
    length: _Length

    def _further(self, line: Step | Expected) -> "Playbook":
        lines = (*self.lines, line)
        self.length.written = max(self.length.written, len(lines))
        return Playbook(self.machine, self.language, self.now, lines, self.length)

    def __rshift__(self, step: Step) -> "Playbook":
        return self._further(step)

    def __lshift__(self, expected: Expected) -> "Playbook":
        return self._further(expected)

    def __bool__(self) -> bool:
        """Execute the script. Errors: AssertionError with the conversation if it differs."""
        self.length.played = max(self.length.played, len(self.lines))
        stage = _Stage(self.machine, self.language, self.now)
        for step, expected in _scenes(self.lines):
            stage.play(step, expected)
        return True


def playbook(machine: Any, language: Language, now: float = 0.0) -> Playbook:
    """Begin a script; `now` is the time at its beginning."""
    _BEGUN.append(_Length())
    return Playbook(machine, language, now, (), _BEGUN[-1])


_BEGUN: list[_Length] = []


def unplayed() -> int:
    """Return the number of scripts, begun since the last call, not asserted to their last line."""
    found = sum(one.played < one.written for one in _BEGUN)
    _BEGUN.clear()
    return found


@dataclass
class _Stage:
    machine: Any
    language: Language
    now: float
    so_far: list[str] = field(default_factory=list)

    def play(self, step: Step | None, expected: Sequence[Expected]) -> None:
        indications = [] if step is None else self._act(step)
        octets = [self.language.octets(one) for one in self.machine.data_to_send()]
        wanted, found = [], []
        for kind, came in (("sent", octets), ("indicated", indications)):
            lines = [one for one in expected if one.kind == kind]
            for at in range(max(len(lines), len(came))):
                text = self._shown(kind, came[at]) if at < len(came) else None
                if text is not None:
                    found.append(text)
                if at < len(lines):
                    is_right = text is not None and lines[at].fits(came[at], self.language)
                    wanted.append(text if is_right else f"<< {kind} {_text(lines[at].what)}")
        if step is not None:
            self.so_far.append(f">> {step.text}")
        if wanted != found:
            raise AssertionError(self._diff([str(one) for one in wanted], found))
        self.so_far += found

    def _act(self, step: Step) -> list[Any]:
        found = step.act(self.machine, self.now, self.language)
        indications = list(found) if isinstance(found, list) else []
        end = self.now + step.seconds
        while (due := self.machine.next_timer()) is not None and due <= end and step.seconds:
            self.now = max(due, self.now)
            indications += self.machine.handle_timer(self.now)
        self.now = end
        return indications

    def _shown(self, kind: str, what: Any) -> str:
        if kind == "sent":
            message = self.language.decode(what)
            return f"<< sent {self.language.name(message)} {message}"
        return f"<< indicated {what}"

    def _diff(self, wanted: list[str], found: list[str]) -> str:
        lines = difflib.ndiff([*self.so_far, *wanted], [*self.so_far, *found])
        shown = "\n".join(line.rstrip() for line in lines if not line.startswith("?"))
        return f"the conversation goes another way (- expected, + came):\n{shown}"


def _scenes(
    lines: Sequence[Step | Expected],
) -> list[tuple[Step | None, list[Expected]]]:
    """Return each step with the reactions that are expected after it."""
    scenes: list[tuple[Step | None, list[Expected]]] = []
    for line in lines:
        if isinstance(line, Step):
            scenes.append((line, []))
        else:
            if not scenes:
                scenes.append((None, []))
            scenes[-1][1].append(line)
    return scenes


def _text(what: Any) -> str:
    if isinstance(what, str):
        return what
    if isinstance(what, bytes):
        return what.hex(" ")
    return getattr(what, "__name__", None) or str(what)
