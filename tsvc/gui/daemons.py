"""The daemons that are shown, by name, and calls of their methods."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from tsvc.client import Client, Unreachable
from tsvc.client.client import LONGEST_WAIT_S
from tsvc.gui.asked import Refusal
from tsvc.values import dataclass
from tsvc.words import quoted

MOST_CALLS = 64  # at once to one daemon, so that a slow daemon does not use up all connections
LOOK_S = 5.0  # the longest that a poll waits for an answer


@dataclass(slots=True)
class Daemon:
    """One daemon: `client` for requests of browsers, `watcher` for the polls of the feed."""

    name: str
    client: Client
    watcher: Client
    _calls: int = field(default=0, repr=False)

    @property
    def address(self) -> str:
        """Host and port, for people."""
        host = f"[{self.client.host}]" if ":" in self.client.host else self.client.host
        return f"{host}:{self.client.port}"

    def call(self, method: str, params: Mapping[str, Any]) -> bytes:
        """Return the octets of the response object, unchanged.

        Blocks: up to the client's timeout, plus the wait_s in the params.
        Errors: Refusal 502 if there is no answer, 503 if too many calls wait for one.
        """
        given = params.get("wait_s")
        # The daemon refuses a wait_s that is out of range, so there is no wait for it.
        wait_s = min(max(0.0, given), LONGEST_WAIT_S) if isinstance(given, int | float) else 0.0
        with self.place():
            try:
                return self.client.forward(method, params, wait_s=wait_s)
            except Unreachable as error:
                raise Refusal(502, str(error)) from None

    @contextmanager
    def place(self) -> Iterator[None]:
        """Reserve one of MOST_CALLS calls for the length of a block. Errors: Refusal 503."""
        if self._calls >= MOST_CALLS:
            raise Refusal(503, f"{self.name}: {MOST_CALLS} calls wait for an answer already")
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1


Daemons = Mapping[str, Daemon]


def daemon_of(daemons: Daemons, name: object) -> Daemon:
    """Return a daemon by name. Errors: Refusal 404."""
    found = daemons.get(name) if isinstance(name, str) else None
    if found is None:
        raise Refusal(404, f"there is no daemon {quoted(name)}, there are: {', '.join(daemons)}")
    return found
