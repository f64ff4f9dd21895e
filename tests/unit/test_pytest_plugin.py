"""The plugin in a separate pytest, with real files and a real daemon."""

import json
import subprocess
import sys
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path

import pytest

from tsvc.cli.embedded import PrivateDaemon, clean_environment

pytest_plugins = "pytester"

ROOT = Path(__file__).parents[2]
HANG_GUARD_S = 120
EXAMPLE = ROOT / "etc/examples/extension_dialing.json"
FLOW = ROOT / "etc/examples/flows/extension_dialing.json"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep other plugins and other services out of the inner pytest."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("TSVC_HOST", "TSVC_PORT", "TSVC_TOKEN", "TSVC_EMBEDDED"):
        monkeypatch.delenv(name, raising=False)


def run(pytester: pytest.Pytester, *options: object) -> pytest.RunResult:
    return pytester.runpytest_subprocess(
        "-p", "tsvc.pytest_plugin", *map(str, options), timeout=HANG_GUARD_S
    )


def write(pytester: pytest.Pytester, name: str, operations: list[object]) -> None:
    (pytester.path / name).write_text(json.dumps({"operations": operations}), "utf-8")


def test_definitions_are_tests(pytester: pytest.Pytester) -> None:
    example = EXAMPLE.read_text()
    (pytester.path / "good.tsvc.json").write_text(example)
    (pytester.path / "bad.tsvc.json").write_text(example.replace('"4329100"', '"4329199"'))
    (pytester.path / "plain.json").write_text(example)
    (pytester.path / "two.tsvc.toml").write_text(
        '[[operations]]\ntype = "pass"\narguments = {text = "here we are"}\n'
    )
    write(pytester, "wrong.tsvc.json", [{"type": "evall"}])
    (pytester.path / "broken.tsvc.json").write_text("{")
    found = run(pytester, "--tsvc-embedded", f"--tsvc-flow={FLOW}")
    found.assert_outcomes(passed=2, failed=3)
    text = found.stdout.str()
    assert "definition: bad" in text
    found.stdout.fnmatch_lines(
        [
            "fail: destinationRoutingAddress_digits differs*",
            "*FAIL  destinationRoutingAddress_digits differs",
            "*expected 4329199",
            "*got      4329100",
            "*SSP*SCP",
            "*Connect  to 4329100*",
            "*verdict    fail: 0 of 1 passed*",
        ],
        consecutive=False,
    )
    assert 'did you mean "eval"?' in text
    assert "broken.tsvc.json" in text
    assert "Traceback" not in text
    assert "\x1b" not in text
    found.stdout.fnmatch_lines(["FAILED bad.tsvc.json::bad - fail: destination*"])


def test_an_abort_tells_its_reason_and_the_run(pytester: pytest.Pytester) -> None:
    write(pytester, "a.tsvc.json", [{"type": "abort", "arguments": {"text": "we stop here"}}])
    found = run(pytester, "--tsvc-embedded", "--junitxml=out.xml")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["abort: *we stop here*"])
    assert 'name="tsvc_run_id" value="a-' in (pytester.path / "out.xml").read_text()


def test_the_service_comes_from_options_or_the_environment(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(pytester, "a.tsvc.json", [{"type": "pass", "arguments": {"text": "x"}}])
    with PrivateDaemon() as daemon:
        run(pytester, "--tsvc-port", daemon.port).assert_outcomes(passed=1)
        monkeypatch.setenv("TSVC_PORT", str(daemon.port))
        run(pytester).assert_outcomes(passed=1)
    found = run(pytester, "--tsvc-host", "127.0.0.1")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["unreachable: 127.0.0.1 port *: connection refused*"])
    monkeypatch.setenv("TSVC_EMBEDDED", "1")
    run(pytester).assert_outcomes(passed=1)


def test_definitions_can_be_selected_like_other_tests(pytester: pytest.Pytester) -> None:
    for name in ("a", "b"):
        write(pytester, f"{name}.tsvc.json", [{"type": "pass", "arguments": {"text": "x"}}])
    found = run(pytester, "--collect-only", "-q", "-k", "b")
    found.stdout.fnmatch_lines(["b.tsvc.json::b", "1/2 tests collected (1 deselected)*"])


def test_where_no_definition_is_there_pytest_is_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_nothing_of_ours_is_loaded():
            loaded = {name for name in sys.modules if name.startswith("tsvc.")}
            assert loaded == {"tsvc.pytest_plugin"}
            others = {"gevent", "click", "rich", "marshmallow", "ujson"}
            assert not others.intersection(sys.modules)
        """
    )
    found = run(pytester)
    found.assert_outcomes(passed=1)
    assert "tsvc" not in found.stdout.str()


def test_installing_tsvc_installs_the_plugin_and_the_style(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    subprocess.run(
        [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", tmp_path],
        cwd=ROOT,
        env=clean_environment(),
        check=True,
        capture_output=True,
        timeout=HANG_GUARD_S,
    )
    points = ConfigParser()
    points.read(tmp_path / "tsvc.egg-info/entry_points.txt")
    module = import_module(points["pytest11"]["tsvc"])
    assert callable(module.pytest_collect_file)
    sources = (tmp_path / "tsvc.egg-info/SOURCES.txt").read_text().splitlines()
    assert "tsvc/results/html/report.css" in sources


def test_each_case_is_a_test(pytester: pytest.Pytester) -> None:
    check = {"type": "eval", "expression": "$v->{n}", "tests": [{"kpath": "v.n", "value": "1"}]}
    definition = {"operations": [check], "cases": [{"n": "1", "case": "one"}, {"n": "2"}]}
    (pytester.path / "numbers.tsvc.json").write_text(json.dumps(definition))
    (pytester.path / "lost.tsvc.json").write_text(json.dumps({**definition, "cases": "no.csv"}))
    found = run(pytester, "--tsvc-embedded", "-v")
    found.assert_outcomes(passed=1, failed=2)
    found.stdout.fnmatch_lines_random(
        ["*numbers[[]one] PASSED*", "*numbers[[]2] FAILED*", "*no.csv: No such file or directory"]
    )


BUILT = """
    from tsvc.definition import definition, inap, pass_

    def test_a_call(tsvc_client):
        call = definition(
            [
                inap.ssp_to_scp.InitialDP(
                    {"serviceKey": 45, "calledPartyNumber_digits": "0800", "eventTypeBCSM": 2}
                ),
                inap.ssp_from_scp.ReleaseCall({"allCallSegments_cause": %d}),
            ],
            ssp_ac="camel2",
        )
        result = tsvc_client.execute(call, wait=True)
        assert result.verdict == "pass", result.first_call

    def test_the_same_service(tsvc_client, tsvc_daemon):
        assert (tsvc_client.host, tsvc_client.port) == (tsvc_daemon.host, tsvc_daemon.port)
        result = tsvc_daemon.client().execute(definition([pass_()]), wait=True)
        assert result.verdict == "pass"
"""


def release_flow(folder: Path) -> Path:
    path = folder / "release.json"
    start = {"id": 1, "type": "Start", "exits": [2]}
    release = {"id": 2, "type": "ReleaseCall", "config": {"cause": 31}, "exits": []}
    flow = {
        "name": "release",
        "triggers": [{"service_key": 45}],
        "operations": {"1": start, "2": release},
    }
    path.write_text(json.dumps(flow), "utf-8")
    return path


def test_fixtures_give_a_service_and_a_client(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(BUILT % 31)
    flow = release_flow(pytester.path)
    run(pytester, f"--tsvc-flow={flow}").assert_outcomes(passed=2)
    with PrivateDaemon(flows=[flow]) as daemon:
        run(pytester, "--tsvc-port", daemon.port).assert_outcomes(passed=2)
        assert daemon.client().describe_service()["counters"]["runs_started"] == 2
    pytester.makepyfile(BUILT % 17)
    run(pytester, f"--tsvc-flow={flow}").assert_outcomes(passed=1, failed=1)


def test_the_daemon_has_the_configuration_that_is_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(BUILT % 31)
    flow = release_flow(pytester.path)
    config = pytester.path / "site.toml"
    log = pytester.path / "elsewhere.log"
    config.write_text(
        f"""
        [rpc]
        port = 9
        [log]
        format = "text"
        level = "error"
        file = "{log}"
        [scp]
        flows = ["{flow}"]
        [application."SIGTRAN"]
        module = "sigtran"
        """,
        "utf-8",
    )
    run(pytester, "--tsvc-config=site.toml").assert_outcomes(passed=2)
    pytester.makeini("[pytest]\ntsvc_config = site.toml\n")
    run(pytester).assert_outcomes(passed=2)
    assert not log.exists()
    found = run(pytester, f"--tsvc-flow={flow}")
    assert "flows are those of the configuration" in found.stdout.str() + found.stderr.str()
    found = run(pytester, "--tsvc-config=lost.toml")
    found.assert_outcomes(errors=2)
    assert "did not start" in found.stdout.str()


def test_files_and_fixtures_have_one_service(pytester: pytest.Pytester) -> None:
    """A configuration alone means a daemon of pytest's own, for files too."""
    flow = release_flow(pytester.path)
    (pytester.path / "site.toml").write_text(
        f'[scp]\nflows = ["{flow}"]\n[application.LAB]\nmodule = "sigtran"\n', "utf-8"
    )
    pytester.makeini("[pytest]\ntsvc_config = site.toml\n")
    arguments = {"serviceKey": 45, "calledPartyNumber_digits": "0800", "eventTypeBCSM": 2}
    call = [
        {"type": "inap.ssp_to_scp.InitialDP", "arguments": arguments},
        {"type": "inap.ssp_from_scp.ReleaseCall"},
    ]
    definition = {"ssp_ac": "camel2", "operations": call}
    (pytester.path / "a.tsvc.json").write_text(json.dumps(definition), "utf-8")
    pytester.makepyfile(
        test_z="""
        def test_the_file_was_run_there(tsvc_client):
            assert tsvc_client.describe_service()["counters"]["runs_started"] == 1
        """
    )
    run(pytester).assert_outcomes(passed=2)
