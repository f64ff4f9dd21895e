"""The example fragments of the published documentation, restated: those that run."""

from collections.abc import Iterator

import pytest
from e2e.facts_daemon import daemon_in
from support.daemons import DaemonProcess

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    yield from daemon_in(tmp_path_factory.mktemp("facts"))


def test_the_request_of_the_overview(daemon: DaemonProcess) -> None:
    params = {
        "run_id": "tr_9538",
        "distribution": {"type": "single"},
        "operations": [
            {
                "type": "inap.ssp_to_scp.InitialDP",
                "arguments": {
                    "serviceKey": 45,
                    "eventTypeBCSM": 3,
                    "callingPartyNumber_digits": "6421000001",
                    "callingPartyNumber_noa": 3,
                },
            }
        ],
    }
    assert daemon.result("ExecuteTest", params) == "ok"
    result = daemon.result("QueryTest", {"run_id": "tr_9538", "wait_s": 60})
    assert (result["completed"], result["run_id"]) == (1, "tr_9538")


def test_eval_branch_and_the_suffix_of_a_number(daemon: DaemonProcess) -> None:
    """Extensions, vars, a loop that adds 3 to 22 until it is 30 or more, and an expression."""
    result = daemon.run(
        {
            "inap": {"extensions": {"400": "OCTET STRING", "401": "OCTET STRING"}},
            "ssp_ac": "camel2",
            "vars": {"suffix": "432900", "cli": "0211234567"},
            "operations": [
                {"type": "eval", "expression": "$v->{cause} = 22"},
                {"type": "eval", "expression": "$v->{cause} = $v->{cause} + 3", "label": "add"},
                {"type": "branch", "expression": "$v->{cause} < 30", "on_true": "add"},
                {
                    "type": "eval",
                    "expression": "1",
                    "tests": [{"kpath": "cause", "type": "integer", "value": 31}],
                },
                {
                    "type": "inap.ssp_to_scp.InitialDP",
                    "arguments": {
                        "serviceKey": 45,
                        "calledPartyNumber_digits": "{'1800' . $v->{suffix}}",
                        "callingPartyNumber_digits": "{$v->{cli}}",
                        "eventTypeBCSM": 2,
                    },
                },
                {
                    "type": "inap.ssp_from_scp.RequestReportBCSMEvent",
                    "arguments": {"oAbandon": 1},
                },
                {"type": "inap.ssp_from_scp.ConnectToResource"},
                {"type": "inap.ssp_from_scp.PromptAndCollectUserInformation"},
            ],
        }
    )
    assert result["verdict"] == "pass", result["first_call_summary"]


def test_a_literal_brace(daemon: DaemonProcess) -> None:
    result = daemon.run(
        {
            "vars": {"text": "\\{no expression}"},
            "operations": [
                {
                    "type": "eval",
                    "expression": "1",
                    "tests": [{"kpath": "text", "value": "\\{no expression}"}],
                }
            ],
        }
    )
    assert result["verdict"] == "pass"


KPATH_ROWS = {"rows": [{"a": 1}, {"a": 2}, {"a": 3}], "one": [{"name": "N", "value": "V"}]}


@pytest.mark.parametrize(
    ("kpath", "value"),
    [
        ("returned.rows.[2].a", "3"),
        ("returned.one.[name=N].value", "V"),
        ("returned.one.[name=N].[0].value", "V"),
        ("returned.list.split(',').[1]", "b"),
        ("returned.nothing.default('x')", "x"),
        ("returned.nothing.default(10)", "10"),
        ("returned.num\\.started.[0]", "7"),
        ("returned.one.value", "V"),
        ("returned.nothing", None),
    ],
)
def test_kpath(daemon: DaemonProcess, kpath: str, value: str | None) -> None:
    returned = {**KPATH_ROWS, "list": "a,b,c", "num.started": 7}
    test = {"kpath": kpath, "type": "string", "value": value, "abort_on_fail": 1}
    result = daemon.run(
        {
            "vars": {"returned": returned},
            "operations": [{"type": "eval", "expression": "1", "tests": [test]}],
        }
    )
    assert result["verdict"] == "pass", result["first_call_summary"]


def test_halt_and_resume(daemon: DaemonProcess) -> None:
    halt = {"type": "halt", "arguments": {"seconds": 600, "comment": "look at the switch"}}
    assert daemon.result("ExecuteTest", {"run_id": "halted", "operations": [halt]}) == "ok"
    while not (found := daemon.result("QueryTest", {"run_id": "halted"})["halted"]):
        pass
    assert found[0]["comment"] == "look at the switch"
    params = {"run_id": "halted", "instance_id": found[0]["instance_id"]}
    assert daemon.result("ResumeInstance", params) == {"resumed": 1}
    result = daemon.result("QueryTest", {"run_id": "halted", "wait_s": 60})
    assert result["verdict"] == "pass"
