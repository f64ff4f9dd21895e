"""Long walks let others run: who walks over what a client has sent says how far it has come.

    for entry in entries:
        turns.walked()

What then happens is said by whoever has the walk done, for its own greenlet and no longer:

    with turns.given(look):  # look() lets others run, if it has been long
        compile_flow(document, settings)

Anywhere else (in an instance, in a machine, on the command line) walked() counts and nothing
switches. So pure rooms need not know what a greenlet is, and no function is handed down to them.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from sys import getrefcount
from typing import Any, TypeVar

T = TypeVar("T")

PORTION = 64  # things walked over between two looks: some hundred microseconds

_left = PORTION  # of all greenlets together: which one looks makes no difference
_look: ContextVar[Callable[[], object] | None] = ContextVar("look", default=None)
_held: ContextVar[list[object] | None] = ContextVar("held", default=None)


def walked(things: int = 1) -> None:
    """Count things walked over, each some microseconds of work: a token, a value, a member.

    Blocks: for a turn of others now and then, if they are to be given turns.
    """
    global _left
    _left -= things
    if _left <= 0:
        _left = PORTION
        look = _look.get()
        if look is not None:
            look()


def over(things: Iterable[T]) -> Iterator[T]:
    """Yield things that are walked over, and count them."""
    for one in things:
        walked()
        yield one


def _references_of_one_name() -> int:
    thing: list[object] = []
    return getrefcount(thing)


_OURS = _references_of_one_name()  # 2 as a rule; 1 where an argument is borrowed (Python 3.14)


def let_go(things: list[Any]) -> None:
    """Forget things, and what only they know, one by one; whoever else knows one keeps it.

    To free a million values takes a tenth of a second, if one object holds them all: so what
    nobody else refers to is taken apart, containers and objects of any kind.
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
    """Move some items of a list to the things to be forgotten; return what that was."""
    taken = thing[-PORTION:]
    del thing[-PORTION:]
    if thing:
        things.append(thing)
    things += filter(_holds, taken)
    return 1 + len(taken) // 4


def _holds(thing: object) -> bool:
    """Whether others may go with a thing."""
    return isinstance(thing, dict) or gc.is_tracked(thing)


def hold(*things: object) -> None:
    """Keep what may take long to be freed, until letting_go() ends, if the greenlet is in one."""
    held = _held.get()
    if held is not None:
        held += things


@contextmanager
def letting_go(look: Callable[[], object]) -> Iterator[None]:
    """At the end of a block, forget step by step what was held in it."""
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
    """Have `look` called now and then by walks of this greenlet, for the length of a block."""
    token = _look.set(look)
    try:
        yield
    finally:
        _look.reset(token)
