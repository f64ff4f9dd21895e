"""Requests and answers as the handlers of routes see them, independent of the web framework."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

import ujson

from tsvc.errors import RequestError
from tsvc.gui.offload import off_loop
from tsvc.gui.sessions import Session
from tsvc.rpc import strict_json
from tsvc.values import dataclass
from tsvc.words import kind_of

_LARGE = 64 << 10  # octets; to parse more takes milliseconds
JSON_TYPE = "application/json; charset=utf-8"


class Refusal(Exception):
    """A request is refused, with an HTTP status, the problem, and further members of the body."""

    def __init__(self, status: int, problem: str, **members: Any) -> None:
        super().__init__(problem)
        self.status = status
        self.document = {"problem": problem, **members}


@dataclass(frozen=True, slots=True)
class Answer:
    """A response: octets, or an iterable of octets that may never end."""

    body: bytes | Iterable[bytes]
    type: str = JSON_TYPE
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(document: Any) -> Answer:
    """Return a document as a response."""
    return Answer(json_octets(document))


def json_octets(document: Any) -> bytes:
    """Return the JSON of a document, on one line."""
    return ujson.dumps(document, escape_forward_slashes=False).encode("ascii")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that has passed the common checks: host, session, role, origin."""

    given: Session | None
    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By names in lower case."""

    body: bytes
    peer: str
    nonce: str
    origin: str
    """Our own origin, in the browser's form: `http://127.0.0.1:9010`."""

    @property
    def session(self) -> Session:
        """The session of a route that needs one."""
        assert self.given is not None
        return self.given

    def document(self) -> dict[str, Any]:
        """Return the object in the body; numbers keep all their digits.

        Blocks: for a large one, while it is parsed off the loop. Errors: Refusal 400.
        """
        try:
            if len(self.body) > _LARGE:
                found = off_loop(strict_json.parse, self.body)
            else:
                found = strict_json.parse(self.body)
        except RequestError as error:
            raise Refusal(400, f"the body is not JSON: {error.message}") from None
        if not isinstance(found, dict):
            raise Refusal(400, f"the body must be an object, not {kind_of(found)}")
        return found


def text_of(document: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Return a member that must be a text. Errors: Refusal 400."""
    value = document.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise Refusal(400, f"{name} must be a text, not {kind_of(value)}")
    return value


def list_of(document: Mapping[str, Any], name: str, most: int) -> list[Any]:
    """Return a member that must be an array of at most `most` items. Errors: Refusal 400."""
    value = document.get(name)
    if not isinstance(value, list) or len(value) > most:
        raise Refusal(400, f"{name} must be an array of at most {most}")
    return value
