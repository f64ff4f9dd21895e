"""A line of the speed table, and the bound of a line that is a ratio."""

from dataclasses import asdict, dataclass
from typing import Any

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table; `is_met` is None if nothing was measured, `aim` if there is none."""

    work: str
    reach: str
    measured: str
    is_met: bool | None
    beside: str = ""
    aim: bool | None = None

    @property
    def met(self) -> str:
        if self.is_met is None:
            return "not measured"
        words = "yes" if self.is_met else "no"
        if self.is_met and self.aim is not None:
            words += ", the aim too" if self.aim else ", the aim not"
        return words

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "met": self.met}


@dataclass(frozen=True, slots=True)
class Bound:
    """The bound of a ratio, and a further aim: at most, or at least so much."""

    reach: float
    aim: float | None = None
    is_least: bool = False

    def holds(self, ratio: float, bound: float) -> bool:
        return ratio >= bound if self.is_least else ratio <= bound

    def __str__(self) -> str:
        sign = "≥" if self.is_least else "≤"
        aim = "" if self.aim is None else f"; aim {self.aim:g}"
        return f"{sign} {self.reach:g}{aim}"


def ratio(work: str, bound: Bound, ours: float | None, theirs: float | None, beside: str) -> Line:
    """Return the line of ours ÷ theirs; its result is None if a figure was not measured."""
    if not ours or not theirs:
        return Line(work, str(bound), "", None, beside)
    found = ours / theirs
    aim = None if bound.aim is None else bound.holds(found, bound.aim)
    return Line(work, str(bound), f"{found:.2f}", bound.holds(found, bound.reach), beside, aim)


def median_of(found: Figures, *path: str) -> float | None:
    """Return the median at a path; None if it was not measured."""
    for name in path:
        if name not in found:
            return None
        found = found[name]
    return found.get("median")


def both(ours: float | None, theirs: float | None, unit: str, digits: int = 0) -> str:
    """Return two compared figures as text."""
    if ours is None or theirs is None:
        return "what it is compared with is not installed"
    return f"ours {ours:,.{digits}f} {unit}, theirs {theirs:,.{digits}f} {unit}"
