"""Reasons why a request has no response, for both HTTP/1.1 and HTTP/2."""

from tsvc.errors import GatewayError


class ConnectFailed(GatewayError):
    """No connection is possible: the server is down, or its certificate is refused."""


class TimedOut(GatewayError):
    """The whole response did not come in time."""


def late(request: str, seconds: float) -> TimedOut:
    """Return the failure of a request, with its name."""
    return TimedOut(f"{request}: no response within {seconds:g} s")


class ConnectionLost(GatewayError):
    """The connection ended before the response was complete."""


class Stale(Exception):
    """A connection that had been used before ended without an octet of an answer.

    `is_untouched`: the server reports that it has not processed the request (RFC 9113 8.7).
    """

    def __init__(self, *, is_untouched: bool = False) -> None:
        super().__init__()
        self.is_untouched = is_untouched
