"""Dataclasses like those of the standard library, made in a fifth of the time.

    @dataclass(frozen=True, slots=True)
    class Address: ...

There are hundreds of them, and the library compiles up to seven functions for each. That was a
third of the daemon's start time. Here the library only collects fields and makes slots. Only
`__init__` is compiled; the other functions are shared by all classes, or closures over the fields.
Type checkers see the library's dataclass. Python 3.13 compiles all functions of a class at once:
this module can go when 3.13 is the oldest supported version.
"""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError
from dataclasses import dataclass as _library
from dataclasses import fields as _fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

_NOT_GIVEN = object()


def _dataclass(
    class_: type[T] | None = None,
    *,
    slots: bool = False,
    frozen: bool = False,
    eq: bool = True,
    kw_only: bool = False,
) -> type[T] | Callable[[type[T]], type[T]]:
    """Return the class or a decorator, like the library's, without the unused options."""

    def decorate(class_: type[T]) -> type[T]:
        own = frozenset(vars(class_))
        class_.__doc__ = class_.__doc__ or class_.__name__  # otherwise the library writes one
        made = _library(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(class_)
        members = _members(made, frozen=frozen, eq=eq)
        for name, function in members.items():
            if name not in own:
                setattr(made, name, function)
        return made

    return decorate if class_ is None else decorate(class_)


def _members(made: type[Any], *, frozen: bool, eq: bool) -> dict[str, Any]:
    """Return the functions that the library would have compiled, by name."""
    members: dict[str, Any] = {"__init__": _init(made, frozen=frozen), "__repr__": _repr}
    if eq:
        compared = tuple(field.name for field in _fields(made) if field.compare)
        members["__eq__"], as_hash = _comparisons(compared)
        members["__hash__"] = as_hash if frozen else None
    if frozen:
        members |= {
            "__setattr__": _refuse_set,
            "__delattr__": _refuse_delete,
            "__getstate__": _state,
            "__setstate__": _restore,
        }
    return members


def _init(made: type[Any], *, frozen: bool) -> Any:
    """Return a compiled __init__: its parameters are the init fields, keyword-only ones last."""
    given: list[str] = []
    by_name: list[str] = []
    lines: list[str] = []
    names = {"object_set": object.__setattr__, "not_given": _NOT_GIVEN}
    for field in _fields(made):
        name = value = field.name
        default = f"default_{name}"
        parameter = name
        if field.default is not MISSING:
            names[default] = field.default
            parameter = f"{name}={default}"
        elif field.default_factory is not MISSING:
            names[default] = field.default_factory
            parameter = f"{name}=not_given"
            value = f"{default}() if {name} is not_given else {name}"
        if field.init:
            (by_name if field.kw_only else given).append(parameter)
        elif parameter == name:
            continue  # __post_init__ sets it
        else:
            value = default if field.default is not MISSING else f"{default}()"
        lines.append(
            f"object_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}"
        )
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    signature = ", ".join(["self", *given, *(["*", *by_name] if by_name else [])])
    exec(f"def __init__({signature}):\n " + ("\n ".join(lines) or "pass"), names)
    init: Any = names["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    init.__module__ = made.__module__
    return init


def _comparisons(names: tuple[str, ...]) -> tuple[Any, Any]:
    """Return __eq__ and __hash__ that treat the fields of these names as a tuple."""
    if len(names) > 1:
        key: Any = attrgetter(*names)
    elif names:
        only = attrgetter(names[0])

        def key(value: Any) -> Any:
            return (only(value),)

    else:

        def key(value: Any) -> Any:
            return ()

    def __eq__(self: Any, other: Any) -> Any:  # noqa: N807
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(key(self))

    return __eq__, __hash__


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (
        f"{field.name}={getattr(self, field.name)!r}" for field in _fields(self) if field.repr
    )
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse_set(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in _fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(_fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass
