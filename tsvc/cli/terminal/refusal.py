"""The output and the exit status of a command that can't do its work."""

from collections.abc import Callable
from enum import IntEnum

from tsvc.client import TsvcError, Unreachable


class ExitStatus(IntEnum):
    """Exit statuses of every command."""

    PASSED = 0
    FAILED = 1  # a check failed, or a validated file is not valid
    USAGE = 2
    ABORTED = 3
    THRESHOLD = 4
    REFUSED = 5  # by the service, or no service answered
    WORSE = 6  # than the baseline


# Takes a path in params such as `operations[3].type`; returns `file:line:column`, "" if unknown.
Place = Callable[[str], str]


def refusal_lines(error: BaseException, place: Place | None = None) -> list[str] | None:
    """Return the lines to print for a TsvcError or Unreachable; None for any other exception.

    place: returns the position of a member if the definition is from a file.
    """
    if isinstance(error, Unreachable):
        return f"unreachable: {error}".split("\n")  # with the log of a private daemon
    if isinstance(error, TsvcError):
        return _refused_lines(error, place)
    return None


def _refused_lines(error: TsvcError, place: Place | None) -> list[str]:
    """Return a refusal with all fields and their texts; drawings of several lines stay aligned."""
    head = f"refused ({error.code} {error.kind})"
    if not error.fields:
        data = [f"  {name}: {value}" for name, value in error.data.items()]
        return [f"{head}: {error.message}", *data]
    lines = [f"{head}:"]
    # Files and command lines have no `params`: only the request has it.
    fields = {path.removeprefix("params."): texts for path, texts in error.fields.items()}
    places = {path: place(path) if place is not None else "" for path in fields}
    for path in sorted(fields, key=lambda path: by_place(places[path])):
        texts, found = fields[path], places[path]
        for text in texts if isinstance(texts, list) else [texts]:
            lines += note_lines(f"{found}: {path}" if found else path, str(text))
    return lines


def by_place(place: str) -> tuple[str, list[int]]:
    """Return the key that sorts `file:line:column` in reading order; whole files come first."""
    file, *numbers = place.rsplit(":", 2)
    return file, [int(one) for one in numbers if one.isdecimal()]


def note_lines(path: str, text: str, indent: str = "  ") -> list[str]:
    """Return `path: text`; the lines of a drawing below it keep their columns."""
    first, *rest = drawn(text)
    return [f"{indent}{path}: {first}", *(f"{indent}{line}" for line in rest)]


def drawn(text: str) -> list[str]:
    """Return the lines of a text that ends in a drawing: an expression, and ^ below its mistake.

    Any other text is one line: lines from a peer or a file must not look like ours.
    """
    lines = text.split("\n")
    is_drawing = all(line.startswith("  ") for line in lines[1:]) and lines[-1].strip() == "^"
    return lines if is_drawing else [text]
