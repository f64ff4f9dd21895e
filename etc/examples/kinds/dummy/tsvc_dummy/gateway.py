"""The dummy gateway: a pool of TCP connections, each for one question at a time."""

from collections.abc import Mapping
from typing import Any

from gevent import Timeout, socket

from tsvc.errors import GatewayError, failure
from tsvc.gateways.gateway import GatewayContext, gateway
from tsvc.gateways.pooled import PooledGateway
from tsvc.results.records import Tap
from tsvc.schema.fields import Integer, Number, String
from tsvc.schema.table import Table, member, table
from tsvc.transport.driver import ends_of
from tsvc.transport.pool import Pool

_LONGEST_LINE = 1000


@table
class DummyConfig(Table):
    """`[application.NAME]` with module = "dummy"."""

    remote_host: str = member(String(1, required=True, help="the service"))
    remote_port: int = member(Integer(1, 65535, default=7007, help="its port"))
    connections: int = member(Integer(1, 1000, default=2, help="most at once"))
    answer_timeout_s: float = member(
        Number(above=0, default=10.0, help="longest wait for an answer, and for a free connection")
    )
    reconnect_interval_s: float = member(
        Number(above=0, default=10.0, help="longest pause between attempts to connect")
    )


@gateway("dummy")
class DummyGateway(PooledGateway):
    """Questions and their answers."""

    Config = DummyConfig
    config: DummyConfig

    def __init__(self, name: str, config: DummyConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._pool = Pool(self._connect, config.connections, config.answer_timeout_s)
        self._counters = {"questions": 0, "refusals": 0, "failures": 0}

    @property
    def pool(self) -> Pool[Any]:
        return self._pool

    def counters(self) -> Mapping[str, int]:
        return self._counters

    def ask(self, word: str, tap: Tap) -> dict[str, Any]:
        """Return the answer to a question, a refusal too: {status: "OK" or "NO", text}.

        Blocks: for a free connection, and for the answer, up to answer_timeout_s each.
        Errors: GatewayError if there is no connection, no answer or none that can be read.
        """
        self.require_up()
        self._counters["questions"] += 1
        question = f"ASK {word}\n".encode()
        try:
            with self._pool.lease() as connection:
                tap(True, question, connection.ends)
                line = connection.ask(question, self.config.answer_timeout_s)
                tap(False, line, connection.ends)
                answer = read(line)
        except GatewayError as error:
            self._counters["failures"] += 1
            raise GatewayError(f"{self.name}: {error}") from None
        self._counters["refusals"] += answer["status"] == "NO"
        return answer

    def _connect(self) -> "DummyConnection":
        host, port = self.config.remote_host, self.config.remote_port
        try:
            return DummyConnection(socket.create_connection((host, port), 5.0))
        except OSError as error:
            raise failure(f"{host}:{port}", error) from None


def read(line: bytes) -> dict[str, Any]:
    """Return what an answer says. Errors: GatewayError if it is none."""
    status, _, text = line.decode("utf-8", "replace").rstrip("\n").partition(" ")
    if status not in ("OK", "NO"):
        raise GatewayError(f"{line[:40]!r} is no answer")
    return {"status": status, "text": text}


class DummyConnection:
    """One TCP connection, for one question at a time."""

    def __init__(self, sock: Any) -> None:
        self._socket = sock
        self.ends = ends_of(sock)

    def ask(self, question: bytes, timeout_s: float) -> bytes:
        """Return the next line. Blocks: up to timeout_s. Errors: GatewayError."""
        received = b""
        try:
            with Timeout(timeout_s, TimeoutError):
                self._socket.sendall(question)
                while not received.endswith(b"\n"):
                    octets = self._socket.recv(_LONGEST_LINE)
                    if not octets:
                        rest = " in the middle of an answer" if received else ""
                        raise GatewayError(f"the service closed the connection{rest}")
                    received += octets
                    if len(received) > _LONGEST_LINE:
                        raise GatewayError(f"a line of more than {_LONGEST_LINE} octets")
        except TimeoutError:
            raise GatewayError(f"no answer within {timeout_s:g} s") from None
        except OSError as error:
            raise failure("connection lost", error) from None
        if received.count(b"\n") > 1:
            raise GatewayError("more than one line for an answer")
        return received

    def is_usable(self) -> bool:
        """Return True if nothing has come since the last answer. Never switches."""
        try:
            self._socket.setblocking(False)
            self._socket.recv(1)
        except BlockingIOError:
            self._socket.setblocking(True)
            return True
        except OSError:
            return False
        return False

    def close(self) -> None:
        """Close the socket, also under somebody who waits in it."""
        self._socket.close()
