"""Hostile definitions, and a run beside them."""

from collections.abc import Iterator

import pytest
from e2e.facts_daemon import daemon_in, problems
from support.daemons import DaemonProcess

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    yield from daemon_in(tmp_path_factory.mktemp("neighbour"))


HOSTILE = {
    "a loop without end": {
        "operations": [{"type": "branch", "label": "a", "expression": "1", "on_true": "a"}]
    },
    "a text without end": {
        "operations": [
            {"type": "eval", "expression": "$v->{x} = 'x' x 1000"},
            {"type": "eval", "label": "a", "expression": "$v->{x} .= $v->{x}"},
            {"type": "branch", "expression": "1", "on_true": "a"},
        ]
    },
    "a repetition": {"operations": [{"type": "eval", "expression": "('x' x 1000000) x 1000000"}]},
    "a pattern": {
        "operations": [
            {"type": "eval", "expression": "('a' x 3000000) =~ /^(a+)+$/ ? 1 : 0; 'x' x 99999999"}
        ]
    },
    "a list of lists": {
        "operations": [
            {"type": "eval", "expression": "join ',', map { join ',', (1) x 100000 } (1) x 100000"}
        ]
    },
    "itself": {
        "operations": [
            {"type": "eval", "expression": "$v->{x} = $v; push @{$v->{l}}, $v->{l}, $v"},
            {"type": "eval", "label": "a", "expression": "$v->{y} = {x => $v->{x}, y => $v->{y}}"},
            {"type": "branch", "expression": "1", "on_true": "a"},
        ]
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_definition_ends_and_disturbs_nobody(daemon: DaemonProcess, name: str) -> None:
    """Counts, not times: every start of the other run is made, and every instance passes."""
    neighbour = {
        "run_id": f"beside {name}",
        "operations": [{"type": "eval", "expression": "$g->{n} += 1"}],
        "distribution": {"type": "linear", "total": 60, "backlog": 60, "cps": 60},
    }
    assert daemon.result("ExecuteTest", neighbour) == "ok"
    result = daemon.run(HOSTILE[name])
    first = result["first_call_summary"]
    assert (result["verdict"], bool(first["reason"])) == ("abort", True), first
    beside = daemon.result("QueryTest", {"run_id": neighbour["run_id"], "wait_s": 60})
    counts = beside["counts"]
    assert (counts["planned"], counts["passed"]) == (60, 60), counts
    assert beside["globals"] == {"n": 60}


@pytest.mark.parametrize(
    "expression",
    ["(" * 5000 + "1" + ")" * 5000, "[" * 3000, "!" * 20000 + "1", "1+" * 200000 + "1"],
    ids=["brackets", "open", "not", "long"],
)
def test_a_hostile_expression_is_refused_at_once(daemon: DaemonProcess, expression: str) -> None:
    found = problems(daemon, {"type": "eval", "expression": expression})
    assert [one["path"] for one in found] == ["operations[0].expression"]
    assert len(found[0]["text"].split("\n")[0]) < 100
