"""Closures of =~, s///, tr/// and split."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tsvc.errors import ExpressionFailed
from tsvc.expr.compile.compiler import (
    Run,
    RunItems,
    RunTest,
    condition_of,
    items_of,
    scalar,
    scalar_of,
    truth_value,
)
from tsvc.expr.compile.variables import place
from tsvc.expr.environment import Frame
from tsvc.expr.regex import PatternError, Regex, compile_pattern, escape
from tsvc.expr.syntax import Call, Constant, Match, Node, Pattern, Substitute, Transliterate
from tsvc.expr.values import Value, to_integer, to_text
from tsvc.words import quoted

_PATTERN_MAX = 10_000


def regex_run(pattern: Pattern) -> Callable[[Frame], Regex]:
    """Compile a pattern: once if it is only text, at each evaluation if it has variables."""
    if all(isinstance(part, Constant) for part in pattern.parts):
        text = "".join(str(part.value) for part in pattern.parts if isinstance(part, Constant))
        fixed = compile_pattern(text, pattern.flags)
        return lambda frame: fixed
    parts = [
        _part(part, quoted) for part, quoted in zip(pattern.parts, pattern.quoted, strict=True)
    ]
    flags = pattern.flags

    def run(frame: Frame) -> Regex:
        return compiled("".join([part(frame) for part in parts]), flags)

    return run


def compiled(text: str, flags: str) -> Regex:
    """Compile a pattern made during an evaluation."""
    if len(text) > _PATTERN_MAX:
        raise ExpressionFailed(f"the pattern is longer than {_PATTERN_MAX} characters")
    try:
        return compile_pattern(text, flags)
    except PatternError as failure:
        raise ExpressionFailed(f"pattern {quoted(text)}: {failure.text}") from None


def _part(node: Node, is_quoted: bool) -> Callable[[Frame], str]:
    if isinstance(node, Constant):
        text = str(node.value)
        return lambda frame: text
    run = scalar(node)
    if is_quoted:
        return lambda frame: escape(to_text(run(frame)))
    return lambda frame: to_text(run(frame))


def _subject(frame: Frame, value: Value) -> str:
    text = to_text(value)
    frame.step(1 + (len(text) >> 2))
    return text


@condition_of(Match)
def _match_condition(node: Match) -> RunTest:
    target, regex = scalar(node.target), regex_run(node.pattern)

    def run(frame: Frame) -> bool:
        text = _subject(frame, target(frame))
        match = regex(frame).search(text)
        if match is None:
            return False
        frame.match = match
        return True

    return run


@scalar_of(Match)
def _match(node: Match) -> Run:
    return truth_value(_match_condition(node))


@items_of(Match)
def _match_items(node: Match) -> RunItems:
    """Return the captures, or (1) if there are none; with the flag g those of all matches."""
    target, regex = scalar(node.target), regex_run(node.pattern)
    is_global = node.is_global

    def run(frame: Frame) -> list[Value]:
        text = _subject(frame, target(frame))
        pattern = regex(frame)
        if is_global:
            return _all_matches(frame, pattern, text)
        match = pattern.search(text)
        if match is None:
            return []
        frame.match = match
        return list(match.groups()) if pattern.groups else [1]

    return run


def _all_matches(frame: Frame, pattern: Regex, text: str) -> list[Value]:
    found: list[Value] = []
    for match in pattern.each(text):
        frame.match = match
        groups = match.groups() if pattern.groups else (match.group(0),)
        frame.step(len(groups))
        found += groups
    return found


@scalar_of(Substitute)
def _substitute(node: Substitute) -> Run:
    regex, replacement = regex_run(node.pattern), scalar(node.replacement)
    if node.returns_text:
        target = scalar(node.target)

        def run_text(frame: Frame) -> Value:
            text = _subject(frame, target(frame))
            return _replaced(frame, regex(frame), text, replacement, node.is_global)[0]

        return run_text
    place_run = place(node.target)

    def run(frame: Frame) -> Value:
        holder, key = place_run(frame)
        old: Value = holder.get(key) if type(holder) is dict else holder[key]
        text = _subject(frame, old)
        changed, count = _replaced(frame, regex(frame), text, replacement, node.is_global)
        if count:
            holder[key] = changed
        return count or ""

    return run


def _replaced(
    frame: Frame, regex: Regex, text: str, replacement: Run, is_global: bool
) -> tuple[str, int]:
    """Return the text after s///, and how many matches were replaced."""
    pieces: list[str] = []
    at = count = 0
    for match in _matches(regex, text, is_global):
        frame.match = match
        frame.step(2)
        start, end = match.span()
        pieces += (text[at:start], frame.count_text(to_text(replacement(frame))))
        at, count = end, count + 1
    if not count:
        return text, 0
    pieces.append(text[at:])
    return frame.count_text("".join(pieces)), count


def _matches(regex: Regex, text: str, is_global: bool) -> Any:
    if is_global:
        return regex.each(text)
    match = regex.search(text)
    return () if match is None else (match,)


@scalar_of(Transliterate)
def _transliterate(node: Transliterate) -> Run:
    change = _changer(node)
    if "r" in node.flags:
        target = scalar(node.target)
        return lambda frame: change(frame, to_text(target(frame)))[0]
    if not node.is_changing:
        counted = scalar(node.target)
        return lambda frame: change(frame, to_text(counted(frame)))[1]
    place_run = place(node.target)

    def run(frame: Frame) -> Value:
        holder, key = place_run(frame)
        old: Value = holder.get(key) if type(holder) is dict else holder[key]
        changed, count = change(frame, to_text(old))
        holder[key] = changed
        return count

    return run


def _changer(node: Transliterate) -> Callable[[Frame, str], tuple[str, int]]:
    """Return a function that transliterates a text and counts the signs found."""
    is_complement, is_deleting = "c" in node.flags, "d" in node.flags
    is_squeezing = "s" in node.flags
    table = _sign_table(node.search, node.replacement, is_deleting)
    last = node.replacement[-1:]

    def mapped(sign: str) -> str | None:
        """Return the replacement of a sign: "" to delete it, None to keep it."""
        if not is_complement:
            return table.get(sign)
        if sign in table:
            return None
        return "" if is_deleting else last or sign

    def change(frame: Frame, text: str) -> tuple[str, int]:
        frame.step(1 + (len(text) >> 4))
        pieces: list[str] = []
        count, squeezed = 0, ""
        for piece in frame.pieces(text):
            result: list[str] = []
            for sign in piece:
                other = mapped(sign)
                if other is None:
                    result.append(sign)
                    squeezed = ""
                    continue
                count += 1
                if not (is_squeezing and other == squeezed and other):
                    result.append(other)
                squeezed = other or squeezed
            pieces.append("".join(result))
        return frame.count_text("".join(pieces)), count

    return change


def _sign_table(search: str, replacement: str, is_deleting: bool) -> dict[str, str]:
    table: dict[str, str] = {}
    for position, sign in enumerate(search):
        if sign in table:
            continue
        if position < len(replacement):
            table[sign] = replacement[position]
        elif is_deleting:
            table[sign] = ""
        else:
            table[sign] = replacement[-1:] or sign
    return table


def split_items(node: Call) -> RunItems:
    """Compile split(pattern, text, limit)."""
    regex = _separator(node.arguments[0])
    text_run = scalar(node.arguments[1])
    limit_run = scalar(node.arguments[2]) if len(node.arguments) > 2 else None

    def run(frame: Frame) -> list[Value]:
        pattern = regex(frame)
        text = _subject(frame, text_run(frame))
        limit = to_integer(limit_run(frame)) if limit_run else 0
        if pattern is None:
            text, pattern = text.lstrip(" \t\n\r\f\v"), _BLANKS
        return _pieces(frame, pattern, text, limit)

    return run


_BLANKS = compile_pattern(r"[\s\v]+", "")


def _separator(node: Node) -> Callable[[Frame], Regex | None]:
    """Compile split's first argument; None stands for its special case of one blank."""
    if isinstance(node, Match):
        is_line = node.pattern.parts == (Constant("^"),)  # split /^/ splits into lines
        return regex_run(replace(node.pattern, flags="m") if is_line else node.pattern)
    if isinstance(node, Constant) and node.value == " ":
        return lambda frame: None
    if isinstance(node, Constant) and node.value == "^":
        return lambda frame: compiled("^", "m")
    run = scalar(node)

    def compile_text(frame: Frame) -> Regex | None:
        text = to_text(run(frame))
        return None if text == " " else compiled(text, "")

    return compile_text


def _pieces(frame: Frame, regex: Regex, text: str, limit: int) -> list[Value]:
    found: list[Value] = []
    if not text:
        return found
    at = fields = 0
    for match in regex.each(text):
        start, end = match.span()
        if start == end == at:
            continue  # an empty match makes no empty field
        if 0 < limit <= fields + 1:
            break
        frame.step(1)
        found.append(text[at:start])
        found += match.groups()
        at, fields = end, fields + 1
    found.append(text[at:])
    if limit == 0:
        while found and (found[-1] is None or found[-1] == ""):
            found.pop()
    return found
