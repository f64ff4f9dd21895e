"""How messages spell a place inside a document: `params.operations[3].tests[0].typo`."""

import re

from tsvc.words import shown

_PLAIN = re.compile(r"[\w$!.-]{1,64}")


def member_path(prefix: str, part: str | int) -> str:
    """Add one step to a path: a member name or an array index.

    A name with blanks or signs is put in brackets and quotes; a very long one is cut.
    """
    if isinstance(part, int):
        return f"{prefix}[{part}]"
    if not _PLAIN.fullmatch(part):
        return f"{prefix}[{shown(part)}]"
    return f"{prefix}.{part}" if prefix else part
