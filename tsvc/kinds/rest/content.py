"""Content of HTTP messages: encodes what a definition gives, and reads what a server sends."""

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlencode

from tsvc.errors import LocalProtocolError, RemoteProtocolError, RequestError
from tsvc.expr.values import FieldName, to_text
from tsvc.numbers import text_exactly
from tsvc.protocols.charsets import decode, known_charset
from tsvc.protocols.xml_tree import xml_tree
from tsvc.rpc import strict_json
from tsvc.transport.http.message import MORE, WITHOUT_CONTENT, Response, split_content_type
from tsvc.words import quoted

FORM = "application/x-www-form-urlencoded"
DEFAULT_CHARSET = "utf-8"
_JSON = frozenset({"application/json", "text/json"})
_XML = frozenset({"application/xml", "text/xml"})
_DOCTYPE = "<!DOCTYPE"
_BYTE_ORDER_MARK = "\ufeff"


def is_json(media: str) -> bool:
    """Return True if a media type is JSON: application/json, text/json, anything+json."""
    return media in _JSON or media.endswith("+json")


def is_xml(media: str) -> bool:
    """Return True if a media type is XML: application/xml, text/xml, anything+xml."""
    return media in _XML or media.endswith("+xml")


def encoded(content: Any, content_type: str) -> bytes:
    """Return the octets of content, encoded as its type requires.

    JSON types: an object, array, number or boolean becomes JSON text; a text is sent as it is.
    Forms: an object becomes name=value&…, an array repeats its name. Other types: texts only.
    Errors: LocalProtocolError.
    """
    if content is None:
        return b""
    media, charset = split_content_type(content_type)
    text = content if isinstance(content, str) else _as_text(content, media)
    try:
        return text.encode(known_charset(charset or DEFAULT_CHARSET))
    except LookupError:
        raise LocalProtocolError(
            f"unknown charset {quoted(charset)}", path="content_type"
        ) from None
    except UnicodeEncodeError as error:
        sign = text[error.start]
        raise LocalProtocolError(
            f"{quoted(sign)} is not in {error.encoding}", path="content"
        ) from None


_dumps = partial(json.dumps, ensure_ascii=False, allow_nan=False)


def _as_text(content: Any, media: str) -> str:
    if is_json(media):
        try:
            return text_exactly(content, _dumps)
        except ValueError:
            raise LocalProtocolError("JSON has no NaN and no Infinity", path="content") from None
    if media == FORM and isinstance(content, dict):
        return urlencode(form_of(content, "content"), doseq=True)
    if isinstance(content, dict | list):
        raise LocalProtocolError(f"an object or array can't be sent as {media}", path="content")
    return to_text(content)


def form_of(values: Mapping[str, Any], path: str) -> dict[str, str | list[str]]:
    """Return the texts of a form or query. Errors: LocalProtocolError with the member's path."""
    found: dict[str, str | list[str]] = {}
    for name, value in values.items():
        items = value if isinstance(value, list) else [value]
        if any(isinstance(item, dict | list) for item in items):
            text = "must be a text, a number, or a list of them"
            raise LocalProtocolError(text, path=f"{path}.{name}")
        texts = [to_text(item) for item in items]
        found[name] = texts if isinstance(value, list) else texts[0]
    return found


def tree_of(response: Response) -> dict[str, Any]:
    """Return the tree of a response that definitions read.

    Shape: code, reason, content_type (media type without parameters), content (text; null if the
    octets are no text or their coding can't be undone, then content_hex), content_json (JSON types
    whose content is JSON), content_xml (XML types: tsvc.protocols.xml_tree), http_headers:
    [{name, value}] in the order and spelling of the server.
    Blocks: while others run, inside of turns.given().
    """
    media, charset = split_content_type(response.field("content-type") or "")
    tree: dict[str, Any] = {
        "code": response.code,
        "reason": response.reason,
        "content_type": media,
        "content": None,
    }
    text = None
    if not response.coding_problem:
        with suppress(UnicodeDecodeError, LookupError):
            text = decode(response.body, charset or DEFAULT_CHARSET)
    if text is None:
        tree["content_hex"] = response.body.hex()
    else:
        tree["content"] = text
        if is_json(media):
            _add_json(tree, text.removeprefix(_BYTE_ORDER_MARK))
    if is_xml(media) and not response.coding_problem:
        _add_xml(tree, response.body, charset)
    tree["http_headers"] = [
        {"name": FieldName(name), "value": value} for name, value in response.fields
    ]
    return tree


def _add_json(tree: dict[str, Any], text: str) -> None:
    try:
        tree["content_json"] = strict_json.parse(text.encode("utf-8", "surrogatepass"))
    except RequestError as error:
        tree["content_json_error"] = error.message


def _add_xml(tree: dict[str, Any], octets: bytes, charset: str) -> None:
    try:
        if _DOCTYPE in (tree["content"] or ""):
            raise RemoteProtocolError("document types are not read")
        tree["content_xml"] = xml_tree(octets, charset)
    except RemoteProtocolError as error:
        tree["content_xml_error"] = error.text


def form_problem(response: Response, method: str, tree: dict[str, Any] | None = None) -> str:
    """Return how a response contradicts its header; "" if it does not.

    `tree`: the result of tree_of(), if there is one already. Content of other types than JSON
    and XML is only judged if the server names a charset.
    """
    if response.has_more:
        return MORE
    if response.coding_problem:
        return response.coding_problem
    media, charset = split_content_type(response.field("content-type") or "")
    is_json_ = is_json(media)
    is_known = is_json_ or is_xml(media) or bool(charset)
    if not is_known or method == "HEAD" or response.code in WITHOUT_CONTENT:
        return ""
    tree = tree_of(response) if tree is None else tree
    if "content_xml_error" in tree and _DOCTYPE not in (tree["content"] or ""):
        return f"the content is no XML: {tree['content_xml_error']}"
    if tree["content"] is None and "content_xml" not in tree:
        if charset and not _is_known(charset):
            return f"unknown charset {charset}"
        return f"the content is not {charset or DEFAULT_CHARSET}"
    if is_json_ and "content_json_error" in tree:
        return f"the content is no JSON: {tree['content_json_error']}"
    return ""


def _is_known(charset: str) -> bool:
    try:
        known_charset(charset)
    except LookupError:
        return False
    return True
