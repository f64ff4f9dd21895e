"""Presentation of SOAP requests and answers of Open Services Development."""

from dataclasses import replace
from typing import Any

from tsvc import turns
from tsvc.errors import RemoteProtocolError
from tsvc.protocols import soap
from tsvc.results.exchanges import Exchange, exchange
from tsvc.results.http_text import HttpText, one_line, read, spans

_LONGEST_TITLE = 60


@exchange("osd")
def decode(octets: bytes, is_sent: bool) -> Exchange:
    """Return the contents of a message; never raises."""
    shown = _shown(octets, is_sent=is_sent)
    return replace(shown, spans=lambda: spans(octets, shown.content))


def _shown(octets: bytes, *, is_sent: bool) -> Exchange:
    message = read(octets)
    content = message.content()
    try:
        answer = soap.parse(message.body)
    except RemoteProtocolError as error:
        title = "request" if is_sent else f"HTTP {message.code or '?'}"
        return Exchange(title, (one_line(str(error)),), content, is_failure=not is_sent)
    content |= answer.as_dict()
    if answer.fault is not None:
        fault = answer.fault
        facts = tuple(one_line(fact) for fact in (fault.string, _flat(fault.detail)) if fact)
        title = f"fault {fault.code}".strip()
        return Exchange(one_line(title, _LONGEST_TITLE), facts, content, is_failure=True)
    title = one_line(answer.element or _empty(message, is_sent=is_sent), _LONGEST_TITLE)
    facts = tuple(one_line(fact) for fact in (_flat(answer.returned),) if fact)
    return Exchange(title, facts, content)


def _empty(message: HttpText, *, is_sent: bool) -> str:
    return "request" if is_sent else f"HTTP {message.code or '?'}"


def _flat(value: Any) -> str:
    """Return the leaves of a tree on one line."""
    turns.walked()
    if isinstance(value, dict):
        return ", ".join([f"{name}={_flat(item)}" for name, item in value.items()])
    if isinstance(value, list):
        return f"[{', '.join([_flat(item) for item in value])}]"
    return "" if value is None else str(value)
