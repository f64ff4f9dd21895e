"""A method that answers at once, and a request of this method."""

from tsvc.methods.method import Method
from tsvc.registry import Registry


class Ping(Method):
    name = "Ping"

    def call(self, service, params):
        return "pong"


METHODS = Registry("method")
METHODS.register("Ping", Ping())
BODY = b'{"jsonrpc":"2.0","method":"Ping","id":1}'
REQUEST = len(BODY).to_bytes(4, "big") + BODY
