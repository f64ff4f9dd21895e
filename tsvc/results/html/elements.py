"""Small elements for the sections of the HTML report."""

import json
from collections.abc import Iterable
from datetime import datetime
from html import escape
from typing import Any

from tsvc.printable import printable
from tsvc.results.html.charts import number_text

# Verdict of a run or state of an instance -> (the word, the CSS class of its colour)
VERDICTS = {
    "pass": ("PASS", "pass"),
    "passed": ("PASS", "pass"),
    "fail": ("FAIL", "fail"),
    "failed": ("FAIL", "fail"),
    "abort": ("ABORT", "abort"),
    "aborted": ("ABORT", "abort"),
    "cancelled": ("CANCELLED", "cancelled"),
    "refused": ("REFUSED", "abort"),
    "lost": ("LOST", "abort"),
    "info": ("INFO", "info"),
}
_LONGEST = 2000  # characters of one value in a table


def badge(state: str) -> str:
    """Return a verdict or state as a coloured word."""
    word, style = VERDICTS.get(state, (state.upper(), "cancelled"))
    return f'<span class="badge {style}">{escape(word)}</span>'


def section(title: str, body: str, note: str = "") -> str:
    """Return a section of the report; `note` is shown beside its title, `body` is HTML."""
    beside = f'<span class="note">{escape(note)}</span>' if note else ""
    return f"<section><h2>{escape(title)}{beside}</h2>\n{body}\n</section>"


def details(title: str, body: str, *, is_open: bool = False, is_long: bool = False) -> str:
    """Return a part that opens and closes; `title` is text; `is_long`: stays closed on paper."""
    return details_html(escape(title), body, is_open=is_open, is_long=is_long)


def details_html(
    title: str, body: str, *, is_open: bool = False, is_long: bool = False, style: str = ""
) -> str:
    """Return a part that opens and closes; `title` is HTML."""
    style = f"{style} long".strip() if is_long else style
    named = f' class="{style}"' if style else ""
    opened = " open" if is_open else ""
    return f"<details{named}{opened}><summary>{title}</summary>{body}</details>"


def json_block(value: Any) -> str:
    """Return a value as indented JSON."""
    return f"<pre>{text(json.dumps(value, indent=2, ensure_ascii=False, default=_plain))}</pre>"


def pairs_table(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names and their values, one pair a row."""
    rows = "".join(
        f"<tr><th>{text(name)}</th><td>{text(value)}</td></tr>" for name, value in pairs
    )
    return f'<table class="pairs">{rows}</table>'


def value_text(value: Any) -> str:
    """Return a checked value as HTML: strings unchanged, other values as JSON."""
    if isinstance(value, str):
        shown = value
    else:
        shown = json.dumps(value, ensure_ascii=False, default=_plain)
    if len(shown) > _LONGEST:
        shown = f"{shown[:_LONGEST]}… ({len(shown)} characters)"
    return text(shown) if shown else '<i class="empty">empty</i>'


def text(value: str) -> str:
    """Return text as HTML, with its lines, and with invisible characters escaped."""
    return "\n".join(escape(printable(line)) for line in value.split("\n"))


def seconds_text(seconds: float) -> str:
    """Return a duration: in milliseconds below a second, in minutes from two minutes on."""
    if seconds < 1:
        return f"{number_text(seconds * 1000)} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def moment_text(moment: datetime) -> str:
    """Return a time in UTC, to the second."""
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def _plain(value: Any) -> Any:
    return dict(value) if hasattr(value, "keys") else str(value)
