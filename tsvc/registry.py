"""One new thing = one new file: modules that register themselves.

A registry is given where its modules are: the modules of a package (modules_of), or a part of
each kind of gateway (tsvc.kind.parts). load() imports them all, in name order; each registers its
objects under a name; a name taken twice is a start-up error.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

# Names of the modules to import; called when the registry loads, not before.
Finder = Callable[[], Iterable[str]]


class DuplicateName(Exception):
    """Two modules registered the same name: a mistake in the tree, found at start-up."""


def modules_of(package: str) -> Finder:
    """Return a finder of a package's modules, less those that begin with an underscore."""

    def find() -> Iterator[str]:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            if not module.name.startswith("_"):
                yield f"{package}.{module.name}"

    return find


class Registry(Generic[T]):
    """Objects by name, filled by modules when they are imported."""

    def __init__(self, noun: str, *finders: Finder) -> None:
        self._noun = noun
        self._finders = finders
        self._items: dict[str, T] = {}
        self._is_loaded = False

    def register(self, name: str, item: T) -> T:
        """Add an item; raises DuplicateName if the name is taken."""
        if name in self._items:
            raise DuplicateName(f"two {self._noun}s are named {name!r}")
        self._items[name] = item
        return item

    def load(self) -> None:
        """Import every module that may register something, once. Blocks: on their files."""
        if self._is_loaded:
            return
        self._is_loaded = True
        for find in self._finders:
            for module in find():
                importlib.import_module(module)

    def get(self, name: str) -> T | None:
        """Return the item of that name, or None."""
        self.load()
        return self._items.get(name)

    def names(self) -> list[str]:
        """Return all names, sorted."""
        self.load()
        return sorted(self._items)

    def __iter__(self) -> Iterator[T]:
        self.load()
        return iter([self._items[name] for name in sorted(self._items)])
