"""Which operations go the usual way: those whose tests look at what is the same in all responses.

That is code, reason, content, and fields of the header that a test names: these are then compared
with the rest, where others may differ (answers.py). Pure.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tsvc import turns
from tsvc.kinds.rest.patches import RequestOctets
from tsvc.kinds.rest.request import RequestMaker
from tsvc.operations.operation import Scope

_SAME_IN_ALL = re.compile(
    r"!?rest\.(?:(?:code|reason|content(?:_type|_hex|_json|_xml)?)(?:[.\[].*)?"
    r"|http_headers\.\[name=([A-Za-z0-9-]+)\](?:[.\[].*)?)"
)


def say_usual(
    entry: Mapping[str, Any], path: str, scope: Scope, maker: RequestMaker | None = None
) -> None:
    """Say that an operation goes the usual way, if what it looks at is the same in all."""
    if not all(map(_SAME_IN_ALL.fullmatch, _kpaths(entry))):
        return
    if maker is None:
        scope.sayings.usual("rest", path, entry)
        return
    given = entry["arguments"]
    others = {**entry, "arguments": {}}
    scope.sayings.usual("rest", path, others, (given, RequestOctets(maker, given)))


def fields_looked_at(entries: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the fields of the header at which tests look, in small letters, of operations that
    all go the usual way."""
    found: set[str] = set()
    for entry in turns.over(entries):
        for kpath in _kpaths(entry):
            match = _SAME_IN_ALL.fullmatch(kpath)
            if match is not None and match[1]:
                found.add(match[1].lower())
    return frozenset(found)


def _kpaths(entry: Mapping[str, Any]) -> list[str]:
    return [str(test.get("kpath")) for test in entry.get("tests") or () if test]
