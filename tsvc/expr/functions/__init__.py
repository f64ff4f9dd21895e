"""The functions of the expression language, one module for each family; they register themselves.

A signature describes the parameters: `s` a scalar, `a` an array (made if undefined), `c` an array
or hash, `l` all remaining arguments as one list. Parameters after `|` are optional; `_` alone is
one scalar that defaults to $_. Start with `numeric`, whose functions are the shortest.
"""

from collections.abc import Callable

from tsvc.expr.values import Value
from tsvc.registry import Registry, modules_of
from tsvc.values import dataclass

Scalar = Callable[..., Value]
ListOf = Callable[..., list[Value]]


@dataclass(frozen=True, slots=True)
class Function:
    """A function: `call(frame, *arguments)` in scalar context, `items` in list context.

    is_reading: True if it may read its scalar arguments to the end; a step is counted for each 64
                octets of them before the call. It counts texts in a list itself.
    """

    name: str
    signature: str
    call: Scalar
    items: ListOf | None = None
    is_reading: bool = True

    @property
    def is_unary(self) -> bool:
        """True if it takes one argument without parentheses, and binds tighter than `<`."""
        return self.signature in ("s", "_", "|s", "a", "c")

    @property
    def least(self) -> int:
        """The number of scalar arguments that must be given."""
        return len(self.signature.partition("|")[0].replace("_", "").replace("l", ""))

    @property
    def most(self) -> int | None:
        """The number of arguments that may be given, None if any."""
        return None if "l" in self.signature else len(self.signature.replace("|", ""))


FUNCTIONS: Registry[Function] = Registry("function", modules_of("tsvc.expr.functions"))


def register(
    name: str,
    signature: str,
    call: Scalar,
    items: ListOf | None = None,
    *,
    is_reading: bool = True,
) -> None:
    """Add a function to the language."""
    FUNCTIONS.register(name, Function(name, signature, call, items, is_reading))
