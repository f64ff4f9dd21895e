"""What a page shows of an output, beside what was printed."""

import re
from collections.abc import Iterable

# Times, ports, ids and what a load measures; a number of messages or digits is none of them.
_MEASURED = (
    r"\d+\.\d+|(?<=port )\d+|(?<=seed )\d+|(?<=-)[0-9a-f]{12}\b|\d+(?= (?:on time|late)\b)"
    r"|(?<=limited by )\w+"
)
_PEAK = "/s, limited"  # before it there may be: (up to 80.00/s)


def _pattern_of(line: str) -> re.Pattern[str]:
    parts = []
    for at, part in enumerate(re.split(rf"(…|{_MEASURED})", line)):
        if at % 2 == 0:
            parts.append(re.escape(part).replace(re.escape(_PEAK), r"/s.*, limited"))
        else:
            parts.append(".+" if part == "…" else r"[\w.-]+")
    return re.compile("".join(parts))


def missing(shown: Iterable[str], printed: str) -> str | None:
    """Return the first line that is shown and was not printed behind those before it, or None.

    Lines that were printed beside them are left alone; `…` stands for whatever is left out, and
    what is measured may be any.
    """
    lines = iter(printed.splitlines())
    for line in shown:
        if line.strip() != "…" and not any(map(_pattern_of(line).fullmatch, lines)):
            return line
    return None
