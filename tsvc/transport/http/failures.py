"""Why a request has no response: what HTTP/1.1 and HTTP/2 have in common."""

from tsvc.errors import GatewayError


class ConnectFailed(GatewayError):
    """There is no connection to be had: the server is down, or its certificate is refused."""


class TimedOut(GatewayError):
    """There was no whole response in time."""


def late(request: str, seconds: float) -> TimedOut:
    """Return the failure of a request, by its name."""
    return TimedOut(f"{request}: no response within {seconds:g} s")


class ConnectionLost(GatewayError):
    """The connection ended before there was a whole response."""


class Stale(Exception):
    """A connection that had been used before ended without an octet of an answer.

    `is_untouched`: the server says that it has done nothing (RFC 9113 8.7).
    """

    def __init__(self, *, is_untouched: bool = False) -> None:
        super().__init__()
        self.is_untouched = is_untouched
