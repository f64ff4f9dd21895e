"""Turns captures of HTTP/1.1 into operations. The tester is the client.

All requests to one server are one dialogue; a request and its response are one operation. Left out
is what the gateway sends by itself: Host, credentials, cookies, lengths, codings. The path is that
of the request, so the base URI of the gateway must have no path. Pure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.kinds.rest.content import encoded, is_json, tree_of
from tsvc.numbers import loads_exactly
from tsvc.protocols.content_coding import ContentTooLarge, codings_of, decoded
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
from tsvc.transport.http.message import WITHOUT_CONTENT, Response
from tsvc.values import dataclass

_METHOD = re.compile(rb"[A-Z]{3,16}( |$)")
_HEAD_END = b"\r\n\r\n"
_LONGEST_HEAD = 64 << 10
_LONGEST_CONTENT = 16 << 20
_OF_CONNECTIONS = frozenset(
    {
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "cookie",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "te",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    }
)
_ANYTHING = ("accept", "*/*")  # the gateway sends it, too
_MOST_LEAVES = 100  # values of JSON that get a test each
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class _Http:
    """A parsed message: three words of its first line, fields, content without chunks."""

    message: WireMessage
    start: tuple[str, str, str]
    fields: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def is_request(self) -> bool:
        return not self.start[0].startswith("HTTP/")

    @property
    def code(self) -> int:
        return int(self.start[1]) if self.start[1].isdecimal() else 0

    def field(self, name: str) -> str:
        found = (value for one, value in self.fields if one.lower() == name)
        return next(found, "")


# -- framing ------------------------------------------------------------------------------------


def _length_of(octets: bytes) -> int | None:
    """Return the length of the message that octets begin with: see Framing.

    A response whose content only ends with its connection has no length: it is not read.
    """
    if not (octets[:5] == b"HTTP/"[: len(octets)] or _METHOD.match(octets[:17])):
        return None
    end = octets.find(_HEAD_END, 0, _LONGEST_HEAD)
    if end < 0:
        return 0 if len(octets) < _LONGEST_HEAD else None
    start, fields = _head(octets[:end])
    at = end + len(_HEAD_END)
    named = {name.lower(): value for name, value in fields}
    if _has_no_content(start):
        return at
    if "chunked" in named.get("transfer-encoding", "").lower():
        chunks = _chunks(octets, at)
        return 0 if chunks is None else chunks[1]
    length = named.get("content-length", "")
    if length.isdecimal():
        return at + int(length)
    return 0 if start[0].startswith("HTTP/") else at


def _has_no_content(start: Sequence[str]) -> bool:
    code = int(start[1]) if start[0].startswith("HTTP/") and start[1].isdecimal() else 0
    return 100 <= code < 200 or code in WITHOUT_CONTENT


def _head(octets: bytes) -> tuple[tuple[str, str, str], tuple[tuple[str, str], ...]]:
    """Return the first line in three words, and the fields."""
    first, *lines = octets.decode("latin-1").split("\r\n")
    words = [*first.split(" ", 2), "", ""][:3]
    fields = (line.partition(":") for line in lines)
    return (words[0], words[1], words[2]), tuple(
        (name.strip(), value.strip()) for name, _, value in fields
    )


def _chunks(octets: bytes, at: int) -> tuple[bytes, int] | None:
    """Return the content of chunks and its end; None if the chunks are not complete yet."""
    parts: list[bytes] = []
    while True:
        line = octets.find(b"\r\n", at)
        if line < 0:
            return None
        digits = octets[at:line].partition(b";")[0].strip()
        try:
            size = int(digits, 16)
        except ValueError:
            return b"".join(parts), line + 2
        at = line + 2
        if size == 0:
            end = octets.find(b"\r\n", at)
            while end > at:  # trailers
                at = end + 2
                end = octets.find(b"\r\n", at)
            return None if end < 0 else (b"".join(parts), end + 2)
        if at + size + 2 > len(octets):
            return None
        parts.append(octets[at : at + size])
        at += size + 2


FRAMING = Framing("http", _length_of, frozenset({80, 8000, 8080}))


def _read(message: WireMessage) -> _Http:
    octets = message.octets
    end = octets.find(_HEAD_END)
    start, fields = _head(octets[:end] if end >= 0 else octets)
    at = end + len(_HEAD_END) if end >= 0 else len(octets)
    body = octets[at:]
    named = {name.lower(): value for name, value in fields}
    if "chunked" in named.get("transfer-encoding", "").lower():
        chunks = _chunks(octets, at)
        body = body if chunks is None else chunks[0]
    return _Http(message, start, fields, body)


# -- dialogues ----------------------------------------------------------------------------------


def _dialogues(messages: Sequence[WireMessage], wanted: Wanted, tell: Tell) -> list[Dialogue]:
    by_server: dict[Any, Dialogue] = {}
    waiting: dict[tuple[Any, Any], list[tuple[_Http, Entry]]] = {}
    for message in messages:
        read = _read(message)
        if read.is_request:
            dialogue = by_server.setdefault(message.destination, _dialogue_of(read))
            entry = _request(read, dialogue)
            path = read.start[1].partition("?")[0]
            step = Step(message.packet, message.time, True, f"{read.start[0]} {path}", [entry])
            dialogue.steps.append(step)
            key = (message.source, message.destination)
            waiting.setdefault(key, []).append((read, entry))
            continue
        queue = waiting.get((message.destination, message.source))
        if not queue:
            tell(Remark(message.packet, 0, "HTTP: a response whose request was not captured"))
        elif not 100 <= read.code < 200:
            _, entry = queue.pop(0)
            entry["tests"] = list(_tests(read))
            dialogue = by_server[message.source]
            text = " ".join(read.start[1:]).strip()
            dialogue.steps.append(Step(message.packet, message.time, False, text))
    for queue in waiting.values():
        for read, _ in queue:
            dialogue = by_server[read.message.destination]
            text = f"packet {read.message.packet}: a request has no response in the capture"
            dialogue.problems.append(text)
    found = list(by_server.values())
    for dialogue in found:
        if not wanted.is_client(dialogue.client, dialogue.server):
            dialogue.problems.append("the tester can't be the server: it is the client")
    return found


def _dialogue_of(read: _Http) -> Dialogue:
    ends = (read.message.source, read.message.destination)
    client, server = (
        frozenset() if end is None else frozenset({end.host, str(end)}) for end in ends
    )
    return Dialogue(f"HTTP with {read.field('host') or ends[1]}", client, server)


def _request(read: _Http, dialogue: Dialogue) -> Entry:
    method, target, _ = read.start
    path, _, query = target.partition("?")
    arguments: dict[str, Any] = {"method": method, "path": path}
    if query:
        arguments["query"] = query
    arguments |= _content(read)
    fields = [
        {"name": name, "value": value}
        for name, value in read.fields
        if name.lower() not in _OF_CONNECTIONS and (name.lower(), value) != _ANYTHING
    ]
    if fields:
        arguments["http_headers"] = fields
    if not path.startswith("/"):
        text = f"packet {read.message.packet}: {target} is no path of a server"
        dialogue.problems.append(text)
    return {"type": "rest.Request", "arguments": arguments}


def _content(read: _Http) -> dict[str, Any]:
    """Return content as JSON or text if that encodes to the same octets, otherwise in hex."""
    content_type = read.field("content-type")
    given: dict[str, Any] = {"content_type": content_type} if content_type else {}
    if not read.body:
        return given
    for content in _forms(read.body):
        try:
            if content_type and encoded(content, content_type) == read.body:
                return {**given, "content": content}
        except LocalProtocolError:
            continue  # another form, or octets
    return {**given, "content_hex": read.body.hex()}


def _forms(body: bytes) -> Iterator[Any]:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return
    try:
        found = loads_exactly(text)
        if isinstance(found, dict | list):
            yield found
    except (ValueError, RecursionError):
        pass  # no JSON: a text
    yield text


def _tests(read: _Http) -> Iterator[dict[str, Any]]:
    """Yield the tests of a response: its code and its whole content."""
    yield _test("rest.code", "integer", read.code)
    body, problem = read.body, ""
    try:
        body = decoded(body, codings_of(read.fields), _LONGEST_CONTENT)
    except (RemoteProtocolError, ContentTooLarge) as error:
        problem = str(error)
    response = Response(read.code, read.start[2], read.fields, body, read.message.octets, problem)
    tree = tree_of(response)
    if tree["content_type"]:
        yield _test("rest.content_type", "string", tree["content_type"])
    if "content_json" in tree and is_json(tree["content_type"]):
        leaves = list(_leaves(tree["content_json"], "rest.content_json"))
        if all(leaves) and len(leaves) <= _MOST_LEAVES:
            yield from (leaf for leaf in leaves if leaf)
            return
    if tree["content"] is None:
        yield _test("rest.content_hex", "string", tree["content_hex"])
    else:
        yield _test("rest.content", "string", tree["content"])


def _leaves(value: Any, path: str) -> Iterator[dict[str, Any] | None]:
    """Yield a test for each value in JSON, None for a value that no test can check."""
    match value:
        case bool():
            yield _test(path, "boolean", int(value))
        case str():
            yield _test(path, "string", value)
        case int():
            yield _test(path, "integer", value)
        case list() if value:
            for at, one in enumerate(value):
                yield from _leaves(one, f"{path}.[{at}]")
        case Mapping() if value:
            for key, one in value.items():
                yield from _leaves(one, f"{path}.{key}") if _PLAIN_KEY.fullmatch(key) else (None,)
        case _:
            yield None


def _test(path: str, kind: str, value: Any) -> dict[str, Any]:
    return {"kpath": path, "type": kind, "value": value}


recorder("rest", Recorder(frozenset({"http"}), (FRAMING,), _dialogues))
