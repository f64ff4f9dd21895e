"""The one place where an OSError becomes ours.

Above the transport nobody sees an OSError: what fails there is a GatewayError whose text says what
was tried and why it failed, in the words of the system.
"""

from tsvc.errors import GatewayError


def reason(error: BaseException) -> str:
    """Return why something failed, as the system says it: "Connection refused"."""
    return str(getattr(error, "strerror", None) or error)


def failure(attempt: str, error: BaseException) -> GatewayError:
    """Return the error of an attempt: "127.0.0.1:9: Connection refused"."""
    return GatewayError(f"{attempt}: {reason(error)}")
