"""The browser's ladder for a check: the message, and the octets that contain the received value.

Runs use real peers; the browser's own code, run by node, answers for each check.
"""

import contextlib
import copy
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import EXAMPLES, FLOW, ROOT, Daemon, example, require_peer
from support.kind_peers import peer_of
from support.waiting import GUARD_S

GUI = ROOT / "gui"
SAMPLES = [path.stem for path in sorted(EXAMPLES.glob("*.json"))]
Params = dict[str, Any]


@pytest.fixture(scope="module")
def script() -> Path:
    """The script that answers for checks, built from the browser's code."""
    node = require_peer(shutil.which("node"), "apt-get install nodejs")
    installed = GUI / "node_modules"
    require_peer(str(installed) if installed.exists() else None, "cd gui && npm ci")
    subprocess.run([node, "build.mjs", "--tests"], cwd=GUI, check=True, timeout=GUARD_S)
    return GUI / "build" / "test" / "abouts.script.mjs"


def abouts(script: Path, trace: Params) -> list[Params]:
    done = subprocess.run(
        ["node", str(script)],
        input=json.dumps([trace]).encode(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=GUARD_S,
    )
    (found,) = json.loads(done.stdout)
    assert len(found) == len(trace["check_log"])
    return list(found)


def trace_of(daemon: Daemon, definition: Params) -> Params:
    params = {**definition, "trace_level": 1, "trace_messages": True}
    run_id = daemon.execute(*params.pop("operations"), **params)
    query = {"run_id": run_id, "collect": 0, "wait_s": GUARD_S}
    assert daemon.call("QueryTest", **query)["completed"] == 1
    content: Params = daemon.call("GetTrace", run_id=run_id, format="json")["content"]
    return content


@contextlib.contextmanager
def service(folder: Path, applications: Any = None) -> Iterator[Daemon]:
    daemon = Daemon(folder, applications, flows=(FLOW,))
    try:
        daemon.until_up()
        yield daemon
    finally:
        daemon.stop()


def says(got: Any, octets: bytes, path: str) -> bool:
    """Return True if octets contain a value, as the protocols of these tests encode values."""
    if isinstance(got, bool | int):
        numbers = {int.from_bytes(octets), int.from_bytes(octets, signed=True)}
        if path.endswith("_cause"):
            numbers = {octets[1] & 0x7F}  # Q.850: location, then the cause
        if len(octets) <= 1 and got in (0, 1, True, False):
            numbers |= {1 if octets in (b"", b"\xff") else 0}  # NULL and BOOLEAN
        return int(got) in numbers or str(got).encode() in octets
    if path.endswith("_hex"):
        return octets.hex() == got
    if path.endswith("_digits"):
        if octets[0] == 4 and octets[1] == len(octets) - 2:
            octets = octets[2:]  # the only one of a list
        swapped = "".join(f"{octet & 15:x}{octet >> 4:x}" for octet in octets[2:])
        return swapped.startswith(got) and swapped[len(got) :] in ("", "0")
    return str(got).encode() in octets


def value_at(message: Params, path: str) -> Any:
    """Return the value in the decoded message at a path of the browser."""
    value: Any = message
    for step in path.replace("[", ".[").split("."):
        value = value[int(step[1:-1])] if step.startswith("[") else value[step]
    return value


def judge(trace: Params, found: list[Params]) -> int:
    """Fail unless each check that got a value is shown the value; return their number."""
    count = 0
    for check, about in zip(trace["check_log"], found, strict=True):
        got = check.get("got")
        if got is None or isinstance(got, list | dict) or check["text"] == "last_component":
            continue
        where = f"{check} is shown {about}"
        message = trace["messages"][about["message"]]
        assert message["direction"] == "received", where
        value = value_at(message, about["path"])
        if isinstance(got, str) and isinstance(value, int):
            assert value_at(message, f"{about['path']}_name") == got, where
            got = value
        if message["spans"]:
            assert about["octets"] is not None, where
            assert says(got, bytes.fromhex(about["octets"]), check["text"].split()[0]), where
        assert value == got or str(value) == str(got) or str(got) in json.dumps(value), where
        count += 1
    return count


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with service(tmp_path_factory.mktemp("loop")) as daemon:
        yield daemon


@pytest.mark.parametrize("name", SAMPLES)
def test_each_check_of_a_sample_is_shown_its_octets(name: str, script: Path, loop: Daemon) -> None:
    trace = trace_of(loop, example(name))
    assert trace["state"] == "passed", trace["reason"]
    assert judge(trace, abouts(script, trace)) >= 5


def changed(value: Any, at: list[int]) -> Any:
    """Return expected arguments in which the leaf with the number at[0] is changed."""
    if isinstance(value, dict):
        return {name: changed(one, at) for name, one in value.items()}
    if isinstance(value, list):
        return [changed(one, at) for one in value]
    at[0] -= 1
    if at[0] != -1:
        return value
    if isinstance(value, str):
        return "07" if value == "06" else "06" if len(value) == 2 else f"{value[:-1]}7"
    return 0 if value is True else 1 if value is False else value + 1


def wrong_definitions(name: str) -> Iterator[Params]:
    """Yield a sample once for each expected value, with that value made wrong."""
    definition = example(name)
    for index, operation in enumerate(definition["operations"]):
        if "_from_" not in operation["type"] or not operation.get("arguments"):
            continue
        for leaf in range(100):
            at = [leaf]
            arguments = changed(operation["arguments"], at)
            if at[0] >= 0:
                break
            wrong = copy.deepcopy(definition)
            wrong["operations"][index]["arguments"] = arguments
            yield wrong


def test_a_wrong_value_is_shown_what_came_instead(script: Path, loop: Daemon) -> None:
    failed = 0
    for definition in wrong_definitions("extension_dialing"):
        if loop.ask("ValidateTest", definition)["result"]["problems"]:
            continue  # no such value
        trace = trace_of(loop, definition)
        found = abouts(script, trace)
        judge(trace, found)
        bad = [at for at, check in enumerate(trace["check_log"]) if check["level"] == "fail"]
        assert bad or trace["state"] == "passed"
        assert all(found[at]["octets"] is not None for at in bad), [found[at] for at in bad]
        failed += bool(bad)
    assert failed >= 15


# For each kind, typical tests of its peer's answer: (kpath, meaning of the octets).
ASKED: dict[str, list[tuple[str, str]]] = {
    "diameter": [
        ("response.avp.Granted-Service-Unit.CC-Time", "00000007"),
        ("response.avp.Origin-Host", ""),
        ("response.avps.[name=Origin-Host].value", ""),
        ("response.avps.[name=Result-Code].value", "000007d1"),
    ],
    "rest": [
        ("rest.content_json.token", b'{"token": "7"}'.hex()),
        ("rest.code", b"HTTP/1.1 200 OK".hex()),
        (
            "rest.http_headers.[name=Content-Type].[0].value",
            b"Content-Type: application/json".hex(),
        ),
    ],
    "smpp": [("parameters.message_id", b"7\0".hex()), ("command_status", "00000000")],
    "osd": [("returned.balance", "")],
}


@contextlib.contextmanager
def asking(kind: str, folder: Path) -> Iterator[Daemon]:
    """Run a service with the peer of a kind."""
    peer = peer_of(kind)
    with contextlib.ExitStack() as stack:
        _, port = stack.enter_context(peer.run())
        daemon = Daemon(folder, {"GW": (kind, peer.members(port, GUARD_S))})
        stack.callback(daemon.stop)
        if peer.is_reversed:
            stack.enter_context(peer.answer_at(port))
        daemon.until_up()
        yield daemon


@pytest.mark.parametrize("kind", sorted(ASKED))
@pytest.mark.parametrize("is_right", [True, False])
def test_each_check_of_an_answer_is_shown_its_octets(
    kind: str, is_right: bool, script: Path, tmp_path: Path
) -> None:
    peer = peer_of(kind)
    (operation,) = peer.operations("7", GUARD_S)
    kpaths = [kpath for kpath, _ in ASKED[kind]]
    wrong = {"type": "regex", "pattern": "" if is_right else "^what nobody says$"}
    operation["tests"] = [{"kpath": kpath, **wrong} for kpath in kpaths]
    with asking(kind, tmp_path) as daemon:
        trace = trace_of(daemon, {"operations": [operation], **peer.params})
    assert trace["state"] == ("passed" if is_right else "failed"), trace["reason"]
    found = abouts(script, trace)
    shown = {
        check["text"].split()[0]: (check, about)
        for check, about in zip(trace["check_log"], found, strict=True)
    }
    for kpath, octets in ASKED[kind]:
        check, about = shown[kpath]
        assert trace["messages"][about["message"]]["direction"] == "received"
        assert about["octets"] is not None, about
        assert says(check["got"], bytes.fromhex(about["octets"]), kpath), (check, about)
        assert not octets or about["octets"] == octets, (check, about)
