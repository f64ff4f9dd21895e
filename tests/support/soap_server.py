"""A SOAP server by spyne, in a process of its own; `running()` starts it.

/soap11 and /soap12 have one service in both versions, and `?wsdl` of each its description. What it
gets is checked by lxml against the schema that it publishes. Whoever calls must send a header
block Caller; an answer has one, too.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from support.daemons import HANG_GUARD_S, require_peer

ACCOUNTS, TYPES = "urn:accounts", "urn:types"


@contextlib.contextmanager
def running() -> Iterator[int]:
    """Run the server; yield its port."""
    require_peer("spyne" if find_spec("spyne") else None, "pip install spyne")
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)
        process.stdout.close()


def main() -> None:
    import logging
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

    from spyne import (
        Application,
        Array,
        ComplexModel,
        Date,
        Decimal,
        Fault,
        Integer,
        Service,
        Unicode,
        XmlAttribute,
        rpc,
    )
    from spyne.protocol.soap import Soap11, Soap12
    from spyne.server.wsgi import WsgiApplication

    logging.disable(logging.CRITICAL)

    class Caller(ComplexModel):
        # spyne looks for the message of a header block in the namespace of its type (2.14): in
        # another one than the service's its WSDL names a message that it does not have.
        __namespace__ = ACCOUNTS
        user = Unicode(min_occurs=1)
        level = XmlAttribute(Integer)

    class Amount(ComplexModel):
        __namespace__ = TYPES
        value = Decimal(min_occurs=1)
        currency = XmlAttribute(Unicode, use="required")

    class Account(ComplexModel):
        __namespace__ = ACCOUNTS
        msisdn = Unicode(min_occurs=1)
        expires = Date(min_occurs=1, nillable=True)
        balances = Array(Amount)

    class Accounts(Service):
        __in_header__ = Caller
        __out_header__ = Caller

        @rpc(
            Unicode(min_occurs=1),
            Amount.customize(min_occurs=1),
            Date(min_occurs=1, nillable=True),
            _returns=Account,
        )
        def Recharge(ctx, msisdn, amount, expires):  # noqa: N805 - the name of the operation
            caller = ctx.in_header
            if caller is None or not caller.user:
                raise Fault("Client.Unknown", "who calls?", detail={"cause": "7"})
            if msisdn == "0":
                raise Fault("Server.Broken", "out of order")
            ctx.out_header = Caller(user=caller.user.upper(), level=(caller.level or 0) + 1)
            return Account(msisdn=msisdn, expires=expires, balances=[amount, amount])

    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True

    class Quiet(WSGIRequestHandler):
        def log_message(self, *args):
            pass

    served = {
        path: WsgiApplication(
            Application(
                [Accounts],
                ACCOUNTS,
                name="Billing",
                in_protocol=protocol(validator="lxml"),
                out_protocol=protocol(),
            )
        )
        for path, protocol in (("/soap11", Soap11), ("/soap12", Soap12))
    }
    server = make_server(
        "127.0.0.1", 0, lambda environ, start: served[environ["PATH_INFO"]](environ, start),
        server_class=Server, handler_class=Quiet,
    )  # fmt: skip
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
