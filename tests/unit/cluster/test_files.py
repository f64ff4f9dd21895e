"""Files that are sent to a worker: requested in pieces, stored by their digest."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevent
import pytest
from gevent.event import Event

from tsvc.cluster import files
from tsvc.cluster.files import Files, digest, piece_of
from tsvc.errors import StartError

LONG = bytes(range(256)) * 20
Answer = Callable[[str, int], dict[str, Any]]


class Machine:
    """A machine whose workers keep files in one folder; `asked`: the requests they have sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "source.csv"
        self.source.write_bytes(LONG)
        self.sha = digest(self.source)
        self.asked: list[tuple[int, str, int]] = []
        self.answer: Answer = lambda sha, at: piece_of(
            self.source if sha == self.sha else None, at
        )

    def worker(self, data_dir: Path | None = None) -> Files:
        def ask(run: int, sha: str, at: int) -> None:
            self.asked.append((run, sha, at))
            gevent.spawn(lambda: made.take({"sha": sha, "at": at, **self.answer(sha, at)}))

        made = Files(self.folder / "state" / "csv", data_dir, ask)
        return made


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(files, "PIECE_OCTETS", 1000)
    monkeypatch.setattr(files, "_ANSWER_S", 0.2)
    return Machine(tmp_path)


def test_a_file_travels_once_to_a_machine(machine: Machine) -> None:
    wanted = {"a.csv": machine.sha, "folder/b.csv": machine.sha}
    asking = [gevent.spawn(machine.worker().of_run, 7, wanted) for _ in range(4)]
    gevent.joinall(asking, raise_error=True)
    assert machine.asked == [(7, machine.sha, at) for at in range(0, len(LONG), 1000)]
    for found in asking:
        assert [path.read_bytes() for path in found.value.values()] == [LONG, LONG]
    machine.asked.clear()
    machine.worker().of_run(8, wanted)
    assert machine.asked == [], "nor for the next run"


def test_an_empty_file(machine: Machine) -> None:
    machine.source.write_bytes(b"")
    machine.sha = hashlib.sha256().hexdigest()
    (path,) = machine.worker().of_run(1, {"a.csv": machine.sha}).values()
    assert path.read_bytes() == b""


@pytest.mark.parametrize("same", [True, False])
def test_a_file_of_its_own_is_as_good_if_it_is_the_same(machine: Machine, same: bool) -> None:
    data = machine.folder / "data"
    data.mkdir()
    (data / "a.csv").write_bytes(LONG if same else LONG[:-1])
    (path,) = machine.worker(data).of_run(1, {"a.csv": machine.sha}).values()
    assert path.read_bytes() == LONG
    assert (path == data / "a.csv") is same
    assert bool(machine.asked) is not same


def test_a_file_that_changes_on_its_way(machine: Machine) -> None:
    sent = machine.answer

    def answer(sha: str, at: int) -> dict[str, Any]:
        piece = sent(sha, at)
        machine.source.write_bytes(LONG[::-1])
        return piece

    machine.answer = answer
    with pytest.raises(StartError, match=r"a\.csv has changed while it was sent"):
        machine.worker().of_run(1, {"a.csv": machine.sha})
    kept = {one.name for one in (machine.folder / "state" / "csv").iterdir()}
    assert kept == {"lock"}


def test_a_file_that_is_gone(machine: Machine) -> None:
    machine.source.unlink()
    with pytest.raises(StartError, match=r"a\.csv has changed"):
        machine.worker().of_run(1, {"a.csv": machine.sha})


def test_what_is_lost_is_asked_for_again(machine: Machine) -> None:
    sent, lost = machine.answer, Event()

    def answer(sha: str, at: int) -> dict[str, Any]:
        if not lost.is_set():
            lost.set()
            return {"at": -1, **sent(sha, at), "sha": "another"}
        return sent(sha, at)

    machine.answer = answer
    (path,) = machine.worker().of_run(1, {"a.csv": machine.sha}).values()
    assert path.read_bytes() == LONG
    assert machine.asked[:2] == [(1, machine.sha, 0)] * 2


def test_nobody_answers(machine: Machine) -> None:
    machine.answer = lambda sha, at: {"sha": "another", "octets": b"", "size": 0}
    with pytest.raises(StartError, match=r"a\.csv was not sent"):
        machine.worker().of_run(1, {"a.csv": machine.sha})


@pytest.mark.parametrize("sha", ["../../x", "", "A" * 64, "0" * 63])
def test_what_is_no_hash_is_no_name_of_a_file(machine: Machine, sha: str) -> None:
    with pytest.raises(StartError, match="is no SHA-256"):
        machine.worker().of_run(1, {"a.csv": sha})


def test_the_number_of_those_kept_is_bounded(machine: Machine) -> None:
    for number in range(files._MOST_KEPT + 5):
        machine.source.write_bytes(b"%d" % number)
        machine.sha = digest(machine.source)
        machine.worker().of_run(number, {"a.csv": machine.sha})
    kept = [one for one in (machine.folder / "state" / "csv").iterdir() if one.name != "lock"]
    assert len(kept) == files._MOST_KEPT
    assert machine.folder / "state" / "csv" / machine.sha in kept
