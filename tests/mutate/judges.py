"""Which changed messages a test must notice: decided by decoders that share nothing with ours.

For each pair, a message and its replacement, a judge returns why a test must notice it; "" if it
need not: the meaning is the same, or the definition does not name the changed part and the
standard allows it. The definitions in peers_definitions name all that their peers send.
"""

import io
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from email.message import Message
from http.client import HTTPException, HTTPResponse
from operator import itemgetter
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

from pycrate_asn1dir import TCAP_CAP
from pycrate_core.utils import PycrateErr
from support.tshark import complaints, dissect

from mutate.wire import Pair

Judge = Callable[[Sequence[tuple[str, Pair]]], list[str]]
"""Of (operator, pair)s."""

_AT_ONCE = 500  # messages a call of tshark


def _of_whole(operator: str, pair: Pair) -> str | None:
    """Judge a change of whole messages; return None if there is one message to read."""
    octets, made = pair
    if not made:
        return "nothing came"
    if operator == "message late":
        return "it came too late"
    if len(made) == 2:
        return "it came twice"
    return "" if made == [octets] else None


# -- Diameter: tshark -----------------------------------------------------------------------------

# Receivers ignore both: RFC 6733 §4, §4.1.
_IGNORED = ("Padding is non-zero", "Reserved bit set")
_HEADER = (
    "diameter.version",
    "diameter.flags.request",
    "diameter.flags.error",
    "diameter.cmd.code",
    "diameter.applicationId",
)
# The members that an answer repeats from its request (RFC 6733 §6.2).
_REPEATED = ("diameter.flags.proxyable", "diameter.hopbyhopid", "diameter.endtoendid")


def diameter(changed: Sequence[tuple[str, Pair]]) -> list[str]:
    """Judge by tshark, which reads both messages."""
    return _by_tshark("diameter", _diameter, changed)


def _by_tshark(
    protocol: str,
    compare: Callable[[bytes, Element, bytes, Element], str],
    changed: Sequence[tuple[str, Pair]],
) -> list[str]:
    said = [_of_whole(operator, pair) for operator, pair in changed]
    open_ = [at for at, one in enumerate(said) if one is None]
    with tempfile.TemporaryDirectory(prefix="tsvc-judge-") as folder:
        for start in range(0, len(open_), _AT_ONCE):
            part = open_[start : start + _AT_ONCE]
            pairs = [changed[at][1] for at in part]
            # An empty frame is no packet: a NUL octet stands for a message without octets.
            octets = [one for before, made in pairs for one in (before, made[0] or b"\0")]
            packets = dissect(Path(folder), octets, protocol)
            for at, (before, made), was, is_ in zip(
                part, pairs, packets[::2], packets[1::2], strict=True
            ):
                assert not _faults(was), "what the peer sent is valid"
                said[at] = compare(before, was, made[0], is_)
    return [str(one) for one in said]


def _faults(packet: Element) -> list[str]:
    found = [one for one in complaints(packet) if "_ws.malformed" not in one]
    return [one for one in found if not one.endswith(_IGNORED)]


def _diameter(before: bytes, was: Element, octets: bytes, is_: Element) -> str:
    protocol = is_.find("proto[@name='diameter']")
    original = was.find("proto[@name='diameter']")
    assert original is not None
    if protocol is None:
        return "no Diameter"
    found = _faults(is_)
    if found:
        return found[0]
    if int(_shown(protocol, "diameter.length")) != len(octets):
        return "its length is not that of its octets"
    names = (
        _HEADER
        if _shown(original, "diameter.flags.request") in "1True"
        else (*_HEADER, *_REPEATED)
    )
    for name in names:
        if _shown(protocol, name) != _shown(original, name):
            return f"{name} differs"
    avps = _avps(protocol)
    if sorted(avps) != sorted(_avps(original)):
        return "AVPs differ"
    return "" if avps[0][1] == "263" else "Session-Id is not the first"


def _shown(protocol: Element, name: str) -> str:
    one = protocol.find(f".//field[@name='{name}']")
    return "" if one is None else str(one.get("show"))


def _avps(parent: Element, path: str = "") -> list[tuple[str, str, str, str]]:
    """Return (path, code, vendor, data) of each AVP; the data of a group are its AVPs."""
    found = []
    for one in parent.findall("field[@name='diameter.avp']"):
        code, vendor = _shown(one, "diameter.avp.code"), _shown(one, "diameter.avp.vendorId")
        inner = _avps_below(one, f"{path}.{code}")
        start, stop = (12 if vendor else 8), int(_shown(one, "diameter.avp.len"))
        data = "" if inner else str(one.get("value"))[2 * start : 2 * stop]
        found += [(path, code, vendor, data), *inner]
    return found


def _avps_below(one: Element, path: str) -> list[tuple[str, str, str, str]]:
    return [avp for child in one for avp in _avps(child, path)]


# -- TCAP, INAP, CAP, MAP: tshark, pycrate --------------------------------------------------------

_PDU = TCAP_CAP.CAP_gsmSSF_gsmSCF_pkgs_contracts_acs.GenericSSF_gsmSCF_PDUs
# tshark's own fields: who answers whom; and lengths, which follow from the rest.
_OF_TSHARK = re.compile(r"tcap\.(srt|session)|frame\.|.*\.(len|length)$")


def tcap(changed: Sequence[tuple[bytes, Pair]]) -> list[str]:
    """Judge (BEGIN, pair)s: tshark reads both messages after the BEGIN, which names the context.
    Where tshark reads both alike, pycrate decides."""
    said: list[str] = []
    with tempfile.TemporaryDirectory(prefix="tsvc-judge-") as folder:
        for start in range(0, len(changed), _AT_ONCE):
            part = changed[start : start + _AT_ONCE]
            octets = [
                one
                for begin, (before, made) in part
                for one in (begin or b"\0", before or b"\0", begin or b"\0", *(made or [b"\0"]))
            ]
            packets = dissect(Path(folder), octets, "tcap")
            said += map(_tcap, part, packets[1::4], packets[3::4])
    return said


def _tcap(one: tuple[bytes, Pair], was: Element, is_: Element) -> str:
    before, made = one[1]
    if not made or made == [before]:
        return ""
    assert not complaints(was), "what the SCP sent is valid"
    found = complaints(is_)
    if found:
        return found[0]
    if _readings(is_) != _readings(was):
        return "tshark reads something else"
    is_judged = _comes_back(before) and not _comes_back(made[0])
    return "pycrate reads something else" if is_judged else ""


def _comes_back(octets: bytes) -> bool:
    """Return True if pycrate reads a message and writes the same octets. tshark ignores duplicates
    and octets after the last member."""
    try:
        _PDU.from_ber(octets)
        return bool(_PDU.to_ber() == octets)
    except (PycrateErr, ValueError, IndexError):
        return False


def _readings(packet: Element) -> list[tuple[str, str]]:
    """Return (name, octets or shown value) of each field."""
    return [
        (
            str(one.get("name")),
            str(one.get("unmaskedvalue") or one.get("value") or one.get("show")),
        )
        for proto in packet.findall("proto")
        if proto.get("name") not in ("geninfo", "frame", "exported_pdu")
        for one in proto.iter("field")
        if not _OF_TSHARK.match(str(one.get("name")))
    ]


# -- SMPP: tshark ---------------------------------------------------------------------------------

_SUBMIT_SM = 4
# For a request: the peer chooses its number, but SMPP 3.4 §3.2 defines a range for it.
_NUMBERS = range(1, 0x8000_0000)
_LENGTHS = ("smpp.command_length", "smpp.sm_length", "smpp.opt_params")


def smpp(changed: Sequence[tuple[str, Pair]]) -> list[str]:
    """Judge by tshark, which reads both messages."""
    return _by_tshark("smpp", _smpp, changed)


def _smpp(before: bytes, was: Element, octets: bytes, is_: Element) -> str:
    protocol, original = is_.find("proto[@name='smpp']"), was.find("proto[@name='smpp']")
    assert original is not None
    if protocol is None:
        return "no SMPP"
    found = _faults(is_)
    if found:
        return found[0]
    if int(_shown(protocol, "smpp.command_length")) != len(octets):
        return "its length is not that of its octets"
    number = int(_shown(protocol, "smpp.sequence_number"))
    if number not in _NUMBERS:
        return "sequence_number out of range"
    is_request = _shown(original, "smpp.command_id") == f"0x{_SUBMIT_SM:08x}"
    if octets[8:12] != before[8:12]:  # tshark shows it for responses only
        return "command_status differs"
    if not is_request and number != int(_shown(original, "smpp.sequence_number")):
        return "sequence_number differs"
    return "" if _fields(protocol) == _fields(original) else "parameters differ"


def _fields(protocol: Element) -> list[tuple[str, str]]:
    """Return (name, octets) of each field; octets, because shown texts end at the first NUL."""
    return sorted(
        (str(one.get("name")), str(one.get("unmaskedvalue") or one.get("value")))
        for one in protocol.iter("field")
        if one.get("name") not in ("smpp.sequence_number", *_LENGTHS)
    )


# -- PI: a few lines ------------------------------------------------------------------------------

# docs/guide/pi.md and ADR 0015: an answer may leave its command out.
_LINE = re.compile(r"(?:([^:;]*):)?(ACK|NACK)(?:[:,]([^;]*))?;")


def pi(changed: Sequence[tuple[str, Pair]]) -> list[str]:
    """Judge by a pattern, which reads both lines."""
    return [_pi(operator, pair) for operator, pair in changed]


def _pi(operator: str, pair: Pair) -> str:
    said = _of_whole(operator, pair)
    if said is not None:
        return said
    was, is_ = (_LINE.fullmatch(one.decode("latin-1")) for one in (pair[0], pair[1][0]))
    assert was is not None
    if is_ is None:
        return "no answer"
    if is_[1] not in (None, was[1]):
        return "the answer to another command"
    if is_[2] != was[2]:
        return "status differs"
    if was[1] == "CCSCD1=QRY" and was[2] == "ACK":
        named, found = _members_of_line(was[3]), _members_of_line(is_[3] or "")
        is_same = all(found.get(name) == values for name, values in named.items())
        return "" if is_same else "fields differ"
    return "" if is_[3] == was[3] else "info differs"


def _members_of_line(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in text.split(","):
        name, _, value = one.partition("=")
        found.setdefault(name, []).append(value)
    return found


# -- REST: http.client and json -------------------------------------------------------------------

_NAMED = ("Content-Type", "X-Served-By")
# RFC 9112 §4, §5: http.client accepts more than this. Clients ignore the text of a reason.
_STATUS = re.compile(rb"HTTP/1\.[0-9] [0-9]{3} [^\r\n]*")
_FIELD = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*")


class _Octets:
    """Replaces a socket from which a response is read."""

    def __init__(self, octets: bytes) -> None:
        self._octets = octets

    def makefile(self, *_: Any, **__: Any) -> io.BytesIO:
        return io.BytesIO(self._octets)


class _Wrong(Exception):
    pass


def rest(changed: Sequence[tuple[str, Pair]]) -> list[str]:
    """Judge by http.client and json, which read both responses."""
    return [_rest(operator, pair) for operator, pair in changed]


def _rest(operator: str, pair: Pair) -> str:
    said = _of_whole(operator, pair)
    if said is not None:
        return said
    was = _response(pair[0])
    try:
        is_ = _response(pair[1][0])
    except _Wrong as error:
        return str(error)
    differing = [name for name, one in was.items() if is_[name] != one]
    return f"{differing[0]} differs" if differing else ""


def _response(octets: bytes) -> dict[str, Any]:
    response, fields, body = _http(octets)
    try:
        content = json.loads(body, object_pairs_hook=_members, parse_constant=_no_constant)
    except ValueError as error:
        raise _Wrong(f"its content is no JSON: {error}") from None
    named = {name: fields.get_all(name) for name in _NAMED}
    named["Content-Type"] = [_media(one) for one in named["Content-Type"] or ()]
    return {
        "code": response.status,
        "reason": octets.partition(b"\r\n")[0][13:],
        "content": _typed(content),
        **named,
    }


def _http(octets: bytes) -> tuple[HTTPResponse, Message, bytes]:
    """Return a response, its header fields and its content. Errors: _Wrong."""
    head = octets.partition(b"\r\n\r\n")[0].split(b"\r\n")
    if not _STATUS.fullmatch(head[0]) or not all(map(_FIELD.fullmatch, head[1:])):
        raise _Wrong("its head is not that of a response")
    response = HTTPResponse(_Octets(octets))  # type: ignore[arg-type]
    try:
        response.begin()
        body = response.read()
    except (HTTPException, ValueError) as error:
        raise _Wrong(f"no response: {error!r}") from None
    if response.length is None and not response.chunked:
        raise _Wrong("its end never comes: the connection stays open")
    if response.length:
        raise _Wrong("its content is shorter than it says")
    # Octets after the response may be discarded: RFC 9112 §6.3.
    return response, response.headers, body


def _media(text: str) -> str:
    return text.partition(";")[0].strip().lower()


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a member twice")
    return made


def _no_constant(text: str) -> Any:
    raise ValueError(text)


def _typed(tree: Any) -> Any:
    """Return JSON in a form in which true and 1 differ, but 12.5 and 12.50 do not."""
    if isinstance(tree, dict):
        return {name: _typed(one) for name, one in tree.items()}
    if isinstance(tree, list):
        return [_typed(one) for one in tree]
    return isinstance(tree, bool), tree


# -- OSD: http.client and expat -------------------------------------------------------------------

_DECLARATION = re.compile(rb"<\?xml\s+version\s*=\s*[\"']1\.[0-9]+[\"']")  # XML 1.0 §2.8
_SOAP = (
    "{http://schemas.xmlsoap.org/soap/envelope/}",
    "{http://www.w3.org/2003/05/soap-envelope}",
)


def osd(changed: Sequence[tuple[str, Pair]]) -> list[str]:
    """Judge by http.client and expat, which read both responses."""
    return [_osd(operator, pair) for operator, pair in changed]


def _osd(operator: str, pair: Pair) -> str:
    said = _of_whole(operator, pair)
    if said is not None:
        return said
    was = _envelope(pair[0])
    try:
        is_ = _envelope(pair[1][0])
    except _Wrong as error:
        return str(error)
    differing = [name for name, one in was.items() if is_[name] != one]
    return f"{differing[0]} differs" if differing else ""


def _envelope(octets: bytes) -> dict[str, Any]:
    response, fields, body = _http(octets)
    types = fields.get_all("Content-Type") or ()
    charset = fields.get_content_charset() or "utf-8"
    try:
        body.decode(charset)
        root = fromstring(body)
    except (ParseError, LookupError, ValueError) as error:
        raise _Wrong(f"its content is no XML: {error!r}") from None
    if not _DECLARATION.match(body):
        raise _Wrong("another version of XML, or an instruction, which SOAP 1.1 forbids")
    if root.tag not in [f"{one}Envelope" for one in _SOAP] or (root.text or "").strip():
        raise _Wrong("no envelope")
    return {
        "code": response.status,
        "media type": [_media(one) for one in types],
        # Elements of the same name keep their order.
        "content": sorted(_leaves(root, ""), key=itemgetter(0)),
    }


def _leaves(element: Element, path: str) -> list[tuple[str, int, str]]:
    """Return (path, members, text) of each element."""
    path = f"{path}/{element.tag}"
    found = [(path, len(element), (element.text or "") if not len(element) else "")]
    return found + [one for child in element for one in _leaves(child, path)]


JUDGES: dict[str, Judge] = {
    "diameter": diameter,
    "rest": rest,
    "osd": osd,
    "osd12": osd,
    "pi": pi,
    "smpp": smpp,
}
