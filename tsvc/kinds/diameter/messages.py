"""Presentation of Diameter messages: the command, its result, and every AVP by name.

The names are those of the standard dictionary and of the grammar that is stored with a message:
the AVPs that its gateway's configuration adds.
"""

from collections.abc import Mapping
from typing import Any

from tsvc.errors import RemoteProtocolError
from tsvc.memo import Memo
from tsvc.protocols.diameter.dictionary import Dictionary, extended_by, standard
from tsvc.protocols.diameter.tree import message_spans, message_tree
from tsvc.results.exchanges import Exchange, exchange
from tsvc.words import cut

_SUCCESS = range(1000, 3000)
_REQUEST_TYPES = {1: "Initial", 2: "Update", 3: "Termination", 4: "Event"}
_LONGEST_FACT = 120
_MOST_DICTIONARIES = 16  # that are cached: one for each gateway whose messages are shown


@exchange("diameter")
def decode(octets: bytes, is_sent: bool, grammar: str = "") -> Exchange:
    """Return the contents of a message; never raises. `grammar`: as grammar_of() returns it."""
    dictionary = _DICTIONARIES[grammar]
    try:
        tree = message_tree(octets, dictionary)
    except RemoteProtocolError as error:
        return Exchange("malformed message", (str(error),), {"hex": octets.hex()}, True)
    avp = tree["avp"]
    code = _result_code(avp)
    is_failure = not tree["is_request"] and code not in _SUCCESS
    content = {name: value for name, value in tree.items() if name != "avp"}
    return Exchange(
        _title(tree, dictionary),
        tuple(_facts(avp, code)),
        content,
        is_failure,
        lambda: message_spans(octets, dictionary),
    )


_DICTIONARIES: Memo[str, Dictionary] = Memo(
    "Diameter dictionaries, by grammar", _MOST_DICTIONARIES, extended_by
)


def _title(tree: Mapping[str, Any], dictionary: Dictionary) -> str:
    """Return CCR-Initial, CCA-Initial, RAR …; the whole name if there is no abbreviation."""
    command = dictionary.commands.get(tree["code"])
    if command is None:
        return str(tree["name"])
    title = command.abbreviation + ("R" if tree["is_request"] else "A")
    kind = _REQUEST_TYPES.get(_plain(tree["avp"].get("CC-Request-Type")) or 0)
    return f"{title}-{kind}" if kind else title


def _plain(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _result_code(avp: Mapping[str, Any]) -> int | None:
    """Return Result-Code, otherwise the code in Experimental-Result."""
    code = avp.get("Result-Code")
    inner = avp.get("Experimental-Result")
    if code is None and isinstance(inner, Mapping):
        code = inner.get("Experimental-Result-Code")
    return _plain(code)


def _facts(avp: Mapping[str, Any], code: int | None) -> list[str]:
    """Return the most important facts: the result, who is charged, units requested or granted."""
    found: list[str] = []
    if code is not None:
        name = standard().by_name["Result-Code"].names.get(code, "")
        found.append(f"{code} {name.removeprefix('DIAMETER_')}".strip())
    shown = ("Error-Message", "Session-Id", "CC-Request-Number")
    found += [f"{name} {avp[name]}" for name in shown if avp.get(name) is not None]
    subscriber = avp.get("Subscription-Id")
    if isinstance(subscriber, Mapping):
        found.append(f"Subscription-Id {subscriber.get('Subscription-Id-Data')}")
    services = avp.get("Multiple-Services-Credit-Control")
    for group in (avp, services if isinstance(services, Mapping) else {}):
        found += _units(group)
    return [cut(fact, _LONGEST_FACT) for fact in found]


def _units(group: Mapping[str, Any]) -> list[str]:
    found = []
    for name in ("Requested-Service-Unit", "Used-Service-Unit", "Granted-Service-Unit"):
        units = group.get(name)
        if isinstance(units, Mapping):
            amounts = ", ".join(f"{unit} {value}" for unit, value in units.items())
            found.append(f"{name.partition('-')[0]} {amounts}".strip())
    if isinstance(group.get("Final-Unit-Indication"), Mapping):
        found.append("final units")
    return found
