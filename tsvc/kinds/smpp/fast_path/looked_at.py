"""Decides which SMPP operations may take the fast path: they may read only values that are equal
in all PDUs.

All values of a PDU are equal, except for its sequence_number, the address that an instance has
registered, and values that expressions expect. Pure.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tsvc.expr.values import to_text
from tsvc.kinds.smpp.fast_path.members import BodyEncoder, differing, looked_at_with
from tsvc.operations.eligibility import Argument, Lookup
from tsvc.operations.operation import Scope
from tsvc.protocols.smpp.commands import RESPONSE, Command

_ADDRESS = "destination_addr"
_HEAD = ("command", "command_status", "command_status_name")
# Names without characters that have a special meaning in a path.
_SAME_IN_ALL = re.compile(rf"!?(?:{'|'.join(_HEAD)}|parameters\.([A-Za-z0-9_]+)(?:[.\[].*)?)")
_NOUNS = ("deliver_sm_resp", "data_sm_resp", "generic_nack", "submit_sm", "data_sm")


def declare_request(entry: Mapping[str, Any], path: str, scope: Scope, command: Command) -> None:
    """Declare that a request may be replayed if all values that it reads are always equal."""
    if not all(map(_SAME_IN_ALL.fullmatch, _kpaths(entry))):
        scope.eligibility.refuse(path, "a test looks at more of an answer than is the same in all")
        return
    given = entry["arguments"]
    others = {name: value for name, value in given.items() if name != "parameters"}
    parameters = given.get("parameters")
    sent = [Argument(parameters, BodyEncoder(command, parameters).octets)]
    scope.eligibility.allow("smpp", path, {**entry, "arguments": others}, sent=sent)


def declare_register(entry: Mapping[str, Any], path: str, scope: Scope) -> None:
    """Declare that a replayed instance may register an address."""
    given = entry["arguments"]
    others = {name: value for name, value in given.items() if name != _ADDRESS}
    sent = [Argument(given.get(_ADDRESS), _address)]
    scope.eligibility.allow("smpp", path, {**entry, "arguments": others}, sent=sent)


def declare_expected(entry: Mapping[str, Any], path: str, scope: Scope, command: Command) -> None:
    """Declare that a replayed instance may receive and answer a message."""
    given = entry["arguments"]
    wanted, response = given.get("parameters"), given.get("response")
    expected = differing(command, wanted) if isinstance(wanted, Mapping) else {}
    matches = [_SAME_IN_ALL.fullmatch(kpath) for kpath in _kpaths(entry)]
    tested = {match[1] for match in matches if match is not None}
    if None in matches or any(looked_at_with(name) & tested for name in expected):
        scope.eligibility.refuse(path, "a test looks at more of a message than is the same in all")
        return
    others = dict(given)
    if isinstance(wanted, Mapping):
        others["parameters"] = {
            name: value for name, value in wanted.items() if name not in expected
        }
    sent = []
    if isinstance(response, Mapping):
        others["response"] = {name: one for name, one in response.items() if name != "fields"}
        fields = response.get("fields")
        encode = BodyEncoder(command | RESPONSE, fields).octets
        sent.append(Argument(fields, encode))
    scope.eligibility.allow(
        "smpp", path, {**entry, "arguments": others}, sent=sent, expected=expected.values()
    )


def looks_at_address(entry: Mapping[str, Any]) -> bool:
    """Return True if an operation reads the destination_addr of a received message."""
    wanted = entry["arguments"].get("parameters")
    names = wanted if isinstance(wanted, Mapping) else ()
    return any(_ADDRESS in name for name in (*names, *_kpaths(entry)))


def is_same(path: Lookup, expected: Collection[str]) -> bool:
    """Return True if the value that an expression reads is equal in all instances.

    expected: parameters that are expected by expressions.
    """
    if path[0] not in _NOUNS:
        return True
    differing = {_ADDRESS, *(one for name in expected for one in looked_at_with(name))}
    name = path[2] if path[1:2] == ("parameters",) and len(path) > 2 else None
    return path[1:] in [(one,) for one in _HEAD] or (name is not None and name not in differing)


def _kpaths(entry: Mapping[str, Any]) -> Iterable[str]:
    return [str(test.get("kpath")) for test in entry.get("tests") or () if test]


def _address(given: Any, _: Any) -> bytes:
    """Return the octets of an address. Errors: ValueError if it can't be encoded in Latin-1."""
    return to_text(given).encode("latin-1")
