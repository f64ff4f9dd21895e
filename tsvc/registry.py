"""Registries of modules that register themselves, so that a new thing needs only a new file.

A registry gets a finder of its modules: the modules of a package (modules_of), or a part of each
kind of gateway (tsvc.kind.parts). load() imports them all, in name order. Each module registers
its objects under a name. A name that is taken twice is an error of the second import.

The modules of a kind of gateway are imported on demand: the first word of a name tells the kind
(near()). To list all names, or to report that a name does not exist, all modules are imported
first.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from tsvc import turns

T = TypeVar("T")

# Returns the names of the modules to import. It is called when the registry loads, not before.
Finder = Callable[[], Iterable[str]]

# Returns the modules that should hold the names with a first word; None: all modules.
NearFinder = Callable[[str | None], Iterable[str]]


class DuplicateName(Exception):
    """Two modules registered the same name: a mistake in the tree, found at start-up."""


def modules_of(package: str) -> Finder:
    """Return a finder of a package's modules, without those that begin with an underscore."""

    def find() -> Iterator[str]:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            if not module.name.startswith("_"):
                yield f"{package}.{module.name}"

    return find


class Registry(Generic[T]):
    """Objects by name, filled by modules when they are imported."""

    def __init__(self, noun: str, find: Finder = tuple, near: NearFinder | None = None) -> None:
        self._noun = noun
        self._find = find
        self._find_near = near
        self._items: dict[str, T] = {}
        self._near: set[str | None] = set()  # words whose modules are imported; None: all

    def register(self, name: str, item: T) -> T:
        """Add an item and return it. Errors: DuplicateName if the name is taken."""
        if name in self._items:
            raise DuplicateName(f"two {self._noun}s are named {name!r}")
        self._items[name] = item
        return item

    def load(self) -> None:
        """Import every module that may register something, once. Blocks: on their files."""
        if None not in self._near:
            self._import(self._find())
            self._import(self._find_near(None) if self._find_near else ())
            self._near.add(None)

    def near(self, name: str) -> T | None:
        """Return the item of a name, or None. Import only the modules for its first word."""
        if None not in self._near:
            word = name.partition(".")[0]
            if self._find_near is None:
                self.load()
            elif word not in self._near:
                self._import(self._find())
                if self._import(self._find_near(word)):
                    self._near.add(word)
        return self._items.get(name)

    def get(self, name: str) -> T | None:
        """Return the item of that name, or None."""
        found = self.near(name)
        if found is None:
            self.load()
            found = self._items.get(name)
        return found

    def required(self, name: str) -> T:
        """Return the item of that name. Errors: LookupError, a mistake in the tree."""
        found = self.get(name)
        if found is None:
            raise LookupError(f"no {self._noun} {name}")
        return found

    def there(self) -> list[T]:
        """Return the items of the modules that are imported so far, in the order of names."""
        return [item for _, item in sorted(self._items.items())]

    def _import(self, modules: Iterable[str]) -> int:
        """Import modules, with a checkpoint after each, and return how many."""
        count = 0
        for module in modules:
            importlib.import_module(module)
            turns.walked(turns.PORTION)
            count += 1
        return count

    def names(self) -> list[str]:
        """Return all names, sorted."""
        self.load()
        return sorted(self._items)

    def __iter__(self) -> Iterator[T]:
        self.load()
        return iter([self._items[name] for name in sorted(self._items)])
