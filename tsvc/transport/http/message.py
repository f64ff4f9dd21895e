"""HTTP/1.1 messages: requests to octets, octets to responses, with limits.

The parser is llhttp, by httptools.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, AnyStr
from urllib.parse import unquote_plus

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from tsvc import turns
from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.content_coding import codings_of, decoded
from tsvc.values import dataclass
from tsvc.words import is_secret_name, quoted

MAX_HEAD_OCTETS = 65536  # of status line, header fields and trailers
MASK = "********"
MORE = "more octets than the response has"  # for messages to people
WITHOUT_CONTENT = frozenset({204, 205, 304})  # responses that have no content (RFC 9110)

# RFC 9110 5.6.2: methods and names of fields are tokens; 5.5: no line breaks in a value.
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FIELD_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_TARGET = re.compile(r"[\x21-\x7e]+")
_PAIR = re.compile(r"(?<![^&;=])([^&;=]++)=([^&;]*+)")  # of a query, and of a form
_PART_NAME = re.compile(rb';\s*name="?([^";\r\n]*)')
_JSON_MEMBER = re.compile(rb'"([^"\\]{1,64})"(\s*:\s*)"([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_LARGE = 1 << 14  # characters or octets; in longer texts pairs are replaced one by one

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the one server of a client; `target` is path and query, percent-encoded.

    `secrets`: names in the query whose values are masked, in addition to secret names.
    """

    method: str
    target: str
    fields: Fields = ()
    body: bytes = b""
    secrets: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of the request in texts: method and path, without the query."""
        return f"{self.method} {self.target.partition('?')[0]}"

    def octets(self) -> bytes:
        """Return the octets of the request. Errors: LocalProtocolError if HTTP can't carry it."""
        return self._head(is_masked=False) + self.body

    @property
    def shown_target(self) -> str:
        """The target, with the values of secret names in its query masked."""
        path, mark, query = self.target.partition("?")
        return f"{path}{mark}{_masked_pairs(query, self.secrets)}"

    def shown_octets(self) -> bytes:
        """Return the octets of the request with secrets masked by name: values of header fields,
        in the query, and of forms and JSON texts in the content, which keep their length."""
        return self._head(is_masked=True) + self._shown_body()

    def _shown_body(self) -> bytes:
        type_ = (first_value(self.fields, "content-type") or "").lower()
        if "json" in type_:
            return b"".join(_replaced(_JSON_MEMBER, _masked_member, self.body))
        if type_.startswith("application/x-www-form-urlencoded"):
            form = self.body.decode("latin-1")
            return _masked_pairs(form, frozenset(), keep_length=True).encode("latin-1")
        if type_.startswith("multipart/form-data"):
            return _masked_parts(self.body)
        return self.body

    def _head(self, *, is_masked: bool) -> bytes:
        if not _TOKEN.fullmatch(self.method):
            raise LocalProtocolError(f"{quoted(self.method)} is no HTTP method", path="method")
        if not _TARGET.fullmatch(self.target):
            raise LocalProtocolError(f"{quoted(self.target)} is no request target", path="path")
        target = self.shown_target if is_masked else self.target
        lines = [f"{self.method} {target} HTTP/1.1"]
        for name, value in self.fields:
            if not _TOKEN.fullmatch(name):
                raise LocalProtocolError(
                    f"{quoted(name)} is no name of a header", path="http_headers"
                )
            if not _FIELD_VALUE.fullmatch(value):
                text = f"the value of {name} has characters that a header can't carry"
                raise LocalProtocolError(text, path="http_headers")
            is_shown = not is_masked or not is_secret_name(name)
            lines.append(f"{name}: {value if is_shown else MASK}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _masked_pairs(text: str, secrets: frozenset[str], *, keep_length: bool = False) -> str:
    """Return the text of a query or form with the values of secret names masked."""

    def mask(pair: re.Match[str]) -> str:
        name = unquote_plus(pair[1])
        if not (name in secrets or is_secret_name(name)):
            return pair[0]
        return f"{pair[1]}={'*' * len(pair[2]) if keep_length else MASK}"

    return "".join(_replaced(_PAIR, mask, text))


def _replaced(
    pattern: re.Pattern[AnyStr], replace: Callable[[re.Match[AnyStr]], AnyStr], text: AnyStr
) -> Iterator[AnyStr]:
    """Yield the parts of a text in which the matches of a pattern are replaced.

    Blocks: while others run, inside of turns.given().
    """
    if len(text) <= _LARGE:
        yield pattern.sub(replace, text)
        return
    at = 0
    for found in turns.over(pattern.finditer(text)):
        yield text[at : found.start()]
        yield replace(found)
        at = found.end()
    yield text[at:]


def _masked_member(found: re.Match[bytes]) -> bytes:
    name, between, value = found.groups()
    if not is_secret_name(name.decode("utf-8", "replace")):
        return found[0]
    return b'"%b"%b"%b"' % (name, between, b"*" * len(value))


def _masked_parts(body: bytes) -> bytes:
    """Return the content of a multipart form (RFC 7578) with the parts of secret names masked."""
    mark = body.partition(b"\r\n")[0]
    parts = body.split(b"\r\n" + mark)
    for at, part in enumerate(parts):
        head, between, content = part.partition(b"\r\n\r\n")
        name = _PART_NAME.search(head)
        if name is not None and is_secret_name(name[1].decode("utf-8", "replace")):
            parts[at] = head + between + b"*" * len(content)
    return (b"\r\n" + mark).join(parts)


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response. `octets`: as received, with chunks; `body`: only the content.

    Codings of the content are decoded. `coding_problem` is the reason if that failed; then `body`
    is as received. `has_more`: unrequested octets followed the response.
    """

    code: int
    reason: str
    fields: Fields
    body: bytes
    octets: bytes
    coding_problem: str = ""
    has_more: bool = False

    def field(self, name: str) -> str | None:
        """Return the first value of a header field, ignoring case; None without it."""
        return first_value(self.fields, name)


def first_value(fields: Iterable[tuple[str, str]], name: str) -> str | None:
    """Return the first value of a field by its name, ignoring case."""
    wanted = name.lower()
    for found, value in fields:
        if found.lower() == wanted:
            return value
    return None


def split_content_type(value: str) -> tuple[str, str]:
    """Return the media type in small letters and the charset, "" if none is named."""
    media, *parameters = value.split(";")
    for parameter in parameters:
        name, _, charset = parameter.partition("=")
        if name.strip().lower() == "charset":
            return media.strip().lower(), charset.strip().strip('"').lower()
    return media.strip().lower(), ""


class UnreadableResponse(Exception):
    """Octets that are no response, or an incomplete one; the text is the reason."""


class ResponseTooLarge(UnreadableResponse):
    """A response exceeds a limit; the text names the limit."""


class ResponseReader:
    """Reads one response; interim ones (1xx) are skipped.

    feed() octets until `is_complete`; feed(b"") reports that the peer has closed. `is_kept` is
    valid once the response is complete: True if its connection can take another request.
    """

    __slots__ = (
        "_body",
        "_code",
        "_fields",
        "_has_more",
        "_head_octets",
        "_is_head",
        "_is_head_over",
        "_max_octets",
        "_parser",
        "_refusal",
        "_status",
        "is_complete",
        "is_kept",
    )

    def __init__(self, method: str, max_octets: int) -> None:
        self._is_head = method == "HEAD"
        self._max_octets = max_octets
        self._head_octets = 0
        self._fields: list[tuple[str, str]] = []
        self._status = b""
        self._code = 0
        self._body = bytearray()
        self._is_head_over = self._has_more = False
        self._refusal: ResponseTooLarge | None = None
        self.is_complete = False
        self.is_kept = False
        self._parser: Any = HttpResponseParser(self)

    def feed(self, octets: bytes) -> None:
        """Parse octets. Errors: UnreadableResponse, also for octets after the response."""
        if not octets:
            self._end()
            return
        body_octets = len(self._body)
        try:
            self._parser.feed_data(octets)
        except HttpParserUpgrade:
            self.is_kept = False
            raise UnreadableResponse("it switches to another protocol") from None
        except HttpParserError as error:
            self.is_kept = False
            self._has_more = self.is_complete
            raise self._refusal or UnreadableResponse(str(error)) from None
        if not self.is_complete and len(self._body) == body_octets:
            # The parser makes no callback for a field or a chunk extension that does not end.
            self._count_head(len(octets))
            if self._refusal is not None:
                raise self._refusal

    def response(self, octets: bytes) -> Response:
        """Return the response, once it is complete; nothing can be fed any more.

        Errors: ContentTooLarge.
        """
        self.close()
        fields = tuple(self._fields)
        body, problem = bytes(self._body), ""
        codings = codings_of(fields)
        if codings and not (self._is_head or self._code in WITHOUT_CONTENT):
            try:
                body = decoded(body, codings, self._max_octets)
            except RemoteProtocolError as error:
                problem = error.text
        reason = self._status.decode("latin-1")
        return Response(self._code, reason, fields, body, octets, problem, self._has_more)

    def close(self) -> None:
        """Release the parser; nothing can be fed any more."""
        self._parser = None  # break the reference cycle

    # -- called by the parser ----------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Note that a message begins: a second one was not requested."""
        if self.is_complete:
            self.is_kept = False
            self._has_more = True

    def on_status(self, octets: bytes) -> None:
        """Add a part of the reason phrase."""
        if not self.is_complete:
            self._status += octets

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a whole field of the header or of the trailer."""
        if self.is_complete:
            return
        self._count_head(len(name) + len(value))
        if self._refusal is not None:
            raise self._refusal
        self._fields.append((name.decode("latin-1"), value.decode("latin-1")))

    def on_headers_complete(self) -> None:
        """End the header; after a HEAD the response is complete, whatever content it declares."""
        if self.is_complete:
            return
        self._code = self._parser.get_status_code()
        self._is_head_over = True
        if self._is_head and self._code >= 200:
            self.is_complete = True
            options = ",".join(v for name, v in self._fields if name.lower() == "connection")
            is_closed = "close" in [option.strip() for option in options.lower().split(",")]
            self.is_kept = not is_closed and self._parser.get_http_version() == "1.1"

    def on_body(self, octets: bytes) -> None:
        """Add content, without chunk framing."""
        if self.is_complete:
            self.is_kept = False
            self._has_more = True
            return
        if len(self._body) + len(octets) > self._max_octets:
            text = f"the content is larger than {self._max_octets} octets"
            self._refusal = ResponseTooLarge(text)
            raise self._refusal
        self._body += octets

    def on_message_complete(self) -> None:
        """End the message; the contents of an interim one are dropped."""
        if self.is_complete:
            return
        if self._code >= 200:
            self.is_complete = True
            self.is_kept = self._parser.should_keep_alive()
        else:
            self._fields, self._status, self._is_head_over = [], b"", False

    # ----------------------------------------------------------------------------------------

    def _count_head(self, octets: int) -> None:
        self._head_octets += octets
        if self._head_octets > MAX_HEAD_OCTETS:
            what = "the header, with those of interim responses,"
            text = f"{what} is longer than {MAX_HEAD_OCTETS} octets"
            self._refusal = ResponseTooLarge(text)

    def _end(self) -> None:
        """End a response of no declared length: it ends with the connection (RFC 9112 6.3)."""
        self.is_kept = False
        if self.is_complete:
            return
        transfer = [value for name, value in self._fields if name.lower() == "transfer-encoding"]
        if transfer:
            is_whole = transfer[-1].lower().rpartition(",")[2].strip() != "chunked"
        else:
            is_whole = first_value(self._fields, "content-length") is None
        if not (self._is_head_over and is_whole):
            raise UnreadableResponse("it is cut")
        self.is_complete = True
