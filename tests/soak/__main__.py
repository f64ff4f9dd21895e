"""python -m tests.soak --seconds 600 (make soak): exit 1 with the violations.

One tester with a gateway of each kind, their peers, and an SCP with M3UA/TCP between them. Clients
do random things and check each to its end, crowds wait, requests are as large as allowed.
Meanwhile there are reloads, right and broken ones, restarts of gateways, kills of the SCP, and an
archive locked by another process. Peers are killed, slow, silent or send garbage.

Throughout and at the end: every answer adds up, every run completes and is archived, nobody gets
another's answer, nothing is left, memory is flat, each gateway works again.
"""

import argparse
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from soak.clients import Client
from soak.findings import Findings
from soak.kind import VARS, soak_kinds
from soak.peers import trouble_in_turn
from soak.world import KINDS, NAMES, World, open_files, resident_mib, threads

CLIENTS = 4
SAMPLE_S = 1.0
WARM_UP = 1 / 3  # of the time: until then caches, quarantines and histograms fill
MOST_BLOCKS = 40_000  # more after the soak than after the warm-up, which is 100 a run or less
# On the fitted line, from the end of the warm-up to the end of a long soak. In a shorter soak the
# growth is random: it depends on when most large requests came, as memory is not given back.
MOST_GROWTH_MIB = 16.0
LONG_S = 600.0
QUIET_S = 8.0  # longer than tcap_timeout_s and any client's connection
SPARE_FILES = 4
MOST_THREADS = 40  # name resolution, signals, and those of an SQLite gateway and its predecessors
HANG_GUARD_S = 120.0


@dataclass(frozen=True, slots=True)
class Quiet:
    """The resources that the tester holds while no run is in progress."""

    files: int  # without the connections of pools, which may stay for later use
    greenlets: int
    blocks: int  # of memory that Python's objects occupy
    open_files: Counter[str] = field(repr=False)  # all of them, by what they are


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    findings = Findings()
    world = World()
    try:
        samples = soak(world, findings, arguments.seconds, arguments.seed)
    finally:
        statuses = world.close()
    findings.check(statuses == [0, 0], f"exit statuses {statuses}")
    report(findings, samples, arguments.seed)
    return 1 if findings.violated else 0


def soak(world: World, findings: Findings, seconds: float, seed: int) -> list[tuple[float, float]]:
    """Run the soak; return (seconds, MiB of memory) of the tester."""
    wait_for_link(world, findings)
    before = look(world)
    samples = play(world, findings, WARM_UP * seconds, seed, 0.0)
    rest(world, findings)
    warm = look(world)
    samples += play(world, findings, (1 - WARM_UP) * seconds, seed + CLIENTS, samples[-1][0])
    rest(world, findings)
    check_quiet(world, findings, before, warm)
    check_memory(samples, findings)
    log = world.log(world.tester)
    for line in log.splitlines():
        if "incident" in line or "Traceback" in line or "left something behind" in line:
            findings.violation(f"log: {line}")
    return samples


def rest(world: World, findings: Findings) -> None:
    """Wait until everything has ended that clients and troubles have begun."""
    wait_for_link(world, findings)
    check_each_works(world, findings)
    time.sleep(QUIET_S)


def play(
    world: World, findings: Findings, seconds: float, seed: int, from_s: float
) -> list[tuple[float, float]]:
    """Run clients and troubles; return (seconds, MiB of memory) of the tester."""
    is_over = threading.Event()
    clients = [Client(world.tester, findings, is_over, seed + n) for n in range(CLIENTS)]
    troubles = [
        threading.Thread(target=make_trouble, args=(world, findings, is_over, seed)),
        *(trouble_of(world, kind, findings, is_over, seed) for kind in KINDS),
    ]
    began_at = time.monotonic()
    for thread in (*clients, *troubles):
        thread.start()
    samples: list[tuple[float, float]] = []
    try:
        while (t := time.monotonic() - began_at) < seconds:
            samples.append((from_s + t, resident_mib(world.tester)))
            found = threads(world.tester)
            findings.check(found <= MOST_THREADS, f"{found} threads")
            time.sleep(SAMPLE_S)
    finally:
        is_over.set()
        for thread in (*clients, *troubles):
            thread.join()
    return samples


def trouble_of(
    world: World, kind: str, findings: Findings, is_over: threading.Event, seed: int
) -> threading.Thread:
    """Return a thread that troubles the peer of a kind, until the soak is over."""

    def tell(trouble: str, error: Exception | None) -> None:
        findings.count(f"{kind} is {trouble}")
        if error is not None:
            findings.violation(f"{kind} is {trouble}: {type(error).__name__}: {error}")

    chance = random.Random(f"{seed} {kind}")
    return threading.Thread(
        target=trouble_in_turn, args=(world.peers[kind], chance, is_over, tell)
    )


def make_trouble(world: World, findings: Findings, is_over: threading.Event, seed: int) -> None:
    """Cause random troubles, such as reloads and kills of the SCP, until the soak is over."""
    chance = random.Random(seed)
    troubles: dict[str, Callable[[], object]] = {
        "reload": world.reload,
        "reload LAB": lambda: world.reload(quarantine_s=chance.choice([3, 4, 5])),
        "reload log": lambda: world.reload(
            quarantine_s=5, level=chance.choice(["info", "warning"])
        ),
        "reload what is broken": world.reload_broken,
        "reload a gateway": lambda: world.change(chance.choice([*KINDS])),
        "leave a gateway out": lambda: world.leave_out(
            chance.choice([*KINDS]), chance.uniform(0.2, 2)
        ),
        "restart SCP": world.restart_scp,
        "lock the archive": lambda: world.lock_archive(chance.choice([0.2, 2, 8])),
        "dump": lambda: world.tester.process.send_signal(signal.SIGUSR1),
    }
    while not is_over.wait(chance.uniform(1, 5)):
        kind = chance.choice([*troubles])
        findings.count(kind)
        try:
            troubles[kind]()
        except Exception as error:  # noqa: BLE001 - whatever it is, the summary shows it
            findings.violation(f"{kind}: {type(error).__name__}: {error}")
        findings.check(world.tester.process.poll() is None, f"{kind}: the tester has ended")
    world.reload(quarantine_s=5, level="info")


def wait_for_link(world: World, findings: Findings) -> None:
    """Wait until all gateways are up and have their peers."""
    deadline = time.monotonic() + HANG_GUARD_S
    while True:
        gateways = world.gateways()
        states = {name: gateway["state"] for name, gateway in gateways.items()}
        are_ready = all(
            kind.is_ready(gateways[name]["counters"])
            for name, kind in KINDS.items()
            if name in gateways
        )
        if states == dict.fromkeys(NAMES, "up") and are_ready:
            return
        if time.monotonic() > deadline:
            details = {name: gateway["detail"] for name, gateway in gateways.items()}
            findings.violation(f"not all gateways come back: {states} {details}")
            return
        time.sleep(0.1)


def check_each_works(world: World, findings: Findings) -> None:
    """Check that all requests pass, since the peers behave again."""
    load = {"type": "load", "total": 40, "backlog": 4}
    for name, kind in KINDS.items():
        for operations in kind.asks:
            definition = {"operations": operations, "vars": VARS, "distribution": load}
            result = world.tester.run(definition)
            findings.check(
                result["verdict"] == "pass",
                f"{name} does not work again: {result['counts']} {result['first_aborts'][:1]}",
            )


def look(world: World) -> Quiet:
    gateways = world.gateways().values()
    pooled = sum(gateway["counters"].get("connections", 0) for gateway in gateways)
    files = open_files(world.tester)
    return Quiet(files.total() - pooled, *world.greenlets_and_blocks(), files)


def held(world: World) -> dict[str, dict[str, int]]:
    """Return what gateways hold for clients, by the names of the counters; {} for nothing."""
    found = {}
    kinds = soak_kinds()
    for name, gateway in world.gateways().items():
        counters = gateway["counters"]
        counts = {key: counters[key] for key in kinds[gateway["kind"]].held if counters[key]}
        if counts:
            found[name] = counts
    return found


def check_quiet(world: World, findings: Findings, before: Quiet, warm: Quiet) -> None:
    """Check that the clients have left nothing behind."""
    deadline = time.monotonic() + HANG_GUARD_S
    while (left := held(world)) and time.monotonic() < deadline:
        time.sleep(0.1)  # a gateway's own ping holds a connection for a moment
    findings.check(left == {}, f"gateways hold what nobody wants: {left}")
    service = world.tester.result("DescribeService")
    findings.check(service["locks"] == {}, f"locks are left: {service['locks']}")
    runs = service["runs"]
    findings.check(runs == {"in_progress": 0, "held": 0}, f"runs are left: {runs}")
    counts = service["instances"]
    ended = sum(counts[name] for name in ("passed", "failed", "aborted", "cancelled"))
    findings.check(counts["started"] == ended, f"instances do not add up: {counts}")
    counters = service["counters"]
    is_done = counters["runs_started"] == counters["runs_completed"]
    findings.check(is_done, f"runs do not add up: {counters}")
    archive = service["archive"]
    findings.check(archive["state"] == "up", f"the archive: {archive}")
    after = look(world)
    text = f"left over: {before} before, {after} after"
    more = after.open_files - before.open_files
    findings.check(after.files <= before.files + SPARE_FILES, f"{text}; files: {dict(more)}")
    findings.check(after.greenlets <= before.greenlets, text)
    more_blocks = after.blocks - warm.blocks
    print(f"  blocks of memory: {before.blocks} before, {warm.blocks} warm, {more_blocks:+} since")
    findings.check(more_blocks < MOST_BLOCKS, f"{more_blocks} more blocks of memory")


def check_memory(samples: list[tuple[float, float]], findings: Findings) -> None:
    """Check that the line through the samples after the warm-up rises only a little."""
    growth = grown(samples)
    text = f"memory grows by {growth:.1f} MiB after the warm-up"
    findings.check(growth < MOST_GROWTH_MIB or samples[-1][0] < LONG_S, text)


def grown(samples: list[tuple[float, float]]) -> float:
    """Return the rise, in MiB, of the least-squares line from the warm-up to the end."""
    end = samples[-1][0]
    points = [point for point in samples if point[0] >= end * WARM_UP]
    if len(points) < 3:
        return 0.0
    middle_t = sum(t for t, _ in points) / len(points)
    middle = sum(mib for _, mib in points) / len(points)
    above = sum((t - middle_t) * (mib - middle) for t, mib in points)
    slope = above / sum((t - middle_t) ** 2 for t, _ in points)
    return slope * (end - points[0][0])


def report(findings: Findings, samples: list[tuple[float, float]], seed: int) -> None:
    for what, count in sorted(findings.done.items()):
        print(f"  {what}: {count}")
    for text in findings.violations:
        print(f"VIOLATED: {text}")
    verdict = "violated" if findings.violated else "passed"
    every = max(len(samples) // 15, 1)
    print("  MiB over time:", *(f"{mib:.0f}" for _, mib in samples[::every]))
    print(
        f"soak {verdict}: {samples[-1][0]:.0f} s, seed {seed},"
        f" {findings.done['runs completed']} runs, {findings.done['instances']} instances,"
        f" {findings.done['answers checked']} answers, {findings.violated} violations,"
        f" memory {samples[-1][1]:.0f} MiB ({grown(samples):+.1f})"
    )


if __name__ == "__main__":
    sys.exit(main())
