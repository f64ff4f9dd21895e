"""Where an outside reader reads our octets otherwise: who says what.

A waiver stands only where two outside readers disagree with each other: the one that is at odds,
and the other, which reads what we wrote, member for member. Where both are at odds with us, ours
is wrong. Tests run both on the waived octets and fail when a waiver is needed no longer.

INAP has one outside reader: pycrate has CAP and MAP only. Such a waiver says so, and names the
document whose table decides.
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
    """One row. `member`: what brings it about (None: any value); `variants`: empty for all.

    `tshark` and `pycrate`: what each does with the octets; of the one that is at odds, what it
    says (a part of its remark) or how it differs. `document`: where the table stands.
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
        """Tell whether it is about a value."""
        is_any = self.operation == "*"
        return (
            (is_any or (self.operation, self.component) == (value.operation.name, value.component))
            and (not self.variants or value.variant in self.variants)
            and value.has(self.member)
        )


def is_at_odds(vector: Any, reader: str, waivers: Iterable[Waiver]) -> bool:
    """Tell whether a waiver of a reader is about one of our own vectors."""
    form = Form(vector.operation, vector.variant, vector.component)
    value = Value(form, vector.decode(vector.octets, []), vector.octets or b"")
    return any(one.at_odds == reader and one.covers(value) for one in waivers)
