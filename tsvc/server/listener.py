"""The listening socket of the interface: binds, accepts, hands each connection to a greenlet."""

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

from gevent import socket, ssl
from gevent.pool import Pool
from gevent.server import StreamServer

from tsvc.config import Rpc, Tls
from tsvc.errors import RequestError
from tsvc.log import get_logger
from tsvc.server.admission import Admission, Counters
from tsvc.server.connection import Connection, Secure
from tsvc.server.dispatch import Dispatcher

log = get_logger("rpc")

_BACKLOG = 1024  # connections that the kernel completes before we accept them


class Listener:
    """Accepts the connections of the interface. Life: bind, start, stop."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        config = dispatcher.config
        self.counters = Counters()
        self._dispatcher = dispatcher
        self._admission = Admission(config.max_connections)
        self._allow = _networks(config)
        self._secure = _secure(config.tls)
        self._connections = Pool()
        self._server: StreamServer | None = None
        self._address = ("", 0)

    @property
    def address(self) -> tuple[str, int]:
        """The host and port that bind() took; the port is real even if 0 was configured."""
        return self._address

    def bind(self) -> None:
        """Take the address; connections wait from now on. Errors: OSError naming the address."""
        config = self._dispatcher.config
        try:
            sock = _listening_socket(config.host, config.port)
        except OSError as error:
            place = f"{config.host} port {config.port}"
            text = f"can't listen on {place}: {error.strerror}"
            raise OSError(error.errno, text) from None
        host, port = self._address = sock.getsockname()[:2]
        self._server = StreamServer(sock, self._handle, spawn=self._connections)
        log.info("listening", host=host, port=port, tls=self._secure is not None)
        if _is_open(config) and not ip_address(host.partition("%")[0]).is_loopback:
            log.warning(
                "anyone who reaches this address may run tests:"
                " set rpc.allow, rpc.tls or rpc.auth_tokens",
                host=host,
            )

    def start(self) -> None:
        """Begin to serve what bind() took."""
        if self._server is None:
            raise RuntimeError("bind() comes before start()")
        self._server.start()

    def stop(self, grace_s: float) -> None:
        """Accept no more, let requests be answered for a while, then cut them off.

        Blocks: up to grace_s.
        """
        if self._server is not None:
            self._server.close()
        self._connections.join(timeout=grace_s)
        self._connections.kill()

    def reconfigure(self, config: Rpc) -> None:
        """Take over what can change while serving: all but host, port and TLS."""
        self._admission.places = config.max_connections
        self._allow = _networks(config)
        self._dispatcher.config = config

    def _handle(self, sock: socket.socket, address: tuple[Any, ...]) -> None:
        self.counters.accepted += 1
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer = f"{address[0]} port {address[1]}"
        connection = Connection(
            sock,
            peer,
            dispatcher=self._dispatcher,
            admission=self._admission,
            counters=self.counters,
            secure=self._secure,
        )
        if self._is_allowed(address[0]):
            connection.serve()
            return
        self.counters.denied += 1
        log.warning("connection denied by rpc.allow", peer=peer)
        connection.serve(RequestError(f"{address[0]} may not connect", kind="access.denied"))

    def _is_allowed(self, host: str) -> bool:
        if not self._allow:
            return True
        address = ip_address(host.partition("%")[0])
        # An IPv4 client of an IPv6 socket comes as ::ffff:a.b.c.d.
        plain = getattr(address, "ipv4_mapped", None) or address
        return any(plain in network for network in self._allow)


def _listening_socket(host: str, port: int) -> socket.socket:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = found[0]
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(_BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def _networks(config: Rpc) -> list[IPv4Network | IPv6Network]:
    return [ip_network(network) for network in config.allow]


def _is_open(config: Rpc) -> bool:
    return not (config.allow or config.auth_tokens or config.tls.cert_file)


def _secure(tls: Tls) -> Secure | None:
    """Return what puts TLS around a socket. Errors: OSError for unusable files."""
    if tls.cert_file is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls.cert_file, tls.key_file)
    if tls.client_ca_file is not None:
        context.load_verify_locations(tls.client_ca_file)
        context.verify_mode = ssl.CERT_REQUIRED

    def secure(sock: Any) -> Any:
        return context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)

    return secure
