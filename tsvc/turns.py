"""Cooperative yielding: long loops over a client's data let other greenlets run.

A loop calls walked() as a checkpoint for each item:

    for entry in entries:
        turns.walked()

The caller of the loop decides what a checkpoint does, for its own greenlet and for one block:

    with turns.given(look):  # look() lets other greenlets run if the last switch was long ago
        compile_flow(document, settings)

Anywhere else (in an instance, in a machine, on the command line) walked() only counts, and nothing
switches. So pure packages don't need to know greenlets, and no function is passed down to them.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from sys import getrefcount
from typing import Any, TypeVar

T = TypeVar("T")

PORTION = 64  # items between two calls of look(): some hundred microseconds

_left = PORTION  # shared by all greenlets: it makes no difference which one calls look()
_look: ContextVar[Callable[[], object] | None] = ContextVar("look", default=None)
_held: ContextVar[list[object] | None] = ContextVar("held", default=None)


def walked(things: int = 1) -> None:
    """Count items of a loop, each some microseconds of work: a token, a value, a member.

    Blocks: now and then, while other greenlets run, inside given().
    """
    global _left
    _left -= things
    if _left <= 0:
        _left = PORTION
        look = _look.get()
        if look is not None:
            look()


def over(things: Iterable[T]) -> Iterator[T]:
    """Yield the things, and count each as walked()."""
    for one in things:
        walked()
        yield one


def _references_of_one_name() -> int:
    thing: list[object] = []
    return getrefcount(thing)


_OURS = _references_of_one_name()  # usually 2; 1 where an argument is borrowed (Python 3.14)


def let_go(things: list[Any]) -> None:
    """Free things, and all that only they refer to, step by step.

    It takes a tenth of a second to free a million values that one object holds. So objects
    without other references are taken apart, containers and objects of any kind.
    """
    while things:
        thing = things.pop()
        if getrefcount(thing) > _OURS:
            size = 1
        elif isinstance(thing, list) and thing:
            size = _take_from(thing, things)
        elif type(thing) is dict and len(thing) > PORTION:
            pairs = [thing.popitem() for _ in range(PORTION)]
            things += [thing, *(item for pair in pairs for item in pair if _holds(item))]
            size = PORTION // 2
            del pairs
        elif isinstance(thing, tuple) and len(thing) > PORTION:
            below: list[object] = []
            for at in range(0, len(thing), PORTION):
                below += filter(_holds, thing[at : at + PORTION])
                walked(PORTION // 4)
            things.append(below)
            size = 1 + len(below) // 8
            del below
        else:
            size = 1
            things += filter(_holds, gc.get_referents(thing))
        del thing
        walked(size)


def _take_from(thing: list[Any], things: list[Any]) -> int:
    """Move some items of a list to the things to be freed; return how much work that was."""
    taken = thing[-PORTION:]
    del thing[-PORTION:]
    if thing:
        things.append(thing)
    things += filter(_holds, taken)
    return 1 + len(taken) // 4


def _holds(thing: object) -> bool:
    """Return True if a thing may refer to other objects, which are freed with it."""
    return isinstance(thing, dict) or gc.is_tracked(thing)


def hold(*things: object) -> None:
    """Keep things that take long to free until letting_go() ends, if the greenlet is in one."""
    held = _held.get()
    if held is not None:
        held += things


@contextmanager
def letting_go(look: Callable[[], object]) -> Iterator[None]:
    """Free the things that were held in a block step by step, at the end of the block."""
    held: list[object] = []
    token = _held.set(held)
    try:
        yield
    finally:
        _held.reset(token)
    with given(look):
        let_go(held)


@contextmanager
def given(look: Callable[[], object]) -> Iterator[None]:
    """Call `look` now and then from walked() in this greenlet, for the length of a block."""
    token = _look.set(look)
    try:
        yield
    finally:
        _look.reset(token)
