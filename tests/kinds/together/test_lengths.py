"""Arguments of several lengths, in each combination of gateways: the fast path sends the same."""

import random
from itertools import combinations
from pathlib import Path

import pytest
from kinds.diameter.credit import avp
from kinds.diameter.unsteady import SESSION
from kinds.sigtran.unsteady import CALL
from kinds.together.testbed import REQUEST, Params, both_ways, merged, singly
from support.without_memories import Recorder, difference

from tsvc.engine.fast_path import RunFastPath

INSTANCES = 12
DIGITS = "10 ** ($r->{idx} % 3 * 2)"  # one, three or five digits


def call() -> list[Params]:
    """Return a call whose caller's number has several lengths."""
    first, *rest = CALL
    arguments = {**first["arguments"], "callingPartyNumber_digits": f"{{'6421' . {DIGITS}}}"}
    return [{**first, "arguments": arguments}, *rest]


def session() -> list[Params]:
    """Return a session with an AVP of several lengths, so with several lengths of padding."""
    first, *rest = SESSION
    more = [*first["arguments"]["avps"], avp("User-Name", f"{{'user' . {DIGITS}}}")]
    return [{**first, "arguments": {**first["arguments"], "avps": more}}, *rest]


def request() -> list[Params]:
    """Return a request whose path has several lengths."""
    [only] = REQUEST
    return [{**only, "arguments": {"path": f"{{'/x/' . {DIGITS}}}", "method": "GET"}}]


VARYING = {"sigtran": call, "diameter": session, "rest": request}
EQUAL = {"sigtran": CALL, "diameter": SESSION, "rest": REQUEST}
MIXTURES = [
    (varying, others)
    for count in (1, 2)
    for varying in VARYING
    for others in combinations([one for one in EQUAL if one != varying], count)
]
MIXTURES += [("all", ())]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("is_merged", [False, True])
@pytest.mark.parametrize(
    ("varying", "others"), MIXTURES, ids=["-".join([one, *more]) for one, more in MIXTURES]
)
def test_both_ways_are_the_same(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    tmp_path: Path,
    varying: str,
    others: tuple[str, ...],
    is_merged: bool,
) -> None:
    sequences = [make() for name, make in VARYING.items() if varying in (name, "all")]
    sequences += [EQUAL[name] for name in others]
    operations = [one for each in sequences for one in each]
    if is_merged:
        chance = random.Random(f"{varying} {others}")
        operations = merged(chance, *(singly(one) for one in sequences))
    plain, told = both_ways(tmp_path, recorder, operations, 1, 10**9, INSTANCES)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == INSTANCES
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (INSTANCES - 1, 0)
