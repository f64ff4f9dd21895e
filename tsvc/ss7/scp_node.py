"""Drives the service control point: its timers run, and answers return by the route they came.

One node may serve loopbacks and M3UA links at the same time: the route of a message is where it
came from, and has send(outgoing, node).
"""

from typing import Protocol

from tsvc.clock import Clock
from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.scp.service import ScpService
from tsvc.ss7.sccp import Subsystems
from tsvc.transport.driver import TimerLoop


class ReturnPath(Protocol):
    """Sends messages of an SCP back."""

    def send(self, outgoing: Outgoing, node: "ScpNode") -> None:
        """Send one message. Errors: GatewayError, LocalProtocolError."""


class ScpNode:
    """Drives one ScpService. `subsystems` None: it is reached by any subsystem number."""

    def __init__(
        self, service: ScpService, clock: Clock, subsystems: Subsystems | None = None
    ) -> None:
        self.service = service
        self.subsystems = subsystems
        self.undeliverable = 0
        self._clock = clock
        self._timers = TimerLoop(clock, service.next_timer, self._on_timer)

    def start(self) -> None:
        """Run the timers."""
        self._timers.start()

    def stop(self) -> None:
        """End all calls properly and stop the timers."""
        self.service.abort_all(self._clock.now())
        self._flush()
        self._timers.stop()

    def receive(self, octets: bytes, called: Address, calling: Address, route: ReturnPath) -> None:
        """Handle one message and send the answers of the SCP; never raises."""
        self.service.receive(octets, called, calling, self._clock.now(), route)
        self._flush()

    def give_back(
        self, octets: bytes, cause: int | str, link: object = None, was_for: object = None
    ) -> bool:
        """Handle a message of the SCP that could not be delivered; never raises."""
        self.service.give_back(octets, self._clock.now())
        self._flush()
        return True

    def _on_timer(self, now: float) -> None:
        self.service.handle_timer(now)
        self._flush()

    def _flush(self) -> None:
        for outgoing in self.service.data_to_send():
            try:
                outgoing.route.send(outgoing, self)
            except (GatewayError, LocalProtocolError):
                self.undeliverable += 1
        self._timers.touch()
