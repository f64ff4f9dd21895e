"""Two or three processes of tsvc with links between them: calls, lost associations, new calls.

The scenario is the same for every kind of link (m3ua, sua) and transport (tcp, sctp).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.daemons import FLOW, HANG_GUARD_S, DaemonProcess, configure, example, launch
from support.ports import free_port
from support.waiting import until

CALLS = 20
# A busy machine may give an SCP no time for long: the tester waits for it.
PATIENT = "[engine]\ntcap_timeout_s = 300\n"


class Lab:
    """A tester with a link to each of several SCPs; all are separate processes."""

    def __init__(self, folder: Path, kind: str, transport: str, scps: int, **member: Any) -> None:
        self.ports = [free_port() for _ in range(scps)]
        self._folder = folder
        self._listen = [f"{kind}+{transport}://127.0.0.1:{port}" for port in self.ports]
        self._rpc = {index: free_port() for index in range(scps)}
        self.scps = [self.start_scp(index) for index in range(scps)]
        more = "".join(f', {name} = "{value}"' for name, value in member.items())
        links = ", ".join(
            f'{{ name = "link {index}", type = "{kind}", transport = "{transport}", '
            f"remote_port = {port}{more} }}"
            for index, port in enumerate(self.ports)
        )
        text = PATIENT + (
            '[application.LAB]\nmodule = "sigtran"\nopc = 1\n'
            f"default_scp = {{ dpc = 2, dssn = 146 }}\nconnections = [{links}]\n"
        )
        self.tester = launch(folder / "tester", configure(folder / "tester", text))

    def start_scp(self, index: int) -> DaemonProcess:
        """Start an SCP, initially or again."""
        folder = self._folder / f"scp{index}"
        text = f'[scp]\nflows = ["{FLOW}"]\nlisten = ["{self._listen[index]}"]\n'
        return launch(folder, configure(folder, text, port=self._rpc[index]))

    def restart_scp(self, index: int) -> None:
        """Start an SCP that was killed."""
        self.scps[index] = self.start_scp(index)

    def calls(self, index: int) -> int:
        """Return the number of calls that an SCP has received."""
        return int(self.scps[index].result("DescribeService")["scp"]["calls"])

    def gateway(self) -> dict[str, Any]:
        """Return the status of the tester's gateway."""
        status: dict[str, Any] = self.tester.result("DescribeService")["gateways"][0]
        return status

    def wait_until_active(self) -> None:
        """Wait until every link is active."""
        until(
            lambda: self.gateway()["counters"]["links_active"] == len(self.scps), what=self.gateway
        )

    def stop(self) -> None:
        """Kill every process that is still running."""
        for daemon in (self.tester, *self.scps):
            daemon.kill()


@contextmanager
def lab(folder: Path, kind: str, transport: str, scps: int, **member: Any) -> Iterator[Lab]:
    """Run a lab while a block runs; its links are active when the block begins."""
    made = Lab(folder, kind, transport, scps, **member)
    try:
        made.wait_until_active()
        yield made
    finally:
        made.stop()


def halting_call() -> dict[str, Any]:
    """Return the sample call, which halts before the digits."""
    definition = example("extension_dialing")
    definition["operations"].insert(4, {"type": "halt", "arguments": {"seconds": 600}})
    return definition


def lose_one_of_two(made: Lab) -> None:
    """Kill one of two SCPs during calls: its calls abort; the others and new calls pass."""
    tester = made.tester
    before = [made.calls(0), made.calls(1)]
    distribution = {"type": "load", "total": CALLS, "backlog": CALLS}
    params = {**halting_call(), "run_id": "lost", "distribution": distribution}
    assert tester.result("ExecuteTest", params) == "ok"

    def halted() -> list[dict[str, Any]]:
        return list(tester.result("QueryTest", {"run_id": "lost"})["halted"])

    until(lambda: len(halted()) == CALLS, what=made.gateway)
    on_lost, on_other = made.calls(0) - before[0], made.calls(1) - before[1]
    assert min(on_lost, on_other) > 0, "the links share the load"
    assert on_lost + on_other == CALLS
    made.scps[0].kill()
    until(lambda: made.gateway()["counters"]["links_active"] == 1, what=made.gateway)
    for one in halted():
        instance = {"run_id": "lost", "instance_id": one["instance_id"]}
        tester.result("ResumeInstance", instance)
    result = tester.result("QueryTest", {"run_id": "lost", "wait_s": HANG_GUARD_S})
    assert result["completed"] == 1
    assert result["counts"]["aborted"] == on_lost, result["counts"]
    assert result["counts"]["passed"] == on_other, result["counts"]
    made.restart_scp(0)
    made.wait_until_active()
    again = tester.run(example("extension_dialing"), distribution=distribution)
    assert again["counts"]["passed"] == CALLS, again["counts"]
    assert made.calls(0) > 0
