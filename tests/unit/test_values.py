"""Our dataclasses against those of the library: both decorate the same class body."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from support.each import each

from tsvc import values

T = TypeVar("T")

SETTINGS: tuple[dict[str, bool], ...] = (
    {},
    {"slots": True},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
    {"slots": True, "eq": False},
)
GIVEN = {"number": 7, "text": "seven"}


def _shape(decorator: Callable[..., Any], settings: dict[str, bool]) -> Any:
    @decorator(**settings)
    class Shape(Generic[T]):
        number: int
        text: str = "none"
        names: list[str] = field(default_factory=list)
        hidden: int = field(default=3, repr=False, compare=False)
        by_name: int = field(default=4, kw_only=True)
        later: str = field(init=False)
        made: dict[str, int] = field(init=False, default_factory=dict, compare=False)
        fixed: str = field(default="fixed", init=False)
        most: ClassVar[int] = 9

        def __post_init__(self) -> None:
            object.__setattr__(self, "later", f"{self.number} {self.text}")

    return Shape


def _both(settings: dict[str, bool]) -> tuple[Any, Any]:
    return _shape(values.dataclass, settings), _shape(dataclasses.dataclass, settings)


@each("settings", SETTINGS)
def test_what_is_made_is_the_same(settings: dict[str, bool]) -> None:
    ours, theirs = (class_(**GIVEN, names=["a"]) for class_ in _both(settings))
    assert repr(ours) == repr(theirs)
    assert asdict(ours) == asdict(theirs)
    assert (ours.hidden, ours.by_name, ours.made, ours.fixed, ours.most) == (3, 4, {}, "fixed", 9)
    assert repr(replace(ours, number=8)) == repr(replace(theirs, number=8))
    assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    assert type(ours).__match_args__ == type(theirs).__match_args__
    assert hasattr(ours, "__dict__") is hasattr(theirs, "__dict__")


@each("settings", SETTINGS)
def test_the_signature_is_the_same(settings: dict[str, bool]) -> None:
    ours, theirs = map(inspect.signature, _both(settings))
    assert [(one.name, one.kind) for one in ours.parameters.values()] == [
        (one.name, one.kind) for one in theirs.parameters.values()
    ]
    for class_ in _both(settings):
        with pytest.raises(TypeError, match="missing 1 required"):
            class_()
        with pytest.raises(TypeError, match="unexpected keyword"):
            class_(**GIVEN, later="given")


@each("settings", SETTINGS)
def test_defaults_that_are_made_belong_to_one(settings: dict[str, bool]) -> None:
    class_, _ = _both(settings)
    one, other = class_(number=1), class_(number=1)
    one.names.append("x")
    one.made["x"] = 1
    assert (other.names, other.made) == ([], {})


@each("settings", SETTINGS)
def test_comparison_and_hash_are_the_same(settings: dict[str, bool]) -> None:
    found = []
    for class_ in _both(settings):
        one = class_(**GIVEN)
        others = (
            class_(**GIVEN),
            class_(**GIVEN, hidden=5),
            class_(**GIVEN, by_name=5),
            class_(number=8),
            tuple(GIVEN.values()),
        )
        found.append(([one == other for other in others], class_.__hash__ is None))
    assert found[0] == found[1]


@each("decorator", (values.dataclass, dataclasses.dataclass))
def test_a_frozen_one_has_a_hash_and_refuses_changes(decorator: Callable[..., Any]) -> None:
    @decorator(frozen=True, slots=True)
    class Pair:
        one: int
        other: str

    @decorator(frozen=True, slots=True)
    class Single:
        one: int

    @decorator(frozen=True, slots=True)
    class Empty:
        pass

    assert hash(Pair(1, "a")) == hash((1, "a"))
    assert hash(Single(1)) == hash((1,))
    assert hash(Empty()) == hash(())
    assert Empty() == Empty()
    assert Single(1) != Pair(1, "a")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'one'"):
        Single(1).one = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'one'"):
        del Single(1).one


@each("decorator", (values.dataclass, dataclasses.dataclass))
def test_what_the_class_has_itself_stays(decorator: Callable[..., Any]) -> None:
    @decorator(frozen=True, slots=True)
    class Named:
        name: str

        def __repr__(self) -> str:
            return self.name

        def __hash__(self) -> int:
            return 5

    @decorator(frozen=True, slots=True)
    class Longer(Named):
        length: int = 0

    assert (repr(Named("x")), hash(Named("x"))) == ("x", 5)
    assert Longer("x", 1) == Longer("x", 1)
    assert Longer("x", 1) != Longer("x", 2)
    assert Longer.__slots__ == ("length",)
    assert isinstance(Longer("x"), Named)


@values.dataclass(frozen=True, slots=True)
class Kept:
    """A class at module level, where pickle finds it by its name."""

    number: int
    others: tuple["Kept", ...] = ()


def test_copies_and_pickles() -> None:
    kept = Kept(1, (Kept(2),))
    assert copy.deepcopy(kept) == kept == pickle.loads(pickle.dumps(kept))


def test_a_circle_has_a_text() -> None:
    @values.dataclass(slots=True)
    class Ring:
        name: str
        next: Any = None

    ring = Ring("a")
    ring.next = ring
    assert repr(ring).endswith("Ring(name='a', next=...)")


def test_without_a_text_its_name_is_one() -> None:
    @values.dataclass
    class Bare:
        number: int = 0

    assert Bare.__doc__ == "Bare"
    assert Bare(1) == Bare(1)
