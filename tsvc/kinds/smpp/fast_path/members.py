"""The octets of parameters with expressions: expected parameters, and sent parameters.

An expected parameter replaces the parameter of the recorded message. match_arguments(), which the
ordinary instance uses, then compares the decoded message with the expected value. So a slot never
accepts a value that an ordinary instance would refuse.

Sent parameters are encoded as the ordinary instance encodes them. If only texts differ, the texts
are put into the octets of the recorded PDU instead, which takes a tenth of the time. Pure.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tsvc import turns
from tsvc.errors import LocalProtocolError
from tsvc.expr.template import is_expression
from tsvc.expr.values import to_text
from tsvc.matching.arguments import match_arguments
from tsvc.matching.outcome import Outcome
from tsvc.operations.eligibility import Argument
from tsvc.operations.fast_path.template import Slot, Template
from tsvc.protocols.smpp.commands import LAYOUTS, Message, Text
from tsvc.protocols.smpp.pdus import HEADER_OCTETS, Pdu, encode, encode_text, places, read
from tsvc.protocols.smpp.text import DefaultAlphabet, split_header
from tsvc.protocols.smpp.text import encode_text as encode_message
from tsvc.protocols.smpp.tree import parameters_of, text_of, tree_of

_MESSAGE = ("short_message_text", "short_message", "short_message_hex")
# Members that depend on the message too: no test may read them if the message differs.
_OF_MESSAGE = frozenset({*_MESSAGE, "sm_length", "udh_hex", "message_payload_hex"})


class RecordedMessage(NamedTuple):
    """A message of a recording, and the alphabet of its SMSC."""

    octets: bytes
    alphabet: DefaultAlphabet


class BodyEncoder:
    """Encodes the body of a PDU that is sent: all octets after the header."""

    def __init__(self, command_id: int, given: Any) -> None:
        """`given`: the parameters of the definition, with expressions."""
        self._command_id = command_id
        self._names = _texts_of(command_id, given) if isinstance(given, Mapping) else []
        self._templates: dict[RecordedMessage, tuple[Template | None, int]] = {}

    def octets(self, given: Any, recorded: RecordedMessage) -> bytes:
        """Return the octets for parameters without expressions. Errors: NOT_RECORDABLE."""
        if not isinstance(given, Mapping):
            raise LocalProtocolError("must be an object")
        if not self._names:
            return self._encoded(given, recorded)
        known = self._templates.get(recorded)
        if known is None:
            known = self._templates[recorded] = self._made(given, recorded)
        template, coding = known
        if template is not None:
            try:
                values = [self._value(name, given, coding, recorded) for name in self._names]
                return template.fill(values)[HEADER_OCTETS:]
            except LocalProtocolError:
                pass  # the values do not fit the template
        return self._encoded(given, recorded)

    def _encoded(self, given: Mapping[str, Any], recorded: RecordedMessage) -> bytes:
        parameters, tlvs = parameters_of(self._command_id, given, recorded.alphabet)
        status = int.from_bytes(recorded.octets[8:12])
        return encode(Pdu(self._command_id, 1, status, parameters, tlvs))[HEADER_OCTETS:]

    def _value(
        self, name: str, given: Mapping[str, Any], coding: int, recorded: RecordedMessage
    ) -> bytes:
        """Return the octets of a parameter that differs. Errors: LocalProtocolError."""
        text = text_of(given.get(name), name)
        if name not in _MESSAGE:
            return encode_text(text, _most_octets(self._command_id, name), name)[:-1]
        octets = encode_message(text, coding, recorded.alphabet)
        if len(octets) > Message().max_octets:
            raise LocalProtocolError("the message goes elsewhere")
        return bytes((len(octets),)) + octets

    def _made(
        self, given: Mapping[str, Any], recorded: RecordedMessage
    ) -> tuple[Template | None, int]:
        """Return the template of a recorded PDU, and its data_coding; None if there is none."""
        octets = recorded.octets
        coding = read(octets).pdu.parameters.get("data_coding", 0)
        assert isinstance(coding, int)
        try:
            slots = [Slot(*span_of(octets, name), at) for at, name in enumerate(self._names)]
            values = [self._value(name, given, coding, recorded) for name in self._names]
            template = Template(octets, slots)
            if template.fill(values)[HEADER_OCTETS:] == self._encoded(given, recorded):
                return template, coding
        except (ValueError, LocalProtocolError):
            pass
        return None, coding


def _texts_of(command_id: int, given: Mapping[str, Any]) -> list[str]:
    """Return the members with expressions if all of them are independent texts; [] otherwise."""
    texts = {one.name for one in LAYOUTS[command_id] if isinstance(one.kind, Text)}
    names = [name for name, value in given.items() if not _is_constant(value)]
    of_message = [name for name in given if name in _OF_MESSAGE]
    plain = {*texts, "short_message_text", "short_message"} if len(of_message) < 2 else texts
    return names if plain.issuperset(names) else []


def _is_constant(value: Any) -> bool:
    turns.walked()
    if isinstance(value, list):
        return all(map(_is_constant, value))
    return not is_expression(value) and not isinstance(value, Mapping)


def _most_octets(command_id: int, name: str) -> int:
    kind = next(one.kind for one in LAYOUTS[command_id] if one.name == name)
    assert isinstance(kind, Text)
    return kind.max_octets


def differing(command: int, expected: Mapping[str, Any]) -> dict[str, Argument]:
    """Return the expected parameters that may differ from one instance to the next, by name."""
    texts = {one.name for one in LAYOUTS[command] if isinstance(one.kind, Text)}
    found = {
        name: Argument(value, _Member(name).octets, is_expected=True, what=name)
        for name, value in expected.items()
        if is_expression(value) and (name in texts or name in _MESSAGE)
    }
    of_message = [name for name in expected if name.removeprefix("!") in _OF_MESSAGE]
    if len(of_message) > 1:
        for name in of_message:
            found.pop(name, None)
    return found


def looked_at_with(name: str) -> frozenset[str]:
    """Return the members of a message that depend on a parameter."""
    return _OF_MESSAGE if name in _MESSAGE else frozenset({name})


def span_of(octets: bytes, name: str) -> tuple[int, int]:
    """Return the start and end of a member's parameter in a message, including its length octet
    but not the NUL at its end. Errors: ValueError if the parameter is not there."""
    wanted = "short_message" if name in _MESSAGE else name
    for found, start, length in places(octets):
        if found == wanted:
            return start, start + length - (wanted == name and name not in _MESSAGE)
    raise ValueError("an expected parameter that is not there")


class _Member(NamedTuple):
    """An expected parameter."""

    name: str

    def octets(self, expected: Any, recorded: RecordedMessage) -> bytes:
        """Return the octets of the expected value. Errors: NOT_RECORDABLE."""
        name, alphabet = self.name, recorded.alphabet
        if not isinstance(expected, str | int | float):
            raise ValueError("nothing to expect")
        pdu = read(recorded.octets).pdu
        text = to_text(expected)
        if name in _MESSAGE:
            octets = _message(pdu, name, text, alphabet)
        else:
            octets = encode_text(text, _most_octets(pdu.command_id, name), name)[:-1]
        start, stop = span_of(recorded.octets, name)
        whole = recorded.octets[:start] + octets + recorded.octets[stop:]
        reading = read(len(whole).to_bytes(4) + whole[4:])
        tree = tree_of(reading.pdu, alphabet)
        if reading.notes or not match_arguments({"parameters": {name: expected}}, tree, Outcome()):
            raise ValueError("it is not what is expected when it is encoded")
        return octets


def _message(pdu: Pdu, name: str, text: str, alphabet: DefaultAlphabet) -> bytes:
    """Return short_message with its length. Errors: ValueError, LocalProtocolError."""
    was = pdu.parameters.get("short_message")
    esm_class, coding = (pdu.parameters.get(one, 0) for one in ("esm_class", "data_coding"))
    if not isinstance(was, bytes) or not was:
        raise ValueError("the message is elsewhere")
    assert isinstance(esm_class, int)
    assert isinstance(coding, int)
    header, _ = split_header(was, esm_class)
    is_hex = name == "short_message_hex"
    octets = header + (bytes.fromhex(text) if is_hex else encode_message(text, coding, alphabet))
    if len(octets) > Message().max_octets:
        raise ValueError("the message would be elsewhere")
    return bytes((len(octets),)) + octets
