"""Hand-written signalling gateways, as peers of an ASP over real TCP."""

from collections.abc import Callable

from gevent import socket
from gevent.server import StreamServer

from tsvc.protocols.m3ua import messages
from tsvc.protocols.m3ua.messages import MessageStream, decode, encode, message
from tsvc.protocols.m3ua.params import Parameter


def read_messages(connection: socket.socket, stream: MessageStream) -> list[messages.Message]:
    found = []
    octets = connection.recv(65536)
    stream.feed(octets)
    while (whole := stream.next_message()) is not None:
        found.append(decode(whole))
    return found


ACKS = {
    messages.ASPUP: messages.ASPUP_ACK,
    messages.ASPAC: messages.ASPAC_ACK,
    messages.ASPIA: messages.ASPIA_ACK,
    messages.ASPDN: messages.ASPDN_ACK,
}


class Refusing:
    """An SGP that answers one kind of request with ERR, and all others by the standard.

    `to_data`: returns the octets that it sends instead, given the request's octets.
    """

    def __init__(
        self,
        refuses: messages.MessageId,
        *parameters: Parameter,
        to_data: Callable[[bytes], bytes] | None = None,
    ) -> None:
        self.refuses = refuses
        self.err = encode(message(messages.ERR, *parameters)) if parameters else b""
        self.to_data = to_data
        self._server = StreamServer(("127.0.0.1", 0), self._serve)
        self._server.start()
        self.port = self._server.server_port
        self.live: list[socket.socket] = []

    def _serve(self, connection: socket.socket, _: object) -> None:
        self.live.append(connection)
        stream = MessageStream()
        while found := read_messages(connection, stream):
            for item in found:
                if item.id == self.refuses:
                    connection.sendall(self.to_data(encode(item)) if self.to_data else self.err)
                elif item.id in ACKS:
                    connection.sendall(encode(message(ACKS[item.id])))

    def stop(self) -> None:
        self._server.stop(0)
