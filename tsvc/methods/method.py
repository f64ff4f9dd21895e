"""The base of JSON-RPC methods. One method = one file in this package; it has no logic.

    @method
    class CancelTest(Method):
        name = "CancelTest"
        summary = "Ends a run and collects its result."
        Params = OneRun
        Result = CancelledResult
        kinds = ("run_id.unknown",)
        example = Example({"run_id": "1"}, {…})
        needs_run_id = True

        def call(self, service, params):
            return service.cancel(params["run_id"])

The dispatcher has checked the run_id and loaded the params by the schema before call().
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import Schema
from marshmallow.fields import Field

from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.service import Service
from tsvc.errors import RequestError, TsvcError
from tsvc.registry import Registry, modules_of
from tsvc.schema.fields import Params, RunId, RunParams
from tsvc.schema.load import LoadedParams
from tsvc.values import dataclass

RUN_ID_HELP = "the run: 1 to 256 octets, any characters"


class OneRun(RunParams):
    """Base of the params of a method that needs a run_id."""

    run_id = RunId(required=True, help=RUN_ID_HELP)


@dataclass(frozen=True, slots=True)
class Example:
    """A call: its params, and the answer of a service."""

    params: Mapping[str, Any]
    result: Any


class Method(ABC):
    """One JSON-RPC method. The class attributes tell the dispatcher which checks to make."""

    name: ClassVar[str]
    """Name on the wire; matched exactly."""

    summary: ClassVar[str]
    """The purpose of the method in a sentence, for the reference."""

    Params: ClassVar[type[Schema]] = Params
    """Schema of params; a subclass of tsvc.schema.fields.Params, or of OneRun with a run_id."""

    Definition: ClassVar[type[Schema] | None] = None
    """Schema of the definition in params, if tsvc.engine.compiler checks it."""

    Result: ClassVar[type[AnswerMembers] | Field[Any]]
    """The answer: the members of an object, or one value."""

    kinds: ClassVar[tuple[str, ...]] = ()
    """Kinds of errors (tsvc.errors.KINDS) that the method may answer, beside those of all."""

    example: ClassVar[Example]
    """A call for the reference; a test loads its params and checks its result by Result."""

    needs_run_id: ClassVar[bool] = False
    """True if params.run_id must be present and valid."""

    is_urgent: ClassVar[bool] = False
    """True if the method is served even if all connections are busy."""

    params_error: ClassVar[type[TsvcError]] = RequestError
    """The error for wrong params: 1000, or 2002 (DefinitionError) if the method makes a run."""

    deadline_s: ClassVar[float | None] = None
    """Longest time call() may take, in seconds; None = `rpc.handler_deadline_s`."""

    def __init__(self) -> None:
        self.schema = self.Params()

    def check_run_id(self, service: Service, run_id: str) -> None:  # noqa: B027 - empty on purpose
        """Check a well-formed run_id before the other params. Errors: TsvcError to refuse it.

        ExecuteTest overrides this: a run_id in use (2001) is reported before a wrong definition
        (2002).
        """

    @abstractmethod
    def call(self, service: Service, params: LoadedParams) -> object:
        """Execute the method and return the result, a tree of JSON values.

        Blocks: up to the deadline. Errors: TsvcError is the answer; anything else is an incident.
        """


METHODS: Registry[Method] = Registry("method", modules_of("tsvc.methods"))


def method(cls: type[Method]) -> type[Method]:
    """Register one instance of a method class; its schema is built only now."""
    METHODS.register(cls.name, cls())
    return cls
