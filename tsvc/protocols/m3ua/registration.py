"""Routing key management (RFC 4666 section 4.4) on the side that asks: one machine per key.

The side that answers has no states of its own: its table of keys is in `routing_keys`, and
`answer_registrations` and `answer_deregistrations` build its answers.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import TypeVar

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.indications import RegistrationInd
from tsvc.protocols.m3ua.messages import Message
from tsvc.protocols.m3ua.params import Parameter
from tsvc.protocols.m3ua.routing_keys import (
    AskedKey,
    DeregistrationStatus,
    RegistrationStatus,
    RoutingKey,
    decode_key,
    encode_key,
)
from tsvc.values import dataclass

T = TypeVar("T")


class KeyState(Enum):
    """State of one routing key of ours."""

    IDLE = "not registered"
    ASKED = "REG REQ is sent"
    REGISTERED = "registered"
    LEAVING = "DEREG REQ is sent"
    REFUSED = "refused"


class KeyEvent(Enum):
    """An event of a routing key."""

    REGISTER = "we ask for it"
    GRANTED = "the peer registered it"
    REFUSED = "the peer refused"
    DEREGISTER = "we give it back"
    LEFT = "the peer took it back"
    GIVEN_UP = "the peer does not answer"


# A pair that is missing can't occur; as a message of the peer it is unexpected.
KEY_TRANSITIONS: dict[tuple[KeyState, KeyEvent], KeyState] = {
    (KeyState.IDLE, KeyEvent.REGISTER): KeyState.ASKED,
    (KeyState.ASKED, KeyEvent.GRANTED): KeyState.REGISTERED,
    (KeyState.ASKED, KeyEvent.REFUSED): KeyState.REFUSED,
    (KeyState.ASKED, KeyEvent.GIVEN_UP): KeyState.REFUSED,
    (KeyState.REGISTERED, KeyEvent.DEREGISTER): KeyState.LEAVING,
    (KeyState.LEAVING, KeyEvent.LEFT): KeyState.IDLE,
    # The key is given up anyway: the peer forgets it with the association.
    (KeyState.LEAVING, KeyEvent.REFUSED): KeyState.IDLE,
    (KeyState.LEAVING, KeyEvent.GIVEN_UP): KeyState.IDLE,
}


@dataclass(slots=True)
class _Key:
    key: RoutingKey
    state: KeyState = KeyState.IDLE
    context: int | None = None


class Registrations:
    """Our routing keys, by their Local-RK-Identifier: 1, 2, … in the order given."""

    def __init__(
        self, keys: Iterable[RoutingKey] = (), ack_timeout_s: float = 2.0, ack_attempts: int = 5
    ) -> None:
        self._keys = {number: _Key(key) for number, key in enumerate(keys, 1)}
        self._timeout_s = ack_timeout_s
        self._limit = ack_attempts
        self._attempts = 0
        self.deadline: float | None = None

    @property
    def is_open(self) -> bool:
        """True if a response is awaited."""
        return bool(self._in(KeyState.ASKED, KeyState.LEAVING))

    @property
    def are_all_refused(self) -> bool:
        """True if there are keys, and the peer has refused all of them."""
        return bool(self._keys) and len(self._in(KeyState.REFUSED)) == len(self._keys)

    def state(self, identifier: int) -> KeyState:
        """Return the state of a key."""
        return self._keys[identifier].state

    def register(self, now: float) -> Message | None:
        """Return the REG REQ for every key that is not registered, None if there is none."""
        return self._ask(KeyState.IDLE, KeyEvent.REGISTER, now)

    def deregister(self, now: float) -> Message | None:
        """Return the DEREG REQ for every key that is registered, None if there is none."""
        return self._ask(KeyState.REGISTERED, KeyEvent.DEREGISTER, now)

    def handle_timer(self, now: float) -> tuple[Message | None, list[RegistrationInd]]:
        """Return the request to repeat once T(ack) has run out, or the keys that are given up."""
        if self.deadline is None or now < self.deadline:
            return None, []
        if self._attempts < self._limit:
            return self._repeat(now), []
        return None, self.give_up("no answer")

    def give_up(self, reason: str) -> list[RegistrationInd]:
        """Stop asking, because the peer does not answer; it may not know such messages."""
        waiting = [
            item
            for item in self._keys.values()
            if item.state in (KeyState.ASKED, KeyState.LEAVING)
        ]
        for item in waiting:
            self._move(item, KeyEvent.GIVEN_UP)
        self._settle()
        return [RegistrationInd(item.key, None, None, reason) for item in waiting]

    def on_registered(self, message: Message) -> list[RegistrationInd]:
        """Process a REG RSP; the returned keys that have a context are registered.

        Errors: RemoteProtocolError if a result is malformed or was not asked for.
        """
        results: dict[int, tuple[int, int]] = {}
        for parts in message.get_all(params.REGISTRATION_RESULT):
            identifier = _needed(parts, params.LOCAL_ROUTING_KEY_IDENTIFIER)
            status = _needed(parts, params.REGISTRATION_STATUS)
            (context, *_) = params.first(parts, params.ROUTING_CONTEXT) or (0,)
            if identifier not in self._in(KeyState.ASKED):
                raise RemoteProtocolError(f"routing key {identifier} was not asked for")
            results[identifier] = (status, context)
        found = [self._on_result(self._keys[number], *results[number]) for number in results]
        self._settle()
        return found

    def _on_result(self, item: _Key, status: int, context: int) -> RegistrationInd:
        if status == RegistrationStatus.ALREADY_REGISTERED:
            # The answer to an earlier request was lost; the context is known if we had set it.
            context = item.key.routing_context or context
            is_granted = context != 0
        else:
            is_granted = status == RegistrationStatus.REGISTERED
        item.context = context if is_granted else None
        self._move(item, KeyEvent.GRANTED if is_granted else KeyEvent.REFUSED)
        return RegistrationInd(item.key, status, item.context, _status_text(status))

    def on_deregistered(self, message: Message) -> list[int]:
        """Process a DEREG RSP; return the contexts that are gone.

        Errors: RemoteProtocolError if a result is malformed or was not asked for.
        """
        deregistered = []
        for parts in message.get_all(params.DEREGISTRATION_RESULT):
            (context, *_) = _needed(parts, params.ROUTING_CONTEXT)
            status = _needed(parts, params.DEREGISTRATION_STATUS)
            items = [
                item
                for item in self._keys.values()
                if item.context == context and item.state is KeyState.LEAVING
            ]
            if not items:
                raise RemoteProtocolError(f"routing context {context} was not given back")
            is_gone = status == DeregistrationStatus.DEREGISTERED
            self._move(items[0], KeyEvent.LEFT if is_gone else KeyEvent.REFUSED)
            deregistered.append(context)
        self._settle()
        return deregistered

    def _ask(self, state: KeyState, event: KeyEvent, now: float) -> Message | None:
        items = [item for item in self._keys.values() if item.state is state]
        if not items or self.is_open:
            return None
        for item in items:
            self._move(item, event)
        self._attempts = 0
        return self._repeat(now)

    def _repeat(self, now: float) -> Message | None:
        self._attempts += 1
        self.deadline = now + self._timeout_s
        asked = self._in(KeyState.ASKED)
        if asked:
            keys = [encode_key(self._keys[number].key, number) for number in asked]
            return messages.message(messages.REG_REQ, *keys)
        leaving = [self._keys[number].context for number in self._in(KeyState.LEAVING)]
        contexts = tuple(context for context in leaving if context is not None)
        return messages.message(messages.DEREG_REQ, params.ROUTING_CONTEXT.of(contexts))

    def _move(self, item: _Key, event: KeyEvent) -> None:
        item.state = KEY_TRANSITIONS[item.state, event]

    def _settle(self) -> None:
        if not self.is_open:
            self.deadline = None

    def _in(self, *states: KeyState) -> list[int]:
        return [number for number, item in self._keys.items() if item.state in states]


def answer_registrations(
    message: Message, register: Callable[[RoutingKey], tuple[RegistrationStatus, int]]
) -> tuple[Message, list[int]]:
    """Return the REG RSP to a REG REQ, and the contexts that were registered.

    Errors: RemoteProtocolError if a key has no identifier to answer to.
    """
    results, contexts = [], []
    for asked in [decode_key(parts) for parts in message.get_all(params.ROUTING_KEY)]:
        status, context = _registered(asked, register)
        if status is RegistrationStatus.REGISTERED:
            contexts.append(context)
        result = (
            params.LOCAL_ROUTING_KEY_IDENTIFIER.of(asked.identifier),
            params.REGISTRATION_STATUS.of(status),
            params.ROUTING_CONTEXT.of((context,)),
        )
        results.append(params.REGISTRATION_RESULT.of(result))
    return messages.message(messages.REG_RSP, *results), contexts


def answer_deregistrations(
    message: Message, deregister: Callable[[int], DeregistrationStatus]
) -> tuple[Message, list[int]]:
    """Return the DEREG RSP to a DEREG REQ, and the contexts that are gone."""
    results, deregistered = [], []
    for context in message.get(params.ROUTING_CONTEXT) or ():
        status = deregister(context)
        if status is DeregistrationStatus.DEREGISTERED:
            deregistered.append(context)
        result = (
            params.ROUTING_CONTEXT.of((context,)),
            params.DEREGISTRATION_STATUS.of(status),
        )
        results.append(params.DEREGISTRATION_RESULT.of(result))
    return messages.message(messages.DEREG_RSP, *results), deregistered


def _registered(
    asked: AskedKey, register: Callable[[RoutingKey], tuple[RegistrationStatus, int]]
) -> tuple[RegistrationStatus, int]:
    if asked.key is None:
        return asked.status or RegistrationStatus.UNKNOWN_ERROR, 0
    return register(asked.key)


def _needed(parts: tuple[Parameter, ...], declared: params.ParameterType[T]) -> T:
    value = params.first(parts, declared)
    if value is None:
        raise RemoteProtocolError("is missing", path=declared.name)
    return value


def _status_text(status: int) -> str:
    if status in RegistrationStatus.__members__.values():
        return RegistrationStatus(status).name.lower().replace("_", " ")
    return f"status {status}"
