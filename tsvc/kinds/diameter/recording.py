"""Turns captures of Diameter into operations: a session is a dialogue, a request one operation.

The tester is the client: requests of its side are sent and their answers expected. Requests of
the server in its sessions are expected and answered. The gateway adds the identities (Origin-Host
and -Realm, Destination-Host and -Realm), so they are left out, as are capabilities, watchdogs and
disconnects. AVPs are written by name if that encodes to the same octets. Pure.
"""

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import (
    HEADER_OCTETS,
    MAX_MESSAGE_OCTETS,
    VERSION,
    CommandFlag,
    Header,
    encode_raw,
    read_avps,
    session_id_of,
    whole_header,
)
from tsvc.protocols.diameter.tree import Tree, decode_avps, encode_avp
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

Avp = dict[str, Any]

_OF_CONNECTIONS = frozenset({257, 280, 282})  # capabilities, watchdogs, disconnects
_FIRST_COMMAND = 256  # those below are not used
_UNUSED_FLAGS = 0x0F
_SESSION_ID, _SESSION_ID_AUTO, _RESULT_CODE = "Session-Id", "Session-Id_auto", "Result-Code"
_NODES = frozenset({"Origin-Host", "Origin-Realm", "Destination-Host", "Destination-Realm"})
_APPLICATIONS = ("Auth-Application-Id", "Acct-Application-Id")
_PROXY_INFO = "Proxy-Info"
_USUAL_WAIT_S = 10.0
_FLAGS = ("mandatory", "protected", "reserved")


def _length_of(octets: bytes) -> int | None:
    """Return the length that a header declares: see Framing. M3UA begins with the same octet."""
    if octets[0] != VERSION:
        return None
    if len(octets) < 8:
        return 0
    first, second = struct.unpack_from(">II", octets)
    length, flags, command = first & 0xFFFFFF, second >> 24, second & 0xFFFFFF
    fits = HEADER_OCTETS <= length <= MAX_MESSAGE_OCTETS and length % 4 == 0
    return length if fits and not flags & _UNUSED_FLAGS and command > _FIRST_COMMAND else None


FRAMING = Framing("diameter", _length_of, frozenset({3868, 5868}), frozenset({46, 47}))


class _Read(NamedTuple):
    """A message with its header and AVPs: trees, and the octets of each."""

    message: WireMessage
    header: Header
    avps: list[tuple[Tree, bytes]]

    @property
    def ends(self) -> frozenset[Any]:
        return frozenset((self.message.source, self.message.destination))


@dataclass(slots=True)
class _Pair:
    """A request and its answer."""

    request: _Read
    answer: _Read | None = None


def _dialogues(messages: Sequence[WireMessage], wanted: Wanted, tell: Tell) -> list[Dialogue]:
    pairs: list[_Pair] = []
    waiting: dict[tuple[Any, ...], _Pair] = {}
    for message in messages:
        try:
            read = _read(message)
        except RemoteProtocolError as error:
            tell(Remark(message.packet, error.offset or 0, f"Diameter: {error}"))
            continue
        header = read.header
        if header.command_code in _OF_CONNECTIONS:
            continue
        key = (read.ends, header.hop_by_hop_id, header.end_to_end_id, header.command_code)
        if header.is_request:
            pairs.append(_Pair(read))
            waiting[key] = pairs[-1]
        elif key in waiting:
            waiting.pop(key).answer = read
        else:
            tell(Remark(message.packet, 0, "Diameter: an answer whose request was not captured"))
    sessions: dict[tuple[Any, ...], list[_Pair]] = {}
    for pair in pairs:
        octets = pair.request.message.octets
        sessions.setdefault((pair.request.ends, session_id_of(octets)), []).append(pair)
    writers = [_Writer(found, wanted) for found in sessions.values()]
    _name_sessions(writers)
    return [writer.written() for writer in writers]


def _read(message: WireMessage) -> _Read:
    octets = message.octets
    header = whole_header(octets)
    notes: list[str] = []
    trees = decode_avps(octets, HEADER_OCTETS, len(octets), standard(), notes=notes)
    raws = read_avps(octets, HEADER_OCTETS, len(octets))
    whole = [
        encode_raw(code, vendor_id, flags, octets[start:stop])
        for code, vendor_id, flags, start, stop in raws
    ]
    return _Read(message, header, list(zip(trees, whole, strict=True)))


def _name_sessions(writers: Sequence["_Writer"]) -> None:
    """Give sessions that are open at the same time explicit Session-Ids: only one at a time can
    have the tester's own Session-Id."""
    last = -math.inf
    for writer in sorted(writers, key=lambda one: one.begins):
        writer.is_first = last == -math.inf
        writer.has_own_id = writer.begins >= last
        if writer.has_own_id:
            last = max(last, writer.ends)


class _Writer:
    """Writes the steps of one session."""

    def __init__(self, pairs: Sequence[_Pair], wanted: Wanted) -> None:
        self._pairs = pairs
        self.has_own_id = True
        self.is_first = True
        first = pairs[0].request.message
        self._session_id = session_id_of(first.octets)
        sides = (first.source, first.destination)
        client, server = (
            frozenset() if end is None else frozenset({end.host, str(end)}) for end in sides
        )
        self._dialogue = Dialogue("", client, server)
        self._source = first.source
        self._is_first_ours = wanted.is_client(client, server)

    @property
    def begins(self) -> float:
        return self._pairs[0].request.message.time

    @property
    def ends(self) -> float:
        last = self._pairs[-1]
        return (last.answer or last.request).message.time

    def written(self) -> Dialogue:
        """Return the session as a dialogue."""
        dialogue = self._dialogue
        if self._session_id is not None and not self.has_own_id:
            dialogue.variables[self._session_id] = "session_id"
        is_registered = False
        for pair in self._pairs:
            is_ours = (pair.request.message.source == self._source) is self._is_first_ours
            if is_ours:
                self._sent(pair)
            else:
                is_registered = is_registered or self._register()
                self._expected(pair)
        first = self._pairs[0].request
        application = standard().command_name(first.header.command_code, is_request=True)
        dialogue.title = f"Diameter ({first.header.application_id}) {application}"
        if self._pairs and not any(step.is_sent for step in dialogue.steps):
            dialogue.problems.append("the tester can't be the server of a session")
        return dialogue

    def _problem(self, read: _Read, text: str) -> None:
        self._dialogue.problems.append(f"packet {read.message.packet}: {text}")

    def _step(self, read: _Read, *, is_sent: bool) -> Step:
        name = standard().command_name(read.header.command_code, is_request=read.header.is_request)
        step = Step(read.message.packet, read.message.time, is_sent, name)
        self._dialogue.steps.append(step)
        return step

    def _register(self) -> bool:
        """Add a Register: before the session, or as soon as it has begun. Return True."""
        entry: Entry = {"type": "diameter.from_server.Register"}
        if self.has_own_id and self.is_first:
            self._dialogue.before.append(entry)
        elif self.has_own_id and self._dialogue.steps:
            self._dialogue.steps[0].operations.append(entry)
        elif self._session_id is not None:
            entry["arguments"] = {"session_id": self._session_id}
            self._dialogue.before.append(entry)
        return True

    # -- requests of the tester ------------------------------------------------------------------

    def _sent(self, pair: _Pair) -> None:
        request, answer = pair.request, pair.answer
        step = self._step(request, is_sent=True)
        header = request.header
        arguments: dict[str, Any] = self._head(request)
        avps: list[Avp] = []
        is_first = pair is self._pairs[0]
        for tree, octets in request.avps:
            if tree["name"] == _SESSION_ID and self.has_own_id:
                avps.append({"name": _SESSION_ID_AUTO, "value": "new" if is_first else 1})
            elif tree["name"] not in _NODES:
                avps.append(self._spelled_sent(tree, octets, request))
        arguments["avps"] = avps
        entry: Entry = {"type": "diameter.Request", "arguments": arguments}
        step.operations.append(entry)
        if answer is None:
            name = standard().command_name(header.command_code, is_request=True)
            self._problem(request, f"{name} has no answer in the capture")
            return
        took = answer.message.time - request.message.time
        if took > _USUAL_WAIT_S / 2:
            entry["seconds"] = math.ceil(2 * took)
        arguments["answer"] = _expected_answer(answer)
        self._step(answer, is_sent=False)

    def _head(self, request: _Read) -> dict[str, Any]:
        """Return the members for the header that differ from their defaults."""
        header = request.header
        command = standard().commands.get(header.command_code)
        head: dict[str, Any] = {"code": header.command_code}
        if command is not None:
            head = {"name": f"{command.name}-Request"}
        given = [tree.get("value") for tree, _ in request.avps if tree["name"] in _APPLICATIONS]
        usual = given[-1] if given else (command.application_id if command else 0)
        if header.application_id != usual:
            head["application_id"] = header.application_id
        if not header.is_proxiable:
            head["proxiable"] = 0
        if header.flags & CommandFlag.RETRANSMITTED:
            head["retransmitted"] = 1
        return head

    def _spelled_sent(self, tree: Tree, octets: bytes, read: _Read) -> Avp:
        """Return an AVP by name if that encodes to the octets, otherwise by code and in hex."""
        for form in (_by_name(tree), _with_flags(tree), _by_code(tree, octets)):
            try:
                if encode_avp(form, standard(), "") == octets:
                    return form
            except LocalProtocolError:
                continue  # the next form has more details
        self._problem(read, f"{tree['name']} is sent in another form")
        return _by_code(tree, octets)

    # -- requests of the server ------------------------------------------------------------------

    def _expected(self, pair: _Pair) -> None:
        request, answer = pair.request, pair.answer
        step = self._step(request, is_sent=False)
        step.waits_by = ("arguments", "seconds")
        arguments: dict[str, Any] = {
            "code": request.header.command_code,
            "avps": list(_expected_avps(request)),
        }
        if not self.has_own_id and self._session_id is not None:
            arguments["session_id"] = self._session_id
        step.operations.append({"type": "diameter.from_server.Request", "arguments": arguments})
        if answer is None:
            self._problem(request, "a request of the server was not answered: the tester does")
            return
        found: dict[str, Any] = {}
        avps = []
        for tree, octets in answer.avps:
            name = tree["name"]
            if name == _RESULT_CODE:
                found["result_code"] = tree.get("value_name", tree.get("value"))
            elif name not in _NODES | {_SESSION_ID, _PROXY_INFO}:
                avps.append(self._spelled_sent(tree, octets, answer))
        if avps:
            found["avps"] = avps
        arguments["answer"] = found
        self._step(answer, is_sent=True)


def _expected_answer(answer: _Read) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for tree, _ in answer.avps:
        if tree["name"] == _RESULT_CODE:
            found["result_code"] = tree.get("value_name", tree.get("value"))
    avps = [avp for avp in _expected_avps(answer) if avp.get("name") != _RESULT_CODE]
    return {**found, "avps": avps} if avps else found


def _expected_avps(read: _Read) -> Iterator[Avp]:
    """Yield the AVPs of a message that are compared; the gateway compares those of the session."""
    for tree, _ in read.avps:
        if tree["name"] not in _NODES | {_SESSION_ID}:
            yield _by_name(tree)


def _by_name(tree: Tree) -> Avp:
    """Return an AVP as a person would write it; by code if its name is not known."""
    if tree["name"].startswith("AVP "):
        avp: Avp = {"code": tree["code"]}
        if "vendor_id" in tree:
            avp["vendor_id"] = tree["vendor_id"]
    else:
        avp = {"name": tree["name"]}
    if "value_hex" in tree:
        return {**avp, "value_hex": tree["value_hex"]}
    value = tree.get("value_name", tree.get("value"))
    if isinstance(value, list):
        value = [_by_name(inner) for inner in value]
    return {**avp, "value": value}


def _with_flags(tree: Tree) -> Avp:
    """Return an AVP by name with its flags, at all depths."""
    avp = {**_by_name(tree), **_flags(tree)}
    value = tree.get("value")
    if isinstance(value, list):
        avp["value"] = [_with_flags(inner) for inner in value]
    return avp


def _flags(tree: Mapping[str, Any]) -> Avp:
    return {flag: int(tree[flag]) for flag in _FLAGS if flag in tree}


def _by_code(tree: Tree, octets: bytes) -> Avp:
    """Return an AVP as its octets: code, vendor, flags, data."""
    (raw,) = read_avps(octets, 0, len(octets))
    avp: Avp = {"code": tree["code"], **_flags(tree), "value_hex": octets[raw[3] : raw[4]].hex()}
    return {**avp, "vendor_id": raw[1]} if raw[1] is not None else avp


recorder("diameter", Recorder(frozenset({"diameter"}), (FRAMING,), _dialogues))
