"""Every exception of tsvc, and how each is handled.

* TsvcError and its subclasses are answers to a caller: they carry the code of the interface
  (spec: Errors), a stable `kind` that clients may test, and `fields`: problems by path.
* GatewayError aborts the waiting instance, with its text as the reason.
* ProtocolError: octets broke a rule. Local: we were asked to send them. Remote: a peer sent them.
* ExpressionError: an expression can't be parsed (with a column) or failed while it ran.

A peer's refusal (ReturnError, U-ABORT, Result-Code 5030, HTTP 500) is never an exception.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of the user's input. `path` says where it is, in the user's own spelling."""

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


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """The kind of an error, more precise than its code: `data.kind`, stable for clients to test.

    `data`: the members of the error's `data` other than `kind` and `fields`.
    """

    codes: tuple[int, ...]
    meaning: str
    data: tuple[str, ...] = ()
    is_general: bool = False  # any request may be answered with it, whatever its method


CODES: Mapping[int, str] = {
    1000: "general: framing, JSON, envelope, limits, a parameter of a method but ExecuteTest",
    1001: "the method is not known",
    2000: "`run_id` is not given",
    2001: "`run_id` is in use",
    2002: "the run can't be created: definition or parameters are wrong",
    2003: "the run can't be started now",
    2004: "`run_id` or `result_id` is not known",
}


def _general(meaning: str, *data: str) -> ErrorKind:
    return ErrorKind((1000,), meaning, data, is_general=True)


# Every kind that is raised, and no other kind; a test compares them.
KINDS: Mapping[str, ErrorKind] = {
    "access.denied": _general("`rpc.allow` does not name the client's address"),
    "rpc.rate": _general("the client sends more, or has more connections, than one client may"),
    "connections.too_many": _general("all connections are busy with complete requests"),
    "waiting.too_many": _general(
        "more requests wait than `rpc.max_waiting` allows, or one client's half of it", "limit"
    ),
    "connections.evicted": _general("the connection waited longest while others had none"),
    "frame.empty": _general("the length before the request is 0"),
    "frame.too_long": _general("the length is above `rpc.max_request_octets`", "limit"),
    "request.incomplete": _general("the connection ended before the request was complete"),
    "request.timeout": _general("the request was not complete in `rpc.request_timeout_s`"),
    "json.encoding": _general("the request is not UTF-8"),
    "json.syntax": _general("the request is not JSON"),
    "json.not_object": _general("the request is not one object"),
    "json.depth": _general("the request nests too deep"),
    "json.number": _general("an integer has too many digits"),
    "json.value": _general("a value that strict JSON has not: a name twice, NaN, an overflow"),
    "json.surrogate": _general("a text holds a lone surrogate"),
    "envelope.invalid": _general("`jsonrpc`, `method`, `params` or `id` are missing or wrong"),
    "auth.denied": _general("`params.auth_token` is missing or not accepted"),
    "method.unknown": ErrorKind((1001,), "no method has that name", ("method",), is_general=True),
    "request.invalid": _general("members of `params` are wrong; `fields` says which"),
    "request.deadline": _general("the method took longer than it may"),
    "internal": _general("a failure of the service; the log has more", "incident"),
    "general": _general("anything else"),
    "run_id.missing": ErrorKind((2000,), "`run_id` is absent, null or empty"),
    "run_id.in_use": ErrorKind((2001,), "a run has it that is in progress or not collected"),
    "run_id.unknown": ErrorKind((2004,), "never seen, collected, or too old for the archive"),
    "definition.invalid": ErrorKind(
        (2002,), "definition or parameters are wrong; `fields` names all that is, by path"
    ),
    "lock.expression": ErrorKind((2003,), "the expression of a lock's key failed"),
    "cluster.globals": ErrorKind(
        (2002,), "the definition assigns `$g`, which several workers can't share; see `fields`"
    ),
    "cluster.worker": ErrorKind(
        (2003,), "a worker that is to play the run is not ready", ("worker", "ready")
    ),
    "cluster.clock": ErrorKind(
        (2003,), "a worker knows the coordinator's clock too badly", ("worker",)
    ),
    "cluster.gateway": ErrorKind(
        (2003,), "a gateway of the run can't be played by several processes", ("gateway",)
    ),
    "worker.unknown": ErrorKind((1000,), "there is no worker of that name"),
    "lock.taken": ErrorKind((2003,), "another run holds a lock", ("key", "holder")),
    "gateway.down": ErrorKind((2003,), "a gateway that is needed is not up", ("gateway",)),
    "overload": ErrorKind(
        (2003,),
        "more runs, instances or memory than are allowed",
        ("limit", "allowed", "in_progress"),
    ),
    "draining": ErrorKind((2003,), "the daemon ends and starts no more runs"),
    "start.refused": ErrorKind((2003,), "anything else that keeps a run from starting"),
    "archive.down": ErrorKind((1000, 2003), "the archive can't be read, or the run not be kept"),
    "instance.not_halted": ErrorKind((1000,), "the instance is not known or not halted"),
    "instance.not_kept": ErrorKind((1000,), "nothing in that form was kept of the instance"),
    "run.completed": ErrorKind((1000,), "the run is over"),
    "run.not_linear": ErrorKind((1000,), "a run of its type has nothing to change"),
    "run.not_starting": ErrorKind((1000,), "the run starts no more instances"),
}


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
        """Return one error for all problems; its message is the text of the first one."""
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
    """A transport failure: not connected, connection lost, deadline passed, unusable answer."""


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
    """The base class of the errors of an expression."""


class ExpressionSyntaxError(ExpressionError):
    """An expression can't be parsed. `column` is zero-based in `source`."""

    def __init__(self, text: str, source: str, column: int) -> None:
        if len(text) > 4 * SHOWN_AROUND:  # the text names something very long
            text = f"{text[: 2 * SHOWN_AROUND]}…{text[-SHOWN_AROUND:]}"
        line_start = source.rfind("\n", 0, column) + 1
        line_end = source.find("\n", column)
        line = source[line_start : None if line_end < 0 else line_end]
        at = column - line_start
        if len(line) > 2 * SHOWN_AROUND:
            # A generated expression may be one line of a megabyte: show only the text around it.
            left = max(at - SHOWN_AROUND, 0)
            line = ("…" if left else "") + line[left : at + SHOWN_AROUND] + "…"
            at = at - left + (1 if left else 0)
        caret = " " * at + "^"
        super().__init__(f"column {column + 1}: {text}\n  {line}\n  {caret}")
        self.text = text
        self.source = source
        self.column = column


class ExpressionFailed(ExpressionError):
    """An expression failed while it was evaluated. The instance is aborted with this reason."""


# -- the only place where an OSError becomes a GatewayError ------------------------------------
#
# Code above the transport never gets an OSError. It gets a GatewayError whose text names the
# attempt and, in the words of the operating system, the reason of the failure.


E = TypeVar("E", bound=BaseException)


def as_value(error: E) -> E:
    """Return an error that is stored instead of raised, without its traceback and its context.

    The object that stores the error is often reachable from one of the frames of the traceback.
    This reference cycle would keep all their objects until a full garbage collection.
    """
    error.__traceback__ = error.__context__ = None
    return error


def reason(error: BaseException) -> str:
    """Return the reason of a failure in the words of the system: "Connection refused"."""
    text = str(getattr(error, "strerror", None) or error)
    if isinstance(error, KeyError):
        text = f"KeyError: {text}"  # its text is the key only
    number = getattr(error, "errno", None)
    words = os.strerror(number) if isinstance(number, int) else ""
    # gevent appends the address, which the caller names.
    return words if words and text.startswith(f"{words}: (") else text


def failure(attempt: str, error: BaseException) -> GatewayError:
    """Return the error of an attempt: "127.0.0.1:9: Connection refused"."""
    return GatewayError(f"{attempt}: {reason(error)}")
