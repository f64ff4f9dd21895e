"""Whose request is being answered. The server says it, runs are counted by it.

A context variable, because a client is no parameter of any method: greenlets have a context each,
and what a request calls finds it without every method handing it on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

NOBODY = ""  # a caller inside this process: no limit applies to it

_CLIENT: ContextVar[str] = ContextVar("client", default=NOBODY)


def client() -> str:
    """Return the client of the request that this greenlet answers, else NOBODY."""
    return _CLIENT.get()


@contextmanager
def on_behalf_of(name: str) -> Iterator[None]:
    """Answer a request of this client within the block."""
    token = _CLIENT.set(name)
    try:
        yield
    finally:
        _CLIENT.reset(token)
