"""Application contexts of all protocols, under the path that INAP and CAP know them by."""

from tsvc.protocols.contexts import (
    BY_ALIAS,
    BY_OCTETS,
    CONTEXTS,
    Context,
    alias_of,
    context_octets,
    variant_of,
)

__all__ = [
    "BY_ALIAS",
    "BY_OCTETS",
    "CONTEXTS",
    "Context",
    "alias_of",
    "context_octets",
    "variant_of",
]
