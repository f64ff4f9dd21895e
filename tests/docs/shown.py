"""Comparison of the output that a page shows with the printed output."""

import re
from collections.abc import Iterable

# Times, ports, ids and measurements of a load; but not numbers of messages or digits.
# them.
_MEASURED = (
    r"\d+\.\d+|(?<=port )\d+|(?<=seed )\d+|(?<=-)[0-9a-f]{12}\b|\d+(?= (?:on time|late)\b)"
    r"|(?<=limited by )\w+"
)
_PEAK = "/s, limited"  # a peak may precede it: (up to 80.00/s)


def _pattern_of(line: str) -> re.Pattern[str]:
    parts = []
    for at, part in enumerate(re.split(rf"(…|{_MEASURED})", line)):
        if at % 2 == 0:
            parts.append(re.escape(part).replace(re.escape(_PEAK), r"/s.*, limited"))
        else:
            parts.append(".+" if part == "…" else r"[\w.-]+")
    return re.compile("".join(parts))


def missing(shown: Iterable[str], printed: str) -> str | None:
    """Return the first shown line that was not printed after the lines before it, or None.

    Other printed lines are ignored; `…` stands for any omitted text, and measured values may
    differ.
    """
    lines = iter(printed.splitlines())
    for line in shown:
        if line.strip() != "…" and not any(map(_pattern_of(line).fullmatch, lines)):
            return line
    return None
