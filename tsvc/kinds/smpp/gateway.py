"""The smpp gateway: an SMSC to which ESMEs bind, for testers that send and expect messages."""

from collections.abc import Mapping
from dataclasses import replace

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import Gateway, GatewayContext, GatewayState, GatewayStatus, gateway
from tsvc.kinds.smpp.config import SmppConfig
from tsvc.kinds.smpp.inbox import Inbound, Inbox, Registrations
from tsvc.kinds.smpp.node import GUARD_S, Asked, EsmeTap, SmppNode, SubmitAnswer
from tsvc.protocols.smpp.commands import Command, Tlv
from tsvc.protocols.smpp.pdus import Pdu, Value
from tsvc.protocols.smpp.text import DefaultAlphabet


@gateway("smpp")
class SmppGateway(Gateway):
    """An SMSC (SMPP 3.4). It is up while an ESME is bound."""

    Config = SmppConfig
    config: SmppConfig

    def __init__(self, name: str, config: SmppConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self.default_alphabet = DefaultAlphabet(config.default_alphabet)
        self.registrations = Registrations()
        self._node: SmppNode | None = None
        self._unregistered = 0
        self._message_count = 0

    def start(self) -> None:
        if self._node is not None:
            return
        is_any = self.context.takes_free_ports
        node = SmppNode(
            replace(self.config, port=0) if is_any else self.config,
            self.context.clock,
            self._deliver,
            self._lose,
            self._stray,
            self.registrations.takers,
        )
        node.start()
        self._node = node

    def stop(self, grace_s: float) -> None:
        if self._node is not None:
            self._node.stop(grace_s)
            self._node = None

    def kill(self) -> None:
        node, self._node = self._node, None
        if node is not None:
            node.kill()

    def listens(self) -> bool:
        return True

    def own_port(self) -> int:
        return self.port

    def alone(self) -> str | None:
        return "ESMEs bind to one of them"

    def status(self) -> GatewayStatus:
        node = self._node
        if node is None:
            return GatewayStatus(self.name, self.kind, GatewayState.DOWN, "not started")
        counters = {
            **node.counters,
            "unregistered": self._unregistered,
            "registered": len(self.registrations),
            "bound": len(node.bound()),
        }
        state = GatewayState.UP if node.bound() else GatewayState.CONNECTING
        if node.is_draining:
            state = GatewayState.DRAINING
        detail = f"port {node.port}, {node.summary()}"
        levels = frozenset({"registered", "bound"})
        return GatewayStatus(self.name, self.kind, state, detail, counters, levels)

    # -- for operations ---------------------------------------------------------------------

    @property
    def port(self) -> int:
        """The port that ESMEs connect to, 0 if the gateway is not started."""
        return 0 if self._node is None else self._node.port

    def request(
        self,
        command: Command,
        parameters: Mapping[str, Value],
        tlvs: tuple[Tlv, ...] = (),
        system_id: str | None = None,
        tap: EsmeTap | None = None,
        owner: Inbox | None = None,
    ) -> SubmitAnswer:
        """Send a deliver_sm or data_sm to a bound ESME and return its answer.

        `owner` receives a second answer to the request.
        Blocks: up to backlog_timeout_s for room in the window, then up to response_timeout_s.
        Errors: GatewayError; LocalProtocolError with the parameter's name.
        """
        if self._node is None:
            raise GatewayError(f"{self.name} is down")
        try:
            return self._node.request(command, parameters, tlvs, system_id, tap, owner)
        except GatewayError as error:
            raise GatewayError(f"{self.name}: {error}") from None

    def wait(
        self, asked: Asked, command: Command, tap: EsmeTap | None, waited_s: float
    ) -> SubmitAnswer:
        """Return the answer to a request that was sent. Blocks: as request(), less `waited_s`.
        Errors: GatewayError.
        """
        if self._node is None:
            raise GatewayError(f"{self.name} is down")
        try:
            return self._node.wait(asked, command, tap, waited_s)
        except GatewayError as error:
            raise GatewayError(f"{self.name}: {error}") from None

    @property
    def longest_wait_s(self) -> float:
        """The longest wait for an answer, in seconds; the session's own timer expires earlier."""
        return self.config.response_timeout_s + GUARD_S

    @property
    def node(self) -> SmppNode | None:
        """The node that holds the ESMEs; None if the gateway is not started."""
        return self._node

    def new_inbox(self) -> Inbox:
        """Return an inbox for the messages of one instance."""
        return Inbox()

    def register(self, address: str, inbox: Inbox) -> None:
        """Register an inbox for the messages that ESMEs submit for a destination address.

        Errors: LocalProtocolError if another inbox has the address.
        """
        self.registrations.add(address, inbox)

    def unregister(self, inbox: Inbox) -> None:
        """Remove the addresses of an inbox."""
        self.registrations.remove(inbox)

    def new_message_id(self) -> str:
        """Return a message_id that this gateway has not given before."""
        self._message_count += 1
        return f"{self._message_count:08x}"

    def _lose(self, reason: str) -> None:
        self.registrations.lose(f"{self.name}: {reason}")

    def _stray(self, pdu: Pdu) -> None:
        inbox = self.registrations.find(str(pdu.parameters["destination_addr"]))
        if inbox is not None:
            inbox.hear(pdu)

    def _deliver(self, message: Inbound) -> int | None:
        inbox = self.registrations.find(str(message.pdu.parameters["destination_addr"]))
        if inbox is None:
            self._unregistered += 1
            return self.config.unregistered_status
        inbox.put(message)
        return None
