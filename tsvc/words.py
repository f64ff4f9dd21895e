"""How messages speak of what a user wrote: names, values, near misses; one function for each.

Pure, and below everything else: whoever words a message takes it from here, so that all of them
read alike.
"""

import json
import re
from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_NAME = 64
_LONGEST_MEANT = 100  # the time to compare grows with the length; names of operations are long
_LONGEST_VALUE = 40
_PLAIN = re.compile(r"[\w$!.-]{1,64}")  # names that stand in a path as they are


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return `; did you mean "operations"?`, or nothing when no known name is close.

    Capitals make no difference. Blocks: for some microseconds per known name.
    """
    meant = str(name).lower()
    if len(meant) > _LONGEST_MEANT:
        return ""
    by_lower = {one.lower(): one for one in known}
    close = get_close_matches(meant, by_lower, n=1, cutoff=0.6)
    return f'; did you mean "{by_lower[close[0]]}"?' if close else ""


def shown(text: str) -> str:
    """Return user text as it may stand in a message: quoted, escaped, cut to 64 characters."""
    # Escapes of lone surrogates keep the message itself encodable.
    quoted = json.dumps(cut(text, LONGEST_NAME), ensure_ascii=False)
    return quoted.encode("utf-8", "backslashreplace").decode("utf-8")


def cut(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters, the last of them … if it was longer."""
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
    """Name a value from JSON, YAML or TOML: its kind, and the value itself where it is short."""
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
    """Add one step to a path such as `params.operations[3].tests[0].typo`: a name or an index.

    A name with blanks or signs is put in brackets and quotes; a very long one is cut.
    """
    if isinstance(part, int):
        return f"{prefix}[{part}]"
    if not _PLAIN.fullmatch(part):
        return f"{prefix}[{shown(part)}]"
    return f"{prefix}.{part}" if prefix else part


_SECRET = re.compile(
    r"(?:.*[-_])?"
    r"(?:password|passphrase|passwd|pwd|pin|secret|token|authorization|api[-_]?key|cookie)s?",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Return whether a value of that name is not to be shown."""
    return _SECRET.fullmatch(name) is not None
