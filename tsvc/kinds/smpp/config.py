"""`[application.NAME]` with module = "smpp": its members and their checks."""

from marshmallow import ValidationError

from tsvc.protocols.smpp.commands import Status
from tsvc.protocols.smpp.session import SessionSettings
from tsvc.protocols.smpp.text import DefaultAlphabet
from tsvc.schema.fields import Choice, Integer, List, Nested, Number, String
from tsvc.schema.table import Table, member, table

DEFAULT_PORT = 2775
MAX_PASSWORD = 8  # octets, without the NUL


@table
class Account(Table):
    """One entry of `accounts`: an ESME that may bind."""

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
    # For every account without a password of its own. Absent: any password is accepted.
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

    @property
    def passwords(self) -> dict[str, str | None]:
        """The password of each account by its system_id; None if any password is accepted."""
        found = {account.system_id: account.password for account in self.accounts}
        return {name: self.password if own is None else own for name, own in found.items()}

    @property
    def session(self) -> SessionSettings:
        """The settings of a session."""
        return SessionSettings(
            self.system_id,
            self.window,
            self.session_init_s,
            self.enquire_link_s,
            self.response_timeout_s,
        )

    def check_accounts(self) -> None:
        """Raise ValidationError if two accounts have the same name."""
        names = [account.system_id for account in self.accounts]
        if len(set(names)) < len(names):
            raise ValidationError("two accounts have the same system_id", "accounts")
