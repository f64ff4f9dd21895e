"""Drives a TCAP endpoint: its queued messages go to the network, arriving ones to its users.

The network is any object with transmit(Outgoing): a loopback or M3UA links. The callbacks
`dialogue.user` and on_begin must not switch.
"""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from tsvc.clock import Clock
from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.log import QuietLog, get_logger
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sccp.messages import ReturnCause
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap.dialogue import Dialogue, Indication, IndicationKind
from tsvc.protocols.tcap.dialogue_portion import DialoguePdu
from tsvc.protocols.tcap.endpoint import Endpoint, Outgoing
from tsvc.protocols.tcap.frame import originating_id
from tsvc.protocols.tcap.replayed import ReplayedDialogue
from tsvc.protocols.tcap.states import DialogueState
from tsvc.ss7.links import snapshot_of
from tsvc.transport.driver import TimerLoop

log = get_logger("tcap")

_OPENING = (b"", b"\x62", b"\x65")  # BEGIN and CONTINUE have an originating id
_MOST_SEARCHED = 1000
_SHOWN_S = 60.0  # how long the last refusal is shown


class Network(Protocol):
    """Carries TCAP messages as SCCP connectionless data."""

    def transmit(self, outgoing: Outgoing) -> None:
        """Send one message. Errors: GatewayError, LocalProtocolError (it doesn't fit)."""


class User(Protocol):
    """The user of a dialogue, for which it is opened."""

    def on_indication(self, indication: Indication) -> None:
        """Handle a received message, or an event of the dialogue."""


class Refusals:
    """Refusals by the other side, for status and the log: their number and the last text.

    Examples are an unknown application context, or a subsystem or point code that SCCP returns.
    The checks of each instance report them, too; here they are one line for the operator of the
    tester.
    """

    def __init__(self, clock: Clock) -> None:
        self.count = 0
        self._clock = clock
        self._log = QuietLog(log, clock)
        self._last, self._until = "", 0.0

    @property
    def text(self) -> str:
        """The last refusal on one line; empty after a minute."""
        return self._last if self._clock.now() < self._until else ""

    def see(self, pdu: DialoguePdu) -> None:
        """Check the dialogue portion of a received message. Never raises, never switches."""
        if isinstance(pdu, portion.Aare) and pdu.result != portion.RESULT_ACCEPTED:
            self._tell(f"the peer refused the dialogue: {portion.text_of(pdu)}")

    def returned(self, text: str) -> None:
        """Count a message of a dialogue that the network gave back, with the reason."""
        self._tell(text)

    def _tell(self, text: str) -> None:
        self.count += 1
        self._last, self._until = text, self._clock.now() + _SHOWN_S
        self._log.warning("dialogue refused", text=text)


class TcapNode:
    """All dialogues of one gateway."""

    def __init__(
        self,
        endpoint: Endpoint,
        clock: Clock,
        on_begin: Callable[[Indication], None],
    ) -> None:
        self.endpoint = endpoint
        self.clock = clock
        self.network: Network | None = None
        self.undeliverable = 0
        self.refusals = Refusals(clock)
        self._on_begin = on_begin
        self._timers = TimerLoop(clock, endpoint.next_timer, self._on_timer)

    def start(self) -> None:
        """Run the invocation timers."""
        self._timers.start()

    def stop(self) -> None:
        """Stop the timers."""
        self._timers.stop()

    def flush(self) -> None:
        """Send all that dialogues have queued. Errors: GatewayError, for the first failure."""
        assert self.network is not None
        failure: Exception | None = None
        for outgoing in self.endpoint.data_to_send():
            try:
                self.network.transmit(outgoing)
            except (GatewayError, LocalProtocolError) as error:
                self.undeliverable += 1
                failure = failure or error
                if outgoing.trail is not None:
                    outgoing.trail.lost()
        self._timers.touch()
        if failure is not None:
            raise GatewayError(str(failure))

    def deliver(
        self, octets: bytes, called: Address, calling: Address, route: object = None
    ) -> None:
        """Handle one received message; never raises and never switches."""
        self._dispatch(self.endpoint.receive(octets, called, calling, self.clock.now(), route))

    def deliver_returned(
        self,
        octets: bytes,
        return_cause: int | str,
        route: object = None,
        was_for: Address | None = None,
    ) -> bool:
        """Handle a message of this node that the network gave back, or the part that came back.

        `return_cause`: that of SCCP, or the text of the peer. `route`: the link it came back by,
        None if it was never sent. `was_for`: its called address, as far as it can be read. Return
        True if its dialogue exists; the dialogue is notified.
        """
        otid = originating_id(octets)
        dialogue = self.endpoint.dialogues.get(otid or b"")
        if otid is None and octets[:1] in _OPENING and route is not None:
            dialogue = self._only_one(route, was_for)
        if dialogue is None:
            return False
        if isinstance(dialogue, ReplayedDialogue):
            by = snapshot_of(route, self.clock.now())
            dialogue.fall_back(partial(self._tell_returned, dialogue.otid, return_cause, by))
            return True
        self._tell_returned(dialogue.otid, return_cause, route)
        return True

    def _tell_returned(self, otid: bytes, return_cause: int | str, route: object) -> None:
        dialogue = self.endpoint.dialogues.get(otid)
        if not isinstance(dialogue, Dialogue):
            return
        if dialogue.tap and route is not None:
            dialogue.tap(False, b"", dialogue.local_address, dialogue.remote_address, route)
        text = _why(return_cause)
        self.refusals.returned(text)
        self._dispatch([Indication(dialogue, IndicationKind.NOTICE, text=text)])

    def _only_one(
        self, route: object, was_for: Address | None
    ) -> Dialogue | ReplayedDialogue | None:
        """Return the dialogue of a message without its id, if only one can have sent it."""
        dialogues = self.endpoint.dialogues
        if len(dialogues) > _MOST_SEARCHED:
            return None
        found = [
            one
            for one in dialogues.values()
            if one.route is route
            and one.state is not DialogueState.CLOSED
            and (was_for is None or _agree(one.remote_address, was_for))
        ]
        return found[0] if len(found) == 1 else None

    def fail_route(self, route: object, reason: str) -> None:
        """Notify every dialogue on a lost connection that nothing more will come."""
        for dialogue in list(self.endpoint.dialogues.values()):
            if dialogue.route is not route:
                continue
            if isinstance(dialogue, ReplayedDialogue):
                dialogue.fall_back(partial(self._notify, dialogue.otid, reason))
            else:
                self._notify(dialogue.otid, reason)

    def _notify(self, otid: bytes, reason: str) -> None:
        dialogue = self.endpoint.dialogues.get(otid)
        if isinstance(dialogue, Dialogue):
            self._dispatch([Indication(dialogue, IndicationKind.NOTICE, text=reason)])

    def _on_timer(self, now: float) -> None:
        self._dispatch(self.endpoint.handle_timer(now))

    def _dispatch(self, indications: list[Indication]) -> None:
        for indication in indications:
            if indication.pdu is not None:
                self.refusals.see(indication.pdu)
            try:
                if indication.kind is IndicationKind.BEGIN:
                    self._on_begin(indication)
                elif indication.dialogue.user is not None:
                    indication.dialogue.user.on_indication(indication)
                    if indication.dialogue.state is DialogueState.CLOSED:
                        # It was the last indication. Break the reference cycle so that both are
                        # freed.
                        indication.dialogue.user = None
            except Exception as error:  # noqa: BLE001 - one dialogue's bug must not reach others
                log.failure("indication failed", error)
        try:
            self.flush()
        except GatewayError:
            # It is counted. An instance that waits for an answer fails by its own deadline.
            return


def _why(cause: int | str) -> str:
    if isinstance(cause, str):
        return f"the peer refused the message: {cause}"
    try:
        text = ReturnCause(cause).name.lower().replace("_", " ")
    except ValueError:
        text = f"cause {cause}"
    return f"SCCP returned the message: {text}"


def _agree(one: Address | None, other: Address) -> bool:
    """Return True if two addresses may be the same: no part that both have differs."""
    if one is None:
        return False
    pairs = (
        (one.pc, other.pc),
        (one.ssn, other.ssn),
        (one.gt and one.gt.digits, other.gt and other.gt.digits),
    )
    return all(mine is None or theirs is None or mine == theirs for mine, theirs in pairs)
