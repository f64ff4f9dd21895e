"""`db.<method>`, `db.<label>.<method>`: named statements of a database, and SQL where allowed.

The names are the user's: a method is a statement of the selected gateway's configuration, and a
label selects the gateway. A refusal by the database is a result: it fails the instance unless a
test reads `error`. `Begin`, `Commit` and `Rollback` hold a session for the instance and return it.
"""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, cast

from tsvc.errors import GatewayError, Problem
from tsvc.expr.values import to_text
from tsvc.gateways.gateway import Gateway
from tsvc.kinds.db.config import QUERY, TRANSACTION
from tsvc.kinds.db.gateway import DbGateway, HeldSession
from tsvc.kinds.db.statements import QueryAnswer, Refusal, Shape, Statement, bind_names
from tsvc.kinds.db.transactions import Isolation, Mode
from tsvc.numbers import text_exactly
from tsvc.operations.arguments import ArgumentMembers
from tsvc.operations.context import Session
from tsvc.operations.operation import (
    OUTBOUND,
    Entry,
    Execute,
    Family,
    Instance,
    OperationType,
    Scope,
    abort,
    declare_family,
    note_received,
)
from tsvc.results.records import Ends
from tsvc.schema import fields
from tsvc.words import is_secret_name, shown

NOUN = "DB"  # name of an answer in $i and __INBOUND
_YES = ("1", "True")
_NO = ("0", "False", "false")
BEGIN, COMMIT, ROLLBACK = TRANSACTION
_NAME = re.compile(r"db\.(?:(\w+)\.)?(\w+)")
_ERROR = re.compile(r'"?!?error\b')
_MASK = "***"
_LONGEST_SQL = 16_384  # characters: finding its parameters takes a microsecond for each
_dumps = partial(json.dumps, ensure_ascii=False, default=str)
_MOST_ROWS = 100  # of an answer that is stored for ladder and capture

# Returns the statement that an instance performs, and the values to bind.
_Make = Callable[[DbGateway, Mapping[str, Any]], tuple[Statement, Mapping[str, Any]]]
_Notes = tuple[Callable[[Ends | None], None], Callable[[QueryAnswer], None]]


_NO_VALUE = "must be a text, a number or null"  # or an array, if the database has arrays


class _DbType(OperationType):
    family = OUTBOUND
    received = (NOUN,)

    class Attributes(Entry):
        arguments = fields.Object(help="see below")
        tests = fields.List(fields.Object(), help="checks of rows, count, value, error")

    def __init__(self, name: str, label: str | None, method: str) -> None:
        self.name = name
        self.method = method
        self.selection = f"db_{label}" if label else "db"

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need(self.selection, path)
        given = entry.get("arguments") or {}
        make = self._compiled(given, f"{path}.arguments", scope)

        def check_gateway(gateway: Gateway) -> list[Problem]:
            return self._problems(cast("DbGateway", gateway), given, path)

        scope.check_gateway(self.selection, check_gateway)
        arguments = scope.arguments(entry.get("arguments"), path)
        tests = scope.tests(entry, path)
        is_refusal_tested = any(_is_of_error(test) for test in entry.get("tests") or ())

        def execute(instance: Instance) -> None:
            gateway = instance.context.gateway(DbGateway, self.selection)
            answer = self._perform(
                instance, gateway, *make(gateway, arguments.render(instance.env))
            )
            tree = answer.tree()
            note_received(instance, NOUN, tree)
            _note_refusal(instance, self.name, answer.refusal, is_tested=is_refusal_tested)
            if tests is not None and instance.is_checked:
                tests.run(tree, instance.env, instance)

        return execute

    def _problems(self, gateway: DbGateway, given: Mapping[str, Any], path: str) -> list[Problem]:
        """Return why the selected gateway can't perform this entry, as problems."""
        problem = gateway.method_problem(self.method)
        if problem is not None:
            return [Problem(f"{path}.type", problem)]
        if self.method != QUERY:
            problem = gateway.method_problem(self.method, given)
        return [] if problem is None else [Problem(f"{path}.arguments", problem)]

    def _compiled(self, given: Mapping[str, Any], path: str, scope: Scope) -> _Make:
        raise NotImplementedError

    def _check_values(self, values: Mapping[str, Any], path: str, scope: Scope) -> None:
        """Refuse values that can't be bound; arrays are checked when the database is known."""
        arrays = []
        for name, value in values.items():
            if isinstance(value, dict):
                scope.refuse(f"{path}.{name}", _NO_VALUE)
            elif isinstance(value, list):
                arrays.append(Problem(f"{path}.{name}", _NO_VALUE))

        def check_arrays(gateway: Gateway) -> list[Problem]:
            return [] if cast("DbGateway", gateway).has_arrays else arrays

        if arrays:
            scope.check_gateway(self.selection, check_arrays)

    def _perform(
        self,
        instance: Instance,
        gateway: DbGateway,
        statement: Statement,
        given: Mapping[str, Any],
    ) -> QueryAnswer:
        """Perform the statement. Blocks: until it is answered. Errors: GatewayError."""
        instance.trace(2, self.name, lambda: _question(statement, given))
        used: Ends | None = None

        def note_asked(ends: Ends | None) -> None:
            nonlocal used
            used = ends
            if instance.keeps_messages:
                octets = _octets(_question(statement, given))
                instance.note_message("db", gateway.name, True, octets, "", ends)

        started = instance.clock.now()

        def note_answered(answer: QueryAnswer) -> None:
            instance.note_latency(self.name, instance.clock.now() - started)
            if instance.keeps_messages:
                octets = _octets(_answer(statement, answer))
                instance.note_message("db", gateway.name, False, octets, "", used)
            instance.trace(1, f"{self.name}: {_in_short(answer)}", answer.tree)

        return self._ask(instance, gateway, statement, given, (note_asked, note_answered))

    def _ask(
        self,
        instance: Instance,
        gateway: DbGateway,
        statement: Statement,
        given: Mapping[str, Any],
        notes: _Notes,
    ) -> QueryAnswer:
        """Perform the statement; `notes` are called with the request and with the answer."""
        begun = Transaction.of(instance, gateway)
        return gateway.perform(statement, given, *notes, begun.held if begun else None)


class DbMethod(_DbType):
    """A configured statement, selected by its name."""

    summary = "perform a named statement of a database's configuration"

    class Arguments(ArgumentMembers):
        NAME = fields.Anything(help="value of the bind parameter of that name")

    def describe_arguments(self) -> dict[str, Any]:
        """Return open members: the configuration of the statement defines their names."""
        return {**(super().describe_arguments() or {}), "type": "open"}

    @property
    def example(self) -> Mapping[str, Any]:  # type: ignore[override]  # made of the name
        return {
            "type": self.name,
            "arguments": {"be_acct_id": 17},
            "tests": [{"kpath": "rows.Exists", "type": "integer", "value": 1}],
        }

    def _compiled(self, given: Mapping[str, Any], path: str, scope: Scope) -> _Make:
        self._check_values(given, path, scope)
        method = self.method
        return lambda gateway, rendered: (gateway.statement(method), rendered)


class DbQuery(_DbType):
    """SQL of the definition, if the gateway allows it."""

    summary = "perform SQL with bind parameters; the gateway must have set allow_sql"

    class Arguments(ArgumentMembers):
        sql = fields.String(
            required=True,
            help="one statement; values stand in it as :name, never as an expression",
        )
        bind = fields.Object(help="values by name")
        shape = fields.String(
            default=Shape.ROWS.value, help="rows, row, value; count for what changes data"
        )

    @property
    def example(self) -> Mapping[str, Any]:  # type: ignore[override]  # made of the name
        return {
            "type": self.name,
            "arguments": {
                "sql": "SELECT balance FROM wallet WHERE msisdn = :msisdn",
                "bind": {"msisdn": "6421000001"},
                "shape": "row",
            },
            "tests": [{"kpath": "rows.balance", "type": "integer", "value": 1450}],
        }

    def _compiled(self, given: Mapping[str, Any], path: str, scope: Scope) -> _Make:
        self.Arguments.check(given, path, scope)
        sql = _constant_sql(given.get("sql"), f"{path}.sql", scope)
        _check_bind(given.get("bind"), sql, f"{path}.bind", scope)
        if isinstance(given.get("bind"), Mapping):
            self._check_values(given["bind"], f"{path}.bind", scope)
        shape = _shape(given.get("shape", Shape.ROWS.value), f"{path}.shape", scope)

        def check_sql(gateway: Gateway) -> list[Problem]:
            problem = cast("DbGateway", gateway).sql_problem(sql)
            return [] if problem is None else [Problem(f"{path}.sql", problem)]

        scope.check_gateway(self.selection, check_sql)
        return lambda gateway, rendered: (gateway.query(sql, shape), rendered.get("bind") or {})


class _DbTransaction(_DbType):
    """An operation that begins or ends a transaction."""

    class Arguments(ArgumentMembers):
        pass

    @property
    def example(self) -> Mapping[str, Any]:  # type: ignore[override]  # made of the name
        return {"type": self.name}

    def _compiled(self, given: Mapping[str, Any], path: str, scope: Scope) -> _Make:
        self.Arguments.check(given, path, scope)
        statement = Statement(self.method, "", {})
        return lambda gateway, rendered: (statement, rendered)


class DbBegin(_DbTransaction):
    """Begin: starts a transaction on a session that the instance holds."""

    summary = "begin a transaction; the instance holds a session until Commit, Rollback or its end"

    class Arguments(ArgumentMembers):
        isolation = fields.Choice(
            [level.value for level in Isolation],
            help="isolation level; absent: as the database is set up",
        )
        read_only = fields.Boolean(help="whether the transaction may change nothing, default 0")

    @property
    def example(self) -> Mapping[str, Any]:  # type: ignore[override]  # made of the name
        return {"type": self.name, "arguments": {"isolation": "serializable"}}

    def _problems(self, gateway: DbGateway, given: Mapping[str, Any], path: str) -> list[Problem]:
        found = super()._problems(gateway, given, path)
        if _contradicts(gateway, given.get("read_only")):
            found.append(Problem(f"{path}.arguments.read_only", _contradiction(gateway)))
        return found

    def _ask(
        self,
        instance: Instance,
        gateway: DbGateway,
        statement: Statement,
        given: Mapping[str, Any],
        notes: _Notes,
    ) -> QueryAnswer:
        if Transaction.of(instance, gateway) is not None:
            abort(f"{gateway.name}: Begin: a transaction is in progress already")
        if _contradicts(gateway, given.get("read_only")):
            abort(f"Begin: read_only {_contradiction(gateway)}")
        mode = Mode(_isolation(given.get("isolation")), str(given.get("read_only")) in _YES)
        holder = f"run {instance.env.r['run_id']} instance {instance.idx}"
        begun = gateway.begin(mode, holder, notes[0])
        answer = QueryAnswer(refusal=begun) if isinstance(begun, Refusal) else QueryAnswer()
        if isinstance(begun, HeldSession):
            instance.dialogues.append(Transaction(begun))
        notes[1](answer)
        return answer


class DbEnd(_DbTransaction):
    """Commit or Rollback: ends the transaction and returns the session."""

    def __init__(self, name: str, label: str | None, method: str) -> None:
        super().__init__(name, label, method)
        self._is_kept = method == COMMIT
        done = "keep" if self._is_kept else "undo"
        self.summary = f"{done} what was done since Begin, and give the session back"

    def _ask(
        self,
        instance: Instance,
        gateway: DbGateway,
        statement: Statement,
        given: Mapping[str, Any],
        notes: _Notes,
    ) -> QueryAnswer:
        begun = Transaction.of(instance, gateway)
        if begun is None:
            text = "no transaction is in progress, Begin begins one"
            abort(f"{gateway.name}: {self.method}: {text}")
        notes[0](begun.held.session.ends)
        answer = QueryAnswer(refusal=gateway.finish(begun.held, is_kept=self._is_kept))
        instance.dialogues.remove(begun)
        notes[1](answer)
        return answer


class Transaction(Session[str]):
    """A session that an instance holds, one of its dialogues: rolled back at the instance's end.

    The end waits for the rollback, so that nothing remains when the instance is over. After
    a cancel the session is closed, and the server rolls back.
    """

    role = "db"
    may_hear = False

    def __init__(self, held: HeldSession) -> None:
        self.held = held
        self.name = f"{held.gateway.name} transaction"

    @classmethod
    def of(cls, instance: Instance, gateway: DbGateway) -> "Transaction | None":
        """Return the transaction of an instance on a gateway."""
        for one in instance.dialogues:
            if isinstance(one, cls) and one.is_open and one.held.gateway is gateway:
                return one
        return None

    @property
    def is_open(self) -> bool:
        """True if the session is still held."""
        return self.held.is_open

    def leftovers(self) -> list[str]:
        """Return an empty list: a database sends nothing by itself."""
        return []

    def close(self) -> str | None:
        """Roll back what was not committed. Blocks: up to query_timeout_s, twice."""
        if not self.is_open:
            return None
        if not self.held.session.is_usable():
            self.held.give_up()
        else:
            with suppress(GatewayError):
                self.held.gateway.finish(self.held, is_kept=False)
        return "ROLLBACK"

    def abort(self) -> None:
        """Close the session: a cancel must not wait for a statement in it."""
        if self.is_open:
            self.held.give_up()


def _contradicts(gateway: DbGateway, is_read_only: Any) -> bool:
    """Return True if Begin asks for changes where the application refuses any."""
    return gateway.config.read_only and str(is_read_only) in _NO


def _contradiction(gateway: DbGateway) -> str:
    return f"is 0, but {gateway.name} is read-only: set its key read_only = false"


def _isolation(given: Any) -> Isolation | None:
    try:
        return None if given is None else Isolation(to_text(given).lower())
    except ValueError:
        abort(f"Begin: {shown(to_text(given))} is no isolation level")


def _constant_sql(given: Any, path: str, scope: Scope) -> str:
    if given is None:
        return ""  # refused already
    if not isinstance(given, str) or not given.strip():
        scope.refuse(path, "must be a statement of SQL")
        return ""
    template = scope.template(given, path)
    if not template.is_constant:
        scope.refuse(path, "takes values as :name from bind, not by expressions")
        return ""
    sql = to_text(scope.constant(template))
    if len(sql) > _LONGEST_SQL:
        text = f"longer than {_LONGEST_SQL} characters; in the configuration it may be that long"
        scope.refuse(path, text)
        return ""
    try:
        bind_names(sql)
    except ValueError as error:
        scope.refuse(path, f"can't be read: {error}")
    return sql


def _check_bind(given: Any, sql: str, path: str, scope: Scope) -> None:
    if given is not None and not isinstance(given, Mapping):
        scope.refuse(path, "must be an object of values by name")
        return
    values: Mapping[str, Any] = given or {}
    try:
        wanted = bind_names(sql)
    except ValueError:
        return
    for name in wanted:
        if name not in values:
            scope.refuse(f"{path}.{name}", f"is missing: the sql has :{name}")
    for name in values:
        if name not in wanted:
            hint = scope.hint(name, wanted)
            scope.refuse(f"{path}.{name}", f"the sql has no :{name}{hint}")


def _shape(given: Any, path: str, scope: Scope) -> Shape:
    try:
        return Shape(given)
    except ValueError:
        known = ", ".join(shape.value for shape in Shape)
        scope.refuse(path, f"{shown(str(given))} is not one of {known}")
        return Shape.ROWS


def _is_of_error(test: Any) -> bool:
    return isinstance(test, Mapping) and _ERROR.match(str(test.get("kpath"))) is not None


def _note_refusal(
    instance: Instance, name: str, refusal: Refusal | None, *, is_tested: bool
) -> None:
    if refusal is None or is_tested:
        text = f"{name} answered" if refusal is None else f"{name} refused"
        instance.entry(True, text, None, None)
    else:
        instance.entry(False, f"{name} refused", "an answer", f"{refusal.code}: {refusal.text}")


def _in_short(answer: QueryAnswer) -> str:
    return f"refused, {answer.refusal.code}" if answer.refusal else f"{answer.count}"


# -- presentation as JSON, see messages.py --------------------------------------------------------


def _question(statement: Statement, given: Mapping[str, Any]) -> dict[str, Any]:
    # A class from outside accepts any names, and its SQL is not known.
    names = statement.binds if statement.sql else given
    bind = {name: _MASK if is_secret_name(name) else given.get(name) for name in names}
    return {"statement": statement.name, "sql": statement.sql, "bind": bind}


def _answer(statement: Statement, answer: QueryAnswer) -> dict[str, Any]:
    tree = {"statement": statement.name, **answer.tree()}
    if isinstance(answer.rows, list) and len(answer.rows) > _MOST_ROWS:
        tree["rows"] = answer.rows[:_MOST_ROWS]
    return tree


def _octets(tree: Mapping[str, Any]) -> bytes:
    return text_exactly(tree, _dumps).encode("utf-8", "backslashreplace")


# -- the family -----------------------------------------------------------------------------------


def _resolve(name: str) -> OperationType | None:
    """Return the type of a name, one object per name: definitions repeat names."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    label, method = match.groups()
    if method.lower() == QUERY.lower():
        return DbQuery(name, label, QUERY)
    for one in TRANSACTION:
        if method.lower() == one.lower():
            return (DbBegin if one == BEGIN else DbEnd)(name, label, one)
    return DbMethod(name, label, method)


declare_family(Family("db.", _resolve, DbMethod("db.<label>.<method>", "<label>", "<method>")))
declare_family(Family("db.", _resolve, DbQuery("db.<label>.Query", "<label>", QUERY)))
declare_family(Family("db.", _resolve, DbBegin("db.<label>.Begin", "<label>", BEGIN)))
declare_family(Family("db.", _resolve, DbEnd("db.<label>.Commit", "<label>", COMMIT)))
declare_family(Family("db.", _resolve, DbEnd("db.<label>.Rollback", "<label>", ROLLBACK)))
