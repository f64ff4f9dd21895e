"""`db.<method>`, `db.<label>.<method>`: named statements of a database, and SQL where allowed.

The names are the user's: a method is a statement of the selected gateway's configuration, a label
selects the gateway. What the database refuses is data: it fails the instance unless a test looks
at `error`.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from tsvc.errors import Problem
from tsvc.expr.values import to_text
from tsvc.gateways.gateway import Gateway
from tsvc.kinds.db.gateway import DbGateway
from tsvc.kinds.db.statements import QueryAnswer, Refusal, Shape, Statement, bind_names
from tsvc.operations.arguments import ArgumentMembers
from tsvc.operations.operation import (
    OUTBOUND,
    CompiledArguments,
    Entry,
    Execute,
    Family,
    Instance,
    OperationType,
    Scope,
    declare_family,
    note_received,
)
from tsvc.results.records import Ends
from tsvc.schema import fields
from tsvc.words import is_secret_name, shown

NOUN = "DB"  # what $i and __INBOUND know an answer by
QUERY = "Query"
_NAME = re.compile(r"db\.(?:(\w+)\.)?(\w+)")
_ERROR = re.compile(r'"?!?error\b')
_MASK = "***"
_MOST_ROWS = 100  # of an answer that is kept for ladder and capture

# Makes the statement that an instance performs, and the values that it binds.
_Make = Callable[[DbGateway, Mapping[str, Any]], tuple[Statement, Mapping[str, Any]]]


class _DbType(OperationType):
    family = OUTBOUND

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
            answer = self._perform(instance, arguments, make)
            tree = answer.tree()
            note_received(instance, NOUN, tree)
            _note_refusal(instance, self.name, answer.refusal, is_tested=is_refusal_tested)
            if tests is not None and instance.is_checked:
                tests.run(tree, instance.env, instance)

        return execute

    def _problems(self, gateway: DbGateway, given: Mapping[str, Any], path: str) -> list[Problem]:
        """Return what keeps the gateway that was selected from performing this entry."""
        problem = gateway.method_problem(self.method)
        if problem is not None:
            return [Problem(f"{path}.type", problem)]
        if self.method != QUERY:
            problem = gateway.method_problem(self.method, given)
        return [] if problem is None else [Problem(f"{path}.arguments", problem)]

    def _compiled(self, given: Mapping[str, Any], path: str, scope: Scope) -> _Make:
        raise NotImplementedError

    def _perform(
        self, instance: Instance, arguments: CompiledArguments, make: _Make
    ) -> QueryAnswer:
        """Perform the statement. Blocks: until it is answered. Errors: GatewayError."""
        gateway = instance.context.gateway(DbGateway, self.selection)
        statement, given = make(gateway, arguments.render(instance.env))
        instance.trace(2, self.name, lambda: _question(statement, given))
        used: list[Ends | None] = []

        def note_asked(ends: Ends | None) -> None:
            used.append(ends)
            octets = _octets(_question(statement, given))
            instance.note_message("db", gateway.name, True, octets, "", ends)

        started = instance.clock.now()
        answer = gateway.perform(statement, given, note_asked if instance.keeps_messages else None)
        instance.note_latency(self.name, instance.clock.now() - started)
        if instance.keeps_messages:
            octets = _octets(_answer(statement, answer))
            instance.note_message("db", gateway.name, False, octets, "", used[-1])
        instance.trace(1, f"{self.name}: {_in_short(answer)}", answer.tree)
        return answer


class DbMethod(_DbType):
    """A configured statement, by its name."""

    summary = "perform a named statement of a database's configuration"

    class Arguments(ArgumentMembers):
        NAME = fields.Anything(help="value of the bind parameter of that name")

    def describe_arguments(self) -> dict[str, Any]:
        """Members of any name: the statement's configuration says which."""
        return {**(super().describe_arguments() or {}), "type": "open"}

    @property
    def example(self) -> Mapping[str, Any]:  # type: ignore[override]  # made of the name
        return {
            "type": self.name,
            "arguments": {"be_acct_id": 17},
            "tests": [{"kpath": "rows.Exists", "type": "integer", "value": 1}],
        }

    def _compiled(self, given: Mapping[str, Any], path: str, scope: Scope) -> _Make:
        for name, value in given.items():
            if isinstance(value, dict | list):
                scope.refuse(f"{path}.{name}", "must be a text, a number or null")
        method = self.method
        return lambda gateway, rendered: (gateway.statement(method), rendered)


class DbQuery(_DbType):
    """SQL of the definition, where the gateway allows it."""

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
        shape = _shape(given.get("shape", Shape.ROWS.value), f"{path}.shape", scope)
        return lambda gateway, rendered: (gateway.query(sql, shape), rendered.get("bind") or {})


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
    for name, value in values.items():
        if name not in wanted:
            hint = scope.hint(name, wanted)
            scope.refuse(f"{path}.{name}", f"the sql has no :{name}{hint}")
        elif isinstance(value, dict | list):
            scope.refuse(f"{path}.{name}", "must be a text, a number or null")


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


# -- what is shown of it: JSON, see messages.py ---------------------------------------------------


def _question(statement: Statement, given: Mapping[str, Any]) -> dict[str, Any]:
    # A class from outside takes whatever is given, and keeps its SQL to itself.
    names = statement.binds if statement.sql else given
    bind = {name: _MASK if is_secret_name(name) else given.get(name) for name in names}
    return {"statement": statement.name, "sql": statement.sql, "bind": bind}


def _answer(statement: Statement, answer: QueryAnswer) -> dict[str, Any]:
    tree = {"statement": statement.name, **answer.tree()}
    if isinstance(answer.rows, list) and len(answer.rows) > _MOST_ROWS:
        tree["rows"] = answer.rows[:_MOST_ROWS]
    return tree


def _octets(tree: Mapping[str, Any]) -> bytes:
    return json.dumps(tree, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")


# -- the family -----------------------------------------------------------------------------------


def _resolve(name: str) -> OperationType | None:
    """Return the type of a name, one object per name: definitions repeat them."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    label, method = match.groups()
    if method.lower() == QUERY.lower():
        return DbQuery(name, label, QUERY)
    return DbMethod(name, label, method)


declare_family(Family("db.", _resolve, DbMethod("db.<label>.<method>", "<label>", "<method>")))
declare_family(Family("db.", _resolve, DbQuery("db.<label>.Query", "<label>", QUERY)))
