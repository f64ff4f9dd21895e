"""On which line of a JSON text each member and element stands.

The text has been parsed before, so this only follows its brackets; it judges nothing.
"""

import json
import re

Steps = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def json_lines(text: str) -> dict[Steps, int]:
    """Return the line, counted from 1, of every place in a JSON text that is known to be valid.

    A member stands where its name does, an element of an array where it begins; () is the whole.
    """
    lines: dict[Steps, int] = {}
    steps: list[str | int] = []
    is_object: list[bool] = []
    is_name_next = False
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        token = match[0]
        if token in ("}", "]"):
            is_object.pop()
            steps.pop()
            is_name_next = False
        elif token == ",":
            is_name_next = is_object[-1]
            last = steps[-1]
            if isinstance(last, int):
                steps[-1] = last + 1
        elif token == ":":
            pass
        elif is_name_next:
            steps[-1] = json.loads(token)
            lines[tuple(steps)] = line
            is_name_next = False
        else:
            lines.setdefault(tuple(steps), line)
            if token in ("{", "["):
                is_name_next = token == "{"
                is_object.append(is_name_next)
                steps.append("" if is_name_next else 0)
    return lines
