"""Waivers: cases in which an outside reader reads our octets differently.

A waiver needs two outside readers that disagree: one is at odds with us, the other reads the
value that we encoded, member by member. If both are at odds with us, our octets are wrong. Tests
run both readers on the waived octets, and fail when a waiver is no longer needed.

INAP only has one outside reader, because pycrate only has CAP and MAP. Such a waiver says so, and
names the document whose table decides.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from unit.protocols.asn1.values import Form, Value

READS = "reads what we wrote"
DOES_NOT_FIND_IT = "passes over it without a remark"
HAS_NO_INAP = "has no INAP"


@dataclass(frozen=True)
class Waiver:
    """One waiver. `member`: its cause (None: any value); `variants`: empty means all variants.

    `tshark` and `pycrate`: the result of each reader. For the reader that is at odds, a part of
    its remark, or the difference. `document`: the document that has the table.
    """

    operation: str
    member: str | None
    ours: str
    tshark: str
    pycrate: str
    document: str
    variants: tuple[str, ...] = ()
    component: str = "invoke"

    @property
    def at_odds(self) -> str:
        """The reader that is at odds with us."""
        return "tshark" if self.tshark != READS else "pycrate"

    def covers(self, value: Value) -> bool:
        """Return True if the waiver applies to a value."""
        is_any = self.operation == "*"
        return (
            (is_any or (self.operation, self.component) == (value.operation.name, value.component))
            and (not self.variants or value.variant in self.variants)
            and value.has(self.member)
        )


def is_at_odds(vector: Any, reader: str, waivers: Iterable[Waiver]) -> bool:
    """Return True if a waiver for a reader applies to one of our own vectors."""
    form = Form(vector.operation, vector.variant, vector.component)
    value = Value(form, vector.decode(vector.octets, []), vector.octets or b"")
    return any(one.at_odds == reader and one.covers(value) for one in waivers)
