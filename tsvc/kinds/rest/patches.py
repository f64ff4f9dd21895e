"""Requests of instances that go the usual way: all octets of one but the digits of a number.

The whole request of an operation is one argument (operations/sayings.py). Where its expressions do
nothing but put variables into texts, and these are numbers of a sequence, an instance's request is
made by writing its digits where those of another one stand, if it is at several places then too:
in path, query, header and content. It is tried with each digit at each place before that is
believed. Else it is made as an ordinary instance does it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tsvc import turns
from tsvc.expr.environment import Environment
from tsvc.expr.template import is_expression
from tsvc.kinds.rest.gateway import RestGateway
from tsvc.kinds.rest.request import RequestMaker
from tsvc.operations.following import CANT_BE_MADE
from tsvc.operations.sayings import PUT_TOGETHER
from tsvc.operations.usual import Host

_NAMES = re.compile(r"\$v->\{(\w+)\}", re.ASCII)
_LONGEST = 1000  # characters; longer expressions are not looked through in one go
_TEXTS = ("path", "query", "content")  # of the arguments, beside values of headers
_MOST_DIGITS = 64  # of all numbers: each is tried


class RequestOctets:
    """Makes the octets of one operation's requests: a sayings.Make. `names`: of the variables in
    its expressions, None if these do more than to put them into texts, or steer the request."""

    def __init__(self, maker: RequestMaker, given: Mapping[str, Any]) -> None:
        self._maker = maker
        self.names = _names(given)

    def __call__(self, env: Environment, gateway: RestGateway) -> bytes:
        return self._maker.octets(env, gateway)


def _names(given: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the variables that are put into texts which only go out as they are."""
    headers = given.get("http_headers") or []
    if not isinstance(headers, list) or not all(isinstance(one, Mapping) for one in headers):
        return None
    others = {
        name: value for name, value in given.items() if name not in (*_TEXTS, "http_headers")
    }
    steering = [others, *({**one, "value": None} for one in headers)]
    if any(True for _ in _expressions(steering)):
        return None
    found: set[str] = set()
    texts = [*map(given.get, _TEXTS), *(one.get("value") for one in headers)]
    for text in _expressions(texts):
        if len(text) > _LONGEST or not PUT_TOGETHER.fullmatch(text):
            return None
        found.update(_NAMES.findall(text))
    return frozenset(found)


def _expressions(value: Any) -> Iterator[str]:
    turns.walked()
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list):
        for one in value:
            yield from _expressions(one)
    elif is_expression(value):
        yield value


class Source(NamedTuple):
    """What makes one request of each instance. `octets`: of the one that was learnt from."""

    make: RequestOctets
    gateway: RestGateway
    octets: bytes


class Requests:
    """All requests of each instance of a run."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._each: list[bytes | Source] = []
        self._patches: list[Patches] | None = []
        self._sequences: dict[str, Callable[[int], str]] = {}

    def learn(self, idx: int, started_at: float, each: list["bytes | Source"]) -> None:
        """Take the requests of an instance, constant ones as they are. Errors: CANT_BE_MADE, if
        others were made than those that it has sent."""
        self._each, self._patches = each, None
        sent = [one if isinstance(one, bytes) else one.octets for one in each]
        if self.of(idx, started_at) != sent:
            raise ValueError("the requests of an instance are others when they are made again")
        self._patches = self._found(idx, started_at)
        if self._patches is not None and self.of(idx, started_at) != sent:
            self._patches = None

    @property
    def are_patches(self) -> bool:
        """Whether nothing has to be evaluated for an instance."""
        return self._patches is not None

    def of(self, idx: int, started_at: float) -> list[bytes]:
        """Return the requests of an instance. Errors: those of CANT_BE_MADE."""
        if self._patches is not None:
            digits = {name: _digits(make(idx)) for name, make in self._sequences.items()}
            return [one.fill(digits) for one in self._patches]
        env = self._host.variables(idx, started_at)
        return [
            one if isinstance(one, bytes) else one.make(env, one.gateway) for one in self._each
        ]

    def _found(self, idx: int, started_at: float) -> "list[Patches] | None":
        made = [one for one in self._each if isinstance(one, Source)]
        if any(one.make.names is None for one in made):
            return None
        names = {name for one in made for name in one.make.names or ()}
        known = self._host.sequences
        self._sequences = {name: known[name] for name in sorted(names) if name in known}
        if names and not self._sequences:
            return None  # there may be other variables than sequences and constants
        widths = {name: len(make(idx)) for name, make in self._sequences.items()}
        if sum(widths.values()) > _MOST_DIGITS:
            return None
        try:
            found = [self._patches_of(one, idx, started_at, widths) for one in self._each]
        except CANT_BE_MADE:
            return None
        return None if None in found else [one for one in found if one is not None]

    def _patches_of(
        self, one: "bytes | Source", idx: int, started_at: float, widths: Mapping[str, int]
    ) -> "Patches | None":
        if isinstance(one, bytes):
            return Patches([one], [])
        env = self._host.variables(idx, started_at)

        def make(digits: Mapping[str, str]) -> bytes:
            env.v.update(digits)
            return one.make(env, one.gateway)

        return Patches.find(make, widths)


class Patches(NamedTuple):
    """Octets in pieces, and which of these are the digits of which number."""

    pieces: list[bytes]
    holes: list[tuple[int, str]]

    def fill(self, digits: Mapping[str, bytes]) -> bytes:
        """Return the octets of an instance. Errors: ValueError for a number of other length."""
        if not self.holes:
            return self.pieces[0]
        pieces = self.pieces.copy()
        for at, name in self.holes:
            if len(digits[name]) != len(pieces[at]):
                raise ValueError("a number of another length")
            pieces[at] = digits[name]
        return b"".join(pieces)

    @classmethod
    def find(
        cls, make: Callable[[Mapping[str, str]], bytes], widths: Mapping[str, int]
    ) -> "Patches | None":
        """Return where the digits of numbers stand, None where that can't be told.

        Errors: those of make().
        """
        nothing = {name: "0" * width for name, width in widths.items()}
        zeros = make(nothing)
        places: list[tuple[int, int, str]] = []
        for name, width in widths.items():
            starts: list[int] = []
            for at in range(width):
                one = make({**nothing, name: "0" * at + "1" + "0" * (width - at - 1)})
                changed = _changed(zeros, one)
                if at == 0:
                    starts = changed
                if changed != [start + at for start in starts]:
                    return None
            places += [(start, start + width, name) for start in starts]
        found = cls._cut(zeros, sorted(places))
        if b"%" in zeros.partition(b" HTTP/")[0]:
            return None  # a digit after it might be more than a digit
        for turn in range(10):
            values = {
                name: "".join(str((at + turn + number) % 10) for at in range(width))
                for number, (name, width) in enumerate(widths.items())
            }
            if make(values) != found.fill({name: one.encode() for name, one in values.items()}):
                return None
        return found

    @classmethod
    def _cut(cls, octets: bytes, places: Sequence[tuple[int, int, str]]) -> "Patches":
        pieces: list[bytes] = []
        holes: list[tuple[int, str]] = []
        behind = 0
        for start, stop, name in places:
            pieces += [octets[behind:start], octets[start:stop]]
            holes.append((len(pieces) - 1, name))
            behind = stop
        return cls([*pieces, octets[behind:]], holes)


def _changed(zeros: bytes, one: bytes) -> list[int]:
    """Return where a 0 has become a 1; -1 beside where something else has changed."""
    if len(zeros) != len(one):
        return [-1]
    pairs = enumerate(zip(zeros, one, strict=True))
    return [at if (old, new) == (0x30, 0x31) else -1 for at, (old, new) in pairs if old != new]


def _digits(text: str) -> bytes:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError("no digits")
    return text.encode("ascii")
