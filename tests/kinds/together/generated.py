"""Runs drawn definitions with and without the fast path, and reports differences.

make generated                                     seeds from 1 on, for an hour
make generated GENERATED="--seed 17 --count 1"     the definition of one seed

It is `python -m kinds.together.generated` with `tests` in PYTHONPATH. The exit status is 1 if
something differed.
"""

import argparse
import json
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from kinds.together.generated_peers import Billing, Ocs, Scp
from kinds.together.generator import WAIT_S, Plan, plan_of
from kinds.together.testbed import Params, World, seeded
from support.loads import assert_adds_up, load
from support.waiting import idle
from support.without_memories import Recorder, difference, fast_paths_of

from tsvc.engine.fast_path import RunFastPath
from tsvc.kinds.rest.gateway import RestGateway
from tsvc.protocols.tcap.messages import Unreadable, decode

CROWD = 20
A_WORLD = 60  # definitions that are run in one world
_REPORT_S = 60.0


class Side:
    """One of two worlds, its peers, and the results of plans there."""

    def __init__(self, folder: Path, track: int) -> None:
        self.scp = Scp()
        self.track = track
        self.world: World = seeded(folder, self.scp, server_timeout_s=WAIT_S)
        self.scp.node = self.world.service.scp.node
        self.ocs = Ocs(self.world.ocs, self.scp)
        self.billing = Billing(self.world.server, self.scp)
        self._before: list[dict[str, int]] = []

    def start(self, plan: Plan) -> None:
        """Begin a run and return: so both sides wait for silent peers at the same time."""
        for peer in (self.scp, self.ocs, self.billing):
            peer.play(plan)
        self._before = self._counters()
        self.world.execute(
            *plan.operations,
            run_id=self._run_id(plan),
            vars=plan.given,
            seed=plan.seed,
            track=self.track,
            hlr_ac="ussd2",
            distribution=load(plan.instances, backlog=CROWD if plan.is_crowd else 1),
        )

    def finish(self, plan: Plan) -> Params:
        """Return the result once the run is over and no message is on its way any more."""
        result = self.world.finish(self._run_id(plan))
        self.world.until_up()
        self.world.assert_idle()
        idle()
        return result

    def told(self, recorder: Recorder, plan: Plan, result: Params) -> Params:
        """Return what a run reports, and what its peers have received."""
        assert_adds_up(result)
        whole = recorder.told(self._run_id(plan), result)
        causes = [str(one["cause"]) for one in result["failures"]]
        assert not any("internal failure" in one for one in causes), causes
        if plan.is_crowd:
            return self._of_crowd(plan, whole, result)
        whole["groups"] = [
            {name: one[name] for name in ("state", "op", "cause", "count", "instance_id")}
            for one in result["failures"]
        ]
        whole["gateways"] = [
            {name: one - self._before[at].get(name, 0) for name, one in counters.items()}
            for at, counters in enumerate(self._counters())
        ]
        # The moment at which the end of an idle connection is noticed differs from run to run.
        for name in ("connects", "connections"):
            whole["gateways"][1].pop(name, None)
        whole["seen"] = [
            [one.hex() for one in self.scp.seen],
            [one.hex() for one in self.ocs.seen],
            [one.decode("latin-1") for one in self.billing.seen],
        ]
        for one in whole["instances"]:
            one.pop("reason_t", None)  # when a silence is noticed differs from run to run
        return self._without_names(plan, whole)

    def _run_id(self, plan: Plan) -> str:
        return f"side{self.track}-{plan.seed}"

    def _of_crowd(self, plan: Plan, whole: Params, result: Params) -> Params:
        """Return the part that must be the same in any order of instances."""
        counts = {name: one for name, one in whole["counts"].items() if name != "late_messages"}
        seen = Counter(
            [
                *map(_without_ids, self.scp.seen),
                *(_without_session(one) for one in self.ocs.seen),
                *(one.decode("latin-1") for one in self.billing.seen),
            ]
        )
        return self._without_names(
            plan,
            {
                "counts": counts,
                "verdict": whole["verdict"],
                "states": [one["state"] for one in whole["instances"]],
                "groups": sorted(
                    (one["state"], one["op"], str(one["cause"]), one["count"])
                    for one in result["failures"]
                ),
                "seen": sorted(seen.items()),
            },
        )

    def _counters(self) -> list[dict[str, int]]:
        return [self.world.gateway_of(kind).status().counters for kind in ("diameter", "rest")]

    def _without_names(self, plan: Plan, told: Params) -> Params:
        """Return `told` without the ports and names in which the two sides differ."""
        text = json.dumps(told).replace(f":{self.world.ocs.address[1]}", ":<ocs>")
        text = text.replace(f":{self.world.server.port}", ":<server>")
        found: Params = json.loads(text.replace(self._run_id(plan), "<run>"))
        return found

    def stop(self) -> None:
        """Stop the world."""
        self.world.stop()


def _without_ids(octets: bytes) -> str:
    """Return a TCAP message in hex, without its transaction ids."""
    try:
        read = decode(octets)
    except Unreadable:
        return octets.hex()
    text = octets.hex()
    for one in (read.otid, read.dtid):
        if one:
            text = text.replace(one.hex(), "", 1)
    return text


def _without_session(octets: bytes) -> str:
    """Return the AVPs of a Diameter request in hex, without the Session-Id in front."""
    body = octets[20:] if octets[:1] == b"\x01" else octets
    length = int.from_bytes(body[5:8], "big")
    return body[length + -length % 4 :].hex()


class Pair:
    """Two equal worlds, without and with the fast path; instances get the same identifiers."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self.sides = [Side(folder / str(track), track) for track in (0, 1)]
        self.played = 0

    def difference(self, recorder: Recorder, plan: Plan) -> str | None:
        """Return the first difference between the two worlds, None if they are equal."""
        self.played += 1
        for side in self.sides:
            side.start(plan)
        results = [side.finish(plan) for side in self.sides]
        plain, told = [
            side.told(recorder, plan, result)
            for side, result in zip(self.sides, results, strict=True)
        ]
        return difference(told, plain)

    def stop(self) -> None:
        """Stop both worlds."""
        for side in self.sides:
            side.stop()
        self._folder.cleanup()


class Tally:
    """Counts of what was run, by the kinds of gateways that a definition uses."""

    def __init__(self) -> None:
        self.by_sorts: dict[tuple[str, ...], Counter[str]] = {}
        self.total: Counter[str] = Counter()
        self.why_not: Counter[str] = Counter()
        self.unlike: list[tuple[int, str]] = []
        self.once: list[tuple[int, str]] = []

    def note(self, plan: Plan, fast: RunFastPath | None) -> None:
        """Count a definition; `fast`: the fast path of its run."""
        found = Counter({"definitions": 1, "instances": plan.instances})
        if plan.is_crowd:
            found["crowds"] = 1
        if fast is not None:
            found["replayed"] = fast.begun - fast.fell_back
            found["fell back"] = fast.fell_back
            found["branches"] = fast.branches
            found["never begun"] = int(not fast.begun)
            if not fast.begun:
                self.why_not[str(fast.reasons[0].why) if fast.reasons else "not recorded"] += 1
        self.total += found
        self.by_sorts.setdefault(tuple(sorted(plan.sorts)), Counter()).update(found)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report."""
        names = "definitions", "crowds", "instances", "replayed", "fell back", "branches"
        for sorts, found in [*sorted(self.by_sorts.items()), (("all",), self.total)]:
            counts = ", ".join(f"{name} {found[name]}" for name in names)
            yield f"{' '.join(sorts):28} {counts}, never begun {found['never begun']}"
        for why, count in self.why_not.most_common():
            yield f"never begun: {count} because of: {why}"
        yield f"differences {len(self.unlike)}, of them that did not repeat {len(self.once)}"
        for seed, where in self.unlike:
            yield f"repeat: make generated GENERATED='--seed {seed} --count 1'"
            yield f"  {where[:2000]}"


class Players:
    """Runs plans with and without the fast path, and counts; A_WORLD plans share their worlds."""

    def __init__(self, recorder: Recorder, fast_paths: list[RunFastPath]) -> None:
        self.tally = Tally()
        self._recorder = recorder
        self._fast_paths = fast_paths
        self._pair: Pair | None = None

    def play(self, seed: int) -> str | None:
        """Run the plan of a seed; return the first difference, None if there is none."""
        plan = plan_of(seed)
        where = self._difference(plan)
        fast = next((one for one in self._fast_paths if one.run.compiled.params["track"]), None)
        self.tally.note(plan, fast)
        self._fast_paths.clear()
        if where is None:
            return None
        self.stop()
        again = self._difference(plan)  # alone in new worlds
        self._fast_paths.clear()
        self.stop()
        self.tally.unlike.append((seed, where if again is None else again))
        if again is None:
            self.tally.once.append((seed, where))
        return where

    def _difference(self, plan: Plan) -> str | None:
        if self._pair is not None and self._pair.played >= A_WORLD:
            self.stop()
        if self._pair is None:
            self._pair = Pair()
        try:
            return self._pair.difference(self._recorder, plan)
        except AssertionError as error:
            return f"{type(error).__name__}: {error}"

    def stop(self) -> None:
        """Stop the worlds."""
        if self._pair is not None:
            self._pair.stop()
            self._pair = None


def players(patch: pytest.MonkeyPatch) -> Players:
    """Return players whose runs keep their instances, and never give the fast path up."""
    # Otherwise the gateway may make one connection more, when it has none at that moment.
    patch.setattr(RestGateway, "look_s", 3600)
    return Players(Recorder(patch), fast_paths_of(patch))


def play(seeds: Iterable[int], seconds: float) -> Tally:
    """Run the plans of seeds until the time is over; return the counts."""
    began = reported = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        here = players(patch)
        try:
            for seed in seeds:
                where = here.play(seed)
                if where is not None:
                    print(f"seed {seed}: {where[:2000]}", flush=True)
                now = time.monotonic()
                if now - reported > _REPORT_S:
                    reported = now
                    total = here.tally.total
                    print(f"{now - began:.0f} s, seed {seed}: {dict(total)}", flush=True)
                if now - began > seconds:
                    break
        except KeyboardInterrupt:
            pass  # the counts so far are reported all the same
        finally:
            here.stop()
    return here.tally


def main() -> int:
    """Run what the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--count", type=int, default=10**9, help="how many seeds at most")
    given = parser.parse_args()
    logging.disable()  # thousands of instances fail, and each would be logged
    tally = play(range(given.seed, given.seed + given.count), given.seconds)
    for line in tally.lines():
        print(line)
    return int(bool(tally.unlike))


if __name__ == "__main__":
    # Importing tsvc applies the patches of gevent.
    sys.exit(main())
