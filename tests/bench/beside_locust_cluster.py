"""The cost of the same work in Locust's own cluster: a master, workers, its statistics.

    python tests/bench/beside_locust_cluster.py noop|call WORKERS SECONDS [kill]

noop  users whose task does nothing but report a request
call  users whose task makes the call of tsvc's example by tsvc's library, loopback and SCP in the
      worker, as an instance of a run of workers does

It prints JSON: iterations a second and microseconds of CPU for each, of all workers; with `kill`,
one worker is killed at half time. Then it prints the master's count and the real number, which
each worker has counted in a file of its own.
"""

import sys

import locust.stats  # it patches, so it comes before all other imports
from locust import User, constant, task
from locust.env import Environment

# isort: split
import json
import mmap
import random
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, ClassVar

import gevent
from measures import cpu_s

USERS = 50  # of a worker
JOIN_S = 120.0

locust.stats.CONSOLE_STATS_INTERVAL_SEC = 10**6


class Nothing(User):
    """A user whose iteration is only bookkeeping."""

    abstract = True
    wait_time = constant(0)
    counted: ClassVar[mmap.mmap]
    made: ClassVar[int] = 0

    def work(self) -> None:
        """Do nothing, and let other greenlets run."""
        gevent.sleep(0)

    @task
    def one(self) -> None:
        Nothing.made += 1
        struct.pack_into("q", self.counted, 0, Nothing.made)
        begun = time.perf_counter()
        self.work()
        self.environment.events.request.fire(
            request_type="work",
            name="work",
            response_time=(time.perf_counter() - begun) * 1000,
            response_length=0,
            response=None,
            context={},
            exception=None,
        )


class NothingUser(Nothing):
    """A user that does nothing."""


def caller() -> type[User]:
    """Return a user that makes the example's call."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from support.daemons import FLOW, Daemon, example

    from tsvc.clock import SYSTEM_CLOCK
    from tsvc.engine.compiler.judge import judge
    from tsvc.engine.instance import Instance
    from tsvc.engine.run import Run
    from tsvc.operations.context import RunContext

    service = Daemon(Path(tempfile.mkdtemp()), flows=(FLOW,)).service
    distribution = {"type": "load", "total": 10**9, "backlog": USERS}
    params = {**example("extension_dialing"), "run_id": "bench", "distribution": distribution}
    judged = judge({**params, "sigtran": "LOOP"}, service.config, service.gateways)
    assert judged.compiled is not None, judged.problems
    assert judged.params is not None
    engine = service.config.engine
    run = Run(
        "bench",
        judged.compiled,
        RunContext(judged.params, judged.gateways),
        SYSTEM_CLOCK,
        seed=random.getrandbits(48),
        max_steps=engine.max_steps,
        max_trace_octets=engine.max_trace_octets,
        late_ms=engine.late_ms,
        on_completed=lambda run: None,
    )
    run.prepare()

    class CallUser(Nothing):
        def work(self) -> None:
            instance = Instance(run, Nothing.made, SYSTEM_CLOCK.now())
            if Nothing.made == 1:
                run.first = instance
            state = instance.execute()
            instance.let_go()
            assert state.value == "passed", instance.reason

    return CallUser


def be_worker(what: str, port: str, file: str) -> None:
    """Work until the master quits."""
    user = NothingUser if what == "noop" else caller()
    with open(file, "r+b") as opened:
        Nothing.counted = mmap.mmap(opened.fileno(), 8)
    environment = Environment(user_classes=[user])
    runner = environment.create_worker_runner("127.0.0.1", int(port))
    runner.greenlet.join()


def be_master(what: str, count: int, seconds: float, *, kills: bool) -> dict[str, Any]:
    """Return the figures of a run of so many seconds."""
    user = NothingUser  # the master needs only the name of a user
    if what == "call":
        user = type("CallUser", (Nothing,), {})
    environment = Environment(user_classes=[user])
    runner = environment.create_master_runner("127.0.0.1", 0)
    port = runner.server.socket.getsockopt_string(32).rpartition(":")[2]
    files, workers = [], []
    for number in range(count):
        files.append(Path(tempfile.mkdtemp()) / f"made{number}")
        files[-1].write_bytes(bytes(8))
        command = [sys.executable, __file__, "worker", what, port, str(files[-1])]
        workers.append(subprocess.Popen(command))
    try:
        return _measured(runner, workers, files, seconds, kills=kills)
    finally:
        runner.quit()
        for one in workers:
            one.kill()
            one.wait()


def _measured(
    runner: Any, workers: list[Any], files: list[Path], seconds: float, *, kills: bool
) -> dict[str, Any]:
    def made() -> int:
        return sum(struct.unpack("q", file.read_bytes())[0] for file in files)

    def wait(is_so: Any) -> None:
        deadline = time.monotonic() + JOIN_S
        while not is_so():
            assert time.monotonic() < deadline, "no workers"
            gevent.sleep(0.1)

    wait(lambda: len(runner.clients.ready) == len(workers))
    users = USERS * len(workers)
    runner.start(users, spawn_rate=users)
    wait(lambda: made() > 0 and runner.user_count == users)
    before, begun = made(), time.perf_counter()
    cpu = sum(cpu_s(one.pid) for one in workers)
    if not kills:
        gevent.sleep(seconds)
        count = made() - before
        cpu = sum(cpu_s(one.pid) for one in workers) - cpu
        per_s = count / (time.perf_counter() - begun)
        return {"per_s": round(per_s), "cpu_us": round(cpu / count * 1e6, 2)}
    gevent.sleep(seconds / 2)
    workers[1].send_signal(signal.SIGKILL)
    gevent.sleep(seconds / 2)
    runner.stop()
    gevent.sleep(4.0)  # the last reports come every three seconds
    total = runner.stats.total
    return {
        "made": made(),
        "told": total.num_requests,
        "untold": made() - total.num_requests,
        "failures": total.num_failures,
        "missing_workers": len(runner.clients.missing),
        "exit_code": runner.environment.process_exit_code,
    }


def main() -> None:
    what, *more = sys.argv[1:]
    if what == "worker":
        be_worker(*more)
        return
    found = be_master(what, int(more[0]), float(more[1]), kills="kill" in more)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
