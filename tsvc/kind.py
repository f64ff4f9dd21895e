"""Kinds of gateways: one package each. All other code finds the kinds through this module.

A kind is a package with `KIND = Kind(...)` in its `__init__`. It has some of these parts, each a
module or a package:

    gateway     @gateway("<kind>"): the class that talks to the system under test
    operations  the types of test operations that use it
    params      Params: members of runs for it, other than the one that selects an instance
    run         @run_part: its work in every run, whatever the operations of the run are
    messages    @exchange("<protocol>"): how its messages are shown in ladders and reports
    recording   recorder("<kind>", …): makes operations of its messages in a capture
    fake        a stand-in for the peer, for `tsvc fake <kind>`

The kinds of this tree are the packages below tsvc.kinds. A kind from outside is a separate
package that names its Kind as an entry point of the group `tsvc.kinds`.

The Kind alone determines the parameter of ExecuteTest that selects an instance, `default_<kind>`
of the configuration and the option of run_test. It also determines the dissector of captures, the
page of the reference and the sample of `etc/tsvc.toml`. Its `__init__` must import only this
module, because the command line imports it too.
"""

import importlib
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from types import MappingProxyType, ModuleType

from tsvc.registry import DuplicateName, NearFinder, modules_of
from tsvc.values import dataclass

ENTRY_POINTS = "tsvc.kinds"

# An underscore begins the label of a selection: db_hlr.
_NAME = re.compile(r"[a-z][a-z0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The description of a kind, known before any other code of the kind is imported."""

    name: str
    """`module = "<name>"` of an application, and the parameter that selects one."""

    title: str
    """The name in a sentence: "PI", "Diameter"."""

    package: str
    """The package that holds its parts; `__name__` of the module that declares it."""

    purpose: str
    """One sentence for the reference: the system that a gateway of this kind talks to."""

    example: str
    """A table that works, in TOML, for the reference and the sample of the configuration."""

    guide: str = ""
    """Its page in docs/guide, without `.md`; empty: named like the kind, or there is none."""

    is_labelled: bool = False
    """True if operations may name an instance by a label: `db.<label>.<method>`, `db_<label>`."""

    dissector: str = ""
    """Wireshark's dissector of messages that a capture shows without TCP; empty: data."""

    words: tuple[str, ...] = ()
    """First words of the names of its operations and protocols, other than the kind's name."""

    fake: str = ""
    """The class of its part `fake` that `tsvc fake` starts; empty: there is none."""

    fake_name: str = ""
    """Its name in `tsvc fake`; empty: the name of the kind."""

    def part(self, name: str) -> ModuleType:
        """Return the module of one of its parts, imported. Errors: ImportError."""
        return importlib.import_module(f"{self.package}.{name}")


class KindError(Exception):
    """A kind from outside can't be used; the text names it and says why."""


def kinds() -> Mapping[str, Kind]:
    """Return all kinds by name, in the order of names. Blocks: on their files, the first time.

    Errors: DuplicateName if two have the same name, KindError if an entry point is not a kind.
    """
    if not _known:
        found: dict[str, Kind] = {}
        for kind in (*_of_the_tree(), *_from_outside()):
            if not _NAME.fullmatch(kind.name):
                raise KindError(f"{kind.name!r} is no name of a kind: lower case, then digits")
            if kind.name in found:
                raise DuplicateName(f"two kinds of gateways are named {kind.name!r}")
            found[kind.name] = kind
        _known.update(sorted(found.items()))
    return MappingProxyType(_known)


def parts(name: str) -> NearFinder:
    """Return a finder of one part of every kind: its module, or the modules of its package.

    If the finder gets a word, it yields only the kinds with this name or with it among `words`.
    """

    def find(word: str | None) -> Iterator[str]:
        for kind in kinds().values():
            if word is not None and word != kind.name and word not in kind.words:
                continue
            module = f"{kind.package}.{name}"
            spec = find_spec(module)
            if spec is not None and spec.submodule_search_locations is not None:
                yield from modules_of(module)()
            elif spec is not None:
                yield module

    return find


def are_from_outside() -> bool:
    """Return True if some kind comes from outside this tree."""
    return any(not kind.package.startswith("tsvc.kinds.") for kind in kinds().values())


def is_selection(name: str) -> bool:
    """Return True if a parameter's name selects an instance: `pi`, `db`, `db_<label>`."""
    kind = kinds().get(name.partition("_")[0])
    return kind is not None and (name == kind.name or kind.is_labelled)


def label_prefixes() -> tuple[str, ...]:
    """Return the prefixes of the parameters of labelled selections: ("db_", "rest_")."""
    return tuple(f"{kind.name}_" for kind in kinds().values() if kind.is_labelled)


_known: dict[str, Kind] = {}


def _of_the_tree() -> Iterator[Kind]:
    for name in modules_of("tsvc.kinds")():
        found = getattr(importlib.import_module(name), "KIND", None)
        if isinstance(found, Kind):
            yield found


def _from_outside() -> Iterator[Kind]:
    for point in entry_points(group=ENTRY_POINTS):
        try:
            found = point.load()
        except BaseException as error:
            raise KindError(f"entry point {point.name} = {point.value}: {error}") from error
        if not isinstance(found, Kind):
            raise KindError(f"entry point {point.name} = {point.value} is no Kind")
        yield found
