"""What operations say of themselves when a definition is compiled: may others follow a call.

A call can be followed if what it does depends on nothing but its variables and what it receives.
So these may say that they go the usual way:

* sending an invocation of class 2 or 4, or a result: its arguments may be expressions, all else
  that the entry says is constant. (Answers to classes 1 and 3 depend on when their timer ran out.)
* expecting an invocation: arguments, attributes and tests constant, not `optional`.
* sending or expecting the end of the dialogue.

What says nothing makes the whole definition one whose instances all go the ordinary way.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tsvc import turns
from tsvc.expr.environment import Environment
from tsvc.expr.template import is_expression

# Makes an argument, as octets: variables of the instance, variant of the dialogue.
Make = Callable[[Environment, str], bytes | None]

_LEAD = "operations["
_VARIABLE = re.compile(r"\{\s*\$v->\{(\w+)\}\s*\}", re.ASCII)


class ArgumentMaker(NamedTuple):
    """An argument with expressions. `variable`: of `$v`, if its one expression is the digits."""

    make: Make
    variable: str | None


class Sayings:
    """Of one definition."""

    def __init__(self) -> None:
        self.made: dict[int, ArgumentMaker] = {}  # arguments with expressions, by operation
        self._said: set[int] = set()

    def usual(self, path: str, entry: Mapping[str, Any], make: Make | None = None) -> None:
        """Say it of the operation at a path, unless its attributes are expressions.

        `make`: of its arguments, if these are expressions: then they are left out here.
        """
        looked_at = {
            name: value for name, value in entry.items() if make is None or name != "arguments"
        }
        if has_expression(looked_at) or entry.get("optional"):
            return
        number = int(path.removeprefix(_LEAD).removesuffix("]"))
        self._said.add(number)
        if make is not None:
            self.made[number] = ArgumentMaker(make, _digits_of(entry["arguments"]))

    def cover(self, operations: int) -> bool:
        """Return whether all of so many operations have said so."""
        return len(self._said) == operations


def has_expression(value: Any) -> bool:
    """Return whether a value, or one in it, is an expression."""
    turns.walked()
    if isinstance(value, Mapping):
        return any(map(has_expression, value.values()))
    if isinstance(value, list):
        return any(map(has_expression, value))
    return is_expression(value)


def _digits_of(arguments: Mapping[str, Any]) -> str | None:
    """Return the variable that is the digits of a number and the only expression."""
    found = [name for name, value in arguments.items() if has_expression(value)]
    if len(found) != 1 or not found[0].endswith("digits"):
        return None
    match = _VARIABLE.fullmatch(str(arguments[found[0]]))
    return None if match is None else match.group(1)
