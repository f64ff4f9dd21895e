"""Every memory of the process: results that are kept so that they are not computed again.

Values that repeat in a load (numbers, addresses, portions of messages, arguments without
expressions) are read or written once and remembered. A memory may change only how long something
takes. To prove this, all memories can be switched off at once:

    with memo.off():
        ...  # no remembered value is used here, and no value is remembered

There is one kind of memory, Memo. It has a bound: when it is full, it is cleared, so it needs no
bookkeeping while there is room. A Shortcut also exists for speed only: it is a second, faster
way to a result that the general way gives too. It has the same switch.

Registries, tables that are made when the program is loaded, and the state of work in progress are
not memories: without them something would be lost. Memories of other kinds (functools.cache, a
dict that a function fills) are refused by tests/unit/test_no_other_memories.py.

Pure; blocks nothing. The list of memories holds weak references: a memory that belongs to an
object is freed with the object.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakValueDictionary

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
P = ParamSpec("P")
R = TypeVar("R")

_serial = count()
_memos: "WeakValueDictionary[int, Memo[Any, Any]]" = WeakValueDictionary()
_shortcuts: "WeakValueDictionary[int, Shortcut[..., Any]]" = WeakValueDictionary()
_blocks = 0  # how many blocks of off() are open
_put = dict.__setitem__


class Memo(dict[K, V]):
    """A bounded memory: a dict that may lose its entries at any time.

    name:     says what is remembered, for all().
    most:     the number of entries; one more, and the memory is cleared first.
    make:     makes the value for a key that is not there, so that a caller only needs `memo[key]`.
              Without it `memo[key]` raises KeyError and `memo.get(key)` returns None.
    longest:  octets and characters of a key, see size; a longer key's value is made each time.
    size:     returns the length of a key; normally octets_in.

    Reading is that of a dict. Where every tenth of a microsecond counts, keep `memo.get`: it is as
    fast as a plain dict's. Write only with `memo[key] = value` or put(). An error that `make`
    raises is not remembered. Remembered values are shared: nobody may change them.
    """

    __slots__ = ("__weakref__", "_longest", "_make", "_room", "_size", "most", "name")

    def __init__(
        self,
        name: str,
        most: int,
        make: Callable[[K], V] | None = None,
        *,
        longest: int | None = None,
        size: Callable[[K], int] | None = None,
    ) -> None:
        if most < 1:
            raise ValueError(f"{name}: a memory of {most} entries")
        super().__init__()
        self.name = name
        self.most = most
        self._make = make
        self._longest = longest
        self._size: Callable[[K], int] = octets_in if size is None else size
        self._room = 0  # allowed entries: `most`, or 0 while memories are off
        _memos[next(_serial)] = self
        self.switch()

    def switch(self) -> None:
        """Clear the memory, and follow the switch of all memories."""
        self._room = 0 if _blocks else self.most
        self.clear()

    def __missing__(self, key: K) -> V:
        """Make the value of a key and remember it. Errors: those of make; KeyError without it."""
        if self._make is None:
            raise KeyError(key)
        value = self._make(key)
        self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        """Remember a value, unless its key is too long or memories are off.

        The same as `memo[key] = value`, and faster.
        """
        if self._longest is not None and self._size(key) > self._longest:
            return
        if len(self) >= self._room:
            self.clear()
            if not self._room:
                return
        _put(self, key, value)
        if not self._room:  # a thread has switched memories off in between
            self.clear()

    __setitem__ = put

    # These would write past the bound and the switch.
    setdefault = update = __ior__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<memory of {self.name}: {len(self)} of {self.most}>"


def octets_in(key: object) -> int:
    """Return how many octets and characters a key holds: its own, or those of its members."""
    if isinstance(key, bytes | str):
        return len(key)
    return sum(map(octets_in, key)) if isinstance(key, tuple) else 0


class Shortcut(Generic[P, R]):
    """A faster way to a result that the general way gives too, for the usual case.

    Call `take`: it returns what `way` returns, or None if the general way is needed. It always
    returns None while memories are off. The call costs no more than a call of `way` itself.
    """

    __slots__ = ("__weakref__", "_way", "name", "take")

    def __init__(self, name: str, way: Callable[P, R | None]) -> None:
        self.name = name
        self._way = way
        self.take: Callable[P, R | None] = way
        _shortcuts[next(_serial)] = self
        self.switch()

    def switch(self) -> None:
        """Open or close the way, following the switch of all memories."""
        self.take = _nothing if _blocks else self._way


def _nothing(*_: object, **__: object) -> None:
    """Return None: the general way is needed."""


def all() -> list[Memo[Any, Any]]:
    """Return all memories, in the order in which they were made."""
    return list(_memos.values())


def shortcuts() -> list[Shortcut[..., Any]]:
    """Return all shortcuts."""
    return list(_shortcuts.values())


def is_off() -> bool:
    """Return True if memories are off, for code that prepares values to be remembered."""
    return _blocks > 0


@contextmanager
def off() -> Iterator[None]:
    """Switch every memory and every shortcut of the process off for the length of a block.

    All memories, also those that are made in the block, are empty when the block begins and when
    it ends. Blocks may be nested; the switch belongs to the process, not to a greenlet.
    """
    global _blocks
    _blocks += 1
    try:
        _switch()
        yield
    finally:
        _blocks -= 1
        _switch()


def _switch() -> None:
    for shortcut in shortcuts():
        shortcut.switch()
    for memory in all():
        memory.switch()
