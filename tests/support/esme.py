"""ESMEs for tests: a real one (smpplib, in a thread), and one that the test controls."""

import logging
from types import TracebackType
from typing import Any

import gevent
from gevent import socket
from smpplib.client import Client

from support.waiting import GUARD_S
from tsvc.protocols.smpp.commands import RESPONSE, Command, Tlv
from tsvc.protocols.smpp.pdus import Pdu, PduStream, Value, decode, encode

logging.getLogger("smpp").setLevel(logging.CRITICAL)


class RealEsme:
    """smpplib's client. Each call runs in a thread, so that its blocking sockets block no
    greenlet."""

    def __init__(self, port: int) -> None:
        self.client = Client("127.0.0.1", port, timeout=GUARD_S, allow_unknown_opt_params=True)
        self.delivered: list[Any] = []
        self.answered: list[Any] = []
        self.client.set_message_received_handler(self._on_delivered)
        self.client.set_message_sent_handler(lambda pdu: self.answered.append(pdu))
        self.client.set_error_pdu_handler(lambda pdu: self.answered.append(pdu))
        self.status = 0  # command_status of the answers to delivered messages
        self.call(self.client.connect)

    def _on_delivered(self, pdu: Any) -> int:
        self.delivered.append(pdu)
        return self.status

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the result of a blocking call; other greenlets run meanwhile."""
        job = gevent.get_hub().threadpool.spawn(function, *args, **kwargs)
        return job.get(timeout=GUARD_S)

    def bind(self, how: str = "transceiver", **more: Any) -> Any:
        """Bind and return the answer."""
        return self.call(getattr(self.client, f"bind_{how}"), **{"system_id": "esme", **more})

    def read(self) -> None:
        """Receive one PDU and handle it."""
        self.call(self.client.read_once)

    def submit(self, **parameters: Any) -> Any:
        """Send a submit_sm without waiting for its answer; return the PDU."""
        return self.call(self.client.send_message, **parameters)

    def close(self) -> None:
        """Close the connection without an unbind."""
        if self.client._socket is not None:
            self.call(self.client.disconnect)


class PlainEsme:
    """An ESME on a gevent socket: it can send any octets, and answers only when told to."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), source_address=(source, 0))
        self.socket.settimeout(GUARD_S)
        self._stream = PduStream()
        self._number = 0

    def __enter__(self) -> "PlainEsme":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()

    def send(
        self,
        command: int,
        parameters: dict[str, Value] | None = None,
        *,
        number: int | None = None,
        status: int = 0,
        tlvs: tuple[Tlv, ...] = (),
        times: int = 1,
    ) -> int:
        """Send a PDU `times` times at once; return its sequence number."""
        if number is None:
            self._number += 1
            number = self._number
        octets = encode(Pdu(command, number, status, parameters or {}, tlvs))
        self.socket.sendall(octets * times)
        return number

    def receive(self) -> Pdu:
        """Return the next PDU. Errors: EOFError if the connection is closed before."""
        while (octets := self._stream.next_message()) is None:
            received = self.socket.recv(65536)
            if not received:
                raise EOFError
            self._stream.feed(received)
        return decode(octets)

    def bind(
        self,
        command: int = Command.BIND_TRANSCEIVER,
        system_id: str = "esme",
        password: str = "",
    ) -> Pdu:
        """Bind and return the answer."""
        self.send(command, {"system_id": system_id, "password": password})
        return self.receive()

    def answer(self, request: Pdu, status: int = 0) -> None:
        """Answer a request."""
        self.send(request.command_id | RESPONSE, number=request.sequence_number, status=status)
