"""How messages spell what a user wrote: places, names, near misses.

A place inside a document reads `params.operations[3].tests[0].typo`.
"""

import json
import re
from collections.abc import Iterable
from difflib import get_close_matches

_PLAIN = re.compile(r"[\w$!.-]{1,64}")
_LONGEST_NAME = 64


def member_path(prefix: str, part: str | int) -> str:
    """Add one step to a path: a member name or an array index.

    A name with blanks or signs is put in brackets and quotes; a very long one is cut.
    """
    if isinstance(part, int):
        return f"{prefix}[{part}]"
    if not _PLAIN.fullmatch(part):
        return f"{prefix}[{shown(part)}]"
    return f"{prefix}.{part}" if prefix else part


def shown(text: str) -> str:
    """Return user text as it may stand in a message: quoted, escaped, cut to 64 characters."""
    if len(text) > _LONGEST_NAME:
        text = text[: _LONGEST_NAME - 1] + "…"
    # Escapes of lone surrogates keep the message itself encodable.
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted.encode("utf-8", "backslashreplace").decode("utf-8")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean "operations"?`, or nothing when no known name is close."""
    if len(name) > _LONGEST_NAME:
        return ""
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    if not close:
        lowered = {other.lower(): other for other in known}
        close = [lowered[name.lower()]] if name.lower() in lowered else []
    return f'; did you mean "{close[0]}"?' if close else ""
