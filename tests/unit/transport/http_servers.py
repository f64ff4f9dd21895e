"""Servers on raw sockets, which send exactly the octets that a test needs."""

from gevent.server import StreamServer


def ok(body=b"{}", more=b""):
    """Return a response after which the connection stays open."""
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n%s" % (len(body), more, body)


class RawServer:
    """Calls handle(self, socket, number of the connection); keeps all requests that it has read.

    `tls`: ssl_context of a server with TLS.
    """

    def __init__(self, handle, port=0, **tls):
        self._handle = handle
        self.requests = []
        self.connections = 0
        self._open = set()
        self._server = StreamServer(("127.0.0.1", port), self._serve, **tls)
        self._server.start()

    @property
    def port(self):
        return self._server.server_port

    def stop(self):
        """Close all sockets, as the end of a process would."""
        self._server.stop(timeout=0)
        for sock in list(self._open):
            sock.close()

    def _serve(self, sock, _):
        self.connections += 1
        self._open.add(sock)
        try:
            self._handle(self, sock, self.connections)
        except OSError:
            pass  # the client has closed
        finally:
            self._open.discard(sock)
            sock.close()

    def read(self, sock):
        """Return the next request (bytes), None if there are no more."""
        octets = b""
        while b"\r\n\r\n" not in octets:
            part = sock.recv(65536)
            if not part:
                return None
            octets += part
        head, _, body = octets.partition(b"\r\n\r\n")
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while len(body) < length and (part := sock.recv(65536)):
            body += part
        self.requests.append(head + b"\r\n\r\n" + body)
        return self.requests[-1]


def answering(*answers):
    """Return a handler: the n-th request gets the n-th answer, later requests the last one."""

    def handle(server, sock, _):
        while server.read(sock) is not None:
            number = min(len(server.requests), len(answers)) - 1
            answer = answers[number]
            if answer is None:
                return
            sock.sendall(answer)

    return handle
