"""Which call an assist dialogue belongs to.

An external resource opens a dialogue of its own, the assist dialogue; its first operation brings
the correlation id that we gave the SSP with EstablishTemporaryConnection.
"""

from typing import Generic, TypeVar

from tsvc.config.tables import Srf

CallT = TypeVar("CallT")

_DIGITS = 8


class Assists(Generic[CallT]):
    """Calls that wait for their assist dialogue, by the digits of the correlation id."""

    __slots__ = ("_prefix", "_serial", "_waiting")

    def __init__(self, settings: Srf, first: int) -> None:
        # A resource that took the id out of the address it was called by may report all of it.
        is_embedded = settings.correlation_id_location == "embedded"
        self._prefix = settings.routing_address if is_embedded else ""
        self._serial = first
        self._waiting: dict[str, CallT] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def expect(self, call: CallT) -> str:
        """Return a new correlation id for the call: eight digits."""
        while True:
            self._serial = (self._serial + 1) % 10**_DIGITS
            correlation_id = f"{self._serial:0{_DIGITS}d}"
            if correlation_id not in self._waiting:
                self._waiting[correlation_id] = call
                return correlation_id

    def forget(self, correlation_id: str) -> None:
        """Wait for that assist dialogue no longer."""
        self._waiting.pop(correlation_id, None)

    def take(self, digits: str) -> CallT | None:
        """Return the call that the digits belong to, None if none does; it waits no longer."""
        call = self._waiting.pop(digits, None)
        if call is None and self._prefix:
            call = self._waiting.pop(digits.removeprefix(self._prefix), None)
        return call
