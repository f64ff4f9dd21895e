"""Content as multipart/form-data (RFC 7578): parts that are values, octets or files."""

import hashlib
from collections.abc import Callable
from typing import Any

from tsvc.errors import LocalProtocolError, reason
from tsvc.expr.values import to_text
from tsvc.kinds.rest.content import encoded
from tsvc.operations.arguments import ArgumentMembers, Hex
from tsvc.schema import fields

_ESCAPES = {ord('"'): "%22", ord("\r"): "%0D", ord("\n"): "%0A"}  # as browsers do: RFC 7578 2


class PartArguments(ArgumentMembers):
    """One of `multipart`: `value`, `content_hex` or `file`."""

    open_prefixes = ()
    name = fields.String(required=True, help="of the field")
    value = fields.Anything(help="a text; an object for JSON and forms, if content_type says so")
    content_hex = Hex(help="content as octets")
    file = fields.String(help="a file below `engine.data_dir`")
    filename = fields.String(help="what it is called there; by default the name of the file")
    content_type = fields.String(
        help="by default text/plain; application/octet-stream of octets and files"
    )


def multipart(given: Any, read: Callable[[str], bytes]) -> tuple[str, bytes]:
    """Return Content-Type and content of parts; `read` returns the octets of a file.

    Errors: LocalProtocolError with the path of the member. Blocks: as `read`.
    """
    if not isinstance(given, list) or not given:
        raise LocalProtocolError("must be a list of parts", path="multipart")
    parts = [_part(one, f"multipart[{at}]", read) for at, one in enumerate(given)]
    # No part contains the boundary, unless somebody has found a collision of SHA-256.
    boundary = f"tsvc-{hashlib.sha256(b''.join(parts)).hexdigest()[:32]}"
    mark = f"--{boundary}".encode()
    body = b"".join(b"%b\r\n%b\r\n" % (mark, part) for part in parts)
    return f"multipart/form-data; boundary={boundary}", body + mark + b"--\r\n"


def _part(given: Any, path: str, read: Callable[[str], bytes]) -> bytes:
    if not isinstance(given, dict) or given.get("name") in (None, ""):
        raise LocalProtocolError("must be an object with a name", path=path)
    sources = [key for key in ("value", "content_hex", "file") if given.get(key) is not None]
    if len(sources) != 1:
        text = "needs one of value, content_hex and file"
        raise LocalProtocolError(text if not sources else f"{text}, no more", path=path)
    source = given[sources[0]]
    filename, type_ = to_text(given.get("filename")), to_text(given.get("content_type"))
    if sources[0] == "value":
        try:
            octets = encoded(source, type_ or "text/plain")
        except LocalProtocolError as error:
            place = "value" if error.path == "content" else error.path
            raise LocalProtocolError(error.text, path=f"{path}.{place}") from None
    else:
        octets = _octets(sources[0], to_text(source), path, read)
        type_ = type_ or "application/octet-stream"
        if sources[0] == "file":
            filename = filename or to_text(source).rpartition("/")[2]
    if any(not sign.isprintable() for sign in type_):
        raise LocalProtocolError("has characters that a header can't carry", path=path)
    head = f'Content-Disposition: form-data; name="{_escaped(given["name"])}"'
    if filename:
        head += f'; filename="{_escaped(filename)}"'
    if type_:
        head += f"\r\nContent-Type: {type_}"
    return head.encode() + b"\r\n\r\n" + octets


def _octets(source: str, text: str, path: str, read: Callable[[str], bytes]) -> bytes:
    try:
        return bytes.fromhex(text) if source == "content_hex" else read(text)
    except ValueError as error:
        words = "must be octets in hex" if source == "content_hex" else str(error)
        raise LocalProtocolError(words, path=f"{path}.{source}") from None
    except OSError as error:
        text = f"{text} can't be read: {reason(error)}"
        raise LocalProtocolError(text, path=f"{path}.{source}") from None


def _escaped(text: Any) -> str:
    return to_text(text).translate(_ESCAPES)
