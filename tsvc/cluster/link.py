"""The link between a coordinator and its workers: `Hub` there, `Spoke` at each of them.

    hub = Hub("127.0.0.1:0", on_message=take, on_join=welcome, on_lost=missed)
    hub.start()
    spoke = Spoke(hub.endpoint, "w1", on_message=do, on_lost=stop)
    spoke.start()                             # joined
    spoke.send("snapshot", {"n": 1})          # take("w1", "snapshot", {"n": 1})

A peer is identified by its name. A body is a value that MessagePack carries (dict, list, str,
bytes, int of 64 bits, float, bool, None; a tuple arrives as a list), 8 MiB at most, and arrives
equal. Messages of one sender arrive in their order. A message may be missing if a connection broke
and came back within `lost_after_s`, so messages that must arrive are numbered and requested again.

A Spoke is one membership: when it is lost, a new Spoke is needed to join again, with the same name
or another one. Without keys both sides use only the loopback. The engine is Locust's
(docs/adr/0002), imported by load(); no other part of the product knows Locust.

Callbacks must return at once, because they run in the greenlet that reads. An error in a callback
is logged and ends nothing. Callbacks may send, but a callback of a Hub must not stop the Hub.
"""

import os
import signal
import socket
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING

import gevent

from tsvc.cluster.curve import HubKeys, SpokeKeys, public_of
from tsvc.cluster.errors import MISSING, ClusterUnavailable, LinkError
from tsvc.errors import reason
from tsvc.words import quoted

if TYPE_CHECKING:
    from tsvc.cluster.runners import Coordinator, Worker

__all__ = ["ClusterUnavailable", "Hub", "HubKeys", "LinkError", "Spoke", "SpokeKeys", "load"]

JOIN_S = 10.0
_NOT_PATCHING = "LOCUST_SKIP_MONKEY_PATCH"


def load() -> None:
    """Import the modules of a link, once. Call it where 0.2 s of CPU do no harm.

    Call it only in the main thread. Blocks: during the import. Errors: ClusterUnavailable.
    """
    # Locust patches the process when it is imported, and sets a handler for the terminal's size.
    before = os.environ.get(_NOT_PATCHING)
    resized = signal.getsignal(signal.SIGWINCH)
    os.environ[_NOT_PATCHING] = "1"
    try:
        import tsvc.cluster.runners  # noqa: F401
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == "tsvc":
            raise
        raise ClusterUnavailable(f"{MISSING} (no module {missing})") from None
    finally:
        signal.signal(signal.SIGWINCH, resized)
        if before is None:
            del os.environ[_NOT_PATCHING]
        else:
            os.environ[_NOT_PATCHING] = before


class Hub:
    """The coordinator's side of the link.

    on_join(peer, facts), on_message(peer, kind, body), on_lost(peer, why): see the module. A peer
    is lost if nothing was received from it for `lost_after_s` seconds in which this process ran,
    or if it leaves. on_lost is not called if the peer is cut, or its key is no longer allowed.
    """

    def __init__(
        self,
        listen: str,
        *,
        on_message: Callable[[str, str, object], None],
        on_join: Callable[[str, Mapping[str, object]], None],
        on_lost: Callable[[str, str], None],
        lost_after_s: float = 3.0,
        keys: HubKeys | None = None,
    ) -> None:
        self._listen = listen
        self._on_message, self._on_join, self._on_lost = on_message, on_join, on_lost
        self._lost_after_s = float(lost_after_s)
        self._keys = keys
        self._runner: Coordinator | None = None
        self.endpoint = listen  # HOST:PORT, the real port once it is started

    def start(self) -> None:
        """Listen. `listen` is HOST:PORT; port 0: any that is free; host *: all addresses.

        Blocks: while a name is looked up. Errors: LinkError, ClusterUnavailable.
        """
        load()
        from tsvc.cluster.runners import Coordinator
        from tsvc.cluster.sockets import Listen

        host, port = _address(self._listen, is_keyed=self._keys is not None)
        if self._keys is not None and public_of(self._keys.secret) != self._keys.public:
            raise LinkError("the coordinator's public key is not that of its secret key")
        listen = Listen(host, port, self._keys)
        self._runner = Coordinator(
            listen,
            self._lost_after_s,
            on_message=self._on_message,
            on_join=self._on_join,
            on_lost=self._on_lost,
        )
        self.endpoint = f"{host}:{listen.port}"

    def peers(self) -> list[str]:
        """Return the names of the joined peers, in the order in which they joined."""
        return [] if self._runner is None else self._runner.peers()

    def key_of(self, peer: str) -> str:
        """Return the public key of a peer; "" without keys, or if the peer has not joined."""
        return "" if self._runner is None else self._runner.key_of(peer)

    def send(self, peer: str, kind: str, body: object) -> bool:
        """Send a message. Return False if there is no such peer, or it does not read.

        Never blocks. Errors: LinkError if the body can't be sent at all.
        """
        return self._runner is not None and self._runner.send(peer, kind, body)

    def cut(self, peer: str, why: str = "the coordinator has cut it off") -> None:
        """Remove a peer: its messages are dropped until it joins again. Never blocks."""
        if self._runner is not None:
            self._runner.cut(peer, why)

    def allow(self, keys: frozenset[str], why: str = "its key is no longer allowed") -> list[str]:
        """Admit only these public keys from now on. Cut peers with other keys; return their names.

        The message to such a peer may get lost: the peer may then hold its lease until it ends.
        Never blocks.
        """
        if self._runner is None or self._keys is None:
            return []
        return self._runner.allow(keys, why)

    def refused(self) -> int:
        """Return how many connections were refused because of their key."""
        return 0 if self._runner is None else self._runner.server.refused

    def dropped(self) -> int:
        """Return how many messages were dropped: unreadable, or from peers that never joined."""
        return 0 if self._runner is None else self._runner.server.dropped

    def stop(self, why: str = "the coordinator has stopped") -> None:
        """Send `why` to all peers and end; no callback is called any more. Blocks: up to 0.2 s."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close(why)


class Spoke:
    """A worker's side of the link.

    on_message(kind, body), on_echo(sent, theirs, received): see the module. on_lost(why) is called
    once: when the coordinator has given this worker up, or may have done so, because it has
    answered nothing for its `lost_after_s`. The link is over then, and the callback may block.
    Later messages are not handled, also those that already wait in a socket. After stop() no
    callback is called.

    An echo answers each heartbeat; there are three in `lost_after_s` unless pace() changes that.
    `sent` is the time of the heartbeat and `received` that of the echo, by this process's
    monotonic clock. `theirs` is the coordinator's time in between. Leases and clock offsets use
    these times.
    """

    def __init__(
        self,
        coordinator: str,
        name: str,
        *,
        on_message: Callable[[str, object], None],
        on_lost: Callable[[str], None],
        on_echo: Callable[[float, float, float], None] = lambda sent, theirs, received: None,
        keys: SpokeKeys | None = None,
        facts: Mapping[str, object] = {},
    ) -> None:
        self._coordinator, self._name, self._facts = coordinator, name, facts
        self._on_message, self._on_echo, self._on_lost = on_message, on_echo, on_lost
        self._keys = keys
        self._runner: Worker | None = None

    def start(self, join_s: float = JOIN_S) -> None:
        """Join. Messages may come before this returns.

        Blocks: until joined, `join_s` seconds at most. Errors: LinkError, ClusterUnavailable.
        """
        load()
        from tsvc.cluster.runners import Worker
        from tsvc.cluster.sockets import Call

        host, port = _address(self._coordinator, is_keyed=self._keys is not None)
        if self._keys is not None and public_of(self._keys.secret) != self._keys.public:
            raise LinkError("the worker's public key is not that of its secret key")
        self._runner = Worker(
            Call(host, port, self._keys),
            self._name,
            self._facts,
            join_s,
            on_message=self._on_message,
            on_echo=self._on_echo,
            on_gone=self._end,
        )

    def send(self, kind: str, body: object) -> bool:
        """Send a message. Return False if the link is over, or the coordinator does not read.

        Never blocks. Errors: LinkError if the body can't be sent at all.
        """
        return self._runner is not None and self._runner.send(kind, body)

    def pace(self, beat_s: float | None = None) -> None:
        """Send a heartbeat now and then every `beat_s` seconds; None: the first interval.

        The heartbeats of many idle workers are the cost of an idle cluster. Never blocks.
        """
        if self._runner is not None:
            self._runner.pace(beat_s)

    def stop(self) -> None:
        """Leave; no callback is called any more. Blocks: up to 0.2 s."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()

    def _end(self, why: str) -> None:
        gevent.spawn(self._after, why)  # the greenlet that reads can't end itself

    def _after(self, why: str) -> None:
        if self._runner is not None:
            self.stop()
            self._on_lost(why)


def _address(text: str, *, is_keyed: bool) -> tuple[str, int]:
    """Return the IP address (in brackets if of version 6, or "*") and port of HOST:PORT.

    Blocks: while a name is looked up. Errors: LinkError; without keys also for all other addresses
    than the loopback.
    """
    host, colon, digits = text.rpartition(":")
    if not (host and colon and digits.isascii() and digits.isdigit() and int(digits) < 65536):
        raise LinkError(f"{quoted(text)} is not HOST:PORT")
    port = int(digits)
    if host != "*":
        try:
            (*_, found), *_ = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise LinkError(f"{text}: {reason(error)}") from None
        host = str(found[0])
    if not is_keyed and (host == "*" or not ip_address(host.partition("%")[0]).is_loopback):
        raise LinkError(f"{text}: other machines are reached with keys only")
    return f"[{host}]" if ":" in host else host, port
