"""tsvc.memo.Memo is the only memory: others would stay on when all must be off.

The tests search the source tree for:

  - functools.cache and similar decorators
  - a container of a module or a class that functions fill
  - a name of a module that functions rebind
  - a dict of a function that an inner function fills
  - "if it is full, clear it"
  - "if it is missing, make it and store it", in any container
  - an attribute that is returned, and made before if it is missing
  - attributes set by name
"""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from house.source import ROOT as CHECKOUT
from house.source import parsed

ROOT = CHECKOUT / "tsvc"

# Containers that functions fill, but that are no memories: without them something would be lost.
ALLOWED = {
    ("cluster/snapshot.py", "self._told_operations"): "what was told of each operation, of a run",
    ("kind.py", "_known"): "the registry of kinds",
    ("kinds/sigtran/messages/decoding.py", "self._dialogues"): "what their messages invoked",
    ("kinds/sigtran/operations/map_register.py", "_REGISTRATIONS"): "who waits, by gateway",
    ("kinds/smpp/fast_path/members.py", "self._templates"): "of the recordings of one run",
    ("protocols/smpp/session.py", "self._sent"): "requests that wait for their responses",
    ("operations/fast_path/slots.py", "self._known"): "octets of values, of one run",
    ("operations/fast_path/waits.py", "self._queues"): "who waits, by how long",
    (
        "kinds/sigtran/operations/map_register.py",
        "self._taken",
    ): "who has had a request, to its end",
    ("operations/operation.py", "self.parts"): "what kinds have of one run that is judged",
    ("values.py", "name"): "methods of a class that is being made",
    ("operations/operation.py", "_ALIASES"): "the registry of other names of types",
    ("operations/operation.py", "_FAMILIES"): "the registry of families of types",
    ("docs_generator/stubs.py", "self._callables"): "what a file declares, while it is made",
    ("docs_generator/stubs.py", "self._shapes"): "the same",
    ("engine/compiler/parameters.py", "_KINDS"): "the registry of the params of kinds",
    ("engine/give_way.py", "_last_look"): "the time of the last turn",
    ("engine/limits/collector.py", "_made"): "octets since the last look",
    ("engine/limits/collector.py", "_looks"): "how many looks there were",
    ("turns.py", "_left"): "how far all walks have come since the last look",
    ("turns.py", "thing"): "a list that is being emptied",
    ("expr/compile/variables.py", "_PLACES"): "the registry of what can be assigned to",
    ("transport/children.py", "name"): "a second module of the standard library's code",
    ("memo.py", "_blocks"): "the switch itself",
    ("memo.py", "_memos"): "the list of memories",
    ("memo.py", "_shortcuts"): "the list of shortcuts",
    ("memo.py", "self"): "a memory that is full",
    ("engine/load/counters.py", "self._groups"): "what failed, by cause",
    ("engine/instance.py", "self._random"): "the sequence of an instance's numbers",
    ("engine/local.py", "self._random"): "the same, of a replayed instance",
    ("engine/result/result.py", "instance.detail"): "the variables are gone when it is over",
    ("kinds/diameter/session.py", "self.session_id"): "each call would give another one",
    ("pytest_plugin.py", "config.stash"): "the daemon of the session",
    ("scp/line.py", "self._waiting"): "calls that wait for a resource, by correlation id",
    ("scp/statistics.py", "self._flows"): "the counts of each flow",
    ("kinds/outside/gateway.py", "self._room"): "an event: an object is over",
    ("record/sctp.py", "self._directions"): "what has come each way of an association",
    ("ss7/relay.py", "self._segments"): "whose the segments are that are still to come",
    ("gui/feed.py", "self._left"): "what a browser looked at that may come back",
    ("gui/feed.py", "self._topics"): "what is looked at, and by whom",
    ("gui/offload.py", "cache"): "the pool of threads of the program",
    ("gui/topics.py", "self._trouble"): "what the daemon refused last",
    ("gui/viewer.py", "self._queue"): "events that a browser has not read",
    ("gui/workspace.py", "self._seen"): "files as they were, by time, size and inode",
}
_CACHES = {"cache", "lru_cache", "cached_property"}
_CONTAINERS = {
    *("dict", "list", "set", "bytearray", "defaultdict", "OrderedDict", "Counter", "deque"),
    *("WeakValueDictionary", "WeakKeyDictionary", "WeakSet", "ChainMap"),
}
_CHANGES = {
    *("append", "add", "setdefault", "update", "clear", "pop", "popitem", "extend", "insert"),
    *("remove", "discard", "appendleft", "extendleft", "popleft", "__setitem__"),
}
_DISPLAYS = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def memories_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of everything that looks like a memory."""
    yield from _caches(tree)
    shared = _containers(tree.body)
    for node in _walk(tree):
        if isinstance(node, ast.ClassDef):
            shared |= _containers(node.body) - _set_by_methods(node)
    memos = _memos_of(tree)
    for function in _functions(tree):
        if isinstance(function, ast.FunctionDef):
            found = [*_filled_when_missing(function), *_made_when_missing(function)]
            yield from ((line, name) for line, name in found if _last(name) not in memos)
        yield from ((line, name) for line, name in _changed(function) if _last(name) in shared)
        if isinstance(function, ast.FunctionDef):
            own = _containers(function.body)
            for inner in _functions(function):
                if inner is not function:
                    yield from ((line, name) for line, name in _stored(inner) if name in own)
        for node in _walk(function):
            if isinstance(node, ast.Global):
                yield from ((node.lineno, name) for name in node.names)
            if isinstance(node, ast.If):
                yield from _emptied_when_full(node)


def _caches(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in _walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "functools":
            found = _CACHES & {name.name for name in node.names}
            yield from ((node.lineno, name) for name in sorted(found))
        elif isinstance(node, ast.Attribute) and _text(node.value) == "functools":
            yield from ((node.lineno, name) for name in _CACHES & {node.attr})


@lru_cache(100)
def _walk(node: ast.AST) -> list[ast.AST]:
    """Return a node and all nodes below it; cached, because each function is searched often."""
    return list(ast.walk(node))


@lru_cache(1000)
def _text(node: ast.AST) -> str:
    """Return the source of a node; fast for names, because ast.unparse() takes long."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_text(node.value)}.{node.attr}"
    return ast.unparse(node)


def _functions(tree: ast.AST) -> Iterator[ast.AST]:
    return (node for node in _walk(tree) if isinstance(node, _FUNCTIONS))


def _containers(body: list[ast.stmt]) -> set[str]:
    """Return the names that statements give to containers, empty ones or not."""
    found = set()
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _is_container(statement.value):
            one = isinstance(statement, ast.AnnAssign)
            targets = [statement.target] if one else statement.targets
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def _is_container(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        function = value.func.value if isinstance(value.func, ast.Subscript) else value.func
        return _last(_text(function)) in _CONTAINERS
    return isinstance(value, _DISPLAYS)


def _set_by_methods(node: ast.ClassDef) -> set[str]:
    """Return the attributes that the methods of a class set on its objects."""
    return {
        found.attr
        for found in _walk(node)
        if isinstance(found, ast.Attribute) and isinstance(found.ctx, ast.Store)
    }


def _changed(function: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield each object into which a function stores, or of which it calls a changing method."""
    yield from _stored(function)
    for node in _walk(function):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if is_call and node.func.attr in _CHANGES:
            yield node.lineno, _text(node.func.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.BitOr | ast.Add):
            yield node.lineno, _text(node.target)


def _stored(function: ast.AST) -> Iterator[tuple[int, str]]:
    for node in _walk(function):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield node.lineno, _text(node.value)


def _emptied_when_full(node: ast.If) -> Iterator[tuple[int, str]]:
    """Yield the objects from which an `if` with a length in its condition removes something."""
    for call in _walk(node):
        is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if is_call and call.func.attr in ("clear", "popitem") and "len(" in _text(node.test):
            yield call.lineno, _text(call.func.value)


def _memos_of(tree: ast.AST) -> set[str]:
    """Return the names to which a Memo is assigned; of attributes, only the last name."""
    found = set()
    for node in _walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_memo(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {_last(_text(target)) for target in targets}
    return found


def _is_memo(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and _text(value.func).partition("[")[0] == "Memo"


def _filled_when_missing(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Yield the objects that are searched for a key and, if it is missing, get a value under it.

    Only attributes are found: a function's own names do not outlive its call, and names of the
    module are found by other means. Registers, which return nothing, are no memories.
    """
    if not any(isinstance(node, ast.Return) and node.value for node in _walk(function)):
        return
    got: dict[str, str] = {}  # name of the result: object that was searched
    for node in _walk(function):
        if isinstance(node, ast.Assign | ast.NamedExpr) and isinstance(node.value, ast.Call):
            called = node.value.func
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(called, ast.Attribute) and called.attr == "get":
                got[_text(target)] = _text(called.value)
    for node in _walk(function):
        if isinstance(node, ast.If):
            asked = _asked(node.test, got)
            for line, name in _stored(node):
                if name in asked and "." in name:
                    yield line, name
        elif isinstance(node, ast.Call) and _text(node.func) == "setattr":
            yield node.lineno, _text(node.args[1])


def _asked(test: ast.expr, got: dict[str, str]) -> set[str]:
    """Return the objects that a condition searches: `key not in x`, or `y` after `y = x.get()`."""
    found = {got[node.id] for node in _walk(test) if isinstance(node, ast.Name) and node.id in got}
    for node in _walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            found.add(_text(node.comparators[0]))
    return found


def _made_when_missing(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Yield the attributes that are checked for None, set and returned."""
    attributes: dict[str, set[str]] = {"looked at": set(), "returned": set()}
    for node in _walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            attributes["returned"] |= _attributes_in(node.value)
        elif isinstance(node, ast.If) and (found := _attributes_in(node.test)):
            attributes["looked at"] |= found if "None" in _text(node.test) else set()
    both = attributes["looked at"] & attributes["returned"]
    if not both:
        return
    for node in _walk(function):
        is_stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if is_stored and _text(node) in both:
            yield node.lineno, _text(node)


def _attributes_in(node: ast.expr) -> set[str]:
    return {_text(one) for one in _walk(node) if isinstance(one, ast.Attribute)}


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def found_in(files: Iterable[Path]) -> dict[tuple[str, str], int]:
    """Return the memories of files, and the line of each."""
    return {
        (str(file.relative_to(ROOT)), name): line
        for file in files
        for line, name in memories_in(parsed(file))
    }


@pytest.mark.slow
def test_there_is_no_other_memory() -> None:
    found = found_in(sorted(ROOT.rglob("*.py")))
    others = sorted(found.keys() - ALLOWED.keys())
    shown = [f"tsvc/{file}:{found[file, name]} {name}" for file, name in others]
    assert shown == [], "use tsvc.memo.Memo"


def test_what_is_allowed_is_there() -> None:
    found = found_in({ROOT / file for file, _ in ALLOWED})
    assert sorted(ALLOWED.keys() - found.keys()) == []


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("_CACHE: dict = {}\ndef f(x):\n    _CACHE[x] = 1", "_CACHE"),
        ("_CACHE = dict()\ndef f(x):\n    return _CACHE.setdefault(x, 1)", "_CACHE"),
        ("_SEEN = []\ndef f(x):\n    _SEEN.append(x)", "_SEEN"),
        ("_SEEN = set()\nclass A:\n    def f(self):\n        _SEEN.add(self)", "_SEEN"),
        ("_SEEN = set()\ndef f(x):\n    global _SEEN\n    _SEEN |= {x}", "_SEEN"),
        ("_OLD = {1: 2}\nf = lambda x: _OLD.update({x: x})", "_OLD"),
        ("_OLD = OrderedDict[int, int]()\ndef f(x):\n    del _OLD[x]", "_OLD"),
        ("_OLD = collections.defaultdict(int)\ndef f(x):\n    _OLD[x] += 1", "_OLD"),
        ("_last = None\ndef f(x):\n    global _last\n    _last = x", "_last"),
        ("class A:\n    known = {}\n    def f(self, x):\n        self.known[x] = 1", "self.known"),
        ("class A:\n    known = {}\n    def f(self, x):\n        A.known[x] = 1", "A.known"),
        ("from functools import lru_cache", "lru_cache"),
        ("from functools import cache as kept, partial", "cache"),
        ("import functools\n@functools.cache\ndef f():\n    return 1", "cache"),
        ("def f():\n    made = {}\n    def g(x):\n        made[x] = 1\n    return g", "made"),
        ("class A:\n  def f(self, x):\n    if len(self.d) > 9:\n      self.d.clear()", "self.d"),
        (
            "class A:\n  def f(self, x):\n    y = self.d.get(x)\n    if y is None:\n"
            "      y = self.d[x] = 1\n    return y",
            "self.d",
        ),
        (
            "class A:\n  def f(self, x):\n    if x not in self.d:\n      self.d[x] = 1\n"
            "    return self.d[x]",
            "self.d",
        ),
        (
            "class A:\n  def f(self):\n    if self.d is None:\n      self.d = 1\n"
            "    return self.d",
            "self.d",
        ),
        ("class A:\n  def f(cls):\n    setattr(cls, '_d', 1)\n    return cls._d", "'_d'"),
    ],
)
def test_a_memory_is_found(source: str, name: str) -> None:
    assert name in [found for _, found in memories_in(ast.parse(source))]


@pytest.mark.parametrize(
    "source",
    [
        "_TABLE = {1: 2}\ndef f(x):\n    return _TABLE[x], _TABLE.get(x)",
        "_NAMES = {}\nfor x in range(9):\n    _NAMES[x] = x",
        "_KNOWN = Memo('known', 9)\ndef f(x):\n    _KNOWN[x] = 1",
        "def f(xs):\n    found = {}\n    for x in xs:\n        found[x] = 1\n    return found",
        "class A:\n    def __init__(self):\n        self.state = {}\n"
        "    def f(self, x):\n        self.state[x] = 1",
        "from functools import partial, wraps",
        "class A:\n  def __init__(self):\n    self.d = Memo('d', 9)\n  def f(self, x):\n"
        "    y = self.d.get(x)\n    if y is None:\n      y = self.d[x] = 1\n    return y",
        "class A:\n  def f(self, x):\n    self.d[x] = self.d.get(x, 0) + 1",
    ],
)
def test_what_is_no_memory_is_not_found(source: str) -> None:
    assert list(memories_in(ast.parse(source))) == []
