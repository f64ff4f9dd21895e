"""An ESME in a thread: it stays bound, answers each deliver_sm and submits a message for it.

Its answer and message contain the source address of the deliver_sm, so that a mix-up shows.
"""

import contextlib
import socket
import threading
import time

from soak.proxy import end

from tsvc.protocols.smpp.commands import RESPONSE, Command
from tsvc.protocols.smpp.pdus import Pdu, PduStream, Value, decode, encode

_SILENCE_S = 60.0  # the gateway sends enquire_link far more often


class Esme:
    """The ESME; it waits for `delay_s` before each answer."""

    def __init__(self, port: int, system_id: str) -> None:
        self.delay_s = 0.0
        self._port = port
        self._system_id = system_id
        self._socket: socket.socket | None = None
        self._is_over = threading.Event()
        self._number = 0
        threading.Thread(target=self._keep_bound, daemon=True).start()

    def drop(self) -> None:
        """Close the connection without unbind; the next connection follows."""
        if self._socket is not None:
            end(self._socket)

    def send(self, octets: bytes) -> None:
        """Send any octets, valid or not."""
        with contextlib.suppress(OSError, AttributeError):
            self._socket.sendall(octets)  # type: ignore[union-attr]  # None is suppressed too

    def close(self) -> None:
        self._is_over.set()
        self.drop()

    def _keep_bound(self) -> None:
        while not self._is_over.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self._port), timeout=5) as sock:
                    sock.settimeout(_SILENCE_S)
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self._socket = sock
                    self._converse(sock)
            except OSError:
                pass
            self._is_over.wait(0.2)

    def _converse(self, sock: socket.socket) -> None:
        self._request(Command.BIND_TRANSCEIVER, {"system_id": self._system_id})
        stream = PduStream()
        while octets := sock.recv(65536):
            stream.feed(octets)
            while (whole := stream.next_message()) is not None:
                pdu = decode(whole)
                if pdu.command_id & RESPONSE:
                    continue
                time.sleep(self.delay_s)
                self._answer(pdu)
                if pdu.command_id == Command.UNBIND:
                    return

    def _answer(self, pdu: Pdu) -> None:
        parameters: dict[str, Value] = {}
        if pdu.command_id == Command.DELIVER_SM:
            parameters["message_id"] = pdu.parameters["source_addr"]
        response = Pdu(pdu.command_id | RESPONSE, pdu.sequence_number, 0, parameters)
        self.send(encode(response))
        if pdu.command_id == Command.DELIVER_SM:
            to = pdu.parameters["source_addr"]
            self._request(Command.SUBMIT_SM, {"destination_addr": to, "source_addr": to})

    def _request(self, command: Command, parameters: dict[str, Value]) -> None:
        self._number += 1
        self.send(encode(Pdu(command, self._number, 0, parameters)))
