"""Chooses the way of a message: routes by point code and by digits of a global title.

The most specific matching routes decide: the exact point code before a range, the longer prefix
before the shorter, the narrower range before the wider. Equally specific routes are
alternatives: the lowest `priority` number that can take the message wins, and routes with the same
number share the load by SLS. A message that no route matches may use every connection.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction

from tsvc.memo import Memo
from tsvc.protocols.sccp.address import Address, RoutingIndicator
from tsvc.ss7.destinations import Destination
from tsvc.values import dataclass

_BASE = 16  # digits of a global title may be 0-9 and a-f
_REMEMBERED = 1024  # called addresses


@dataclass(frozen=True, slots=True)
class Route:
    """One route: `pc` and `mask` (number of low bits that are ignored), or a range of digits.

    `gt_from` and `gt_to` have the same length, and the leading digits of the title are between
    them. A prefix sets both to the same digits, with `is_prefix`. `dpc`, `ssn`, `gt_digits`
    replace parts of the called address: the digits replace the prefix, or for a range the whole
    number.
    `is_on_ssn`: the new routing indicator, None: unchanged.
    """

    connection: str
    pc: int | None = None
    mask: int = 0
    gt_from: str | None = None
    gt_to: str | None = None
    is_prefix: bool = False
    tt: int | None = None
    priority: int = 1
    dpc: int | None = None
    ssn: int | None = None
    gt_digits: str | None = None
    is_on_ssn: bool | None = None

    @property
    def width(self) -> Fraction:
        """The share of all numbers or point codes that it covers: less is more specific."""
        if self.gt_from is None or self.gt_to is None:
            return Fraction(1 << self.mask)
        if not self.gt_from:
            return Fraction(1)
        span = int(self.gt_to, _BASE) - int(self.gt_from, _BASE) + 1
        return Fraction(span, _BASE ** len(self.gt_from))

    def is_for_pc(self, called: Address) -> bool:
        """Return True if the route matches by the point code."""
        return (
            self.pc is not None
            and called.pc is not None
            and self.pc >> self.mask == called.pc >> self.mask
        )

    def is_for_gt(self, called: Address) -> bool:
        """Return True if the route matches by the global title."""
        if self.gt_from is None or self.gt_to is None or called.gt is None:
            return False
        if self.tt is not None and self.tt != called.gt.tt:
            return False
        leading = called.gt.digits[: len(self.gt_from)]
        return len(leading) == len(self.gt_from) and self.gt_from <= leading <= self.gt_to

    def translated(self, called: Address) -> Address:
        """Return the called address after translation by this route."""
        changed = called
        if self.gt_digits is not None and changed.gt is not None:
            rest = changed.gt.digits[len(self.gt_from or "") :] if self.is_prefix else ""
            changed = replace(changed, gt=replace(changed.gt, digits=self.gt_digits + rest))
        if self.ssn is not None:
            changed = replace(changed, ssn=self.ssn)
        if self.is_on_ssn is not None:
            ri = RoutingIndicator.SSN if self.is_on_ssn else RoutingIndicator.GT
            changed = replace(changed, ri=ri)
        if self.dpc is not None and changed.pc is not None:
            changed = replace(changed, pc=self.dpc)
        return changed


@dataclass(frozen=True, slots=True)
class Hop:
    """One way for a message: a connection, the point code to send to, the called address.

    `dpc` None: that of the connection.
    """

    connection: str
    dpc: int | None
    called: Address
    priority: int = 1


class Routes:
    """The routes of a node; `connections` are used by messages that no route matches."""

    def __init__(self, routes: Iterable[Route], connections: Iterable[str]) -> None:
        self._routes = tuple(routes)
        self._connections = tuple(connections)
        self._known = Memo("ways for a called address", _REMEMBERED, self._find)

    def hops(self, called: Address) -> tuple[Hop, ...]:
        """Return all hops for a called address, the preferred ones first."""
        return self._known[called]

    def by_title(self, called: Address) -> tuple[Hop, ...]:
        """Return the hops of configured routes for an address that is routed on global title."""
        if not self._routes or called.ri != RoutingIndicator.GT:
            return ()
        return self.hops(called) if any(one.is_for_gt(called) for one in self._routes) else ()

    def _find(self, called: Address) -> tuple[Hop, ...]:
        matching = self._matching(called)
        if not matching:
            return tuple(Hop(name, called.pc, called) for name in self._connections)
        narrowest = min(route.width for route in matching)
        found = [_hop(route, called) for route in matching if route.width == narrowest]
        return tuple(sorted(found, key=lambda hop: hop.priority))

    def _matching(self, called: Address) -> list[Route]:
        by_title = [route for route in self._routes if route.is_for_gt(called)]
        by_code = [route for route in self._routes if route.is_for_pc(called)]
        if called.ri == RoutingIndicator.GT:
            return by_title or by_code
        return by_code or by_title


def _hop(route: Route, called: Address) -> Hop:
    dpc = called.pc if route.dpc is None else route.dpc
    return Hop(route.connection, dpc, route.translated(called), route.priority)


def choose(
    hops: Iterable[Hop], sls: int, state: Callable[[Hop], Destination | None]
) -> Hop | None:
    """Return the hop for an SLS, None if none can take the message.

    `state` returns the state of a hop's destination, None if its connection can't carry anything.
    Hops with the lowest usable priority number share the load; restricted ones come last.
    """
    usable = [
        (found.reach, hop) for hop in hops if (found := state(hop)) is not None and found.can_take
    ]
    if not usable:
        return None
    best = max(reach for reach, _ in usable)
    open_hops = [hop for reach, hop in usable if reach is best]
    first = min(hop.priority for hop in open_hops)
    sharing = [hop for hop in open_hops if hop.priority == first]
    return sharing[sls % len(sharing)]
