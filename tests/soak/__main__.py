"""python -m tests.soak --seconds 600 (make soak): exit 1 with what was violated.

One tester and one SCP with M3UA/TCP between them; clients that do random things and check each
to its end; meanwhile reloads, right ones and broken ones, restarts of the gateway and kills of
the SCP. Throughout and at the end: every answer adds up, every run completes and is archived,
nothing is left, memory is flat.
"""

import argparse
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from soak.clients import Client
from soak.findings import Findings
from soak.world import World, open_files, resident_mib

CLIENTS = 4
SAMPLE_S = 1.0
WARM_UP = 1 / 3  # of the time: until then caches, quarantines and histograms fill
MOST_GROWTH_MIB = 16.0  # on the fitted line, from the end of the warm-up to the end of the soak
QUIET_S = 8.0  # longer than tcap_timeout_s and any client's connection
SPARE_FILES = 4


@dataclass(frozen=True, slots=True)
class Quiet:
    """What the tester holds while nothing runs."""

    files: int
    greenlets: int


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
    """Do it; return (seconds, MiB of memory) of the tester."""
    wait_for_link(world, findings)
    before = look(world)
    is_over = threading.Event()
    clients = [Client(world.tester, findings, is_over, seed + n) for n in range(CLIENTS)]
    trouble = threading.Thread(target=make_trouble, args=(world, findings, is_over, seed))
    began_at = time.monotonic()
    for thread in (*clients, trouble):
        thread.start()
    samples: list[tuple[float, float]] = []
    try:
        while (t := time.monotonic() - began_at) < seconds:
            samples.append((t, resident_mib(world.tester)))
            time.sleep(SAMPLE_S)
    finally:
        is_over.set()
        for thread in (*clients, trouble):
            thread.join()
    wait_for_link(world, findings)
    time.sleep(QUIET_S)
    check_quiet(world, findings, before)
    check_memory(samples, findings)
    log = world.log(world.tester)
    for line in log.splitlines():
        if "incident" in line or "Traceback" in line or "left something behind" in line:
            findings.violation(f"log: {line}")
    return samples


def make_trouble(world: World, findings: Findings, is_over: threading.Event, seed: int) -> None:
    """Reload with and without a difference, kill the peer, look, until the soak is over."""
    chance = random.Random(seed)
    troubles: dict[str, Callable[[], object]] = {
        "reload": world.reload,
        "reload LAB": lambda: world.reload(quarantine_s=chance.choice([3, 4, 5])),
        "reload log": lambda: world.reload(
            quarantine_s=5, level=chance.choice(["info", "warning"])
        ),
        "reload what is broken": world.reload_broken,
        "restart SCP": world.restart_scp,
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
    world.reload(quarantine_s=5)


def wait_for_link(world: World, findings: Findings) -> None:
    deadline = time.monotonic() + 60
    states: list[str] = []
    while time.monotonic() < deadline:
        gateways = world.tester.result("DescribeService")["gateways"]
        states = [gateway["state"] for gateway in gateways]
        if states == ["up", "up"]:
            return
        time.sleep(0.1)
    findings.violation(f"the link does not come back: {states}")


def look(world: World) -> Quiet:
    return Quiet(open_files(world.tester), world.greenlets())


def check_quiet(world: World, findings: Findings, before: Quiet) -> None:
    """After the clients have gone, nothing of what they did is left."""
    service = world.tester.result("DescribeService")
    dialogues = [gateway["counters"]["dialogues"] for gateway in service["gateways"]]
    findings.check(dialogues == [0, 0], f"dialogues are left: {dialogues}")
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
    findings.check(after.files <= before.files + SPARE_FILES, text)
    findings.check(after.greenlets <= before.greenlets, text)


def check_memory(samples: list[tuple[float, float]], findings: Findings) -> None:
    """The line through the samples after the warm-up rises by little."""
    growth = grown(samples)
    text = f"memory grows by {growth:.1f} MiB after the warm-up"
    findings.check(growth < MOST_GROWTH_MIB, text)


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
    print(
        f"soak {verdict}: {samples[-1][0]:.0f} s, seed {seed},"
        f" {findings.done['runs completed']} runs, {findings.done['instances']} instances,"
        f" {findings.done['answers checked']} answers, {findings.violated} violations,"
        f" memory {samples[-1][1]:.0f} MiB ({grown(samples):+.1f})"
    )


if __name__ == "__main__":
    sys.exit(main())
