"""Transports of Diameter: TCP, TLS over TCP, and SCTP if the kernel has it."""

from collections.abc import Callable
from typing import Any

from gevent import socket, ssl
from gevent.server import StreamServer

from tsvc.deadline import Deadline
from tsvc.errors import GatewayError, failure
from tsvc.schema.fields import Boolean, String
from tsvc.schema.table import Table, member, table

CONNECT_TIMEOUT_S = 5.0
_SCTP = 132  # IPPROTO_SCTP, which the socket module does not name
_BACKLOG = 64


class TlsError(OSError):
    """The TLS handshake failed."""


@table
class Tls(Table):
    """`tls`: PEM files."""

    ca_file: str | None = member(
        String(
            default=None,
            help="authorities to believe, PEM; absent: the system's, or, listening, none",
        )
    )
    cert_file: str | None = member(
        String(default=None, help="our certificate, PEM; needed to listen")
    )
    key_file: str | None = member(
        String(default=None, help="its private key, PEM; absent: in cert_file")
    )
    verify: bool = member(Boolean(default=True, help="false: any certificate will do"))
    server_name: str | None = member(
        String(default=None, help="name that the peer's certificate must have; absent: the host")
    )

    def context(self, *, is_server: bool) -> ssl.SSLContext:
        """Return the context. Errors: GatewayError if a file can't be read."""
        purpose = ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT
        context = ssl.SSLContext(purpose)
        try:
            if self.cert_file:
                context.load_cert_chain(self.cert_file, self.key_file)
            if self.ca_file:
                context.load_verify_locations(self.ca_file)
            elif not is_server:
                context.load_default_certs()
        except OSError as error:
            raise GatewayError(f"tls: {error}") from None
        if not self.verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        elif is_server and self.ca_file:
            context.verify_mode = ssl.CERT_REQUIRED
        return context


def connect(
    remote: tuple[str, int],
    local: tuple[str, int] | None,
    *,
    is_sctp: bool,
    tls: Tls | None,
) -> socket.socket:
    """Return a connected socket. Blocks: up to 5 s, with TLS as long again. Errors: OSError."""
    if is_sctp:
        return _connect_sctp(remote, local)
    connection = socket.create_connection(remote, timeout=CONNECT_TIMEOUT_S, source_address=local)
    connection.settimeout(None)
    if tls is None:
        return connection
    name = tls.server_name or remote[0]
    return _secured(connection, lambda: tls.context(is_server=False), server_hostname=name)


def _secured(
    connection: socket.socket, context: Callable[[], ssl.SSLContext], **options: Any
) -> ssl.SSLSocket:
    """Return a socket after its handshake; it is closed if that fails. Blocks: up to 5 s.

    Errors: OSError, ValueError for an invalid server name.
    """
    text = f"no handshake within {CONNECT_TIMEOUT_S:g} s"
    try:
        with Deadline(CONNECT_TIMEOUT_S, lambda: OSError(text)):
            return context().wrap_socket(connection, **options)
    except (OSError, GatewayError) as error:
        connection.close()
        raise TlsError(f"tls: {error}") from None
    except BaseException:
        connection.close()
        raise


def _connect_sctp(remote: tuple[str, int], local: tuple[str, int] | None) -> socket.socket:
    connection = sctp_socket()
    connection.settimeout(CONNECT_TIMEOUT_S)
    try:
        if local is not None:
            connection.bind(local)
        connection.connect(remote)
    except OSError:
        connection.close()
        raise
    connection.settimeout(None)
    return connection


def listen(
    address: tuple[str, int],
    serve: Callable[[socket.socket, tuple[Any, ...]], None],
    refused: Callable[[tuple[Any, ...], str], None],
    *,
    is_sctp: bool,
    tls: Tls | None,
) -> StreamServer:
    """Return a server that is not started yet. `refused` is called for peers that fail in TLS.

    Errors: GatewayError.
    """
    if tls is not None:
        context = tls.context(is_server=True)

        def serve_secured(connection: socket.socket, peer: tuple[Any, ...]) -> None:
            try:
                secured = _secured(connection, lambda: context, server_side=True)
            except OSError as error:
                refused(peer, str(error))
                return
            serve(secured, peer)

        return StreamServer(address, serve_secured)
    if not is_sctp:
        return StreamServer(address, serve)
    listener = sctp_socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise failure(f"can't listen on {address[0]}:{address[1]}", error) from None
    return StreamServer(listener, serve)


def sctp_socket() -> socket.socket:
    """Return a one-to-one SCTP socket. Errors: GatewayError if the kernel has no SCTP."""
    try:
        return socket.socket(socket.AF_INET, socket.SOCK_STREAM, _SCTP)
    except OSError as error:
        raise failure("this machine has no SCTP", error) from None
