"""Logic operations: eval, branch, wait, halt, log, pass, fail, abort."""

from collections.abc import Callable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from tsvc.errors import ExpressionSyntaxError
from tsvc.expr import Template, is_expression
from tsvc.expr.kpath import compile_kpath
from tsvc.expr.values import noun, to_text, truth
from tsvc.operations.arguments import ArgumentMembers
from tsvc.operations.operation import (
    LOGIC,
    Entry,
    Execute,
    Instance,
    OperationType,
    Scope,
    abort,
    declare,
)
from tsvc.schema import fields
from tsvc.schema.style import float_of
from tsvc.words import shown

MAX_SECONDS = 1e7
MAX_HALT_S = 600.0
_HALT_S = 60
_MOST_LABELS = 20  # that are listed in the problem of an unknown label


class _Arguments(ArgumentMembers):
    open_prefixes = ()
    has_hints = False


class _Text(_Arguments):
    text = fields.String(help="the words")


def _nothing(instance: Instance) -> None:
    return None


def _listed(labels: Mapping[str, int]) -> str:
    names = [shown(label) for label in islice(labels, _MOST_LABELS)]
    if len(labels) > len(names):
        names.append(f"and {len(labels) - len(names)} more")
    return ", ".join(names) or "none"


class Eval(OperationType):
    """Evaluate an expression; `tests` may check the variables afterwards."""

    name = "eval"
    family = LOGIC
    received = ()
    summary = "evaluate an expression over the variables"
    example = MappingProxyType({"type": "eval", "expression": "$v->{count} += 1"})

    class Attributes(Entry):
        expression = fields.String(required=True, help="with or without braces")
        tests = fields.List(fields.Object(), help="checks of v, i, g, r and result")

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.eligibility.allow_local(path, entry)
        expression = scope.expression(entry["expression"], f"{path}.expression")
        tests = scope.tests(entry, path)
        for position, test in enumerate(entry.get("tests") or ()):
            _note_reads(test.get("kpath"), f"{path}.tests[{position}].kpath", scope)
        if expression is None:
            return _nothing
        evaluate = expression.evaluate
        if tests is None:

            def execute(instance: Instance) -> None:
                value = evaluate(instance.env)
                if instance.is_traced:
                    instance.trace(3, f"eval {entry['expression']}", lambda: value)

            return execute

        def execute_and_test(instance: Instance) -> None:
            env = instance.env
            value = evaluate(env)
            if instance.is_traced:
                instance.trace(3, f"eval {entry['expression']}", lambda: value)
            roots = zip(_ROOTS, (env.v, env.i, env.g, env.r, value), strict=True)
            tests.run({**env.v, **dict(roots)}, env, instance)

        return execute_and_test


_ROOTS = ("v", "i", "g", "r", "result")


def _note_reads(kpath: object, path: str, scope: Scope) -> None:
    """Note the variable that a kpath reads: `v.x`, `g.x`, or `x` by itself."""
    if not isinstance(kpath, str) or is_expression(kpath) or "default(" in kpath:
        return
    try:
        names = compile_kpath(kpath).names
    except ExpressionSyntaxError:
        return  # reported where the test is compiled
    if names[:1] and names[0] not in _ROOTS:
        scope.variables.read("v", names[0], path)
    elif names[:1] in (("v",), ("g",), ("i",)) and len(names) > 1:
        scope.variables.read(names[0], names[1], path)


class Branch(OperationType):
    """Jump to a label by the truth of an expression."""

    name = "branch"
    family = LOGIC
    received = ()
    summary = "go on at a label, by the truth of an expression"
    example = MappingProxyType(
        {
            "type": "branch",
            "expression": "$v->{count} < 3",
            "on_true": "again",
        }
    )

    class Attributes(Entry):
        expression = fields.String(required=True, help="with or without braces")
        on_true = fields.String(allow_none=True, help="label; absent: go on")
        on_false = fields.String(allow_none=True, help="label; absent: go on")

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.eligibility.allow_local(path, entry)
        expression = scope.expression(entry["expression"], f"{path}.expression")
        targets: list[int | None] = []
        for side in ("on_false", "on_true"):
            label = entry.get(side)
            if label is not None and label not in scope.labels:
                scope.refuse(
                    f"{path}.{side}",
                    f"no operation has the label {shown(label)} ({_listed(scope.labels)})",
                )
            targets.append(scope.labels.get(label) if label is not None else None)
        if expression is None:
            return _nothing
        evaluate, test = expression.evaluate, expression.test
        on_false, on_true = targets

        def execute(instance: Instance) -> int | None:
            if instance.is_traced:
                value = evaluate(instance.env)
                instance.trace(3, f"branch {entry['expression']}", lambda: value)
                is_true = truth(value)
                instance.trace(1, f"branch: {'true' if is_true else 'false'}")
            else:
                is_true = test(instance.env)
            return on_true if is_true else on_false

        return execute


def _seconds(template: Template, instance: Instance, name: str) -> float:
    value = template.render(instance.env)
    seconds = float_of(value)
    # An undefined value, or one that is no number, is an error and not 0 s, as for a constant.
    if seconds is None or not 0 <= seconds <= MAX_SECONDS:
        words = noun(value) if value is None else to_text(value)
        abort(f"{name}: {words} is no number of seconds from 0 to {MAX_SECONDS:g}")
    return seconds


class Wait(OperationType):
    """Pause the instance."""

    name = "wait"
    family = LOGIC
    received = ()
    summary = "pause for a number of seconds"
    example = MappingProxyType({"type": "wait", "arguments": {"seconds": 1.5}})

    class Attributes(Entry):
        arguments = fields.Object(required=True)

    class Arguments(_Arguments):
        seconds = fields.Number(0, MAX_SECONDS, required=True, unit="s", help="how long")

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.eligibility.allow_local(path, entry, takes_time=True)
        arguments = entry["arguments"]
        self.Arguments.check(arguments, f"{path}.arguments", scope)
        seconds = _checked_seconds(arguments.get("seconds"), path, scope)

        def execute(instance: Instance) -> None:
            instance.sleep(_seconds(seconds, instance, "wait"))

        return execute


def _checked_seconds(
    value: object, path: str, scope: Scope, highest: float = MAX_SECONDS
) -> Template:
    """Compile `seconds`; a constant, also one of an expression, must be within the bounds."""
    template = scope.template(value, f"{path}.arguments.seconds")
    if template.is_constant and value is not None:
        seconds = float_of(scope.constant(template))
        if seconds is None or not 0 <= seconds <= highest:
            text = f"must be a number of seconds from 0 to {highest:g}"
            scope.refuse(f"{path}.arguments.seconds", text)
    return template


class Halt(OperationType):
    """Stop until a client resumes the instance."""

    name = "halt"
    family = LOGIC
    received = ()
    summary = "wait until ResumeInstance; abort when the time is over"
    example = MappingProxyType(
        {
            "type": "halt",
            "arguments": {"seconds": 60, "comment": "check the switch"},
        }
    )

    class Attributes(Entry):
        arguments = fields.Object()

    class Arguments(_Arguments):
        seconds = fields.Number(0, MAX_HALT_S, default=_HALT_S, unit="s", help="longest wait")
        comment = fields.String(help="shown while it waits")

        def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
            super().check_declared(given, path, scope)
            if given["seconds"] is None:
                scope.refuse(f"{path}.seconds", self.style.missing)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.eligibility.allow_local(path, entry, takes_time=True)
        arguments = {"seconds": _HALT_S, **entry.get("arguments", {})}
        self.Arguments.check(arguments, f"{path}.arguments", scope)
        seconds = _checked_seconds(arguments["seconds"], path, scope, MAX_HALT_S)
        comment = scope.template(arguments.get("comment"), f"{path}.arguments.comment")

        def execute(instance: Instance) -> None:
            limit = min(_seconds(seconds, instance, "halt"), MAX_HALT_S)
            words = comment.render(instance.env)
            if not instance.halt(limit, None if words is None else to_text(words)):
                abort(f"halt: not resumed within {limit:g} s")

        return execute


class Log(OperationType):
    """Write a text to the trace log, whatever the trace level."""

    name = "log"
    family = LOGIC
    received = ()
    summary = "write a text to the trace log"
    example = MappingProxyType(
        {
            "type": "log",
            "arguments": {"text": "{'count is ' . $v->{count}}"},
        }
    )
    Arguments = _Text

    class Attributes(Entry):
        arguments = fields.Object(required=True)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.eligibility.allow_local(path, entry)
        words = _text_argument(entry, path, scope)

        def execute(instance: Instance) -> None:
            instance.trace(0, to_text(words.render(instance.env)))

        return execute


def _text_argument(entry: Mapping[str, Any], path: str, scope: Scope) -> Template:
    arguments = entry.get("arguments", {})
    _Text.check(arguments, f"{path}.arguments", scope)
    return scope.template(arguments.get("text", ""), f"{path}.arguments.text")


# Tells an instance the verdict, with the text of the entry.
_Tell = Callable[[Instance, str], None]


class Verdict(OperationType):
    """`pass`, `fail`, `abort`: a verdict that the definition sets, with a text."""

    family = LOGIC
    received = ()
    Arguments = _Text

    class Attributes(Entry):
        arguments = fields.Object()

    def __init__(self, name: str, summary: str, text: str, tell: _Tell) -> None:
        self.name = name
        self.summary = summary
        self.example = {"type": name, "arguments": {"text": text}}
        self._tell = tell

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.eligibility.allow_local(path, entry)
        words = _text_argument(entry, path, scope)

        def execute(instance: Instance) -> None:
            self._tell(instance, to_text(words.render(instance.env)) or self.name)

        return execute


def _pass(instance: Instance, text: str) -> None:
    instance.entry(True, text, None, None)


def _fail(instance: Instance, text: str) -> None:
    instance.entry(False, text, None, None)


def _abort(instance: Instance, text: str) -> None:
    abort(text)


for _type in (Eval, Branch, Wait, Halt, Log):
    declare(_type())
declare(Verdict("pass", "add a passed check to the check log", "reached the end", _pass))
declare(
    Verdict("fail", "add a failed check to the check log and go on", "should not come here", _fail)
)
declare(Verdict("abort", "end the instance as aborted", "no point in going on", _abort))
