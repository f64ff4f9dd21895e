"""The syntax tree. Nodes describe the source; names are already resolved to slots.

Slots 0 to 2 of an evaluation belong to $_, $a and $b; `my` variables follow. An array or hash
variable's slot holds the list or dict itself, so `$x[0]` is an Index on a Slot.
"""

from dataclasses import fields, is_dataclass
from typing import Union

from tsvc import turns
from tsvc.expr.values import Value
from tsvc.values import dataclass

TOPIC_SLOT = 0  # $_
FIRST_SLOT = 1  # $a
SECOND_SLOT = 2  # $b
FIRST_FREE_SLOT = 3


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal, or the result of constant folding."""

    value: Value


@dataclass(frozen=True, slots=True)
class Root:
    """$v, $i, $g or $r."""

    name: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A `my` variable, $_, $a or $b; sigil "$", "@" or "%"."""

    number: int
    sigil: str


@dataclass(frozen=True, slots=True)
class My:
    """A declaration of one variable; evaluating it empties the variable."""

    slot: Slot


@dataclass(frozen=True, slots=True)
class Capture:
    """$1 and so on; 0 is $&."""

    number: int


@dataclass(frozen=True, slots=True)
class Index:
    """container->[subscript]."""

    container: "Node"
    subscript: "Node"


@dataclass(frozen=True, slots=True)
class Element:
    """container->{key}."""

    container: "Node"
    key: "Node"


@dataclass(frozen=True, slots=True)
class Contents:
    """@{reference} or %{reference}."""

    sigil: str
    reference: "Node"


@dataclass(frozen=True, slots=True)
class LastIndex:
    """$#{reference}."""

    reference: "Node"


@dataclass(frozen=True, slots=True)
class Slice:
    """(list)[indexes], @{array}[indexes] or @{hash}{keys}; kind "list", "@" or "%"."""

    kind: str
    source: "Node"
    indexes: "Node"


@dataclass(frozen=True, slots=True)
class Items:
    """A list in parentheses, or expressions joined by commas."""

    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class ArrayLiteral:
    """[ ... ]."""

    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class HashLiteral:
    """{ ... }."""

    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Texts one after the other: interpolation, or a chain of `.` operators."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """! - + or a reference by backslash."""

    operator: str
    operand: "Node"


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator that evaluates both sides."""

    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Logical:
    """&& || //: the right side only if needed."""

    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Ternary:
    """condition ? when_true : when_false."""

    condition: "Node"
    when_true: "Node"
    when_false: "Node"


@dataclass(frozen=True, slots=True)
class Range:
    """first .. last."""

    first: "Node"
    last: "Node"


@dataclass(frozen=True, slots=True)
class Assign:
    """target = value, or target operator= value (operator without the `=`, "" for plain)."""

    operator: str
    target: "Node"
    value: "Node"


@dataclass(frozen=True, slots=True)
class Increment:
    """++ or -- before (is_prefix) or after its target."""

    operator: str
    target: "Node"
    is_prefix: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression: parts in RE2's syntax and values between them.

    A Constant part is pattern text; any other part is evaluated, and taken literally if its
    flag in `quoted` is set.
    """

    parts: tuple["Node", ...]
    quoted: tuple[bool, ...]
    flags: str


@dataclass(frozen=True, slots=True)
class Match:
    """target =~ /pattern/."""

    target: "Node"
    pattern: Pattern
    is_global: bool


@dataclass(frozen=True, slots=True)
class Substitute:
    """target =~ s/pattern/replacement/."""

    target: "Node"
    pattern: Pattern
    replacement: "Node"
    is_global: bool
    returns_text: bool


@dataclass(frozen=True, slots=True)
class Transliterate:
    """target =~ tr/from/to/, with the lists spelled out."""

    target: "Node"
    search: str
    replacement: str
    flags: str

    @property
    def is_changing(self) -> bool:
        """True if the target gets a new value; otherwise signs are counted, or a text is made."""
        if "r" in self.flags or self.replacement == self.search:
            return False
        return bool(self.replacement) or "d" in self.flags or "s" in self.flags


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the registry, or a special form (scalar, exists, delete, ...)."""

    name: str
    arguments: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class BlockCall:
    """map, grep or sort; body None is the plain sort. Cost and height are those of the body."""

    name: str
    body: Union["Node", None]
    cost: int
    height: int
    arguments: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements; the value is the last one's."""

    statements: tuple["Node", ...]


Node = (
    Constant
    | Root
    | Slot
    | My
    | Capture
    | Index
    | Element
    | Contents
    | LastIndex
    | Slice
    | Items
    | ArrayLiteral
    | HashLiteral
    | Join
    | Unary
    | Binary
    | Logical
    | Ternary
    | Range
    | Assign
    | Increment
    | Match
    | Substitute
    | Transliterate
    | Call
    | BlockCall
    | Statements
)


def bare(node: Node) -> Node:
    """Return the only node in parentheses, or the node itself."""
    return node.items[0] if isinstance(node, Items) and len(node.items) == 1 else node


def is_changeable(node: Node) -> bool:
    """Return True if a node names one variable or element that can be given a new value."""
    if isinstance(node, Assign):
        return is_changeable(bare(node.target))
    return isinstance(node, (Slot, My, Index, Element))


def measure(tree: Node) -> tuple[int, int]:
    """Return (number of nodes, height)."""
    count = height = 0
    waiting: list[tuple[object, int]] = [(tree, 1)]
    while waiting:
        turns.walked()
        node, level = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend((item, level) for item in node)
        elif is_dataclass(node):
            count += 1
            height = max(height, level)
            if isinstance(node, BlockCall) and node.body is not None:
                # Measured when it was parsed; nested blocks would be visited again and again.
                count += node.cost
                height = max(height, level + node.height)
                waiting.append((node.arguments, level + 1))
                continue
            waiting.extend((getattr(node, part.name), level + 1) for part in fields(node))
    return count, height
