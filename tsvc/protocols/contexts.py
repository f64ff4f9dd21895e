"""Application contexts: aliases, object identifiers, variants, and the operations of small ones.

Source: ETS 300 374-1 (INAP CS-1), TS 29.078 (CAP; what an assisting gsmSSF and a gsmSRF have:
modules CAP-gsmSSF-gsmSCF-pkgs-contracts-acs, CAP-gsmSCF-gsmSRF-pkgs-contracts-acs),
TS 29.002 (MAP)
"""

from tsvc.protocols import ber
from tsvc.values import dataclass
from tsvc.words import did_you_mean, quoted


@dataclass(frozen=True, slots=True)
class Context:
    """One well-known application context."""

    alias: str
    oid: str
    variant: str | None  # None: not INAP or CAP
    # Codes of its operations, in both directions. None: all of the variant's are allowed here.
    operations: frozenset[int] | None = None

    @property
    def octets(self) -> bytes:
        """Contents octets of the object identifier."""
        return ber.encode_oid(self.oid)


_SRF = frozenset({16, 47, 48, 49, 53, 55})
_ASSIST = _SRF | {18, 19, 33}
_IN = (
    Context("cs1", "0.4.0.1.1.1.0.0", "cs1"),
    Context("cs1-assist", "0.4.0.1.1.1.1.0", "cs1"),
    Context("cs1-srf", "0.4.0.1.1.1.2.0", "cs1"),
    # Opened by the SCP, except the last one: in it the SSP reports filtered calls.
    Context("cs1-scp", "0.4.0.1.1.1.3.0", "cs1"),
    Context("cs1-traffic", "0.4.0.1.1.1.4.0", "cs1"),
    Context("cs1-service", "0.4.0.1.1.1.5.0", "cs1"),
    Context("cs1-service-report", "0.4.0.1.1.1.6.0", "cs1"),
    Context("camel1", "0.4.0.0.1.0.50.0", "camel1"),
    Context("camel2", "0.4.0.0.1.0.50.1", "camel2"),
    Context("camel3", "0.4.0.0.1.21.3.4", "camel3"),
    Context("camel4", "0.4.0.0.1.23.3.4", "camel4"),
    Context("camel2-assist", "0.4.0.0.1.0.51.1", "camel2", _ASSIST),
    Context("camel2-srf", "0.4.0.0.1.0.52.1", "camel2", _SRF),
    Context("camel3-assist", "0.4.0.0.1.21.3.6", "camel3", _ASSIST),
    Context("camel3-srf", "0.4.0.0.1.20.3.14", "camel3", _SRF),
    Context("camel4-assist", "0.4.0.0.1.23.3.6", "camel4", _ASSIST),
    Context("camel4-srf", "0.4.0.0.1.22.3.14", "camel4", _SRF),
    Context("camel4-scp", "0.4.0.0.1.23.3.8", "camel4"),  # opened by the SCP
    Context("camel3-sms", "0.4.0.0.1.21.3.61", "camel3-sms"),
    Context("camel4-sms", "0.4.0.0.1.23.3.61", "camel4-sms"),
    Context("camel3-gprs", "0.4.0.0.1.21.3.50", "camel3-gprs"),
    Context("camel3-gprs-scp", "0.4.0.0.1.21.3.51", "camel3-gprs"),  # opened by the SCP
)
# MAP: the last number is the version. Their variants are in protocols.map, not here, so that no
# code takes a MAP dialogue for a dialogue of INAP or CAP.
_MAP = (
    # A context of version 1 names the version, and is not sent: MAP 1 has no dialogue portion.
    Context("ul1", "0.4.0.0.1.0.1.1", None),
    Context("ul2", "0.4.0.0.1.0.1.2", None),
    Context("ul3", "0.4.0.0.1.0.1.3", None),
    Context("ati3", "0.4.0.0.1.0.29.3", None),
    Context("ussd2", "0.4.0.0.1.0.19.2", None),
    Context("sri2", "0.4.0.0.1.0.5.2", None),
    Context("sri3", "0.4.0.0.1.0.5.3", None),
    Context("prn2", "0.4.0.0.1.0.3.2", None),
    Context("prn3", "0.4.0.0.1.0.3.3", None),
    Context("psi3", "0.4.0.0.1.0.28.3", None),
    Context("srism2", "0.4.0.0.1.0.20.2", None),
    Context("srism3", "0.4.0.0.1.0.20.3", None),
    Context("mosm2", "0.4.0.0.1.0.21.2", None),
    Context("mosm3", "0.4.0.0.1.0.21.3", None),
    Context("mtsm2", "0.4.0.0.1.0.25.2", None),
    Context("mtsm3", "0.4.0.0.1.0.25.3", None),
)
CONTEXTS = _IN + _MAP

BY_ALIAS = {context.alias: context for context in CONTEXTS} | {"etsi": CONTEXTS[0]}
BY_OCTETS = {context.octets: context for context in CONTEXTS}


def context_octets(text: str) -> bytes:
    """Return OID contents of an alias, a dotted OID or a hex string (blanks allowed).

    Errors: ValueError, with a readable text, if it is none of the three.
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
        hint = did_you_mean(text, BY_ALIAS)
        raise ValueError(f"{quoted(text)} is no alias ({aliases}), dotted OID or hex string{hint}")
    return octets


def variant_of(octets: bytes | None) -> str | None:
    """Return the INAP or CAP variant of an application context, None if it has none."""
    context = BY_OCTETS.get(octets) if octets is not None else None
    return context.variant if context is not None else None


def alias_of(octets: bytes) -> str:
    """Return the alias of an application context, otherwise its dotted OID, otherwise hex."""
    context = BY_OCTETS.get(octets)
    if context is not None:
        return context.alias
    return ber.decode_oid(octets) if octets and not octets[-1] & 0x80 else octets.hex()
