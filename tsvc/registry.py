"""One new thing = one new file: packages whose modules register themselves.

A registry belongs to one package. load() imports every module of that package in name order;
each registers its objects under a name; a name taken twice is a start-up error.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class DuplicateName(Exception):
    """Two modules registered the same name: a mistake in the tree, found at start-up."""


class Registry(Generic[T]):
    """Objects by name, filled by the modules of one package when they are imported."""

    def __init__(self, package: str, noun: str) -> None:
        self._package = package
        self._noun = noun
        self._items: dict[str, T] = {}
        self._is_loaded = False

    def register(self, name: str, item: T) -> T:
        """Add an item; raises DuplicateName if the name is taken."""
        if name in self._items:
            raise DuplicateName(f"two {self._noun}s are named {name!r}")
        self._items[name] = item
        return item

    def load(self) -> None:
        """Import every module of the package once, in name order."""
        if self._is_loaded:
            return
        self._is_loaded = True
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            if not module.name.startswith("_"):
                importlib.import_module(f"{self._package}.{module.name}")

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
