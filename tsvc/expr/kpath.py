"""KPath: the path to one element of a tree, such as `response.avps.[name=Origin-Host].value`.

Segments are separated by dots: `name`, `[n]`, `[key=value]`, `split(',')`, `default('x')`; a
backslash escapes the character after it. Two leniencies of the published service hold: `[0]` of a
value that is not an array is that value; a name in an array of one element is looked up in it.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from tsvc import turns
from tsvc.errors import ExpressionSyntaxError
from tsvc.expr.values import FieldName, Value, to_text


class _Missing:
    """The result of a step that finds no element; it differs from an element that is null."""


_MISSING: Final = _Missing()
_Found: TypeAlias = "Value | _Missing"
_Step: TypeAlias = "Callable[[_Found], _Found]"
_TEXT_MAX = 4_096


class KPath:
    """A compiled path. `names`: its leading names, up to the first segment that is no name."""

    __slots__ = ("_steps", "names", "text")

    def __init__(self, text: str, steps: tuple[_Step, ...], names: tuple[str, ...]) -> None:
        self.text = text
        self.names = names
        self._steps = steps

    def find(self, tree: Value, missing: Value = None) -> Value:
        """Return the element, `missing` if there is none. Never raises."""
        current: _Found = tree
        for step in self._steps:
            current = step(current)
        return missing if isinstance(current, _Missing) else current

    def has(self, tree: Value) -> bool:
        """Return True if the element exists, even if it is null."""
        current: _Found = tree
        for step in self._steps:
            current = step(current)
        return not isinstance(current, _Missing)


def compile_kpath(text: str) -> KPath:
    """Compile a path. Errors: ExpressionSyntaxError with the column."""
    reader = _Reader(text)
    steps = tuple(reader.read())
    return KPath(text, steps, tuple(reader.names))


class _Reader:
    """Reads a path's segments from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.names: list[str] = []
        self._are_all_names = True

    def error(self, text: str, column: int) -> ExpressionSyntaxError:
        return ExpressionSyntaxError(text, self.text, column)

    def read(self) -> list[_Step]:
        if not self.text:
            raise self.error("a kpath needs a segment", 0)
        if len(self.text) > _TEXT_MAX:
            raise self.error(f"longer than {_TEXT_MAX} characters", 0)
        steps = [self.segment()]
        while self.at < len(self.text):
            turns.walked()
            # `rows[2]` is read as `rows.[2]`
            if self.text[self.at] == ".":
                self.at += 1
            steps.append(self.segment())
        return steps

    def segment(self) -> _Step:
        if self.text.startswith("[", self.at):
            self._are_all_names = False
            return self.bracket()
        for name, make in (("split", _split_step), ("default", _default_step)):
            if self.text.startswith(name + "(", self.at):
                self._are_all_names = False
                return self.call(name, make)
        name = self.name()
        if self._are_all_names:
            self.names.append(name)
        return _name_step(name)

    def name(self) -> str:
        start, signs = self.at, []
        while self.at < len(self.text) and self.text[self.at] not in ".[":
            turns.walked()
            if self.text[self.at] == "\\":
                self.at += 1
                if self.at == len(self.text):
                    raise self.error("a backslash at the end", self.at - 1)
            signs.append(self.text[self.at])
            self.at += 1
        if not signs:
            raise self.error("an empty segment", start)
        return "".join(signs)

    def bracket(self) -> _Step:
        start = self.at
        inside = self.until("]", start)
        key, equals, value = _halves(inside)
        if equals:
            if not key:
                raise self.error("a filter needs a key before '='", start)
            return _filter_step(key, _unquoted(value))
        number = inside.strip()
        if not (number.isascii() and number.removeprefix("-").isdigit() and len(number) < 10):
            raise self.error("expected [n] or [key=value]", start)
        return _index_step(int(number))

    def until(self, closer: str, start: int) -> str:
        """Return the text up to a closing sign that is neither quoted nor escaped."""
        at, quote = start + 1, ""
        while at < len(self.text):
            sign = self.text[at]
            if sign == "\\":
                at += 1
            elif quote:
                quote = "" if sign == quote else quote
            elif sign in "'\"" and self.text[at - 1] in "=(":
                quote = sign
            elif sign == closer:
                self.at = at + 1
                return self.text[start + 1 : at]
            at += 1
        raise self.error(f"'{self.text[start]}' is not closed", start)

    def call(self, name: str, make: Callable[[Value], _Step]) -> _Step:
        start = self.at
        argument = self.until(")", start + len(name)).strip()
        if argument[:1] in ("'", '"'):
            if len(argument) < 2 or argument[-1] != argument[0]:
                raise self.error(f"the text of {name} is not closed", start)
            return make(_unquoted(argument))
        try:
            number = float(argument) if "." in argument else int(argument)
        except ValueError:
            raise self.error(f"{name} takes a text in quotes or a number", start) from None
        return make(number)


def _halves(inside: str) -> tuple[str, str, str]:
    """Split `key=value` at the first equals sign that is not escaped."""
    at = 0
    while at < len(inside):
        if inside[at] == "\\":
            at += 1
        elif inside[at] == "=":
            return _unescaped(inside[:at].strip()), "=", inside[at + 1 :].strip()
        at += 1
    return inside, "", ""


def _unescaped(text: str) -> str:
    signs = iter(text)
    return "".join([next(signs, "\\") if sign == "\\" else sign for sign in signs])


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    return _unescaped(text)


def _name_step(name: str) -> _Step:
    def step(current: _Found) -> _Found:
        if type(current) is list and len(current) == 1:
            current = current[0]
        if type(current) is dict:
            return current.get(name, _MISSING)
        return _MISSING

    return step


def _index_step(number: int) -> _Step:
    def step(current: _Found) -> _Found:
        if isinstance(current, list):
            return current[number] if -len(current) <= number < len(current) else _MISSING
        return current if number == 0 and current is not None else _MISSING

    return step


def _filter_step(key: str, wanted: str) -> _Step:
    def matches(item: Value) -> bool:
        return isinstance(item, dict) and _is_text(item.get(key, _MISSING), wanted)

    def step(current: _Found) -> _Found:
        if isinstance(current, list):
            return [item for item in current if matches(item)]
        return [current] if isinstance(current, dict) and matches(current) else _MISSING

    return step


def _is_text(value: _Found, wanted: str) -> bool:
    if value is None or isinstance(value, (list, dict, _Missing)):
        return False
    if isinstance(value, FieldName):
        return value.lower() == wanted.lower()
    return to_text(value) == wanted


def _split_step(separator: Value) -> _Step:
    """Split a scalar; empty parts at the end are dropped, as Perl's split does."""
    between = to_text(separator)

    def step(current: _Found) -> _Found:
        if current is None or isinstance(current, (list, dict, _Missing)):
            return _MISSING
        text = to_text(current)
        parts: list[Value] = [*text.split(between)] if between else [*text]
        while parts and parts[-1] == "":
            parts.pop()
        return parts

    return step


def _default_step(value: Value) -> _Step:
    def step(current: _Found) -> _Found:
        return value if current is None or isinstance(current, _Missing) else current

    return step
