"""Requests of a server find the instance of their session; not too many are held for it."""

from typing import Any

from tsvc.kinds.diameter.sessions import (
    MAX_WAITING,
    TOO_BUSY,
    UNKNOWN_SESSION_ID,
    Registration,
    ServerRequest,
    Sessions,
)

REQUEST: Any = ServerRequest(None, None, b"")  # type: ignore[arg-type]  # its members are not read


def test_nobody_waits() -> None:
    assert Sessions().offer("one", REQUEST) == UNKNOWN_SESSION_ID


def test_too_many_that_nobody_takes() -> None:
    sessions, busy, other = Sessions(), Registration("busy"), Registration("other")
    sessions.add(busy)
    sessions.add(other)
    assert {sessions.offer("busy", REQUEST) for _ in range(MAX_WAITING)} == {0}
    assert sessions.offer("busy", REQUEST) == TOO_BUSY
    assert sessions.offer("other", REQUEST) == 0
    assert busy.receive(0) is REQUEST
    assert sessions.offer("busy", REQUEST) == 0
