"""The listening socket of the interface: binds, accepts, hands each connection to a greenlet."""

from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

from gevent import socket, ssl
from gevent.pool import Pool

from tsvc.clock import SYSTEM_CLOCK
from tsvc.config.tables import Rpc, Tls
from tsvc.errors import RequestError, TsvcError
from tsvc.log import QuietLog, get_logger
from tsvc.server.admission import Admission, ClientRates, Counters, client_of
from tsvc.server.connection import Connection, Secure
from tsvc.server.dispatch import Dispatcher, Traffic
from tsvc.server.sockets import AcceptingServer, listening_socket

log = get_logger("rpc")

_BACKLOG = 1024  # connections that the kernel completes before we accept them


class Listener:
    """Accepts the connections of the interface. Call bind(), start(), then stop()."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        config = dispatcher.config
        self.counters = Counters()
        self._dispatcher = dispatcher
        self._admission = Admission(
            config.max_connections, config.client_connections, config.max_waiting
        )
        self._rates = ClientRates(config.client_rate, config.client_burst)
        self._quiet = QuietLog(log, SYSTEM_CLOCK)
        self._allow = _networks(config)
        self._secure = _secure(config.tls)
        self._connections = Pool()
        self._server: AcceptingServer | None = None
        self._address = ("", 0)

    @property
    def address(self) -> tuple[str, int]:
        """The host and port of bind(); the port is the real one even if 0 was configured."""
        return self._address

    def bind(self) -> None:
        """Bind the address; connections wait from now on. Errors: OSError naming the address."""
        config = self._dispatcher.config
        sock = listening_socket(config.host, config.port, _BACKLOG)
        host, port = self._address = sock.getsockname()[:2]
        self._server = AcceptingServer(
            sock,
            self._handle,
            self._handle_short,
            self._admission.turn_out_longest,
            spawn=self._connections,
        )
        log.info("listening", host=host, port=port, tls=self._secure is not None)
        if _is_open(config) and not ip_address(host.partition("%")[0]).is_loopback:
            log.warning(
                "anyone who reaches this address may run tests:"
                " set rpc.allow, rpc.tls or rpc.auth_tokens",
                host=host,
            )

    def start(self) -> None:
        """Start to serve the address of bind()."""
        if self._server is None:
            raise RuntimeError("bind() comes before start()")
        self._server.start()

    def stop(self, grace_s: float) -> None:
        """Accept no more connections, answer requests for a while, then cut them off.

        Blocks: up to grace_s.
        """
        if self._server is not None:
            self._server.close()
        self._connections.join(timeout=grace_s)
        self._connections.kill()

    @property
    def traffic(self) -> Traffic:
        """The requests that were answered."""
        return self._dispatcher.traffic

    @property
    def problem(self) -> str | None:
        """Why a request might find no place now, or None."""
        return self._admission.problem()

    @property
    def waiting(self) -> int:
        """The number of requests that wait without a place."""
        return len(self._admission.waiting)

    @property
    def open_connections(self) -> int:
        """The number of connections that are not answered yet."""
        return len(self._admission)

    def prepare(self, config: Rpc) -> Callable[[], None]:
        """Check a new configuration and return a function that applies it.

        All but host, port and TLS on or off can change. Certificates are read again, because they
        may have been renewed. Errors: OSError for unusable TLS files.
        """
        secure = self._secure
        if secure is not None and config.tls.cert_file is not None:
            secure = _secure(config.tls)

        def apply() -> None:
            self._admission.places = config.max_connections
            self._admission.client_places = config.client_connections
            self._admission.most_waiting = config.max_waiting
            if (config.client_rate, config.client_burst) != (self._rates.rate, self._rates.burst):
                self._rates = ClientRates(config.client_rate, config.client_burst)
            self._allow = _networks(config)
            self._secure = secure
            self._dispatcher.config = config

        return apply

    def _handle(
        self,
        sock: socket.socket,
        address: tuple[Any, ...],
        shortage: RequestError | None = None,
    ) -> None:
        self.counters.accepted += 1
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer = f"{address[0]} port {address[1]}"
        client = client_of(address[0])
        connection = Connection(
            sock,
            peer,
            client=client,
            dispatcher=self._dispatcher,
            admission=self._admission,
            counters=self.counters,
            secure=self._secure,
        )
        if not self._is_allowed(address[0]):
            self.counters.denied += 1
            self._quiet.warning("connection denied by rpc.allow", peer=peer)
            connection.serve(RequestError(f"{address[0]} may not connect", kind="access.denied"))
        elif not self._rates.take(client, SYSTEM_CLOCK.now()):
            text = f"more than {self._rates.rate:g} requests a second from one client"
            denial = RequestError(text, kind="rpc.rate")
            connection.serve(denial)
            self._note_refusal(peer, denial)
        else:
            refused = connection.serve(shortage=shortage)
            if refused is not None:
                self._note_refusal(peer, refused)

    def _handle_short(self, sock: socket.socket, address: tuple[Any, ...]) -> None:
        """Handle a connection with one of the last descriptors."""
        text = "no file descriptor is left for another connection"
        self._admission.short += 1
        try:
            self._admission.turn_out_longest()
            self._handle(sock, address, RequestError(text, kind="connections.too_many"))
        finally:
            self._admission.short -= 1

    def _note_refusal(self, peer: str, refusal: TsvcError) -> None:
        if refusal.kind == "rpc.rate":
            self.counters.limited += 1
            self._quiet.warning("client refused", peer=peer, reason=refusal.message)
        else:
            self.counters.turned_away += 1

    def _is_allowed(self, host: str) -> bool:
        if not self._allow:
            return True
        address = ip_address(host.partition("%")[0])
        # An IPv4 client of an IPv6 socket comes as ::ffff:a.b.c.d.
        plain = getattr(address, "ipv4_mapped", None) or address
        return any(plain in network for network in self._allow)


def _networks(config: Rpc) -> list[IPv4Network | IPv6Network]:
    return [ip_network(network) for network in config.allow]


def _is_open(config: Rpc) -> bool:
    return not (config.allow or config.auth_tokens or config.tls.cert_file)


def _secure(tls: Tls) -> Secure | None:
    """Return a function that puts TLS around a socket. Errors: OSError if files are unusable."""
    if tls.cert_file is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls.cert_file, tls.key_file)
    if tls.client_ca_file is not None:
        context.load_verify_locations(tls.client_ca_file)
        context.verify_mode = ssl.CERT_REQUIRED

    def secure(sock: socket.socket) -> socket.socket:
        return context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)

    return secure
