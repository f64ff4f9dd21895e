"""Presentation of the requests and responses of a REST interface."""

from dataclasses import replace

from tsvc.results.exchanges import Exchange, exchange
from tsvc.results.http_text import HttpText, one_line, read, spans

_LONGEST_TITLE = 60


@exchange("rest")
def decode(octets: bytes, is_sent: bool) -> Exchange:
    """Return the contents of a message; never raises."""
    message = read(octets)
    shown = _request(message) if is_sent else _response(message)
    return replace(shown, spans=lambda: spans(octets, shown.content))


def _request(message: HttpText) -> Exchange:
    method, target = (*message.start, "", "")[:2]
    path, _, query = target.partition("?")
    facts = [f"?{query}"] if query else []
    return Exchange(
        one_line(f"{method} {path}".strip() or "request", _LONGEST_TITLE),
        _facts(message, facts),
        message.content(),
    )


def _response(message: HttpText) -> Exchange:
    title = " ".join(message.start[1:]) if message.code else "response"
    return Exchange(
        one_line(title, _LONGEST_TITLE),
        _facts(message, []),
        message.content(),
        message.code >= 400,
    )


def _facts(message: HttpText, facts: list[str]) -> tuple[str, ...]:
    if message.body:
        text = message.words()
        octets = f"{len(message.body)} octets of {message.field('content-type') or 'content'}"
        facts.append(text if text is not None else octets)
    return tuple(one_line(fact) for fact in facts)
