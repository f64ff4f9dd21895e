"""The borders of messages of peers other than TCAP, and the members of these messages."""

import re
from dataclasses import replace

from mutate.wire import Protocol

# -- Diameter -------------------------------------------------------------------------------------


def _split_diameter(octets: bytes) -> tuple[list[bytes], bytes]:
    found = []
    while len(octets) >= 4 and len(octets) >= (size := int.from_bytes(octets[1:4], "big")) > 0:
        found.append(octets[:size])
        octets = octets[size:]
    return found, octets


_GROUPED = (431,)  # Granted-Service-Unit


def _avps(octets: bytes, start: int = 20, stop: int | None = None) -> list[tuple[int, int]]:
    found = []
    stop = len(octets) if stop is None else stop
    while start + 8 <= stop:
        size = int.from_bytes(octets[start + 5 : start + 8], "big")
        end = start + (size + 3 & ~3)
        found.append((start, end))
        if int.from_bytes(octets[start : start + 4], "big") in _GROUPED:
            found += _avps(octets, start + 8, start + size)
        start = end
    return found


def _of_longer_group(octets: bytes, at: int, by: int) -> bytes:
    size = int.from_bytes(octets[at + 5 : at + 8], "big") + by
    return octets[: at + 5] + size.to_bytes(3, "big") + octets[at + 8 :]


def _diameter_length(octets: bytes) -> bytes:
    return octets[:1] + len(octets).to_bytes(3, "big") + octets[4:]


DIAMETER = Protocol(
    "diameter",
    _split_diameter,
    # Credit-Control-Answer and Re-Auth-Request; not the messages that open and keep a connection.
    lambda octets: int.from_bytes(octets[5:8], "big") in (272, 258),
    _avps,
    _diameter_length,
    _of_longer_group,
)


# -- HTTP --------


def _split_http(octets: bytes) -> tuple[list[bytes], bytes]:
    found = []
    while (at := octets.find(b"\r\n\r\n")) >= 0:
        fields = octets[:at].lower().split(b"\r\n")
        size = next((int(one[15:]) for one in fields if one.startswith(b"content-length:")), 0)
        end = at + 4 + size
        if len(octets) < end:
            break
        found.append(octets[:end])
        octets = octets[end:]
    return found, octets


def _http_members(octets: bytes) -> list[tuple[int, int]]:
    """Return header fields, each a line; then members of the JSON object as the server writes
    them: each on its own line with its comma."""
    found, start = [], octets.find(b"\r\n") + 2
    while (end := octets.find(b"\r\n", start)) > start:
        found.append((start, end + 2))
        start = end + 2
    start += 2
    while (end := octets.find(b"\n", start)) >= 0:
        found.append((start, end + 1))
        start = end + 1
    return found


def _http_length(octets: bytes) -> bytes:
    head, blank, body = octets.partition(b"\r\n\r\n")
    lines = [
        b"Content-Length: %d" % len(body) if one.lower().startswith(b"content-length:") else one
        for one in head.split(b"\r\n")
    ]
    return b"\r\n".join(lines) + blank + body


HTTP = Protocol("rest", _split_http, lambda octets: True, _http_members, _http_length)


# A tag of XML, or its declaration.
_TAG = re.compile(rb"<(/?)([^\s/>?]+)[^>]*?(/?)>")


def _elements(octets: bytes) -> list[tuple[int, int]]:
    """Return header fields, and elements below the root; an element precedes its children."""
    fields = [one for one in _http_members(octets) if one[1] <= octets.find(b"\r\n\r\n") + 2]
    found: list[tuple[int, int]] = []
    open_: list[int] = []
    for tag in _TAG.finditer(octets, octets.find(b"\r\n\r\n")):
        if tag[1]:
            at = open_.pop()
            found[at] = found[at][0], tag.end()
            continue
        if not tag[3]:
            open_.append(len(found))
        found.append(tag.span())
    return fields + found[1:]


SOAP = replace(HTTP, name="osd", members=_elements)
SOAP_1_2 = replace(SOAP, name="osd12", variant_of="osd")


# -- PI -------------------------------------------------------------------------------------------


def _split_pi(octets: bytes) -> tuple[list[bytes], bytes]:
    *lines, rest = octets.split(b";")
    return [one + b";" for one in lines], rest


def _parts(octets: bytes) -> list[tuple[int, int]]:
    return [one.span() for one in re.finditer(rb"[^:,;]+[:,;]?", octets)]


# The answer to the login has no command.
PI = Protocol("pi", _split_pi, lambda octets: b":" in octets, _parts)


# -- SMPP -----------------------------------------------------------------------------------------

_DELIVER_SM_RESP, _SUBMIT_SM = 0x80000005, 4
# SMPP 3.4 §4.6.2 and §4.4.1: s is a text with its NUL, 1 is a number of one octet.
_LAYOUTS = {_DELIVER_SM_RESP: "s", _SUBMIT_SM: "s11s11s111ss11111"}


def _command(octets: bytes) -> int:
    return int.from_bytes(octets[4:8], "big")


def _split_smpp(octets: bytes) -> tuple[list[bytes], bytes]:
    found = []
    while len(octets) >= 16 and len(octets) >= (size := int.from_bytes(octets[:4], "big")):
        found.append(octets[:size])
        octets = octets[size:]
    return found, octets


def _parameters(octets: bytes) -> list[tuple[int, int]]:
    """Return the parameters, the message and the TLVs."""
    found, at = [], 16
    for kind in _LAYOUTS[_command(octets)] if len(octets) > at else "":
        end = at + 1 if kind == "1" else octets.index(b"\0", at) + 1
        found.append((at, end))
        at = end
    if _command(octets) == _SUBMIT_SM:
        found.append((at, at + octets[at - 1]))
        at += octets[at - 1]
    while at < len(octets):
        end = at + 4 + int.from_bytes(octets[at + 2 : at + 4], "big")
        found.append((at, end))
        at = end
    return found


SMPP = Protocol(
    "smpp",
    _split_smpp,
    lambda octets: _command(octets) in _LAYOUTS,
    _parameters,
    lambda octets: len(octets).to_bytes(4, "big") + octets[4:],
    is_peer_client=True,
)
