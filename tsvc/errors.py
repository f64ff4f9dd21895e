"""Every exception of tsvc, and what the reader should do about each.

* TsvcError and its children are answers to a caller: they carry the code of the interface
  (spec: Errors), a stable `kind` that clients may test, and `fields`: problems by place.
* GatewayError aborts the instance that waits, with its text as the reason.
* ProtocolError: octets broke a rule. Local = we were asked to send them, remote = a peer did.
* ExpressionError: an expression can't be parsed (with a column) or failed while it ran.

A peer's refusal (ReturnError, U-ABORT, Result-Code 5030, HTTP 500) is never an exception.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with what a user gave, and where: `path` in the user's own spelling."""

    path: str
    text: str
    severity: str = "error"  # "error" refuses, "warning" is only reported

    def as_dict(self) -> dict[str, str]:
        """Return the JSON form used in `problems[]`."""
        return {"path": self.path, "text": self.text, "severity": self.severity}


def fields_of(problems: Iterable[Problem]) -> dict[str, list[str]]:
    """Group problem texts by path, the form of `error.data.fields`."""
    fields: dict[str, list[str]] = {}
    for problem in problems:
        fields.setdefault(problem.path, []).append(problem.text)
    return fields


class TsvcError(Exception):
    """An answer to a caller: the interface's error object as an exception."""

    code: ClassVar[int] = 1000
    default_kind: ClassVar[str] = "general"

    def __init__(
        self,
        message: str,
        *,
        kind: str | None = None,
        fields: Mapping[str, list[str]] | None = None,
        **data: Any,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind or self.default_kind
        self.fields = dict(fields or {})
        self.data = data

    def as_error_object(self) -> dict[str, Any]:
        """Return {code, message, data} as it goes on the wire."""
        data: dict[str, Any] = {"kind": self.kind, **self.data}
        if self.fields:
            data["fields"] = self.fields
        return {"code": self.code, "message": self.message, "data": data}


class RequestError(TsvcError):
    """Framing, JSON, envelope, limits, or a parameter of a method other than ExecuteTest."""

    default_kind = "request.invalid"


class UnknownMethod(TsvcError):
    """The method does not exist; the message names it."""

    code = 1001
    default_kind = "method.unknown"


class RunIdMissing(TsvcError):
    """`run_id` is absent, null or empty."""

    code = 2000
    default_kind = "run_id.missing"


class RunIdInUse(TsvcError):
    """A run with that id is in progress, or completed and not yet collected."""

    code = 2001
    default_kind = "run_id.in_use"


class DefinitionError(TsvcError):
    """The run can't be created: definition or parameters are wrong. `fields` says where."""

    code = 2002
    default_kind = "definition.invalid"

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> "DefinitionError":
        """Build the error of all problems at once; its message is the first of them."""
        found = [problem for problem in problems if problem.severity == "error"]
        first = found[0]
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return cls(f"{first.path}: {first.text}{more}", fields=fields_of(found))


class StartError(TsvcError):
    """The run can't be started now: lock taken, gateway down, overload, draining."""

    code = 2003
    default_kind = "start.refused"


class UnknownRun(TsvcError):
    """`run_id` is not known."""

    code = 2004
    default_kind = "run_id.unknown"


class GatewayError(Exception):
    """Transport trouble: not connected, connection lost, deadline, unusable answer."""


class ProtocolError(Exception):
    """Octets or a request break a protocol's rule; `path` and `offset` say where."""

    def __init__(self, text: str, *, path: str = "", offset: int | None = None) -> None:
        where = path if offset is None else f"{path} at octet {offset}".strip()
        super().__init__(f"{where}: {text}" if where else text)
        self.text = text
        self.path = path
        self.offset = offset


class LocalProtocolError(ProtocolError):
    """We were asked to send something that the protocol does not allow."""


class RemoteProtocolError(ProtocolError):
    """A peer sent something that the protocol does not allow."""


SHOWN_AROUND = 60  # characters of an expression shown either side of an error


class ExpressionError(Exception):
    """Base of what can go wrong with an expression."""


class ExpressionSyntaxError(ExpressionError):
    """An expression can't be parsed. `column` is zero-based in `source`."""

    def __init__(self, text: str, source: str, column: int) -> None:
        line_start = source.rfind("\n", 0, column) + 1
        line_end = source.find("\n", column)
        line = source[line_start : None if line_end < 0 else line_end]
        at = column - line_start
        if len(line) > 2 * SHOWN_AROUND:
            # A generated expression may be one line of a megabyte: show the place only.
            left = max(at - SHOWN_AROUND, 0)
            line = ("…" if left else "") + line[left : at + SHOWN_AROUND] + "…"
            at = at - left + (1 if left else 0)
        caret = " " * at + "^"
        super().__init__(f"column {column + 1}: {text}\n  {line}\n  {caret}")
        self.text = text
        self.source = source
        self.column = column


class ExpressionFailed(ExpressionError):
    """An expression failed while it was evaluated; aborts the instance with this reason."""
