"""A run counts exactly the calls that its peer wrote down, however the peer behaves."""

import os
from collections import Counter
from random import Random

import pytest
from support.burners import busy as busy
from support.scripted_scp import (
    CONTINUE,
    INITIAL_DP,
    ScriptedScp,
    expect,
    operation,
    p_abort,
    sends,
    together,
)

# make test-full runs as many calls, and repetitions, as the issue asks for.
CALLS = int(os.environ.get("TSVC_TALLY_CALLS", "1200"))
REPETITIONS = int(os.environ.get("TSVC_REPETITIONS", "15"))

RIGHT, WRONG = ({"destinationRoutingAddress_digits": digits} for digits in ("6421", "6422"))
MALFORMED = operation("Connect", parameter=bytes.fromhex("020105"))
# The behaviour of the peer, the state of the instance then, and its state in turbo, where only
# the first instance is compared.
BEHAVIOURS = {
    "right": (sends("end", operation("Connect", RIGHT)), "passed", "passed"),
    "wrong digits": (sends("end", operation("Connect", WRONG)), "failed", "passed"),
    "malformed": (sends("end", MALFORMED), "failed", "passed"),
    "an abort": (sends("abort"), "aborted", "aborted"),
    "an abort by the provider": (p_abort(1), "aborted", "aborted"),
    "another operation": (
        sends("end", operation("ReleaseCall", {"initialCallSegment_cause": 31})),
        "aborted",
        "aborted",
    ),
    "one more": (
        together(sends("continue", operation("Connect", RIGHT)), CONTINUE),
        "aborted",
        "aborted",
    ),
    "wrong, then an abort": (
        together(sends("continue", operation("Connect", WRONG)), sends("abort")),
        "aborted",
        "aborted",
    ),
    "an end without anything": (sends("end"), "aborted", "aborted"),
    "nothing": (lambda scp, dialogue, indication: None, "aborted", "aborted"),
}
DEFINITION = (INITIAL_DP, expect("Connect", arguments=RIGHT, seconds=0.3))


class Peer:
    """Behaves at random, and writes down how."""

    def __init__(self, seed):
        self._chance = Random(seed)
        self.behaved = []

    def react(self, scp, dialogue, indication):
        name = self._chance.choice(list(BEHAVIOURS))
        self.behaved.append(name)
        BEHAVIOURS[name][0](scp, dialogue, indication)

    def tally(self, *, is_turbo=False):
        found = Counter()
        for number, name in enumerate(self.behaved):
            _, usual, in_turbo = BEHAVIOURS[name]
            found[in_turbo if is_turbo and number else usual] += 1
        return found


def counted(counts):
    return Counter({name: counts[name] for name in ("passed", "failed", "aborted")})


@pytest.mark.parametrize("is_turbo", [False, True])
@pytest.mark.parametrize(
    "distribution",
    [
        {"type": "load", "total": CALLS, "backlog": 150},
        {"type": "linear", "total": CALLS, "backlog": 500, "cps": {"target": 1500}},
    ],
    ids=["load", "linear"],
)
def test_a_run_counts_what_its_peer_did(daemon, distribution, is_turbo):
    peer = Peer(CALLS)
    tsvc = daemon(scp=ScriptedScp(peer.react))
    result = tsvc.run(*DEFINITION, distribution=distribution, turbo=int(is_turbo))
    counts = result["counts"]
    assert len(peer.behaved) == counts["started"] == counts["finished"] == CALLS
    wanted = peer.tally(is_turbo=is_turbo)
    assert counted(counts) == wanted
    told = Counter()
    for group in result["failures"]:
        told[group["state"]] += group["count"]
    assert told + Counter(passed=wanted["passed"]) == wanted
    # In turbo only the first instance is compared.
    read = peer.behaved[: 1 if is_turbo else None]
    malformed = read.count("malformed")
    assert counts["malformed"] == malformed


def test_single_runs_count_what_their_peer_did(daemon):
    peer = Peer(1)
    tsvc = daemon(scp=ScriptedScp(peer.react))
    for number in range(max(CALLS // 20, 20)):
        before = peer.tally()
        result = tsvc.run(*DEFINITION, linger_ms=2)
        assert len(peer.behaved) == number + 1
        assert counted(result["counts"]) == peer.tally() - before, peer.behaved[-1]


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("seconds", [None, 0.0, 0.002])
def test_an_extra_message_gives_one_verdict_always(daemon, seconds):
    """It comes right behind the last expected message, or a moment later, on a busy machine."""

    def react(scp, dialogue, indication):
        CONTINUE(scp, dialogue, indication)
        if seconds is None:
            CONTINUE(scp, dialogue, indication)
        else:
            scp.later(seconds, CONTINUE, dialogue, indication)

    tsvc = daemon(scp=ScriptedScp(react))
    take = {"type": "inap.ssp_from_scp.Continue"}
    verdicts = Counter(tsvc.run(INITIAL_DP, take)["verdict"] for _ in range(REPETITIONS))
    assert verdicts == {"abort": REPETITIONS}
