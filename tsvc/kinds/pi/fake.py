"""A Provisioning Interface that exists in memory: subscribers, balances, scripted answers.

Its contents beyond the framing (codes, texts, members of an answer) are invented, close to
the little that is published. A test of a real system must not rely on them.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

import gevent
from gevent import socket
from gevent.server import StreamServer

from tsvc.errors import RemoteProtocolError
from tsvc.gateways.fake import Observer, load_settings
from tsvc.protocols.pi.codec import Codec, Status, Value, read_command
from tsvc.protocols.pi.dialect import Dialect
from tsvc.schema.fields import (
    Anything,
    Boolean,
    Choice,
    Integer,
    List,
    Named,
    Nested,
    Number,
    String,
)
from tsvc.schema.table import TableMembers
from tsvc.values import dataclass

_READ_OCTETS = 65536
_MOST_KEPT = 1000
_NO_COMMAND = "10-UNKNOWN COMMAND"
_NO_MSISDN = "12-MSISDN IS MISSING"
_NOT_LOGGED_IN = "1-LOGIN FAILED"
_LOCKED = "2-USER IS LOCKED"

Parameters = dict[str, Value]
Answer = tuple[Status, str]


class Script(TableMembers):
    """One scripted answer: to commands with this name and these parameters."""

    command = String(required=True, help="such as CCSCD1=QRY")
    parameters = Named(Anything(), default=dict, help="that the command must have")
    status = Choice(["ACK", "NACK"], default="ACK", help="the answer")
    info = String(default="", help="and its text")
    raw = String(default=None, help="the whole line instead of both")
    delay_s = Number(default=0.0, help="wait before it")
    packet_octets = Integer(default=0, help="sent in pieces of that size; 0: whole")
    closes_after = Integer(default=None, help="octets of it, then the end")
    is_silent = Boolean(default=False, help="never answer")


class PiSettings(TableMembers):
    """The settings of the fake."""

    username = String(default="", help="who may log in; empty: anybody")
    password = String(default="", help="and the password")
    needs_login = Boolean(default=True, help="whether commands wait for a login")
    locked = List(String(), default=list, help="users that are locked")
    subscribers = Named(Named(Integer()), default=dict, help="number: balance type: balance")
    replies = List(Nested(Script), default=list, help="scripts, the first that fits")
    delay_s = Number(default=0.0, help="of answers that no script gives")
    terminator = String(1, default=";", help="end of every line")


@dataclass
class _Client:
    """One connection."""

    socket: Any
    is_logged_in: bool = False


class PiFake:
    """A server of the default dialect; another terminator may be set."""

    Settings = PiSettings

    def __init__(self, host: str = "127.0.0.1", port: int = 0, **settings: Any) -> None:
        self.settings = load_settings(PiSettings, settings)
        self.subscribers: dict[str, dict[str, int]] = {
            msisdn: dict(balances) for msisdn, balances in self.settings["subscribers"].items()
        }
        self.replies: list[dict[str, Any]] = list(self.settings["replies"])
        # The last lines of commands, without logins.
        self.received: deque[str] = deque(maxlen=_MOST_KEPT)
        self.logins = 0
        self.on_request: Observer = lambda text: None
        self._dialect = Dialect(terminator=self.settings["terminator"])
        self._codec = Codec(self._dialect)
        self._address = (host, port)
        self._server: StreamServer | None = None
        self._clients: set[Any] = set()
        self._actions: dict[str, Callable[[str, Parameters], Answer]] = {
            "CCSCD1=QRY": self._query,
            "CCSCD1=CHG": self._set_balance,
            "CCSCD1=ADD": self._add,
            "CCSCD1=DEL": self._delete,
        }

    @property
    def address(self) -> tuple[str, int]:
        """The address that it listens on, once it is started."""
        return self._address

    @property
    def connections(self) -> int:
        """The number of connected clients."""
        return len(self._clients)

    def start(self) -> None:
        """Listen; a second call changes nothing. Errors: OSError."""
        if self._server is not None:
            return
        server = StreamServer(self._address, self._serve)
        server.start()
        self._server = server
        self._address = (self._address[0], server.server_port or 0)

    def stop(self) -> None:
        """Close the listener and all connections."""
        server, self._server = self._server, None
        if server is not None:
            server.stop(timeout=0)
        self.drop_clients()

    def drop_clients(self) -> None:
        """Close all connections; new ones are served."""
        for sock in list(self._clients):
            sock.close()

    # -- connections ------------------------------------------------------------------------

    def _serve(self, sock: socket.socket, _: object) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._clients.add(sock)
        client = _Client(sock, is_logged_in=not self.settings["needs_login"])
        lines = self._codec.lines()
        try:
            while octets := sock.recv(_READ_OCTETS):
                for line in lines.feed(octets):
                    if not self._take(client, line):
                        return
        except (OSError, RemoteProtocolError) as error:
            self.on_request(f"connection ended: {error}")
        finally:
            self._clients.discard(sock)
            sock.close()

    def _take(self, client: _Client, line: str) -> bool:
        """Answer a line. Return False if the connection must end."""
        if not client.is_logged_in:
            return self._log_in(client, line)
        self.received.append(line)
        command, parameters = read_command(line)
        script = self._script(command, parameters)
        if script is not None:
            self.on_request(f"{line} -> scripted")
            return self._play(client, command, script)
        status, info = self._answer(command, parameters)
        self.on_request(f"{line} -> {status.value} {info}")
        gevent.sleep(self.settings["delay_s"])
        self._send(client, f"{command}:{status.value}:{info}")
        return True

    def _log_in(self, client: _Client, line: str) -> bool:
        self.logins += 1
        user, _, password = line.partition(",")
        if user in self.settings["locked"]:
            answer = f"NACK:{_LOCKED}"
        elif (user, password) != (self.settings["username"], self.settings["password"]):
            answer = f"NACK:{_NOT_LOGGED_IN}"
        else:
            answer = "ACK"
            client.is_logged_in = True
        self.on_request(f"login {user} -> {answer}")
        self._send(client, answer)
        return client.is_logged_in

    def _send(self, client: _Client, text: str) -> None:
        client.socket.sendall(self._octets(text))

    def _octets(self, text: str) -> bytes:
        dialect = self._dialect
        return (text + dialect.terminator).encode(dialect.encoding, "replace")

    # -- scripts ----------------------------------------------------------------------------

    def _script(self, command: str, parameters: Parameters) -> dict[str, Any] | None:
        for script in self.replies:
            if script["command"] not in ("*", command):
                continue
            if all(parameters.get(name) == want for name, want in script["parameters"].items()):
                return script
        return None

    def _play(self, client: _Client, command: str, script: dict[str, Any]) -> bool:
        gevent.sleep(script["delay_s"])
        if script["is_silent"]:
            return True
        line = script["raw"]
        octets = self._octets(
            f"{command}:{script['status']}:{script['info']}" if line is None else line
        )
        end = script["closes_after"]
        size = script["packet_octets"] or len(octets)
        for start in range(0, len(octets[:end]), size):
            client.socket.sendall(octets[:end][start : start + size])
            gevent.sleep(0.001 if script["packet_octets"] else 0)
        return end is None

    # -- subscribers ------------------------------------------------------------------------

    def _answer(self, command: str, parameters: Parameters) -> Answer:
        action = self._actions.get(command)
        if action is None:
            return Status.NACK, _NO_COMMAND
        msisdn = parameters.get("MSISDN")
        if not isinstance(msisdn, str) or not msisdn:
            return Status.NACK, _NO_MSISDN
        if (msisdn in self.subscribers) == (command == "CCSCD1=ADD"):
            known = "EXISTS ALREADY" if msisdn in self.subscribers else "DOES NOT EXIST"
            return Status.NACK, f"88-{msisdn} {known}"
        return action(msisdn, parameters)

    def _query(self, msisdn: str, parameters: Parameters) -> Answer:
        wanted = parameters.get("BALANCE_TYPE")
        found = f"MSISDN={msisdn}"
        for type_, balance in self.subscribers[msisdn].items():
            if wanted in (None, type_):
                found += f",BALANCE_TYPE={type_},BALANCE={balance}"
        return Status.ACK, found

    def _add(self, msisdn: str, parameters: Parameters) -> Answer:
        self.subscribers[msisdn] = {}
        if "BALANCE" not in parameters:
            return Status.ACK, f"MSISDN={msisdn}"
        answer = self._set_balance(msisdn, parameters)
        if answer[0] is Status.NACK:
            del self.subscribers[msisdn]
        return answer

    def _set_balance(self, msisdn: str, parameters: Parameters) -> Answer:
        type_, balance = parameters.get("BALANCE_TYPE", "General Cash"), parameters.get("BALANCE")
        if not isinstance(type_, str) or not isinstance(balance, str):
            return Status.NACK, "13-BALANCE IS MISSING"
        try:
            self.subscribers[msisdn][type_] = int(balance)
        except ValueError:
            return Status.NACK, f"14-{balance} IS NO BALANCE"
        return Status.ACK, f"MSISDN={msisdn},BALANCE_TYPE={type_},BALANCE={balance}"

    def _delete(self, msisdn: str, parameters: Parameters) -> Answer:
        del self.subscribers[msisdn]
        return Status.ACK, f"MSISDN={msisdn}"
