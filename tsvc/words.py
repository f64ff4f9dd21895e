"""Wording of messages about user input: names, values, near misses; one function for each.

Pure, and below all other modules: every message uses these functions, so that all messages read
alike.
"""

import json
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from itertools import islice

from tsvc import turns
from tsvc.memo import Memo

LONGEST_NAME = 64
_LONGEST_MEANT = 100  # comparing takes longer with the length; names of operations are long
_LONGEST_VALUE = 40
_MOST_KNOWN = 1000
_COMPARED = 20  # names between two checkpoints
_hints: Memo[tuple[str, tuple[str, ...]], str] = Memo("did you mean", 200)
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")  # a word of a name
_PLAIN = re.compile(r"[\w$!.-]{1,64}")  # names that are not quoted in a path


def needs_packages(*packages: str) -> str:
    """Return the message that packages are needed, and the command that adds them to this tsvc.

    The command names the interpreter that runs: users of an installed service have no checkout,
    and tsvc is in no public index from which its extras could be installed.
    """
    command = shlex.join((sys.executable, "-m", "pip", "install", *packages))
    return f"needs {' and '.join(packages)}: {command}"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return `; did you mean "operations"?`, or "" if no known name is close.

    Upper and lower case are equal. If there are very many known names, there is no hint: to
    compare one takes some microseconds, and a long one that is close a thousand times as long.
    Blocks: while other greenlets run, inside turns.given().
    """
    meant = str(name).lower()
    if len(meant) > _LONGEST_MEANT:
        return ""
    by_lower = {one.lower(): one for one in islice(known, _MOST_KNOWN + 1)}
    if len(by_lower) > _MOST_KNOWN:
        return ""
    # A wrong name is often repeated, for instance in each of 9,000 operations.
    asked = (str(name), tuple(by_lower.values()))
    hint = _hints.get(asked)
    if hint is None:
        hint = _hints[asked] = _left_out(str(name), asked[1]) or _hint(meant, by_lower)
    return hint


def _left_out(name: str, known: Iterable[str]) -> str:
    """Return the hint for a name that lacks inner words, such as oBusy for oCalledPartyBusy."""
    first, *others = _words_of(name)
    found = []
    for one in turns.over(known) if others and "." not in name else ():
        words = _words_of(one)
        if [words[0], words[-1]] == [first, others[-1]]:
            rest = iter(words)
            found += [one] if all(other in rest for other in others) else []
    return f'; did you mean "{min(found, key=len)}"?' if found else ""


def _words_of(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)] or [""]


def _hint(meant: str, by_lower: Mapping[str, str]) -> str:
    from difflib import get_close_matches  # here, because few commands give a hint

    names = [one for one in by_lower if len(one) <= 2 * _LONGEST_MEANT]
    close: list[str] = []
    for at in range(0, len(names), _COMPARED):
        turns.walked(turns.PORTION)
        close += get_close_matches(meant, names[at : at + _COMPARED], n=1, cutoff=0.6)
    close = get_close_matches(meant, close, n=1, cutoff=0.6)
    return f'; did you mean "{by_lower[close[0]]}"?' if close else ""


def shown(text: str) -> str:
    """Return user text in the form for a message: quoted, escaped, cut to 64 characters."""
    # Escapes of lone surrogates keep the message itself encodable.
    written = json.dumps(cut(text, LONGEST_NAME), ensure_ascii=False)
    return written.encode("utf-8", "backslashreplace").decode("utf-8")


class _Quotation:
    """Writes a value as Python does; of a large one only the beginning, and only that is read."""

    def __init__(self, longest: int, items: int) -> None:
        self._longest = longest
        self._items = items
        self._left = 2 * longest  # characters that may still be written, about

    def of(self, value: object, levels: int = 6) -> str:
        if self._left <= 0:
            return "…"
        self._left -= 3
        if levels == 0:
            return "…"
        if isinstance(value, Mapping):
            kept = (
                f"{self.of(name, 1)}: {self.of(one, levels - 1)}"
                for name, one in islice(value.items(), self._items)
            )
            return "{" + self._listed(kept, len(value)) + "}"
        if isinstance(value, list | tuple):
            kept = (self.of(one, levels - 1) for one in islice(value, self._items))
            listed = self._listed(kept, len(value))
            if isinstance(value, list):
                return f"[{listed}]"
            return f"({listed},)" if len(value) == 1 else f"({listed})"
        text = self._of_one(value)
        self._left -= len(text)
        return text

    def _listed(self, kept: Iterable[str], items: int) -> str:
        return ", ".join([*kept, *["…"] * (items > self._items)])

    def _of_one(self, value: object) -> str:
        if isinstance(value, str):
            return repr(cut(value, self._longest))
        if isinstance(value, bytes) and len(value) > self._longest:
            return repr(value[: self._longest]) + "…"
        if isinstance(value, int) and not abs(value) < 10**self._longest:
            return "an integer of very many digits"
        return cut(repr(value), self._longest)


def quoted(value: object) -> str:
    """Return a value in the form for a message: as Python writes it, cut if it is long.

    A run_id and other names are not cut. The call takes microseconds, whatever the value is.
    """
    return _Quotation(300, 10).of(value)


def in_words(value: object) -> str:
    """Return a value in the form for a reason: like quoted(), but with a longer limit."""
    return _Quotation(400, 20).of(value)


def cut(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters; the last one is … if it was longer."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def kind_of(value: object) -> str:
    """Return the JSON name of a value's type, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def described(value: object) -> str:
    """Return the kind of a value from JSON, YAML or TOML, with the value itself if it is short."""
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {'true' if value else 'false'}"
        case int():
            return f"the integer {digits_of(value)}"
        case float():
            return f"the number {value}"
        case str():
            return f'the string "{value}"' if len(value) <= _LONGEST_VALUE else "a string"
        case list() | tuple():
            return "an array"
        case dict():
            return "an object"
    return f"a {type(value).__name__}"


def digits_of(value: int) -> str:
    """Return the digits of an integer unless they would fill the message."""
    return str(value) if abs(value) < 10**_LONGEST_VALUE else "of very many digits"


def member_path(prefix: str, part: str | int) -> str:
    """Return a path such as `params.operations[3].tests[0].typo` with one more name or index.

    A name with blanks or signs is put in brackets and quotes; a very long one is cut.
    """
    if isinstance(part, int):
        return f"{prefix}[{part}]"
    if not _PLAIN.fullmatch(part):
        return f"{prefix}[{shown(part)}]"
    return f"{prefix}.{part}" if prefix else part


_STEP = re.compile(r'\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.\[\]]+)')


_STEP_END = re.compile(r"[.\[]")


def path_steps(path: str) -> tuple[str | int, ...]:
    """Return the steps of a path that member_path() has made; a name that was cut stays cut."""
    return tuple(
        int(index) if index else json.loads(f'"{quoted}"') if quoted else name
        for index, quoted, name in _STEP.findall(path)
    )


def json_pointer(path: str, document: object) -> str:
    """Return a path as a JSON pointer into a document (RFC 6901 section 3).

    In a path, a name with a dot looks like two names; the document shows which it is. For a member
    that is not in the document, the pointer is where the member would be.
    """
    steps: list[str | int] = []
    rest = path.removeprefix(".")
    while rest:
        found = _STEP.match(rest)
        step: str | int = path_steps(found[0])[0] if found else rest
        end = found.end() if found else len(rest)
        if isinstance(document, Mapping) and str(step) not in document:
            ends = [match.start() for match in _STEP_END.finditer(rest, 1)]
            whole = next((at for at in (*ends, len(rest)) if rest[:at] in document), None)
            if whole is not None:
                step, end = rest[:whole], whole
        steps.append(step)
        document = _below(document, step)
        rest = rest[end:].removeprefix(".")
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return "".join(f"/{step}" for step in escaped)


def _below(document: object, step: str | int) -> object:
    if isinstance(document, Mapping):
        return document.get(str(step))
    if isinstance(document, list) and str(step).isdecimal() and int(step) < len(document):
        return document[int(step)]
    return None


_LONGEST_SECRET = 64  # characters of a name's end that are searched, more than any of these words
_SECRET = re.compile(
    r"(?:.*[-_])?"
    r"(?:password|passphrase|passwd|pwd|pin|secret|token|authorization|api[-_]?key|cookie)s?",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Return True if a value of that name must not be shown."""
    # Only the end of the name matters, and a very long name would take long.
    return _SECRET.fullmatch(name[-_LONGEST_SECRET:]) is not None
