"""The keys of a run's locks: texts, or expressions over the initial vars."""

from collections.abc import Iterable
from typing import Any

from tsvc import turns
from tsvc.config.tables import Config
from tsvc.engine.give_way import slices
from tsvc.errors import ExpressionError, ExpressionFailed, Problem, StartError
from tsvc.expr import Environment, Vars
from tsvc.expr.values import to_text
from tsvc.operations.operation import Scope
from tsvc.schema.load import LoadedParams

MAX_KEY = 1024  # characters
_MAX_KEY_OCTETS = 64 << 20  # memory that the expressions of all keys may make


def _no_chance() -> float:
    return 0.0


class _NeedsGenerator(Exception):
    """A lock key reads a var that is made per instance."""


class _KeyVars(dict[str, Any]):
    """The vars that a lock key sees. To read one that a generator makes is an error."""

    def __init__(self, generators: Iterable[str]) -> None:
        super().__init__()
        self.hidden = set(generators)

    def get(self, name: str, default: Any = None) -> Any:
        if name in self.hidden:
            raise _NeedsGenerator(name)
        return super().get(name, default)

    def fill(self, vars_: Vars, env: Environment) -> None:
        """Make all vars that need no generator; hide the others."""
        for name, make in turns.over(vars_.makers):
            if name in self.hidden:
                continue
            try:
                self[name] = make(env, 0)
            except _NeedsGenerator:
                self.hidden.add(name)


def _key_of(value: Any, path: str, problems: list[Problem]) -> str:
    """Return the text of a key. Errors: ExpressionFailed if it is undefined or empty."""
    key = to_text(value)
    if not key:
        # An empty key would block runs that have nothing to do with each other.
        found = "undefined" if value is None else "empty"
        raise ExpressionFailed(f"{path} is {found}")
    if len(key) > MAX_KEY:
        problems.append(Problem(path, f"is {len(key)} characters long, at most {MAX_KEY}"))
    return key


def lock_keys(params: LoadedParams, vars_: Vars) -> tuple[list[str], list[Problem]]:
    """Return the keys and their problems; expressions see the initial vars as $v.

    A key that needs a generator is a problem. Errors: StartError, kind lock.expression, if a
    key's expression fails.
    """
    locks = params.get("locks") or []
    problems: list[Problem] = []
    if not locks:
        return [], problems
    scope = Scope(params, Config(), problems=problems)
    templates = [
        scope.template(lock["key"], f"locks[{index}].key") for index, lock in enumerate(locks)
    ]
    keys: list[str] = []
    visible = _KeyVars(vars_.generators)
    env = Environment(visible, {}, {}, {}, random=_no_chance, now=_no_chance)

    look = slices()

    def bound_memory() -> None:
        look()
        if env.made > _MAX_KEY_OCTETS:
            raise ExpressionFailed(f"the keys use more than {_MAX_KEY_OCTETS >> 20} MiB")

    env.tick = bound_memory
    try:
        if any(not template.is_constant for template in templates):
            visible.fill(vars_, env)
        for index, template in enumerate(turns.over(templates)):
            try:
                value = template.render(env)
            except _NeedsGenerator as name:
                text = f"a key can't see {name}, which a generator makes per instance"
                problems.append(Problem(f"locks[{index}].key", text))
                continue
            keys.append(_key_of(value, f"locks[{index}].key", problems))
    except ExpressionError as error:
        if not problems:
            raise StartError(f"lock key: {error}", kind="lock.expression") from None
    finally:
        env.tick = None  # break the reference cycle
    return keys, problems
