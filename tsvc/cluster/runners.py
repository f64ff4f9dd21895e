"""Locust's runners, reduced to what a cluster needs: membership, losses, messages.

Import it only through `link.load()`, because Locust sets a signal handler when it is imported.
Used of Locust: the greeting of a worker (`client_ready`, `ack`), the register of workers, the
reading loops, custom messages, the handling of a broken socket. Not used: users, their pacing,
statistics, the CPU monitor, the upload of logs and locustfiles, the end of the process. Messages
of other types than those below are dropped before Locust sees them, because some types of Locust
read files or start users.

Types of messages, with their sender and data:

    client_ready  worker  the version of Locust; the answer is `ack`, which is ignored
    join          worker  {speaks, name, facts}; `welcome` or `gone` is the answer
    welcome       coordinator  {lost_after_s}
    heartbeat     both    a worker's time; the answer has it and the coordinator's time
    tsvc          both    [kind, body]: a message that Hub or Spoke was asked to send
    gone          coordinator  why the worker is no longer admitted, or was not admitted
    quit          worker  nothing: it leaves
"""

import logging
from collections.abc import Callable, Mapping
from types import SimpleNamespace

import gevent
import locust.runners
from gevent.event import AsyncResult, Event
from locust import __version__ as locust_version
from locust.env import Environment
from locust.event import Events
from locust.rpc import Message
from locust.runners import MasterRunner, WorkerRunner

from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.errors import LinkError
from tsvc.cluster.lease import Heard, Lease
from tsvc.cluster.sockets import Call, Client, Listen, Received, Server
from tsvc.log import get_logger
from tsvc.values import dataclass
from tsvc.words import quoted

SPEAKS = 1  # the version of the messages above
_BEATS, _TICKS = 3, 6  # heartbeats, and checks for lost workers, within lost_after_s
_RETRY_S = 1.0
_LOOK_S = 0.05
_MOST_NAME = 64  # characters

_LOG = get_logger("cluster")


class _ToOurLog(logging.Handler):
    """Writes Locust's warnings and errors to our log; Locust has no other handlers here."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            _LOG.failure("locust", error, says=record.getMessage())
        else:
            _LOG.warning("locust", says=record.getMessage())


def _tame() -> None:
    # Locust makes its sockets by these two names.
    locust.runners.rpc = SimpleNamespace(Server=Server, Client=Client)
    logger = logging.getLogger("locust")
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    logger.handlers = [_ToOurLog()]


_tame()


def _guarded(what: str, function: Callable[..., None], *arguments: object) -> None:
    """Call a callback; an error in it ends neither this link nor those of other workers."""
    try:
        function(*arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is
        _LOG.failure("a message was not dealt with", error, what=what)


class _Quiet:
    """Switches off the work of Locust's runners that is not needed here."""

    def monitor_cpu_and_memory(self) -> None:
        """Monitor nothing."""

    def stats_reporter(self) -> None:
        """Report nothing."""

    def logs_reporter(self) -> None:
        """Upload nothing."""

    def check_stopped(self) -> None:
        """Check no users of workers."""

    def get_worker_index(self, _identity: str) -> int:
        """Return -1: past workers are not remembered."""
        return -1


@dataclass
class _Member:
    """A connection that has greeted the coordinator."""

    key: str
    heard: Heard
    name: str = ""  # "" until it has joined
    has_spoken: bool = True  # since the last check for lost workers


class Coordinator(_Quiet, MasterRunner):
    """The coordinator's runner. Errors: LinkError if it can't listen there."""

    server: Server

    def __init__(
        self,
        listen: Listen,
        lost_after_s: float,
        *,
        on_message: Callable[[str, str, object], None],
        on_join: Callable[[str, Mapping[str, object]], None],
        on_lost: Callable[[str, str], None],
    ) -> None:
        self._lost_after_s = lost_after_s
        self._on_message, self._on_join, self._on_lost = on_message, on_join, on_lost
        self._members: dict[str, _Member] = {}  # by the identity of the connection
        self._identities: dict[str, str] = {}  # by name, of those that have joined
        # Seconds in which this loop ran. While the process was stopped no message could be read,
        # so this time makes no worker lost: messages sent meanwhile are read first.
        self._attended = 0.0
        try:
            super().__init__(Environment(events=Events()), listen, listen.port)
        except LinkError:
            self.greenlet.kill(block=False)
            raise
        self.register_message("tsvc", self._deliver)

    def heartbeat_worker(self) -> None:
        """Check for lost workers, as long as the runner exists."""
        tick_s = self._lost_after_s / _TICKS
        last = SYSTEM_CLOCK.now()
        while True:
            gevent.sleep(tick_s)
            if self.connection_broken:
                self.reset_connection()
                continue
            now = SYSTEM_CLOCK.now()
            self._attended += min(now - last, 2 * tick_s)
            last = now
            for identity, member in list(self._members.items()):
                # The noted time is never before the message, so a lease ends before the loss.
                if member.has_spoken and member.heard.note(self._attended):
                    member.has_spoken = False
                elif member.heard.is_lost(self._attended):
                    self._lose(identity, f"nothing heard for {self._lost_after_s:g} s")

    def handle_message(self, identity: str, msg: Received) -> None:
        """Handle a message of a worker; drop and count a message that is not expected."""
        member = self._members.get(identity)
        if member is not None:
            if msg.key != member.key:
                self.server.dropped += 1
                return  # another connection that uses the same identity
            member.has_spoken = True
        if msg.type == "client_ready" and isinstance(msg.data, str):
            if member is None:
                heard = Heard(self._lost_after_s, self._attended)
                self._members[identity] = _Member(msg.key, heard)
            super().handle_message(identity, msg)
        elif member is None and msg.type == "heartbeat":
            self._tell_gone(identity, "the coordinator does not know this worker any more")
        elif member is None:
            self.server.dropped += 1
        elif msg.type == "heartbeat":
            moments = [msg.data, SYSTEM_CLOCK.now()]
            self.server.send_to_client(Message("heartbeat", moments, identity))
        elif msg.type == "join":
            self._join(identity, member, msg.data)
        elif msg.type == "tsvc" and member.name:
            super().handle_message(identity, msg)
        elif msg.type == "quit":
            super().handle_message(identity, msg)
            self._lose(identity, "it has left")
        else:
            self.server.dropped += 1

    def _join(self, identity: str, member: _Member, data: object) -> None:
        body = data if isinstance(data, dict) else {}
        name, facts = body.get("name"), body.get("facts")
        if member.name:
            self._welcome(identity)  # the worker has sent `join` twice
        elif body.get("speaks") != SPEAKS:
            theirs = quoted(body.get("speaks"))
            why = f"it speaks version {theirs} of the link, the coordinator {SPEAKS}"
            self._lose(identity, why)
        elif (
            not isinstance(name, str) or not 0 < len(name) <= _MOST_NAME or not name.isprintable()
        ):
            self._lose(identity, f"a name has 1 to {_MOST_NAME} printable characters")
        elif not isinstance(facts, dict):
            self._lose(identity, "facts are an object")
        elif name in self._identities:
            self._lose(identity, f"there is a worker {quoted(name)} already")
        else:
            member.name = name
            self._identities[name] = identity
            self._welcome(identity)
            _guarded("join", self._on_join, name, facts)

    def _welcome(self, identity: str) -> None:
        body = {"lost_after_s": self._lost_after_s}
        self.server.send_to_client(Message("welcome", body, identity))

    def _deliver(self, environment: Environment, msg: Received) -> None:
        member = self._members[msg.node_id]
        match msg.data:
            case [str(kind), body]:
                _guarded(kind, self._on_message, member.name, kind, body)
            case _:
                self.server.dropped += 1

    def _lose(self, identity: str, why: str) -> None:
        member = self._forget(identity, why)
        if member.name:
            _guarded("lost", self._on_lost, member.name, why)

    def _forget(self, identity: str, why: str) -> _Member:
        member = self._members.pop(identity)
        self.clients.pop(identity, None)
        if member.name:
            del self._identities[member.name]
        self._tell_gone(identity, why)
        return member

    def _tell_gone(self, identity: str, why: str) -> None:
        self.server.send_to_client(Message("gone", why, identity))

    def peers(self) -> list[str]:
        """Return the names of the joined workers, in the order in which they joined."""
        return list(self._identities)

    def key_of(self, name: str) -> str:
        """Return the key of a joined worker, "" if there is none of that name."""
        identity = self._identities.get(name)
        return "" if identity is None else self._members[identity].key

    def send(self, name: str, kind: str, body: object) -> bool:
        """Send to a joined worker. Return False if it has not joined, or there is no room.

        Never waits. Errors: LinkError if the body can't be sent at all.
        """
        identity = self._identities.get(name)
        return identity is not None and self.server.send_to_client(
            Message("tsvc", [kind, body], identity)
        )

    def cut(self, name: str, why: str) -> None:
        """Remove a joined worker. Do nothing if there is none of that name."""
        identity = self._identities.get(name)
        if identity is not None:
            self._forget(identity, why)

    def allow(self, keys: frozenset[str], why: str) -> list[str]:
        """Admit only these keys. Remove workers with other keys, and return their names."""
        self.server.allow(keys)
        others = [one for one, member in self._members.items() if member.key not in keys]
        names = [self._forget(identity, why).name for identity in others]
        return [name for name in names if name]

    def close(self, why: str) -> None:
        """Send `gone` to all workers, and end. Blocks: up to 0.2 s."""
        self.greenlet.kill()
        for identity in list(self._members):
            self._tell_gone(identity, why)
        self.server.close()


class Worker(_Quiet, WorkerRunner):
    """A worker's runner. Blocks: until it has joined, up to `join_s`. Errors: LinkError."""

    client: Client

    def __init__(
        self,
        call: Call,
        name: str,
        facts: Mapping[str, object],
        join_s: float,
        *,
        on_message: Callable[[str, object], None],
        on_echo: Callable[[float, float, float], None],
        on_gone: Callable[[str], None],
    ) -> None:
        self._hello = {"speaks": SPEAKS, "name": name, "facts": dict(facts)}
        self._join_s = join_s
        self._on_message, self._on_echo, self._on_gone = on_message, on_echo, on_gone
        self._welcomed: AsyncResult[float] = AsyncResult()
        # If the coordinator does not echo in time, it may not have received the heartbeats and may
        # have given this worker up. By then the worker has noticed it too. None: not joined yet.
        self._heard: Lease | None = None
        self._asked = 0.0
        self._lost_after_s = 0.0
        self._is_over = False
        self._hurried = Event()
        self._beat_s = _RETRY_S
        self._place = f"{call.host}:{call.port}"
        try:
            super().__init__(Environment(events=Events()), call, call.port)
        except BaseException:
            self.close()
            raise

    def connect_to_master(self) -> None:
        """Greet the coordinator and join. Blocks: until it answers. Errors: LinkError."""
        self.register_message("tsvc", self._deliver)
        deadline = SYSTEM_CLOCK.now() + self._join_s
        while (left_s := deadline - SYSTEM_CLOCK.now()) > 0:
            # If the answers were only late, a second answer to each does no harm.
            self._asked = SYSTEM_CLOCK.now()
            self.client.send(Message("client_ready", locust_version, self.client_id))
            self.client.send(Message("join", self._hello, self.client_id))
            until = SYSTEM_CLOCK.now() + min(left_s, _RETRY_S)
            while (wait_s := until - SYSTEM_CLOCK.now()) > 0:
                self._welcomed.wait(min(wait_s, _LOOK_S))
                if self._welcomed.ready():
                    self._welcomed.get()  # raises the error if not admitted
                    self.client.unwatch()
                    return
                trouble, is_final = self.client.trouble()
                if is_final:
                    raise LinkError(f"{self._place}: {trouble}")
        trouble, _ = self.client.trouble()
        raise LinkError(f"{self._place}: no coordinator within {self._join_s:g} s: {trouble}")

    def heartbeat(self) -> None:
        """Send this process's time regularly, and check that the coordinator still answers."""
        while not self._is_over:
            now = SYSTEM_CLOCK.now()
            self._look(now)
            self.client.send(Message("heartbeat", now, self.client_id))
            self._hurried.clear()
            self._hurried.wait(self._beat_s)

    def heartbeat_timeout_checker(self) -> None:
        """Do nothing: heartbeat() checks this too, with one timer for both."""

    def pace(self, beat_s: float | None) -> None:
        """Send a heartbeat now and then every `beat_s` seconds; None: three in lost_after_s."""
        self._beat_s = beat_s or self._lost_after_s / _BEATS
        self._hurried.set()

    def _look(self, now: float) -> None:
        if self._heard is not None and not self._heard.is_held(now) and not self._is_over:
            self._end(f"the coordinator has answered nothing for {self._lost_after_s:g} s")

    def handle_message(self, msg: Message) -> None:
        """Handle a message of the coordinator; drop and count a message that is not expected."""
        now = SYSTEM_CLOCK.now()
        # Messages that waited while this process was stopped are from before it was given up.
        self._look(now)
        if self._is_over:
            return
        match msg.type, msg.data:
            case "ack", _:
                super().handle_message(msg)
            case "welcome", {"lost_after_s": float(lost_after_s)} if self._heard is None:
                self._heard = Lease(lost_after_s)
                self._heard.echoed(self._asked)
                self._lost_after_s = lost_after_s
                self._beat_s = lost_after_s / _BEATS
                self._welcomed.set(lost_after_s)
            case "welcome", _:
                pass  # `join` was sent twice
            case "gone", str(why):
                self._end(why)
            case "heartbeat", [float(sent), float(theirs)] if self._heard is not None:
                self._heard.echoed(sent)
                _guarded("echo", self._on_echo, sent, theirs, now)
            case "tsvc", [str(), _]:
                super().handle_message(msg)
            case _:
                self.client.dropped += 1

    def _deliver(self, environment: Environment, msg: Message) -> None:
        kind, body = msg.data
        _guarded(kind, self._on_message, kind, body)

    def _end(self, why: str) -> None:
        self._is_over = True
        if self._heard is None:
            self._welcomed.set_exception(LinkError(f"{self._place}: not admitted: {why}"))
        else:
            self._on_gone(why)

    def send(self, kind: str, body: object) -> bool:
        """Send to the coordinator. Return False if there is no room. Never waits.

        Errors: LinkError if the body can't be sent at all.
        """
        return self.client.send(Message("tsvc", [kind, body], self.client_id))

    def close(self) -> None:
        """Send `quit`, and end. Blocks: up to 0.2 s."""
        self.greenlet.kill()
        client: Client | None = vars(self).get("client")
        if client is not None:
            if self._heard is not None and not self._is_over:
                client.send(Message("quit", None, self.client_id))
            client.close()
