"""The smpp gateway: an SMSC to which ESMEs bind, for testers that send and expect messages."""

from collections.abc import Mapping

from marshmallow import ValidationError

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import Gateway, GatewayContext, GatewayState, GatewayStatus, gateway
from tsvc.kinds.smpp.inbox import Inbound, Inbox, Registrations
from tsvc.kinds.smpp.node import Answer, NodeSettings, SmppNode
from tsvc.protocols.smpp.commands import Command, Status
from tsvc.protocols.smpp.pdus import Value
from tsvc.protocols.smpp.session import SessionSettings
from tsvc.protocols.smpp.text import DefaultAlphabet
from tsvc.protocols.smpp.tlvs import Tlv
from tsvc.schema.fields import Choice, Integer, List, Nested, Number, String
from tsvc.schema.table import Table, member, table

DEFAULT_PORT = 2775
MAX_PASSWORD = 8  # octets, without the NUL


@table
class Account(Table):
    """One entry of `accounts`: who may bind."""

    system_id: str = member(String(1, 15, required=True, help="name that the ESME binds with"))
    password: str | None = member(
        String(0, MAX_PASSWORD, default=None, help="its password; absent: that of the application")
    )


@table
class SmppConfig(Table):
    """`[application.NAME]` with module = "smpp"."""

    host: str = member(String(default="127.0.0.1", help="address to listen on"))
    port: int = member(
        Integer(0, 65535, default=DEFAULT_PORT, help="port to listen on; 0: any free one")
    )
    system_id: str = member(String(0, 15, default="tsvc", help="name that ESMEs are told"))
    accounts: tuple[Account, ...] = member(
        List(Nested(Account.schema), default=list, help="who may bind; none: anyone")
    )
    # Of every ESME that has no account with one of its own; absent: any.
    password: str | None = member(
        String(
            0,
            MAX_PASSWORD,
            default=None,
            help="of ESMEs without a password of their own; absent: any will do",
        )
    )
    window: int = member(
        Integer(1, 10_000, default=10, help="requests without a response, in each direction")
    )
    session_init_s: float = member(
        Number(0.01, 86400.0, default=10.0, help="time that an ESME has to bind")
    )
    enquire_link_s: float = member(
        Number(0.01, 86400.0, default=30.0, help="silence after which the link is tried")
    )
    response_timeout_s: float = member(
        Number(0.01, 86400.0, default=10.0, help="longest wait for a response")
    )
    backlog_timeout_s: float = member(
        Number(0.01, 86400.0, default=10.0, help="longest wait for room in the window")
    )
    unregistered_status: int = member(
        Integer(
            0,
            0xFFFF_FFFF,
            default=int(Status.ESME_RINVDSTADR),
            help="command_status for a message that no instance waits for; 11: ESME_RINVDSTADR",
        )
    )
    default_alphabet: str = member(
        Choice(
            [alphabet.value for alphabet in DefaultAlphabet],
            default=DefaultAlphabet.GSM7.value,
            help="characters of data_coding 0; `gsm7`: one code an octet",
        )
    )

    def check_accounts(self) -> None:
        """Refuse two accounts of one name."""
        names = [account.system_id for account in self.accounts]
        if len(set(names)) < len(names):
            raise ValidationError("two accounts have the same system_id", "accounts")


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
        node = SmppNode(_settings(self.config), self.context.clock, self._deliver, self._lose)
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
        return GatewayStatus(self.name, self.kind, state, detail, counters)

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
    ) -> Answer:
        """Send a deliver_sm or data_sm to a bound ESME and return its answer.

        Blocks: up to backlog_timeout_s for room in the window, then up to response_timeout_s.
        Errors: GatewayError; LocalProtocolError with the parameter's name.
        """
        if self._node is None:
            raise GatewayError(f"{self.name} is down")
        try:
            return self._node.request(command, parameters, tlvs, system_id)
        except GatewayError as error:
            raise GatewayError(f"{self.name}: {error}") from None

    def register(self, address: str, inbox: Inbox) -> None:
        """Let an inbox have what ESMEs submit for a destination address.

        Errors: LocalProtocolError if another inbox has it.
        """
        self.registrations.add(address, inbox)

    def unregister(self, inbox: Inbox) -> None:
        """Forget the addresses of an inbox."""
        self.registrations.remove(inbox)

    def new_message_id(self) -> str:
        """Return a message_id that this gateway has not given before."""
        self._message_count += 1
        return f"{self._message_count:08x}"

    def _lose(self, reason: str) -> None:
        self.registrations.lose(f"{self.name}: {reason}")

    def _deliver(self, message: Inbound) -> int | None:
        inbox = self.registrations.find(str(message.pdu.parameters["destination_addr"]))
        if inbox is None:
            self._unregistered += 1
            return self.config.unregistered_status
        inbox.put(message)
        return None


def _settings(config: SmppConfig) -> NodeSettings:
    common = config.password
    accounts = {
        account.system_id: common if account.password is None else account.password
        for account in config.accounts
    }
    session = SessionSettings(
        config.system_id,
        config.window,
        config.session_init_s,
        config.enquire_link_s,
        config.response_timeout_s,
    )
    return NodeSettings(
        config.host, config.port, accounts, common, config.backlog_timeout_s, session
    )
