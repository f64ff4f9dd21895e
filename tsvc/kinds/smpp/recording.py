"""Turns captures of SMPP into operations. The tester is the SMSC; a connection is a dialogue.

A PDU of the SMSC becomes a request to send, whose answer is tested. A PDU of the ESME becomes an
expected message with the captured response. The gateway handles binds, unbinds and enquire_links,
so they are left out. Pure.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.smpp.commands import LAYOUTS, MESSAGE_PAYLOAD, RESPONSE, Command, is_response
from tsvc.protocols.smpp.pdus import HEADER_OCTETS, MAX_PDU_OCTETS, Pdu, Refused, encode, read
from tsvc.protocols.smpp.text import DefaultAlphabet
from tsvc.protocols.smpp.tree import parameters_of, tree_of
from tsvc.record.layers import End
from tsvc.record.packets import Remark, Tell
from tsvc.record.recorder import (
    Dialogue,
    Entry,
    Framing,
    Recorder,
    Step,
    Wanted,
    WireMessage,
    recorder,
)
from tsvc.values import dataclass

_OF_CONNECTIONS = frozenset(
    {
        Command.BIND_RECEIVER,
        Command.BIND_TRANSMITTER,
        Command.BIND_TRANSCEIVER,
        Command.OUTBIND,
        Command.UNBIND,
        Command.ENQUIRE_LINK,
    }
)
_BY_ESME = frozenset(
    {
        Command.BIND_RECEIVER,
        Command.BIND_TRANSMITTER,
        Command.BIND_TRANSCEIVER,
        Command.SUBMIT_SM,
        Command.QUERY_SM,
    }
)
_SENT, _EXPECTED = ("deliver_sm", "data_sm"), ("submit_sm", "data_sm")
_PAYLOAD = "message_payload_hex"
_TEXTS = ("short_message", "short_message_text", "short_message_hex", "udh_hex")
_ADDRESSES = ("source_addr", "destination_addr")
_SHORTEST_NUMBER = 5


def _length_of(octets: bytes) -> int | None:
    """Return the length that a header declares: see Framing."""
    if octets[0] != 0:  # no PDU has 16 MiB
        return None
    if len(octets) < 8:
        return 0
    length = int.from_bytes(octets[:4])
    is_known = int.from_bytes(octets[4:8]) in LAYOUTS
    return length if is_known and HEADER_OCTETS <= length <= MAX_PDU_OCTETS else None


FRAMING = Framing("smpp", _length_of, frozenset({2775}))


@dataclass(slots=True)
class _Pair:
    """A request and its response."""

    message: WireMessage
    pdu: Pdu
    answer: WireMessage | None = None
    answered: Pdu | None = None


def _dialogues(messages: Sequence[WireMessage], wanted: Wanted, tell: Tell) -> list[Dialogue]:
    by_connection: dict[frozenset[Any], list[WireMessage]] = {}
    for message in messages:
        ends = frozenset((message.source, message.destination))
        by_connection.setdefault(ends, []).append(message)
    found = (_dialogue(one, wanted, tell) for one in by_connection.values())
    return [dialogue for dialogue in found if dialogue is not None]


def _dialogue(messages: Sequence[WireMessage], wanted: Wanted, tell: Tell) -> Dialogue | None:
    """Return the messages of one connection; None if it carried only PDUs of its session."""
    pdus: list[tuple[WireMessage, Pdu]] = []
    for message in messages:
        try:
            reading = read(message.octets)
        except RemoteProtocolError as error:
            tell(Remark(message.packet, error.offset or 0, f"SMPP: {error}"))
            continue
        for note in reading.notes:
            tell(Remark(message.packet, 0, f"SMPP: {reading.pdu.name}: {note}"))
        if reading.refused is not None:
            continue
        pdus.append((message, reading.pdu))
    pairs = _paired(pdus, tell)
    if not pairs:
        return None
    writer = _Writer(_smsc_of(pdus))
    for pair in pairs:
        writer.write(pair)
    dialogue = writer.dialogue(messages)
    if not wanted.is_client(dialogue.client, dialogue.server) and wanted.side:
        dialogue.problems.append("the tester can't be the ESME: it is the SMSC")
    return dialogue


def _smsc_of(pdus: Sequence[tuple[WireMessage, Pdu]]) -> End | None:
    """Return the end that is the SMSC: the one that receives requests which only an ESME sends."""
    for message, pdu in pdus:
        if pdu.command_id in _BY_ESME:
            return message.destination
        if pdu.command_id == Command.DELIVER_SM:
            return message.source
    message = pdus[0][0]
    return message.destination if message.client == message.source else message.source


def _paired(pdus: Sequence[tuple[WireMessage, Pdu]], tell: Tell) -> list[_Pair]:
    """Return the requests that the gateway does not handle itself, each with its response."""
    pairs: list[_Pair] = []
    waiting: dict[tuple[Any, int, int], _Pair] = {}
    for message, pdu in pdus:
        command = pdu.command_id & ~RESPONSE
        if command in _OF_CONNECTIONS:
            continue
        if not is_response(pdu.command_id):
            pairs.append(_Pair(message, pdu))
            waiting[message.source, pdu.sequence_number, command] = pairs[-1]
            continue
        key = (message.destination, pdu.sequence_number, command)
        if key in waiting:
            pair = waiting.pop(key)
            pair.answer, pair.answered = message, pdu
        else:
            text = f"SMPP: {pdu.name} whose request was not captured"
            tell(Remark(message.packet, 0, text))
    return pairs


class _Writer:
    """Writes the steps of one connection from the side of the SMSC."""

    def __init__(self, smsc: End | None) -> None:
        self._smsc = smsc
        self._dialogue = Dialogue("SMPP", frozenset(), frozenset())

    def dialogue(self, messages: Sequence[WireMessage]) -> Dialogue:
        """Return the dialogue. Its client is the SMSC, because the tester is the SMSC."""
        dialogue = self._dialogue
        first = messages[0]
        is_smsc = first.source == self._smsc
        peer = first.destination if is_smsc else first.source
        dialogue.client, dialogue.server = (
            frozenset() if end is None else frozenset({end.host, str(end)})
            for end in (self._smsc, peer)
        )
        dialogue.title = f"SMPP with ESME {peer}" if peer else "SMPP"
        return dialogue

    def write(self, pair: _Pair) -> None:
        """Add the steps of a request and its response."""
        is_sent = pair.message.source == self._smsc
        step = Step(pair.message.packet, pair.message.time, is_sent, pair.pdu.name)
        step.waits_by = ("arguments", "seconds")
        self._dialogue.steps.append(step)
        if pair.pdu.name not in (_SENT if is_sent else _EXPECTED):
            self._problem(pair, f"{pair.pdu.name} is nothing that a test can have")
            return
        for name in _ADDRESSES:
            text = pair.pdu.parameters.get(name)
            if isinstance(text, str) and len(text) >= _SHORTEST_NUMBER:
                self._dialogue.variables.setdefault(text, name)
        step.operations.append(self._sent(pair) if is_sent else self._expected(pair))
        if pair.answer is not None and pair.answered is not None:
            name = pair.answered.name
            answer = Step(pair.answer.packet, pair.answer.time, not is_sent, name)
            self._dialogue.steps.append(answer)

    def _problem(self, pair: _Pair, text: str) -> None:
        self._dialogue.problems.append(f"packet {pair.message.packet}: {text}")

    def _sent(self, pair: _Pair) -> Entry:
        arguments = {"pdu": pair.pdu.name, "parameters": self._spelled(pair, pair.pdu)}
        entry: Entry = {"type": "smpp.smsc_to_esme.Request", "arguments": arguments}
        if pair.answered is None:
            self._problem(pair, f"{pair.pdu.name} has no response in the capture")
            return entry
        tree = tree_of(pair.answered)
        values = {f"parameters.{name}": one for name, one in _whole(tree["parameters"]).items()}
        values = {"command_status": pair.answered.command_status, **values}
        entry["tests"] = [_test(path, value) for path, value in values.items()]
        return entry

    def _expected(self, pair: _Pair) -> Entry:
        name = pair.pdu.name
        parameters = _whole(tree_of(pair.pdu)["parameters"])
        register: Entry = {
            "type": "smpp.smsc_from_esme.Register",
            "arguments": {"pdu": name, "destination_addr": parameters["destination_addr"]},
        }
        if not parameters["destination_addr"]:
            self._problem(pair, f"{name} is for no address: the tester can't wait for it")
        elif register not in self._dialogue.before:
            self._dialogue.before.append(register)
        arguments: dict[str, Any] = {"pdu": name, "parameters": parameters}
        if pair.answered is None:
            self._problem(pair, f"{name} has no response in the capture: the tester accepts it")
        else:
            answer = pair.answered
            response: dict[str, Any] = {"command_status": answer.command_status}
            if answer.parameters or answer.tlvs:
                response["fields"] = self._spelled(pair, answer)
            elif not answer.command_status:
                self._problem(pair, f"{answer.name} without a body is sent with one")
            arguments["response"] = response
        return {"type": "smpp.smsc_from_esme.Request", "arguments": arguments}

    def _spelled(self, pair: _Pair, pdu: Pdu) -> dict[str, Any]:
        """Return parameters to send: as text if all alphabets encode it alike, else in hex."""
        whole = tree_of(pdu)["parameters"]
        plain = {
            name: value
            for name, value in whole.items()
            if name not in _TEXTS and name != "sm_length" and value not in (0, "")
        }
        if any(tlv.tag == MESSAGE_PAYLOAD for tlv in pdu.tlvs):
            forms = [plain]
        else:
            plain.pop(_PAYLOAD, None)
            header = {"udh_hex": whole["udh_hex"]} if "udh_hex" in whole else {}
            forms = [
                {**plain, **header, name: whole[name]}
                for name in ("short_message_text", "short_message_hex")
                if whole.get(name)
            ]
            forms = [*forms, {**plain, **header}]
        for form in forms:
            if _gives(form, pdu):
                return form
        self._problem(pair, f"{pdu.name} is sent in another form")
        return forms[-1]


def _whole(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that are compared: each value once, the message also in hex."""
    return {name: value for name, value in parameters.items() if name != "short_message"}


def _test(path: str, value: Any) -> dict[str, Any]:
    kind = "integer" if isinstance(value, int) else "string"
    return {"kpath": path, "type": kind, "value": value}


def _gives(form: Mapping[str, Any], pdu: Pdu) -> bool:
    """Return True if parameters encode to the PDU's octets with every default alphabet."""
    try:
        for alphabet in DefaultAlphabet:
            parameters, tlvs = parameters_of(pdu.command_id, form, alphabet)
            again = Pdu(pdu.command_id, pdu.sequence_number, pdu.command_status, parameters, tlvs)
            if encode(again) != encode(pdu):
                return False
    except (LocalProtocolError, Refused):
        return False
    return True


recorder("smpp", Recorder(frozenset({"smpp"}), (FRAMING,), _dialogues))
