"""The envelope of the interface: JSON-RPC 2.0 with its own success and failure objects.

A client recognizes its answer by the id, so the id is read before anything is checked: an invalid
envelope with a valid id is still answered under that id.
"""

from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError

from tsvc.errors import RequestError, TsvcError
from tsvc.schema.fields import Member, Object, String, flatten_messages
from tsvc.values import dataclass
from tsvc.words import did_you_mean, kind_of, shown

VERSION = "2.0"
Id = str | int | float


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `params` is empty when the member is absent or null."""

    method: str
    params: dict[str, Any]
    id: Id


class _Version(String):
    def read(self, value: Any) -> str:
        if value != VERSION:
            raise ValidationError(f'must be the string "{VERSION}"')
        return VERSION


class _IdField(Member):
    def read(self, value: Any) -> Id:
        found = id_of({"id": value})
        if found is None:
            raise ValidationError(f"must be a string or a number, not {kind_of(value)}")
        return found


class _Envelope(Schema):
    class Meta:
        unknown = EXCLUDE  # JSON-RPC does not forbid further members, and they do no harm

    jsonrpc = _Version(required=True)
    method = String(required=True)
    params = Object(default=dict, allow_none=True)
    id = _IdField(required=True)


_ENVELOPE = _Envelope()
_MEMBERS = tuple(_ENVELOPE.load_fields)


def read_request(document: dict[str, object]) -> Request:
    """Return the request in an envelope. Errors: RequestError naming every wrong member."""
    try:
        loaded = _ENVELOPE.load(document)
    except ValidationError as error:
        error.__traceback__ = None  # as in Members.load: it would keep the document
        raise _refusal(flatten_messages(error.messages, "")) from None
    if "params" not in document:
        _refuse_misspelt_params(document)
    return Request(loaded["method"], loaded["params"] or {}, loaded["id"])


def id_of(document: dict[str, object]) -> Id | None:
    """Return the id to answer under; None if it is missing or neither a string nor a number."""
    value = document.get("id")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return value


def success(result: object, request_id: Id) -> dict[str, object]:
    """Return the response object of a successful method."""
    return {"jsonrpc": VERSION, "result": result, "id": request_id}


def failure(error: TsvcError, request_id: Id | None) -> dict[str, object]:
    """Return the response object of a refusal; its id is null if the request's is unknown."""
    error_object = error.as_error_object()
    return {"jsonrpc": VERSION, "result": None, "error": error_object, "id": request_id}


def id_as_string(request_id: Id | None) -> str | None:
    """Return the form of an id for clients that expect every id as a string; null stays null."""
    return None if request_id is None else str(request_id)


def _refusal(problems: dict[str, list[str]]) -> RequestError:
    path, texts = next(iter(problems.items()))
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return RequestError(f"{path} {texts[0]}{more}", kind="envelope.invalid", fields=problems)


def _refuse_misspelt_params(document: dict[str, object]) -> None:
    # To ignore `parms` would end in "run_id is missing", which misleads people.
    for name in document:
        if name not in _MEMBERS and did_you_mean(name, ["params"]):
            raise _refusal({shown(name): ['is unknown; did you mean "params"?']})
