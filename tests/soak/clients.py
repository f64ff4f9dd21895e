"""The clients of a soak: one random action after the other, each checked to its end."""

import json
import random
import socket
import struct
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

from slices.requests import candidates
from support.daemons import DaemonProcess, example, read_response

from soak.findings import Findings
from soak.kind import VARS, Operation, soak_kinds

Params = dict[str, Any]

# Requests of each kind of gateway; in ALL, one operation of each kind.
ASKS = {name: kind.asks for name, kind in soak_kinds().items() if kind.asks}
ALL = [asks[0][0] for asks in ASKS.values()]

WAIT = [{"type": "wait", "arguments": {"seconds": 0.05}}]
MIXED = [
    {"type": "branch", "expression": "rand() < 0.9", "on_true": "ok"},
    {"type": "branch", "expression": "rand() < 0.5", "on_true": "fail", "on_false": "stop"},
    {"type": "abort", "label": "stop"},
    {"type": "fail", "label": "fail"},
    {"type": "eval", "label": "ok", "expression": "$v->{list} = [map { $_ * 2 } 1 .. 50]"},
]
HALT = [{"type": "halt", "arguments": {"seconds": 60}}]
REFUSALS = (
    {"operations": []},
    {"operations": [{"type": "nonsense"}]},
    {"operations": WAIT, "distribution": {"type": "load", "total": 1, "backlog": 10**6}},
    {"operations": [{"type": "eval", "expression": "1 +"}]},
    {"operations": WAIT, "run_id": ""},
)
CROWD = 12  # for each client; one address may have 64 waiting requests
MUCH = [one for one in candidates() if one[1][0] == "ValidateTest"]
GARBAGE = (
    b"",
    b"\0",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\0\0\0\x02{}",
    b"\0\0\0\x05[1,2]",
    b"GET /",
)


class Client(threading.Thread):
    """A client that chooses its actions by a seed, until the soak is over."""

    def __init__(
        self, daemon: DaemonProcess, findings: Findings, is_over: threading.Event, seed: int
    ) -> None:
        super().__init__(name=f"client {seed}")
        self._daemon = daemon
        self._findings = findings
        self._is_over = is_over
        self._chance = random.Random(seed)
        self._samples = [example("extension_dialing"), example("extension_dialing_busy")]
        self._own_flow = example("extension_dialing_mixed")

    def run(self) -> None:
        doings: list[Callable[[], None]] = [
            self.play_calls,
            self.play_load,
            self.play_linear,
            self.play_mixed,
            self.play_over_m3ua,
            self.ask_a_peer,
            self.ask_a_peer,
            self.ask_all_peers,
            self.cancel_who_asks,
            self.cancel_in_the_middle,
            self.change_pace,
            self.halt_and_resume,
            self.hold_a_lock,
            self.wait_in_a_crowd,
            self.send_much,
            self.be_refused,
            self.abuse,
        ]
        while not self._is_over.is_set():
            doing = self._chance.choice(doings)
            self._findings.count(doing.__name__)
            try:
                doing()
            except Exception as error:  # noqa: BLE001 - whatever it is, the summary shows it
                self._findings.violation(f"{doing.__name__}: {type(error).__name__}: {error}")

    # -- runs --------------------------------------------------------------------------------

    def play_calls(self) -> None:
        sample = self._chance.choice([*self._samples, self._own_flow])
        self._expect(self._play({**sample, "sigtran": "LOOP"}), "pass")

    def play_load(self) -> None:
        load = {"type": "load", "total": self._chance.randint(1, 300), "backlog": 20}
        sample = self._chance.choice(self._samples)
        self._expect(self._play({**sample, "sigtran": "LOOP", "distribution": load}), "pass")

    def play_linear(self) -> None:
        self._expect(self._play({"operations": WAIT, "distribution": self._linear()}), "pass")

    def play_mixed(self) -> None:
        load = {"type": "load", "total": 200, "backlog": 50}
        result = self._play({"operations": MIXED, "distribution": load})
        counts = result["counts"]
        worst = "abort" if counts["aborted"] else "fail" if counts["failed"] else "pass"
        self._expect(result, worst)

    def play_over_m3ua(self) -> None:
        """Run over M3UA. The peer is killed at times: any verdict is right, but one must come."""
        load = {"type": "load", "total": 20, "backlog": 5}
        params = {**self._samples[0], "sigtran": "LAB", "distribution": load}
        run_id = uuid.uuid4().hex
        response = self._execute({**params, "run_id": run_id})
        if "error" not in response:
            self._findings.count(f"over M3UA: {self._finish(run_id)['verdict']}")
            return
        kind = response["error"]["data"]["kind"]
        self._findings.count(f"over M3UA: {kind}")
        # While a reload restarts the gateway, it may be down for a moment.
        self._findings.check(kind == "gateway.down", f"over M3UA: {response['error']}")

    def ask_a_peer(self) -> None:
        kind = self._chance.choice([*ASKS])
        load = {"type": "load", "total": self._chance.randint(1, 60), "backlog": 8}
        self._ask(kind, self._chance.choice(ASKS[kind]), distribution=load)

    def ask_all_peers(self) -> None:
        load = {"type": "load", "total": 20, "backlog": 5}
        self._ask("all", ALL, distribution=load)

    def cancel_who_asks(self) -> None:
        """Cancel a run while it waits for an answer: no other run may get the answer."""
        kind = self._chance.choice([*ASKS])
        linear = self._linear(total=10_000)
        run_id = self._ask_for_start(kind, [*self._chance.choice(ASKS[kind])] * 3, linear)
        if run_id is None:
            return
        time.sleep(self._chance.uniform(0, 0.5))
        result = self._daemon.result("CancelTest", {"run_id": run_id})
        self._check_asked(kind, self._finish(run_id) if not result["completed"] else result)

    def _ask(self, kind: str, operations: list[Operation], distribution: Params) -> None:
        """Run requests to a peer. Peers have troubles: any verdict is right, but one must come."""
        run_id = self._ask_for_start(kind, operations, distribution)
        if run_id is not None:
            result = self._finish(run_id)
            self._findings.count(f"{kind}: {result['verdict']}")
            self._check_asked(kind, result)

    def _ask_for_start(
        self, kind: str, operations: list[Operation], distribution: Params
    ) -> str | None:
        run_id = uuid.uuid4().hex
        params = {"operations": operations, "vars": VARS, "distribution": distribution}
        error = self._execute({**params, "run_id": run_id}).get("error")
        if error is None:
            return run_id
        found = error["data"]["kind"]
        self._findings.count(f"{kind}: {found}")
        # The gateway may be down, or left out of the configuration for a moment.
        is_known = found == "gateway.down" or "application is configured" in json.dumps(error)
        self._findings.check(is_known, f"{kind}: {error}")
        return None

    def _check_asked(self, kind: str, result: Params) -> None:
        """Check that nobody got another's answer, and that nothing failed inside the tester."""
        checks = result["first_call_summary"].get("check_log")
        text = f"{kind}: {result['run_id']}: {result['counts']} {checks}"
        counts = result["counts"]  # garbage for an operation is malformed, and fails
        self._findings.check(counts["failed"] <= counts["malformed"], text)
        for one in result["first_aborts"]:
            self._findings.check("internal" not in one["reason"], f"{kind}: {one['reason']}")

    def cancel_in_the_middle(self) -> None:
        params = {"operations": [*WAIT * 20], "distribution": self._linear(total=100_000)}
        run_id = self._start(params)
        time.sleep(self._chance.uniform(0, 0.5))
        result = self._daemon.result("CancelTest", {"run_id": run_id})
        self._findings.check_counts(result)
        self._findings.check(result["completed"] == 1, f"{run_id}: cancelled, not completed")
        self._check_over(result)

    def change_pace(self) -> None:
        run_id = self._start({"operations": WAIT, "distribution": self._linear(total=100)})
        self._daemon.call("PauseTest", {"run_id": run_id, "paused": 1})
        self._findings.check_counts(self._daemon.result("QueryTest", {"run_id": run_id}))
        self._daemon.call("RateTest", {"run_id": run_id, "cps": 2000})
        self._daemon.call("PauseTest", {"run_id": run_id, "paused": 0})
        self._expect(self._finish(run_id), "pass")

    def halt_and_resume(self) -> None:
        self._resume(self._start({"operations": HALT}))

    def hold_a_lock(self) -> None:
        key = f"key of {self.name}"
        run_id = self._start({"operations": HALT, "locks": [{"key": key}]})
        other = {"run_id": f"{run_id} other", "operations": WAIT, "locks": [{"key": key}]}
        error = self._execute(other).get("error") or {"data": {"kind": None}}
        kind = error["data"]["kind"]
        self._findings.check(kind == "lock.taken", f"{run_id}: its lock was not held: {kind}")
        self._resume(run_id)

    def _resume(self, run_id: str) -> None:
        resume = {"run_id": run_id, "instance_id": "0"}
        while "error" in self._daemon.call("ResumeInstance", resume):
            self._findings.check_counts(self._daemon.result("QueryTest", {"run_id": run_id}))
        self._expect(self._finish(run_id), "pass")

    def _linear(self, total: int = 150) -> Params:
        cps = self._chance.choice([50, 200, 500])
        return {"type": "linear", "total": total, "backlog": 100, "cps": cps, "max_seconds": 20}

    def _start(self, params: Params) -> str:
        run_id = uuid.uuid4().hex
        response = self._execute({**params, "run_id": run_id})
        if "error" in response:
            raise RuntimeError(f"ExecuteTest: {response['error']}")
        return run_id

    def _execute(self, params: Params) -> Params:
        """Return the response, once the archive accepts runs."""
        deadline = time.monotonic() + 60
        while True:
            response = self._daemon.call("ExecuteTest", params)
            error = response.get("error")
            is_down = error is not None and error["data"]["kind"] == "archive.down"
            if not is_down or time.monotonic() > deadline:
                return dict(response)
            self._findings.count("refused while the archive is down")
            time.sleep(0.1)

    def _play(self, params: Params) -> Params:
        return self._finish(self._start(params))

    def _finish(self, run_id: str) -> Params:
        """Query until it is completed, checking every answer."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            wait_s = self._chance.choice([0, 0.1, 30])
            result = self._daemon.result("QueryTest", {"run_id": run_id, "wait_s": wait_s})
            self._findings.check_counts(result)
            if result["completed"]:
                self._check_over(result)
                return dict(result)
            time.sleep(0.02)
        raise TimeoutError(f"{run_id} is not completed: {result['state']} {result['counts']}")

    def _check_over(self, result: Params) -> None:
        """Check that a completed run has left nothing, and can be read from the archive."""
        self._findings.count("runs completed")
        self._findings.count("instances", result["counts"]["started"])
        run_id = result["run_id"]
        self._findings.check(result["leaks"] == [], f"{run_id}: {result['leaks']}")
        self._findings.check(result["counts"]["in_progress"] == 0, f"{run_id}: {result['counts']}")
        archived = self._daemon.result("GetResult", {"result_id": result["result_id"]})
        same = all(archived[name] == result[name] for name in ("run_id", "verdict", "counts"))
        self._findings.check(same, f"{run_id}: archived as {archived['counts']}")

    def _expect(self, result: Params, verdict: str) -> None:
        got = result["verdict"]
        reason = result["first_call_summary"].get("reason")
        self._findings.check(
            got == verdict,
            f"{result['run_id']}: {got}, not {verdict}: {result['counts']} {reason}",
        )

    # -- abuse -------------------------------------------------------------------------------

    def wait_in_a_crowd(self) -> None:
        """Wait for a run with many requests; some clients disconnect early, the others get
        answers."""
        run_id = self._start({"operations": HALT})
        whole = json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "QueryTest",
                "params": {"run_id": run_id, "wait_s": 60},
            }
        ).encode()
        crowd = [self._daemon.connect() for _ in range(CROWD)]
        try:
            for sock in crowd:
                sock.sendall(struct.pack("!I", len(whole)) + whole)
            leaving = self._chance.sample(crowd, CROWD // 2)
            for sock in leaving:
                sock.close()
            self._daemon.result("CancelTest", {"run_id": run_id})
            for sock in set(crowd) - set(leaving):
                response = read_response(sock)
                is_over = response.get("result", {}).get("completed") == 1
                self._findings.check(is_over, f"who waits for {run_id} is told {response}")
        finally:
            for sock in crowd:
                sock.close()
        self._finish(run_id)

    def send_much(self) -> None:
        """Send a request that takes long to be checked: it is answered, and blocks nobody."""
        name, (method, params) = self._chance.choice(MUCH)
        response = self._daemon.call(method, params)
        found = response.get("error", {"data": {"kind": None}})["data"]["kind"]
        self._findings.check(found != "internal", f"{name}: {response}")

    def be_refused(self) -> None:
        params = {"run_id": uuid.uuid4().hex, **self._chance.choice(REFUSALS)}
        code = self._daemon.call("ExecuteTest", params)["error"]["code"]
        self._findings.check(code in (2000, 2002), f"refused with {code}: {params}")

    def abuse(self) -> None:
        whole = json.dumps({"jsonrpc": "2.0", "method": "DescribeService", "id": 1}).encode()
        frame = struct.pack("!I", len(whole)) + whole
        sock = self._daemon.connect()
        try:
            if self._chance.random() < 0.3:
                sock.sendall(frame[: self._chance.randrange(len(frame) + 1)])
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            sock.sendall(self._chance.choice(GARBAGE))
            sock.shutdown(socket.SHUT_WR)
            code = read_response(sock)["error"]["code"]
            self._findings.check(code == 1000, f"garbage is answered with {code}")
        finally:
            sock.close()
