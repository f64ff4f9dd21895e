"""compile_expression(): compiles source text to an Expression that can be evaluated."""

from collections.abc import Callable
from dataclasses import field, fields, is_dataclass

from tsvc import turns

# The closures register themselves with the compiler.
from tsvc.expr.compile import assignment, calls, operators, patterns, variables
from tsvc.expr.compile.compiler import condition, scalar
from tsvc.expr.environment import TICK_STEPS, Environment, Frame
from tsvc.expr.parse.descent import HEIGHT_MAX, Grammar, Parser
from tsvc.expr.parse.infix import INFIX
from tsvc.expr.parse.lexer import SOURCE_MAX, Scanner
from tsvc.expr.parse.scope import Blocks
from tsvc.expr.parse.terms import parse_term
from tsvc.expr.parse.variables import parse_interpolated
from tsvc.expr.syntax import (
    Assign,
    Call,
    Constant,
    Contents,
    Element,
    Increment,
    Index,
    Logical,
    Node,
    Root,
    Substitute,
    Transliterate,
    Unary,
    measure,
)
from tsvc.expr.values import Value, to_text
from tsvc.values import dataclass

GRAMMAR = Grammar(parse_term, parse_interpolated, INFIX)
CLOSURES = (
    operators,
    variables,
    assignment,
    patterns,
    calls,
)


Variable = tuple[str, str]  # its root, v, g or i, and its name


@dataclass(slots=True)
class Uses:
    """The variables that an expression names; those of computed names are unknown.

    Those of $i are in `reads`, `sets` and `inbound`, those of $v and $g in all.

    reads:    variables that must exist; to ask for one (`defined`, `exists`, `//`, `||`) does not
              count.
    sets:     variables that are given a value, or made to hold one.
    sets_any: roots of which any variable may be set.
    named:    all variables that the expression names, in any way.
    changed:  variables that a substitution, a transliteration or `delete` may change.
    inbound:  paths below $i that are read, such as ("Connect", "cutAndPaste").
    whole:    roots that are used as a whole, or by a computed name; "i" also if something below
              $i may be changed, or $v->{__INBOUND} is named.
    roots:    all roots that are named.
    clock:    True if the time is read: time, localtime, gmtime, $r->{time}.
    calls:    True if a function is called.
    """

    reads: set[Variable] = field(default_factory=set)
    sets: set[Variable] = field(default_factory=set)
    sets_any: set[str] = field(default_factory=set)
    named: set[Variable] = field(default_factory=set)
    changed: set[Variable] = field(default_factory=set)
    inbound: set[tuple[str, ...]] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    roots: set[str] = field(default_factory=set)
    clock: bool = False
    calls: bool = False


# Called with the path of each expression that was compiled.
Note = Callable[[str, "Expression"], None]


def no_note(path: str, expression: "Expression") -> None:
    """Ignore an expression; the default of Note."""


class Expression:
    """A compiled expression. It holds no state: any number of instances may share it."""

    __slots__ = ("_condition", "_cost", "_run", "_slot_count", "is_constant", "source", "uses")

    def __init__(self, source: str) -> None:
        tree, self._slot_count = parse(source)
        self.source = source
        self.is_constant = isinstance(tree, Constant)
        self.uses = _uses(tree)
        self._cost = measure(tree)[0]
        self._run = scalar(tree)
        self._condition = condition(tree)

    def evaluate(self, env: Environment) -> Value:
        """Return the value, in Perl's scalar context; it may share containers with `env`.

        Errors: ExpressionFailed, with the reason; earlier assignments remain.
        Blocks: only as far as env.tick does.
        """
        return self._run(self._frame(env))

    def test(self, env: Environment) -> bool:
        """Return the truth of the value, as `branch` needs it. Errors as evaluate."""
        return self._condition(self._frame(env))

    def _frame(self, env: Environment) -> Frame:
        frame = Frame(env, self._slot_count)
        frame.steps = self._cost
        if self._cost >= TICK_STEPS:
            frame.step(0)
        return frame


def compile_expression(source: str) -> Expression:
    """Compile an expression of the language (docs/reference/expressions.md).

    Errors: ExpressionSyntaxError with the column.
    """
    return Expression(source)


_ROOTS = ("v", "g")
_ASKING = ("defined", "exists", "delete")
_FILLING = ("push", "unshift", "splice")
_CLOCKS = ("time", "localtime", "gmtime")
_INBOUND = "__INBOUND"


def _uses(tree: Node) -> Uses:
    """Return the variables that a tree names."""
    found = Uses()
    waiting: list[tuple[object, set[Variable] | None]] = [(tree, found.reads)]
    while waiting:
        turns.walked()
        node, names = waiting.pop()  # names: where a variable found here belongs
        match node:
            case tuple():
                waiting += ((item, names) for item in node)
            case Element() if (path := _path_of(node)) and path[0] == "i":
                found.roots.add("i")
                found.inbound.add(path[1:])
                if names is found.sets or names is found.changed:
                    found.whole.add("i")
                if names is found.sets or names is found.reads:
                    names.add(("i", path[1]))
            case Element(container=Root(name=root), key=key):
                found.roots.add(root)
                name = to_text(key.value) if isinstance(key, Constant) else None
                found.clock |= root == "r" and name in (None, "time")
                if name is None:
                    found.whole.add(root)
                elif root == "v" and name == _INBOUND:
                    found.whole.add("i")
                if root in _ROOTS and name is not None:
                    found.named.add((root, name))
                    if names is not None:
                        names.add((root, name))
                    continue
                if names is found.sets:
                    found.sets_any.add(root)
                waiting.append((key, found.reads))
            case Element(container=container, key=key) | Index(container=container, subscript=key):
                waiting += ((container, names), (key, found.reads))
            case Contents(reference=Root(name=root)):  # all variables are read
                found.roots.add(root)
                found.whole.add(root)
                found.clock |= root == "r"
            case Contents(reference=reference):
                waiting.append((reference, names))
            case Root(name=root):
                found.roots.add(root)
                found.whole.add(root)
                found.clock |= root == "r"
                found.sets_any.add(root)  # code that has the root may set any variable
            case Assign(target=target, value=value):
                waiting += ((target, found.sets), (value, found.reads))
            case Increment(target=target) | Unary(operator="\\", operand=target):
                waiting.append((target, found.sets))
            case Substitute(target=target) | Transliterate(target=target):
                waiting.append((target, found.changed))
                waiting += ((getattr(node, part.name), names) for part in fields(node))
            case Logical(operator="//" | "||", left=left, right=right):
                waiting += ((left, None), (right, found.reads))
            case Call(name=name, arguments=(first, *others)) if name in (*_ASKING, *_FILLING):
                asks = None if name != "delete" else found.changed
                waiting.append((first, asks if name in _ASKING else found.sets))
                waiting += ((other, found.reads) for other in others)
            case _ if is_dataclass(node):
                if isinstance(node, Call) and node.name == "substr" and len(node.arguments) == 4:
                    waiting.append((node.arguments[0], found.changed))  # it replaces a part
                if isinstance(node, Call):
                    found.calls = True
                    found.clock |= node.name in _CLOCKS
                waiting += ((getattr(node, part.name), names) for part in fields(node))
    return found


def _path_of(node: Node) -> tuple[str, ...]:
    """Return the root and the constant keys of `$i->{A}{B}`; empty if it is no such path."""
    keys: list[str] = []
    while isinstance(node, Element) and isinstance(node.key, Constant):
        keys.append(to_text(node.key.value))
        node = node.container
    return (node.name, *reversed(keys)) if isinstance(node, Root) and keys else ()


def parse(source: str) -> tuple[Node, int]:
    """Return the tree of a whole source and how many slots its variables need.

    Names are resolved meanwhile, so an undeclared variable is a syntax error with its column.

    Errors: ExpressionSyntaxError with the column of the error.
    """
    scanner = Scanner(source)
    if len(source) > SOURCE_MAX:
        raise scanner.error(f"longer than {SOURCE_MAX} characters")
    if scanner.at_end():
        raise scanner.error("the expression is empty")
    scope = Blocks()
    tree = Parser(scanner, scope, GRAMMAR).program()
    if measure(tree)[1] > HEIGHT_MAX:
        raise scanner.error(f"more than {HEIGHT_MAX} operators within one another", 0)
    return tree, scope.slot_count
