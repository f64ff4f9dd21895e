"""The pi gateway: commands to a Provisioning Interface over a pool of TCP connections."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gevent import socket
from marshmallow import ValidationError

from tsvc.clock import Clock
from tsvc.deadline import Deadline
from tsvc.errors import GatewayError, LocalProtocolError, RemoteProtocolError, failure
from tsvc.gateways.gateway import GatewayContext, GatewayState, gateway
from tsvc.gateways.pooled import PooledGateway
from tsvc.protocols.pi.codec import Codec, Reply, Status, Unreadable, unreadable
from tsvc.protocols.pi.dialect import Dialect, dialect_problems
from tsvc.results.records import Tap
from tsvc.schema.fields import Boolean, Choice, Integer, Number, String
from tsvc.schema.table import Table, member, table
from tsvc.transport.driver import ends_of
from tsvc.transport.pool import Pool

DEFAULT_PORT = 4999
_READ_OCTETS = 65536
_MANY = 100  # failures: a number that gives the longest pause
_COUNTERS = {Status.ACK: "acks", Status.NACK: "nacks", Status.UNREADABLE: "failures"}
_MOST_BLANKS = 3  # packets of line ends behind an answer
_DIALECT = Dialect()


@table
class PiConfig(Table):
    """`[application.NAME]` with module = "pi"."""

    remote_host: str = member(String(1, required=True, help="the server"))
    remote_port: int = member(Integer(1, 65535, default=DEFAULT_PORT, help="its port"))
    username: str = member(String(default="", help="who logs in"))
    password: str = member(
        String(default="", help="and how; `password_file` keeps it out of the file")
    )
    num_client_connections: int = member(
        Integer(
            1, 1000, default=2, help="most connections at once; each carries one command at a time"
        )
    )
    connect_timeout_s: float = member(
        Number(above=0, default=5.0, help="longest attempt to connect")
    )
    backlog_timeout_s: float = member(
        Number(0, default=10.0, help="longest wait for a free connection")
    )
    server_timeout_s: float = member(
        Number(above=0, default=10.0, help="longest wait for an answer, that to the login too")
    )
    reconnect_interval_s: float = member(
        Number(above=0, default=10.0, help="longest pause between attempts to connect")
    )
    login_format: str = member(
        String(default=_DIALECT.login_format, help="line of the login; empty: there is none")
    )
    login_ok_pattern: str = member(
        String(
            default=_DIALECT.login_ok_pattern,
            help="regular expression of the answer that lets us in",
        )
    )
    login_refused_pattern: str = member(
        String(
            default=_DIALECT.login_refused_pattern,
            help="and of the one that does not; group `info`: why",
        )
    )
    terminator: str = member(
        String(default=_DIALECT.terminator, help="end of every line, both ways")
    )
    command_format: str = member(
        String(
            default=_DIALECT.command_format, help="a command, with `{command}` and `{parameters}`"
        )
    )
    bare_command_format: str = member(
        String(default=_DIALECT.bare_command_format, help="a command without parameters")
    )
    parameter_separator: str = member(
        String(default=_DIALECT.parameter_separator, help="what stands between parameters")
    )
    ack_pattern: str = member(
        String(
            default=_DIALECT.ack_pattern,
            help="regular expression of an ACK; groups `command`, `info`",
        )
    )
    nack_pattern: str = member(String(default=_DIALECT.nack_pattern, help="and of a NACK"))
    synstamp: str = member(
        String(
            1,
            default=_DIALECT.synstamp,
            help="`off`, or the strftime format of a parameter SYNSTAMP sent last",
        )
    )
    has_local_synstamp: bool = member(
        Boolean(default=_DIALECT.has_local_synstamp, help="whether it is local time; else UTC")
    )
    mac: str = member(
        Choice(["none"], default="none", help="message authentication: none is known")
    )
    encoding: str = member(
        String(default=_DIALECT.encoding, help="Python's name of the character set")
    )
    max_line: int = member(Integer(default=_DIALECT.max_line, help="longest line that is taken"))

    def check_dialect(self) -> None:
        """Refuse an unusable dialect. A credential that would break the line is not shown."""
        dialect = dialect_of(self)
        problems = dict(dialect_problems(dialect))
        if not problems:
            try:
                Codec(dialect).login(self.username, self.password)
            except LocalProtocolError as error:
                problems[error.path or "login_format"] = error.text
        if problems:
            raise ValidationError({name: [text] for name, text in problems.items()})


def dialect_of(config: PiConfig) -> Dialect:
    """Return the dialect of a loaded configuration."""
    return Dialect(**{name: getattr(config, name) for name in Dialect.__slots__})


class PiUser:
    """Collects the lines that no command asked for, on the connections that it used last.

    The protocol has no ids: a line on a connection can only be meant for its last user.
    """

    def __init__(self) -> None:
        self.unexpected: list[str] = []
        self.connections: list[PiConnection] = []

    def look(self) -> None:
        """Check for further lines. Never switches."""
        for connection in self.connections:
            if connection.user is self:
                connection.is_usable()

    def leave(self) -> None:
        """Stop watching for lines."""
        for connection in self.connections:
            if connection.user is self:
                connection.user = None
        self.connections = []


class LoginRefused(GatewayError):
    """The server refused the login. An early retry could lock the user."""


@gateway("pi")
class PiGateway(PooledGateway):
    """Commands and their answers; a connection carries one command at a time."""

    Config = PiConfig
    config: PiConfig

    def __init__(self, name: str, config: PiConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._codec = Codec(dialect_of(config))
        self._pool = Pool(self._connect, config.num_client_connections, config.backlog_timeout_s)
        self._refusal: str | None = None
        self._refused_until = 0.0
        self._counters = {"requests": 0, "acks": 0, "nacks": 0, "failures": 0, "connects": 0}
        self._counters["unexpected_lines"] = 0

    @property
    def pool(self) -> Pool[Any]:
        return self._pool

    def counters(self) -> Mapping[str, int]:
        return self._counters

    def state_for(self, problem: GatewayError) -> GatewayState:
        is_refused = isinstance(problem, LoginRefused)
        return GatewayState.DOWN if is_refused else GatewayState.CONNECTING

    def pause_s(self, failures: int, problem: GatewayError) -> float:
        # Each refused login may bring the user closer to being locked.
        return super().pause_s(_MANY if isinstance(problem, LoginRefused) else failures, problem)

    # -- for operations ---------------------------------------------------------------------

    def request(
        self,
        command: str,
        parameters: Mapping[str, str | Sequence[str]],
        tap: Tap | None = None,
        user: PiUser | None = None,
    ) -> Reply:
        """Send a command and return the server's answer: an ACK, a NACK or an unreadable one.

        `user` collects lines that come besides the answer.
        Blocks: for a free connection up to backlog_timeout_s, for the answer up to
        server_timeout_s.
        Errors: LocalProtocolError if an argument can't be sent, with its path;
        GatewayError if there is no connection, no answer or an answer to another command.
        """
        octets = self._codec.command(command, parameters, self.context.clock.wall())
        self.require_up()
        self._counters["requests"] += 1
        try:
            with self._pool.lease() as connection:
                if tap is not None:
                    tap(True, octets, connection.ends)
                connection.use(user)
                reply = self._ask(connection, octets, command, tap)
                if reply.status is Status.UNREADABLE:
                    connection.spoil()
        except (GatewayError, RemoteProtocolError) as error:
            self._counters["failures"] += 1
            raise GatewayError(f"{self.name}: {error}") from None
        self._counters[_COUNTERS[reply.status]] += 1
        return reply

    def _ask(
        self, connection: "PiConnection", octets: bytes, command: str, tap: Tap | None
    ) -> Reply:
        received: list[bytes] = []
        try:
            line = connection.ask(octets, self.config.server_timeout_s, received)
        except RemoteProtocolError as error:
            return unreadable(str(error))
        finally:
            if tap is not None and received:
                tap(False, b"".join(received), connection.ends)
        try:
            return self._codec.reply(line, command)
        except Unreadable as error:
            return unreadable(str(error), line)

    def _on_unexpected(self) -> None:
        self._counters["unexpected_lines"] += 1

    # -- connections ------------------------------------------------------------------------

    def _connect(self) -> "PiConnection":
        """Return a connection that is logged in. Blocks; errors: GatewayError."""
        host, port = self.config.remote_host, self.config.remote_port
        if self._refusal is not None and self.context.clock.now() < self._refused_until:
            raise LoginRefused(self._refusal)
        try:
            sock = socket.create_connection((host, port), self.config.connect_timeout_s)
        except (OSError, UnicodeError) as error:
            raise failure(f"{host}:{port}", error) from None
        connection = PiConnection(sock, self._codec, self.context.clock, self._on_unexpected)
        try:
            self._log_in(connection)
        except BaseException:
            connection.close()
            raise
        self._counters["connects"] += 1
        return connection

    def _log_in(self, connection: "PiConnection") -> None:
        octets = self._codec.login(self.config.username, self.config.password)
        if octets is None:
            return
        try:
            line = connection.ask(octets, self.config.server_timeout_s)
            refusal = self._codec.login_refusal(line)
        except (GatewayError, RemoteProtocolError) as error:
            raise GatewayError(f"login: {self._masked(str(error))}") from None
        self._refusal = None
        if refusal is not None:
            # While others are logged in, each caller would retry. So wait for the shortest retry
            # pause.
            pause = self.config.reconnect_interval_s / 2
            self._refused_until = self.context.clock.now() + pause
            self._refusal = f"login refused: {self._masked(refusal)}"
            raise LoginRefused(self._refusal)

    def _masked(self, text: str) -> str:
        """Return a text without the password: a server may repeat it."""
        password = self.config.password
        return text.replace(password, "***") if password else text


class PiConnection:
    """One TCP connection, for one command at a time. `user`: its last user."""

    def __init__(
        self, sock: socket.socket, codec: Codec, clock: Clock, on_unexpected: Callable[[], None]
    ) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = sock
        self._lines = codec.lines()
        self._clock = clock
        self._on_unexpected = on_unexpected
        self._is_spoilt = False
        self.ends = ends_of(sock)
        self.user: PiUser | None = None

    def use(self, user: PiUser | None) -> None:
        """Set the user of the connection."""
        self.user = user
        if user is not None and self not in user.connections:
            user.connections.append(self)

    def spoil(self) -> None:
        """Exclude the connection from further use."""
        self._is_spoilt = True

    def ask(self, octets: bytes, timeout_s: float, octets_in: list[bytes] | None = None) -> str:
        """Send a line and return the next line that comes. `octets_in` receives all octets,
        except blanks before the line.

        Blocks: up to timeout_s. Errors: GatewayError, RemoteProtocolError; then the connection
        can't be used any more.
        """
        self._socket.settimeout(None)
        try:
            with Deadline(timeout_s, TimeoutError):
                found = self._exchange(octets, self._clock.now() + 2 * timeout_s, octets_in)
        except TimeoutError:
            raise GatewayError(f"no answer within {timeout_s:g} s") from None
        except OSError as error:
            raise failure("connection lost", error) from None
        # More than one answer: the next command must not receive the rest.
        self._is_spoilt = len(found) > 1 or self._lines.has_rest
        for line in found[1:]:
            self._tell(line)
        if self._lines.has_rest:
            self._tell("")
        return found[0]

    def _exchange(self, octets: bytes, latest: float, octets_in: list[bytes] | None) -> list[str]:
        """Send octets and return the lines that come, at least one. Blocks: until then.

        Errors: OSError, GatewayError, RemoteProtocolError; TimeoutError if a peer sends so much
        that the reader never waits, so that no timer can end it before `latest`.
        """
        self._socket.sendall(octets)
        found: list[str] = []
        while not found:
            if self._clock.now() > latest:
                raise TimeoutError
            received = self._socket.recv(_READ_OCTETS)
            if not received:
                rest = " in the middle of an answer" if self._lines.has_rest else ""
                raise GatewayError(f"the server closed the connection{rest}")
            if octets_in is not None:
                octets_in.append(received)
            found = self._lines.feed(received)
            if octets_in is not None and not found and not self._lines.has_rest:
                octets_in.clear()  # blanks before a line do not belong to it, and may never end
        return found

    def _tell(self, line: str) -> None:
        """Give the user a line that no command asked for, "" for an incomplete line."""
        self._on_unexpected()
        if self.user is not None:
            self.user.unexpected.append(line)

    def is_usable(self) -> bool:
        """Return True if nothing, not even an end, has come since the answer. Never switches."""
        if self._is_spoilt:
            return False
        try:
            self._socket.setblocking(False)
            # Line ends after an answer are ignored, but a peer that never stops sends garbage.
            for _ in range(_MOST_BLANKS):
                octets = self._socket.recv(_READ_OCTETS)
                if octets.strip():
                    self._tell(octets.strip().decode("latin-1"))
                if not octets or octets.strip():
                    break
        except BlockingIOError:
            return True
        except OSError:
            pass
        self._is_spoilt = True
        return False

    def close(self) -> None:
        """Close the socket, even while a greenlet waits on it."""
        self._is_spoilt = True
        self._socket.close()
