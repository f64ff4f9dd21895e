"""A real interface on a real port, with a few methods for the tests.

Nothing is patched: server and clients are greenlets of one process and use gevent's sockets.
"""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import gevent.event
import pytest
from gevent import socket
from support.waiting import GUARD_S, hang, settles
from support.witness import Witness

from tsvc.config.tables import Rpc
from tsvc.engine.limits.run_limits import waiting
from tsvc.methods.method import Method
from tsvc.registry import Registry
from tsvc.schema.fields import Integer, Members, Params, RunParams, String
from tsvc.server.dispatch import Dispatcher
from tsvc.server.listener import Listener

REQUEST_TIMEOUT_S = 4 * GUARD_S  # unless a test checks the timeout of requests
HANG_GUARD_S = GUARD_S


class Echo(Method):
    name = "Echo"

    class Params(Params):
        text = String()
        count = Integer(1, 1000)

    def call(self, service: Any, params: dict[str, Any]) -> object:
        return {"echo": dict(params)}


class EchoRun(Method):
    name = "EchoRun"
    Params = RunParams
    needs_run_id: ClassVar[bool] = True

    def call(self, service: Any, params: dict[str, Any]) -> object:
        return params["run_id"]


class Sleep(Method):
    name = "Sleep"
    Params = Members

    def call(self, service: Any, params: dict[str, Any]) -> object:
        hang()
        return None


class Hold(Method):
    """A method that does not answer until the service allows it."""

    name = "Hold"

    def call(self, service: Any, params: dict[str, Any]) -> object:
        service.held += 1
        service.release.wait(HANG_GUARD_S)
        return "held"


class Wait(Method):
    """A method that waits until the service allows it, without a connection slot."""

    name = "Wait"

    def call(self, service: Any, params: dict[str, Any]) -> object:
        with waiting(may_end=True):
            service.release.wait(4 * HANG_GUARD_S)
        return "released" if service.release.is_set() else "left"


class Rescue(Method):
    name = "Rescue"
    is_urgent = True

    def call(self, service: Any, params: dict[str, Any]) -> object:
        return "rescued"


class Boom(Method):
    name = "Boom"

    def call(self, service: Any, params: dict[str, Any]) -> object:
        raise ZeroDivisionError("secret detail")


class NotANumber(Method):
    name = "NotANumber"

    def call(self, service: Any, params: dict[str, Any]) -> object:
        return {"nan": float("nan"), "infinity": [float("-inf")], "one": 1.0}


class Large(Method):
    name = "Large"

    def call(self, service: Any, params: dict[str, Any]) -> object:
        return "x" * 8_000_000


class FakeService:
    def __init__(self) -> None:
        self.held = 0
        self.release = gevent.event.Event()


def registry() -> Registry[Method]:
    found: Registry[Method] = Registry("method")
    for method in (Echo, EchoRun, Sleep, Hold, Wait, Rescue, Boom, NotANumber, Large):
        found.register(method.name, method())
    return found


@dataclass
class Server:
    listener: Listener
    service: FakeService

    def connect(self) -> socket.socket:
        sock = socket.create_connection(self.listener.address)
        sock.settimeout(HANG_GUARD_S)
        return sock

    def send(self, octets: bytes, *, ends: bool = False) -> dict[str, Any]:
        """Send octets on a connection of their own and return the response."""
        with self.connect() as sock:
            sock.sendall(octets)
            if ends:
                sock.shutdown(socket.SHUT_WR)
            return self.read_response(sock)

    def call(self, method: str = "Echo", params: Any = None, request_id: Any = 7) -> Any:
        return self.send(self.request(method, params, request_id))

    def works(self) -> bool:
        """Return True if a normal client is served now."""
        return self.call(params={"text": "hi"})["result"] == {"echo": {"text": "hi"}}

    def settles(self, condition: Callable[[], bool]) -> bool:
        """Wait until a condition holds; False if it never does."""
        return settles(condition, HANG_GUARD_S)

    @staticmethod
    def frame(body: bytes) -> bytes:
        return len(body).to_bytes(4, "big") + body

    @classmethod
    def request(cls, method: str = "Echo", params: Any = None, request_id: Any = 7) -> bytes:
        document = {"jsonrpc": "2.0", "method": method, "params": params, "id": request_id}
        return cls.frame(json.dumps(document).encode())

    @staticmethod
    def read_response(sock: Any) -> dict[str, Any]:
        """Return one frame, and assert that the server ends the connection after it."""
        octets = b""
        while portion := sock.recv(65536):
            octets += portion
        assert len(octets) >= 4, f"silence: {octets!r}"
        length = int.from_bytes(octets[:4], "big")
        assert len(octets) == 4 + length, "one response, and nothing after it"
        response = json.loads(octets[4:])
        assert response["jsonrpc"] == "2.0"
        return response


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """A function that starts a server with some keys of [rpc] changed."""
    started: list[Server] = []

    def start_server(**keys: Any) -> Server:
        keys = {"port": 0, "request_timeout_s": REQUEST_TIMEOUT_S, **keys}
        service = FakeService()
        listener = Listener(Dispatcher(service, replace(Rpc(), **keys), registry()))
        listener.bind()
        listener.start()
        started.append(Server(listener, service))
        return started[-1]

    yield start_server
    for server in started:
        server.service.release.set()
        server.listener.stop(0)


@pytest.fixture
def server(start: Callable[..., Server]) -> Server:
    return start()


@pytest.fixture(scope="module")
def witness() -> Iterator[Witness]:
    """A server that counts the starts that are reported to it, in a thread."""
    with Witness() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
