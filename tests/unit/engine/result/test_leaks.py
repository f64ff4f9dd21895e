"""The leak audit: a run that leaves something behind fails, and each leak is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemons import Daemon
from support.waiting import until

from tsvc.engine.result.leaks import MAX_SUSPECTS, OpenSessions
from tsvc.kinds.sigtran.operations import dialogue

CALL = [
    {"type": "inap.ssp_to_scp.InitialDP", "arguments": {"serviceKey": 1}},
    {"type": "inap.ssp_from_scp.Connect", "seconds": 0.05},
]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Daemon]:
    service = Daemon(tmp_path)
    yield service
    service.stop()


def test_nothing_is_left(service: Daemon) -> None:
    """No peer answers on this loopback: the dialogue is aborted, which is no leak."""
    result = service.run(*CALL, locks=[{"key": "a"}])
    assert (result["verdict"], result["leaks"]) == ("abort", [])


def test_a_dialogue_that_stays_open(service: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogue.TesterDialogue, "close", lambda self: None)
    result = service.run(
        CALL[0], distribution={"type": "load", "total": 3, "backlog": 1}, locks=[{"key": "a"}]
    )
    assert result["counts"]["passed"] == 3
    assert result["verdict"] == "fail"
    (leak,) = result["leaks"]
    assert leak.startswith("3 dialogues are open, the first: ")
    assert leak.endswith(" of instance 0")
    assert service.call("DescribeService")["locks"] == {}


def test_a_lock_that_stays(service: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.service.locks, "release", lambda ticket: None)
    result = service.run({"type": "pass"}, locks=[{"key": "a"}, {"key": "b"}])
    assert (result["verdict"], result["leaks"]) == ("fail", ["locks are held: a, b"])


def test_a_lock_of_another_run_is_its_own(service: Daemon) -> None:
    wait = [{"type": "wait", "arguments": {"seconds": 60}}]
    holder = service.execute(*wait, locks=[{"key": "a"}])
    assert service.run({"type": "pass"}, locks=[{"key": "b"}])["leaks"] == []
    service.call("CancelTest", run_id=holder)


def test_halted_and_cancelled(service: Daemon) -> None:
    halt = [{"type": "halt", "arguments": {"seconds": 60}}]
    run_id = service.execute(*halt, distribution={"type": "load", "total": 9, "backlog": 5})
    until(lambda: service.call("QueryTest", run_id=run_id)["counts"]["halted"] == 5)
    result = service.call("CancelTest", run_id=run_id)
    assert (result["verdict"], result["leaks"]) == ("cancelled", [])
    assert result["counts"]["halted"] == 0


class Session:
    name = "session"

    def __init__(self) -> None:
        self.is_open = True


def test_a_session_may_close_a_little_later() -> None:
    """A session of Diameter or SMPP ends with an answer of the peer."""
    sessions, one = OpenSessions(), Session()
    sessions.look(4, [one])
    assert sessions.findings() == ["1 dialogues are open, the first: session of instance 4"]
    one.is_open = False
    assert sessions.findings() == []


def test_leaks_without_end_take_no_memory_without_end() -> None:
    sessions = OpenSessions()
    for idx in range(3 * MAX_SUSPECTS):
        sessions.look(idx, [Session()])
    (finding,) = sessions.findings()
    assert finding.startswith(f"{MAX_SUSPECTS} or more dialogues")
