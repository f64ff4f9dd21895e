"""Every memory of the process: what was found once, kept so that it need not be found again.

What repeats in a load (numbers, addresses, portions of messages, arguments that have no
expression) is read or written once and remembered. A memory may change how long something takes
and nothing else; to show that, all of them are switched off at once:

    with memo.off():
        ...  # nothing that was remembered is used here, and nothing is remembered

There is one kind of memory, Memo. It has a bound: when it is full it forgets all and begins anew,
which costs no bookkeeping while there is room. A Shortcut is the other thing that is there for
speed only: a second, quicker way to what a general way finds too. It has the same switch.

Registries, tables that are made when the program is loaded and the state of what goes on are no
memories: without them something would be lost. Memories of other kinds (functools.cache, a dict
that a function fills) are refused by tests/unit/test_no_other_memories.py.

Pure; blocks nothing. Whole memories are found by weak references: one that belongs to an object
goes with it.
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
    """A bounded memory: a dict that may have forgotten, at any time, what was put into it.

    name:     what is remembered, for all().
    most:     entries; one more, and it forgets all and begins anew.
    make:     makes the value for a key that is not there: `memo[key]` is then all that a caller
              writes. Without it `memo[key]` raises KeyError and `memo.get(key)` gives None.
    longest:  octets and characters of a key, see size; what has a longer one is made each time.
    size:     tells how long a key is; normally octets_in.

    Reading is a dict's own. Where every tenth of a microsecond counts, keep `memo.get`: calling
    that is as fast as a plain dict's. Write with `memo[key] = value` or put() only. An error that
    `make` raises is not remembered. What is remembered is shared: nobody may change it.
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
        self._room = 0  # entries that may be in it now: `most`, none while memories are off
        _memos[next(_serial)] = self
        self.switch()

    def switch(self) -> None:
        """Begin anew, as memories are now: on or off."""
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
    """A quicker way to what a general way finds too, for what is usual.

    Call `take`: it returns what `way` returns, None for what has to go the general way; always
    None while memories are off. It costs no more than `way` itself.
    """

    __slots__ = ("__weakref__", "_way", "name", "take")

    def __init__(self, name: str, way: Callable[P, R | None]) -> None:
        self.name = name
        self._way = way
        self.take: Callable[P, R | None] = way
        _shortcuts[next(_serial)] = self
        self.switch()

    def switch(self) -> None:
        """Open or close the way, as memories are now."""
        self.take = _nothing if _blocks else self._way


def _nothing(*_: object, **__: object) -> None:
    """Take no way."""


def all() -> list[Memo[Any, Any]]:
    """Return all memories that there are, in the order in which they were made."""
    return list(_memos.values())


def shortcuts() -> list[Shortcut[..., Any]]:
    """Return all shortcuts that there are."""
    return list(_shortcuts.values())


def is_off() -> bool:
    """Return whether memories are off, for code that would prepare what is to be remembered."""
    return _blocks > 0


@contextmanager
def off() -> Iterator[None]:
    """Switch every memory and every shortcut of the process off for the length of a block.

    All memories are empty when the block begins, those that are made in it included, and when it
    ends. Blocks may be in each other; the switch is that of the process, not of a greenlet.
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
