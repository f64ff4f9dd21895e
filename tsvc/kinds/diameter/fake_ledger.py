"""The accounts of the fake OCS: grants, debits and refusals. Pure: no socket, no clock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from tsvc.protocols.diameter.tree import Tree
from tsvc.values import dataclass

SUCCESS = 2001
CREDIT_LIMIT_REACHED = 4012
UNKNOWN_SESSION, MISSING_AVP, INVALID_VALUE = 5002, 5005, 5004
USER_UNKNOWN, RATING_FAILED = 5030, 5031

INITIAL, UPDATE, TERMINATION, EVENT = 1, 2, 3, 4
_DEBIT, _REFUND, _CHECK, _PRICE = 0, 1, 2, 3
_ENOUGH, _NOT_ENOUGH = 0, 1

Avps = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Tariff:
    """The rules by which an OCS answers. Units: those of the AVP `unit`, as CC-Time (seconds).

    `default_balance`: of subscribers that are not listed; None: they are unknown (5030).
    `final_action`: of Final-Unit-Indication when a grant uses the balance up; None: no such AVP.
    """

    unit: str = "CC-Time"
    grant: int = 100
    default_balance: int | None = 1000
    validity_time_s: int | None = None
    final_action: int | None = None
    redirect_address: str = ""
    unrated: frozenset[int] = frozenset()


@dataclass(slots=True)
class Account:
    """One subscriber: the remaining units, and how many of them are granted."""

    balance: int
    reserved: int = 0

    @property
    def free(self) -> int:
        """The units that can be granted."""
        return max(self.balance - self.reserved, 0)


@dataclass(slots=True)
class Session:
    """One session: its account, and the units granted by rating group (None: without one)."""

    account: Account
    reserved: dict[int | None, int] = field(default_factory=dict)

    def release(self, group: int | None) -> None:
        """Return the reserved units of a rating group to the account."""
        self.account.reserved -= self.reserved.pop(group, 0)


class Ledger:
    """All accounts and open sessions."""

    def __init__(self, tariff: Tariff, balances: Mapping[str, int]) -> None:
        self.tariff = tariff
        self.accounts = {number: Account(balance) for number, balance in balances.items()}
        self.sessions: dict[str, Session] = {}

    def balance(self, subscriber: str) -> int | None:
        """Return the balance of a subscriber, None if there is no such account."""
        account = self.accounts.get(subscriber)
        return None if account is None else account.balance

    def charge(self, request: Tree) -> tuple[int, Avps]:
        """Handle a Credit-Control-Request. Return the Result-Code and the AVPs of the answer."""
        avps = request["avps"]
        kind = value_of(avps, "CC-Request-Type")
        session_id = value_of(avps, "Session-Id")
        if session_id is None or kind is None:
            return MISSING_AVP, []
        if kind == EVENT:
            return self._event(avps)
        if kind == INITIAL:
            account = self._account(avps)
            if account is None:
                return USER_UNKNOWN, []
            self._end(session_id)
            session = self.sessions[session_id] = Session(account)
        else:
            found = self.sessions.get(session_id)
            if found is None:
                return UNKNOWN_SESSION, []
            session = found
        if kind not in (INITIAL, UPDATE, TERMINATION):
            return INVALID_VALUE, []
        result, answer = self._units(session, avps, is_last=kind == TERMINATION)
        if kind == TERMINATION or (kind == INITIAL and result != SUCCESS):
            self._end(session_id)
        return result, answer

    def _account(self, avps: Sequence[Tree]) -> Account | None:
        for inner in values_of(avps, "Subscription-Id"):
            number = str(value_of(inner, "Subscription-Id-Data"))
            if number in self.accounts:
                return self.accounts[number]
            if self.tariff.default_balance is not None:
                account = self.accounts[number] = Account(self.tariff.default_balance)
                return account
        return None

    def _end(self, session_id: str) -> None:
        session = self.sessions.pop(session_id, None)
        if session is not None:
            for group in list(session.reserved):
                session.release(group)

    def _units(self, session: Session, avps: Sequence[Tree], *, is_last: bool) -> tuple[int, Avps]:
        """Debit used units and grant requested ones, for each service or for the session."""
        services = list(values_of(avps, "Multiple-Services-Credit-Control"))
        if not services:
            return self._service(session, avps, None, is_last=is_last)
        answer: Avps = []
        for service in services:
            group = value_of(service, "Rating-Group")
            result, inner = self._service(session, service, group, is_last=is_last)
            inner.append({"name": "Result-Code", "value": result})
            inner += [
                {"name": name, "value": value}
                for name in ("Service-Identifier", "Rating-Group")
                for value in values_of(service, name)
            ]
            answer.append({"name": "Multiple-Services-Credit-Control", "value": inner})
        return SUCCESS, answer

    def _service(
        self, session: Session, avps: Sequence[Tree], group: int | None, *, is_last: bool
    ) -> tuple[int, Avps]:
        tariff, account = self.tariff, session.account
        if group in tariff.unrated:
            return RATING_FAILED, []
        session.release(group)
        account.balance -= sum(
            value_of(used, tariff.unit) or 0 for used in values_of(avps, "Used-Service-Unit")
        )
        asked = list(values_of(avps, "Requested-Service-Unit"))
        if is_last or not asked:
            return SUCCESS, []
        wanted = value_of(asked[0], tariff.unit) or tariff.grant
        units = min(wanted, tariff.grant, account.free)
        if units <= 0:
            return CREDIT_LIMIT_REACHED, []
        session.reserved[group] = units
        account.reserved += units
        granted = [{"name": tariff.unit, "value": units}]
        answer: Avps = [{"name": "Granted-Service-Unit", "value": granted}]
        if tariff.validity_time_s is not None:
            answer.append({"name": "Validity-Time", "value": tariff.validity_time_s})
        if tariff.final_action is not None and account.free == 0:
            answer.append(self._final_unit())
        return SUCCESS, answer

    def _final_unit(self) -> dict[str, Any]:
        inner: Avps = [{"name": "Final-Unit-Action", "value": self.tariff.final_action}]
        if self.tariff.redirect_address:
            server = [
                {"name": "Redirect-Address-Type", "value": "URL"},
                {"name": "Redirect-Server-Address", "value": self.tariff.redirect_address},
            ]
            inner.append({"name": "Redirect-Server", "value": server})
        return {"name": "Final-Unit-Indication", "value": inner}

    def _event(self, avps: Sequence[Tree]) -> tuple[int, Avps]:
        """Handle an EVENT_REQUEST, by its Requested-Action."""
        account = self._account(avps)
        if account is None:
            return USER_UNKNOWN, []
        asked: Sequence[Tree] = next(values_of(avps, "Requested-Service-Unit"), [])
        units = value_of(asked, self.tariff.unit) or self.tariff.grant
        granted = [{"name": self.tariff.unit, "value": units}]
        match value_of(avps, "Requested-Action"):
            case None:
                return MISSING_AVP, []
            case n if n == _DEBIT:
                if account.free < units:
                    return CREDIT_LIMIT_REACHED, []
                account.balance -= units
            case n if n == _REFUND:
                account.balance += units
            case n if n == _CHECK:
                result = _ENOUGH if account.free >= units else _NOT_ENOUGH
                return SUCCESS, [{"name": "Check-Balance-Result", "value": result}]
            case n if n == _PRICE:
                digits = [{"name": "Value-Digits", "value": units}]
                cost = [
                    {"name": "Unit-Value", "value": digits},
                    {"name": "Currency-Code", "value": 978},
                ]
                return SUCCESS, [{"name": "Cost-Information", "value": cost}]
            case _:
                return INVALID_VALUE, []
        return SUCCESS, [{"name": "Granted-Service-Unit", "value": granted}]


def values_of(avps: Sequence[Tree], name: str) -> Iterator[Any]:
    """Yield the values of all AVPs of a name at this level."""
    for avp in avps:
        if avp["name"] == name:
            yield avp.get("value")


def value_of(avps: Sequence[Tree], name: str) -> Any:
    """Return the value of the first AVP of a name, None if there is none."""
    return next(values_of(avps, name), None)
