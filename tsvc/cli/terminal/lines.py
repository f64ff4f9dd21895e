"""The output of every command: all text goes to a terminal through this module.

A line stays one line whatever it contains: controls, C1, bidirectional marks and line ends in
values are escaped. So a text from a peer or a file can't clear, overwrite or forge the lines above
it. Only style() makes colours: it inserts secret marks, which say() turns into terminal codes.
There are no colours if the output is no terminal, with NO_COLOR and with TERM=dumb.
"""

import json
import os
import re
import sys
from typing import Any

import click

from tsvc.printable import printable

_MARK = os.urandom(8).hex()  # as `secrets` does it; that module takes 7 ms to import
_STYLED = re.compile(rf"\x1b{_MARK}:([0-9;]*)m")
_CODES = {"bold": "1", "green": "32", "red": "31", "magenta": "35", "yellow": "33", "cyan": "36"}
_UNSEEN = re.compile(r"[^\x20-\x7e]")


def room(wanted: int) -> int:
    """Return the number of columns for lines: that of the terminal, but at most `wanted`.

    If the output is no terminal, return `wanted`: a file has any width, whatever COLUMNS says.
    """
    if not sys.stdout.isatty():
        return wanted
    import shutil  # takes 2 ms, and most commands write no table

    return min(wanted, shutil.get_terminal_size((wanted, 24)).columns)


def style(text: str, *names: str | None) -> str:
    """Return text that say() shows bold, green, red, magenta, yellow or cyan; None: unchanged."""
    codes = ";".join(_CODES[name] for name in names if name)
    return f"\x1b{_MARK}:{codes}m{text}\x1b{_MARK}:0m" if codes else text


def plain(line: str) -> str:
    """Return a line without its styles; unprintable characters are escaped."""
    return printable(_STYLED.sub("", line))


def say(*lines: str, err: bool = False) -> None:
    """Print each line as exactly one line. Blocks: on stdout, or stderr."""
    shown = _coloured if _has_colours(err) else plain
    for line in lines:
        # All codes in the line are ours now: click must not remove them.
        click.echo(shown(line), err=err, color=True)


def say_json(value: Any) -> None:
    """Print a value as JSON, with unprintable characters as \\u escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    click.echo(_UNSEEN.sub(_json_escape, text))


def say_text(text: str) -> None:
    """Print a text of several lines that is made for people."""
    say(*text.removesuffix("\n").split("\n"))


def show_document(octets: bytes, form: str) -> None:
    """Print a document; on a terminal with unprintable characters escaped, except a pcap."""
    if form == "pcap" or not sys.stdout.isatty():
        click.echo(octets, nl=form != "pcap" and not octets.endswith(b"\n"))
    elif form == "json":
        click.echo(_UNSEEN.sub(_json_escape, octets.decode("utf-8", "replace")))
    else:
        say_text(octets.decode("utf-8", "replace"))


def _coloured(line: str) -> str:
    parts = _STYLED.split(line)
    return "".join(
        f"\x1b[{part}m" if number % 2 else printable(part) for number, part in enumerate(parts)
    )


def _has_colours(err: bool) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return (sys.stderr if err else sys.stdout).isatty()


def _json_escape(found: re.Match[str]) -> str:
    sign = found[0]
    return sign if sign == "\n" or sign.isprintable() else json.dumps(sign)[1:-1]
