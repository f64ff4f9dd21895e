"""smpp: the peer is an ESME that reconnects, and answers with the sender's address."""

import contextlib
from collections.abc import Iterator
from typing import ClassVar

import gevent
from support.esme import PlainEsme
from support.kind_peers import Address, Members, Texts
from support.ports import free_port

from tsvc.protocols.smpp.commands import RESPONSE, Command


class Peer:
    is_reversed = True
    texts = Texts(
        deadline=r"no deliver_sm_resp within 0\.4 s",
        cut="closed by peer",
        garbage="framing lost",
        lost="closed by peer",
        exhausted="no room in the window",
    )
    params: ClassVar[Members] = {}
    application: ClassVar[tuple[str, Members]] = ("SMSC", {"port": 0})

    @contextlib.contextmanager
    def run(self) -> Iterator[Address]:
        yield "127.0.0.1", free_port()

    @contextlib.contextmanager
    def answer_at(self, port: int) -> Iterator[None]:
        """Run the ESME, which connects to this port."""
        greenlet = gevent.spawn(_keep_bound, port)
        try:
            yield
        finally:
            greenlet.kill()

    def members(self, port: int, seconds: float) -> Members:
        return {
            "port": port,
            "window": 2,
            "backlog_timeout_s": seconds,
            "response_timeout_s": seconds,
        }

    def operations(self, token: str, seconds: float) -> list[Members]:
        return [
            {
                "type": "smpp.smsc_to_esme.Request",
                "arguments": {"pdu": "deliver_sm", "parameters": {"source_addr": token}},
                "tests": [{"kpath": "parameters.message_id", "value": token}],
            }
        ]


def _keep_bound(port: int) -> None:
    while True:
        try:
            with PlainEsme(port) as esme:
                esme.bind()
                while True:
                    request = esme.receive()
                    token = request.parameters.get("source_addr")
                    parameters = {} if token is None else {"message_id": token}
                    number = request.sequence_number
                    esme.send(request.command_id | RESPONSE, parameters, number=number)
                    if request.command_id == Command.UNBIND:
                        break
        except (OSError, EOFError):
            pass
        gevent.sleep(0.02)
