"""Which instances a run keeps in detail."""

from types import SimpleNamespace
from typing import Any

from tsvc.engine.instance import Instance
from tsvc.engine.load.counters import FailureGroups, InstanceState
from tsvc.engine.result import kept_instances
from tsvc.engine.result.kept_instances import MAX_KEPT, SLOWEST, KeptInstances


def passage(idx: int, seconds: float) -> Any:
    return SimpleNamespace(
        idx=idx, started_at=0.0, finished_at=seconds, carriers_spoke=lambda: False
    )


def instance(idx: int) -> Any:
    return SimpleNamespace(idx=idx, keep_records=lambda: None)


def test_the_first_of_a_cause_is_kept_and_so_many_causes():
    kept, groups = KeptInstances(), FailureGroups()
    for idx in range(100):
        group = groups.add(InstanceState.FAILED, 0, f"cause {idx // 2}", idx, 0.0)
        kept.keep(kept.fails, group, instance(idx))
    assert [one.idx for one in kept.fails.values()] == [2 * at for at in range(MAX_KEPT)]
    assert kept.of_causes() == [*kept.fails.values()]
    assert kept.aborts == {}


def test_the_slowest_come_first_and_the_earlier_of_two_equal_ones():
    kept = KeptInstances()
    for idx in range(50):
        one = passage(idx, idx // 2)
        kept.keep_slow(one, one.finished_at)
    found = kept._slowest
    assert len(found) == SLOWEST
    assert [one.idx for one in found] == [48, 49, 46, 47, 44, 45, 42, 43, 40, 41]


def test_a_passage_becomes_an_ordinary_instance_when_somebody_asks():
    kept, asked = KeptInstances(), []
    kept.ordinary = lambda one: asked.append(one.idx) or instance(one.idx)
    one = passage(7, 1.0)
    one.carriers_spoke = lambda: True  # at once, because links forget it
    kept.keep_slow(one, 1.0)
    assert asked == [7]
    kept.let_go()
    assert kept.slowest == []
    assert kept.ordinary is None


def test_a_replayed_instance_that_can_not_be_shown_is_left_out(monkeypatch):
    """A fault of the fast path is logged and must not prevent a result."""
    kept, logged = KeptInstances(), []

    class Log:
        def failure(self, text, error, **more):
            logged.append(more["idx"])

    monkeypatch.setattr(kept_instances, "log", Log())

    def make(one):
        assert one.idx != 8, "what has passed passes"
        made = Instance.__new__(Instance)
        made.idx, made.started_at, made.finished_at = one.idx, 0.0, 1.0
        return made

    kept.ordinary = make
    for idx in (7, 8, 9):
        kept.keep_slow(passage(idx, 1.0), 1.0)
    assert [one.idx for one in kept.slowest] == [7, 9]
    assert logged == [8]
