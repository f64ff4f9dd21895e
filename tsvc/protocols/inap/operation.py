"""INAP and CAP: variants, roles, and the set of operations.

operations/ has a file for each operation that the standards describe in a clause of its own, and
one for each family of others. The files declare Operation values (tsvc.protocols.ros).
"""

from tsvc.protocols.ros import Operation as Operation
from tsvc.protocols.ros import OperationSet
from tsvc.protocols.ros import Rewrite as Rewrite
from tsvc.registry import modules_of

# A variant determines the members of an argument, and the operation that a code means.
CS = frozenset({"cs1", "cs2", "genband", "sinap"})
CS2 = frozenset({"cs2"})  # CS-2 and later, as in Q.1248
CS1 = CS - CS2
CAMEL = frozenset({"camel1", "camel2", "camel3", "camel4"})
CAMEL2_UP = frozenset({"camel2", "camel3", "camel4"})
CAMEL3_UP = frozenset({"camel3", "camel4"})
CAMEL4 = frozenset({"camel4"})
ALL = CS | CAMEL
NOT_CAMEL1 = ALL - {"camel1"}
# Packages of CAP with contexts, operations and codes of their own: ADR 0009.
SMS = frozenset({"camel3-sms", "camel4-sms"})
GPRS = frozenset({"camel3-gprs"})
CAP = CAMEL | SMS | GPRS
VARIANTS = CS | CAP

VARIANT_ALIASES = {"camel": "camel3", "etsi": "cs1", "cs3": "cs2", "cs4": "cs2"}
DEFAULT_VARIANT = "camel3"

SSP = frozenset({"ssp"})
SCP = frozenset({"scp"})
SRF = frozenset({"srf"})
SSP_OR_SRF = SSP | SRF

OPERATIONS: OperationSet[Operation] = OperationSet(
    "INAP operation", modules_of("tsvc.protocols.inap.operations")
)
declare = OPERATIONS.declare
by_code = OPERATIONS.by_code


def variant_named(name: str) -> str | None:
    """Return the variant of a name or alias, None if it is unknown."""
    name = VARIANT_ALIASES.get(name, name)
    return name if name in VARIANTS else None
