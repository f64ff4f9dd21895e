"""Decides which REST operations may take the fast path: tests may read only values that are equal
in all responses.

These are code, reason, content, and the header fields that a test names. Fields that no test names
may differ; so may JSON members if tests name other members (answers.py). Pure.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tsvc import turns
from tsvc.kinds.rest.fast_path.answers import LookedAt
from tsvc.kinds.rest.request import RequestMaker
from tsvc.operations.eligibility import Argument, Lookup
from tsvc.operations.operation import Scope

# Names without characters that have a special meaning in a path.
_MEMBER = re.compile(r"!?rest\.content_json\.([A-Za-z0-9_-]+)(?:[.\[].*)?")
_OF_CONTENT = re.compile(r"!?rest\.content(?!_type).*")
_SAME_IN_ALL = re.compile(
    r"!?rest\.(?:(?:code|reason|content(?:_type|_hex|_json|_xml)?)(?:[.\[].*)?"
    r"|http_headers\.\[name=([A-Za-z0-9-]+)\](?:[.\[].*)?)"
)


def declare(
    entry: Mapping[str, Any], path: str, scope: Scope, maker: RequestMaker | None = None
) -> None:
    """Declare that an operation may be replayed if all values that it reads are always equal."""
    if not all(map(_SAME_IN_ALL.fullmatch, _kpaths(entry))):
        scope.eligibility.refuse(path, "a test looks at all of the header")
    elif maker is None:
        scope.eligibility.allow("rest", path, entry)
    else:
        given = entry["arguments"]
        sent = [Argument(given, maker.octets)]
        scope.eligibility.allow("rest", path, {**entry, "arguments": {}}, sent=sent)


def looked_at(
    entries: Iterable[Mapping[str, Any]], lookups: Iterable[Lookup] = ()
) -> LookedAt | None:
    """Return the values that tests of replayable operations and expressions read.

    None if an expression reads a value that may differ from one response to the next.
    """
    fields: set[str] = set()
    read: set[str] = set()
    for name, *rest in lookups:
        if name == "REST" and len(rest) > 1 and rest[0] == "content_json":
            read.add(rest[1])
        elif name == "REST" and rest not in (["code"], ["reason"], ["content_type"]):
            return None
    members: set[str] | None = read
    for entry in turns.over(entries):
        for kpath in _kpaths(entry):
            match = _SAME_IN_ALL.fullmatch(kpath)
            if match is not None and match[1]:
                fields.add(match[1].lower())
            member = _MEMBER.fullmatch(kpath)
            if member is None and _OF_CONTENT.fullmatch(kpath):
                members = None
            elif member is not None and members is not None:
                members.add(member[1])
    return LookedAt(frozenset(fields), None if members is None else frozenset(members))


def _kpaths(entry: Mapping[str, Any]) -> list[str]:
    return [str(test.get("kpath")) for test in entry.get("tests") or () if test]
