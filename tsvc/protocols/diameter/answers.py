"""Checks of answers: do they agree with their request, and is their form correct?

differences() returns the members of its request that an answer repeats wrongly. read_answer()
returns texts about an answer that breaks the grammar of its command. Neither checks the meaning.
"""

import struct
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, NamedTuple

from tsvc.protocols.diameter.dictionary import Dictionary, Rule
from tsvc.protocols.diameter.message import HEADER_OCTETS, Header, decode_header
from tsvc.protocols.diameter.tree import Notes, Tree, message_tree
from tsvc.values import dataclass

_CREDIT_CONTROL, _ACCOUNTING = 272, 271


class Owed(Enum):
    """The condition under which an answer must repeat an AVP of its request."""

    ALWAYS = "in each answer"
    UNLESS_ERROR = "in each that has the grammar of its command: the E bit is clear"
    IF_THERE = "if the answer has it at all"


@dataclass(frozen=True, slots=True)
class Echo:
    """An AVP that an answer repeats. `command`: the only command for which it does; None: all."""

    code: int
    owed: Owed
    command: int | None = None


# Session-Id and Proxy-Info, in their order: RFC 6733 §6.2. Types and numbers of records and
# requests: by the grammars of ACA (RFC 6733) and CCA (RFC 8506).
_ECHOES = (
    Echo(263, Owed.ALWAYS),  # Session-Id
    Echo(258, Owed.IF_THERE),  # Auth-Application-Id
    Echo(259, Owed.IF_THERE),  # Acct-Application-Id
    Echo(416, Owed.UNLESS_ERROR, _CREDIT_CONTROL),  # CC-Request-Type
    Echo(415, Owed.UNLESS_ERROR, _CREDIT_CONTROL),  # CC-Request-Number
    Echo(419, Owed.IF_THERE, _CREDIT_CONTROL),  # CC-Sub-Session-Id
    Echo(480, Owed.UNLESS_ERROR, _ACCOUNTING),  # Accounting-Record-Type
    Echo(485, Owed.UNLESS_ERROR, _ACCOUNTING),  # Accounting-Record-Number
    Echo(287, Owed.IF_THERE, _ACCOUNTING),  # Accounting-Sub-Session-Id
    Echo(44, Owed.IF_THERE, _ACCOUNTING),  # Acct-Session-Id
    Echo(284, Owed.ALWAYS),  # Proxy-Info
)
_PROXY_INFO = 284
_AVP_HEADER = struct.Struct(">II")
_VENDOR = 1 << 31  # the V bit in the second word
_ECHOED = frozenset(echo.code for echo in _ECHOES)

# Members of the header that are compared: name, attribute.
_HEADER = (
    ("Hop-by-Hop Identifier", "hop_by_hop_id"),
    ("End-to-End Identifier", "end_to_end_id"),
    ("Command-Code", "command_code"),
    ("Application-ID", "application_id"),
    ("P bit", "is_proxiable"),
)


class Difference(NamedTuple):
    """A member in which an answer differs from its request; `got` is None if it is absent."""

    member: str
    expected: Any
    got: Any


def differences(request: bytes, answer: bytes, dictionary: Dictionary) -> list[Difference]:
    """Return the members in which an answer differs from its request: none if it belongs to it.

    Both are whole messages; members of the answer that can't be read count as absent.
    """
    asked, got = decode_header(request), decode_header(answer)
    found = []
    if asked[:1] + asked[2:5] != got[:1] + got[2:5] or asked.is_proxiable != got.is_proxiable:
        found = [
            Difference(name, getattr(asked, member), getattr(got, member))
            for name, member in _HEADER
            if getattr(asked, member) != getattr(got, member)
        ]
    wanted, there = _echoed(request), _echoed(answer)
    if wanted != there:
        found += _echo_differences(asked, got, wanted, there, dictionary)
    return found


def _echoed(octets: bytes) -> dict[int, list[bytes]]:
    """Return the data of the AVPs that answers repeat, by code; none of them has a vendor.

    It is called for every answer and its request, so it reads only the headers of AVPs.
    """
    found: dict[int, list[bytes]] = {}
    at, stop = HEADER_OCTETS, len(octets)
    unpack = _AVP_HEADER.unpack_from
    while at + 8 <= stop:
        code, word = unpack(octets, at)
        length = word & 0xFFFFFF
        if length < 8 or at + length > stop:
            break
        if code in _ECHOED and not word & _VENDOR:
            found.setdefault(code, []).append(octets[at + 8 : at + length])
        at += length + 3 & ~3
    return found


def _echo_differences(
    asked: Header,
    got: Header,
    wanted: dict[int, list[bytes]],
    there: dict[int, list[bytes]],
    dictionary: Dictionary,
) -> Iterator[Difference]:
    for echo in _ECHOES:
        code = echo.code
        if code not in wanted or echo.command not in (None, asked.command_code):
            continue
        given = there.get(code)
        is_owed = echo.owed is Owed.ALWAYS or (echo.owed is Owed.UNLESS_ERROR and not got.is_error)
        if given is None and not is_owed:
            continue
        # Only the first is compared, because more are an error of form. Of Proxy-Info all are.
        most = None if code == _PROXY_INFO else 1
        if given is None or wanted[code][:most] != given[:most]:
            definition = dictionary.avps[code, 0]
            yield Difference(
                definition.name,
                _shown(wanted[code][:most], definition.type.decode),
                None if given is None else _shown(given[:most], definition.type.decode),
            )


def _shown(values: list[bytes], decode: Callable[[bytes], Any]) -> Any:
    """Return a value in readable form; the octets in hex if it can't be read."""
    if len(values) != 1:
        return [value.hex() for value in values]
    try:
        value = decode(values[0])
    except ValueError:
        value = None
    return values[0].hex() if value is None else value


# -- form -------------------------------------------------------------------------------------

_RESULT, _EXPERIMENTAL = "Result-Code", "Experimental-Result"
_SESSION_ID = "Session-Id"
_NO_ANSWERS = frozenset({"Destination-Host", "Destination-Realm"})
_PROTOCOL_ERRORS = range(3000, 4000)
_PERMANENT_FAILURES = range(5000, 6000)
# RFC 6733 §7.2: the grammar of all answers with the E bit, whatever their command.
_ERROR_ANSWER = Rule.of(
    "Origin-Host! Origin-Realm! Result-Code! Session-Id Origin-State-Id Error-Message"
    " Error-Reporting-Host Experimental-Result"
)
_ANY_ANSWER = Rule.of("Origin-Host! Origin-Realm! Session-Id Result-Code Experimental-Result")
_ANY_REQUEST = Rule.of("Origin-Host! Origin-Realm! Session-Id")


def read_answer(octets: bytes, dictionary: Dictionary) -> tuple[Tree, Notes]:
    """Return an answer as JSON, as far as it can be read, and texts about malformed parts."""
    notes: Notes = []
    tree = message_tree(octets, dictionary, notes)
    avps, is_error = tree["avps"], tree["is_error"]
    names = [avp["name"] for avp in avps]
    rule = _ERROR_ANSWER if is_error else dictionary.answers.get(tree["code"], _ANY_ANSWER)
    notes += rule.problems(names)
    notes += _result_problems(tree["avp"], names, is_error=is_error)
    if not _NO_ANSWERS.isdisjoint(names):  # RFC 6733 §6.2
        notes += [f"{name} in an answer" for name in sorted(_NO_ANSWERS.intersection(names))]
    _note_place(names, notes)
    return tree, notes


def read_request(octets: bytes, dictionary: Dictionary) -> tuple[Tree, Notes]:
    """Return a request as JSON, as far as it can be read, and texts about malformed parts."""
    notes: Notes = []
    tree = message_tree(octets, dictionary, notes)
    names = [avp["name"] for avp in tree["avps"]]
    notes += dictionary.requests.get(tree["code"], _ANY_REQUEST).problems(names)
    if tree["is_error"]:  # RFC 6733 §3
        notes.append("the E bit is set in a request")
    _note_place(names, notes)
    return tree, notes


def _result_problems(avp: Tree, names: list[str], *, is_error: bool) -> Notes:
    """Return the errors in the result of an answer (RFC 6733 §7.1.3, §7.1.5, §7.2)."""
    result = avp.get(_RESULT)
    if not is_error and _RESULT not in names and _EXPERIMENTAL not in names:
        return [f"{_RESULT}: mandatory AVP is missing"]
    if not isinstance(result, int):
        return []
    if not is_error and result in _PROTOCOL_ERRORS:
        return [f"{_RESULT} {result} without the E bit"]
    if is_error and result not in _PROTOCOL_ERRORS and result not in _PERMANENT_FAILURES:
        return [f"{_RESULT} {result} with the E bit"]
    return []


def _note_place(names: list[str], notes: Notes) -> None:
    # RFC 6733 §8.8
    if _SESSION_ID in names and names[0] != _SESSION_ID:
        notes.append(f"{_SESSION_ID} does not stand first")
