"""Application contexts: aliases, object identifiers, and the variant each one decides.

Source: ETS 300 374-1 (INAP CS-1), TS 29.078 (CAP); the MAP ones TS 29.002.
"""

from dataclasses import dataclass

from tsvc.protocols import ber


@dataclass(frozen=True, slots=True)
class Context:
    """One well-known application context."""

    alias: str
    oid: str
    variant: str | None  # None: not INAP or CAP

    @property
    def octets(self) -> bytes:
        """Contents octets of the object identifier."""
        return ber.encode_oid(self.oid)


CONTEXTS = (
    Context("cs1", "0.4.0.1.1.1.0.0", "cs1"),
    Context("cs1-assist", "0.4.0.1.1.1.1.0", "cs1"),
    Context("cs1-srf", "0.4.0.1.1.1.2.0", "cs1"),
    Context("camel1", "0.4.0.0.1.0.50.0", "camel1"),
    Context("camel2", "0.4.0.0.1.0.50.1", "camel2"),
    Context("camel3", "0.4.0.0.1.21.3.4", "camel3"),
    Context("camel4", "0.4.0.0.1.23.3.4", "camel4"),
    Context("camel2-assist", "0.4.0.0.1.0.51.1", "camel2"),
    Context("camel2-srf", "0.4.0.0.1.0.52.1", "camel2"),
    Context("camel3-assist", "0.4.0.0.1.21.3.6", "camel3"),
    Context("camel3-srf", "0.4.0.0.1.20.3.14", "camel3"),
    Context("camel4-assist", "0.4.0.0.1.23.3.6", "camel4"),
    Context("camel4-srf", "0.4.0.0.1.22.3.14", "camel4"),
    Context("ati3", "0.4.0.0.1.0.29.3", None),
    Context("ussd2", "0.4.0.0.1.0.19.2", None),
)

BY_ALIAS = {context.alias: context for context in CONTEXTS} | {"etsi": CONTEXTS[0]}
BY_OCTETS = {context.octets: context for context in CONTEXTS}


def context_octets(text: str) -> bytes:
    """Return OID contents of an alias, a dotted OID or a hex string (blanks allowed).

    Errors: ValueError, in words, if it is none of the three.
    """
    context = BY_ALIAS.get(text)
    if context is not None:
        return context.octets
    if "." in text:
        return ber.encode_oid(text)
    try:
        octets = bytes.fromhex(text)
    except ValueError:
        octets = b""
    if not octets or octets[-1] & 0x80:
        aliases = ", ".join(BY_ALIAS)
        raise ValueError(f"{text!r} is no alias ({aliases}), dotted OID or hex string")
    return octets


def variant_of(octets: bytes | None) -> str | None:
    """Return the variant that an application context decides, None if it decides none."""
    context = BY_OCTETS.get(octets) if octets is not None else None
    return context.variant if context is not None else None


def alias_of(octets: bytes) -> str:
    """Return the alias of an application context, else its dotted OID, else hex."""
    context = BY_OCTETS.get(octets)
    if context is not None:
        return context.alias
    return ber.decode_oid(octets) if octets and not octets[-1] & 0x80 else octets.hex()
