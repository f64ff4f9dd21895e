"""The fast path of REST with nginx, and with the definitions of the guide and the reference."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kinds.rest.unsteady import World
from support.daemons import ROOT, Daemon
from support.loads import assert_adds_up, load
from support.nginx import Nginx, running_nginx
from support.without_memories import Recorder, difference

from tsvc.engine.fast_path import RunFastPath
from tsvc.kinds.rest.operations import ExpectResponse, Request, SendRequest

INSTANCES = 30
_MOMENT = r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT"
_DATE = re.compile(b"Date: ".hex() + "([0-9a-f]{2})*?" + b"\r\n".hex() + "|" + _MOMENT)
Told = dict[str, Any]


def told_of(here: Daemon, recorder: Recorder, operations: list[Any], track: int) -> Told:
    """Return what a run reports, without dates and ports."""
    given = {"distribution": load(INSTANCES, backlog=1), "seed": 7, "track": track}
    number = {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}
    result = here.run(*operations, run_id="r", vars={"msisdn": number}, **given)
    assert_adds_up(result)
    told: Told = json.loads(_DATE.sub("<date>", json.dumps(recorder.told("r", result))))
    return told


def both_ways(make: Callable[[], Daemon], recorder: Recorder, operations: list[Any]) -> Told:
    """Return what a run reports, which is the same with `track: 0` and with `track: 1`."""
    told: list[Told] = []
    for track in (0, 1):
        here = make()
        try:
            told.append(told_of(here, recorder, operations, track))
        finally:
            here.stop()
    assert difference(told[1], told[0]) is None
    assert all(one["messages"] and one["check_log"] for one in told[0]["instances"])
    return told[0]


# -- nginx --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    with running_nginx(tmp_path_factory.mktemp("nginx")) as server:
        yield server


def ask(path: str, *tests: tuple[str, Any], **arguments: Any) -> list[dict[str, Any]]:
    found = [{"kpath": kpath, "value": value} for kpath, value in tests]
    given = {"path": path, "method": "GET", **arguments}
    return [
        {"type": "rest.Request", "arguments": given, "tests": found},
        {"type": "rest.SendRequest", "arguments": given},
        {"type": "rest.ExpectResponse", "tests": found},
    ]


@pytest.mark.sampled(4)
@pytest.mark.e2e
@pytest.mark.parametrize(
    ("operations", "is_fast", "is_passed"),
    [
        (ask("/balance", ("rest.content_json.balance", "1450")), True, True),
        (ask("/balance", ("rest.content_json.balance", "1451")), False, False),
        (ask("/broken", ("rest.code", "500")), True, True),
        (ask("/text", ("rest.content", "grün")), True, True),
        (ask("/moved", ("rest.http_headers.[name=Server].[0].value", "nginx")), False, False),
        (ask("/moved", ("rest.code", "302")), True, True),
        (ask("/nothing", ("rest.code", "204"), method="DELETE"), True, True),
        (ask("/balance", ("rest.code", "200"), method="HEAD"), True, True),
        (ask("/closing", ("rest.code", "200")), False, True),
        (ask("/echo?n={$v}", ("rest.code", "200")), True, True),
        # Answers differ in a field that no test reads.
        (ask("/echo", ("rest.code", "200"), query={"n": "{$v->{msisdn}}"}), True, True),
        (
            ask(
                "/echo",
                ("rest.http_headers.[name=X-Query].[0].value", "n=6421000001"),
                query={"n": "{$v->{msisdn}}"},
            ),
            False,
            None,
        ),
    ],
)
def test_nginx(
    nginx: Nginx,
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    tmp_path: Any,
    operations: list[Any],
    is_fast: bool,
    is_passed: bool | None,
) -> None:
    members = {"base_uri": f"http://127.0.0.1:{nginx.http}/api"}

    def make() -> Daemon:
        here = Daemon(tmp_path, {"R": ("rest", members)})
        here.until_up()
        return here

    told = both_ways(make, recorder, operations)
    passed = told["counts"]["passed"]
    assert passed == {True: INSTANCES, False: 0, None: 1}[is_passed]
    whole = fast_paths[1].begun - fast_paths[1].fell_back
    assert whole == (INSTANCES - 1 if is_fast else 0)


# -- definitions that are shown -------------------------------------------------------------------


def _of_the_guide() -> list[Any]:
    page = (ROOT / "docs/guide/rest.md").read_text("utf-8")
    found = re.findall(r"^```json\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    operations: list[Any] = json.loads(found[0])
    return operations


@pytest.mark.parametrize(
    "operations",
    [
        _of_the_guide(),
        [SendRequest().example, ExpectResponse().example],
        [Request().example],
        [*_of_the_guide(), Request().example, *_of_the_guide()],
    ],
)
def test_what_is_shown(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Any, operations: list[Any]
) -> None:
    folders = iter("ab")

    def make() -> World:
        folder = tmp_path / next(folders)
        folder.mkdir()
        return World(folder, server_timeout_s=60)

    told = both_ways(make, recorder, operations)
    assert told["counts"]["passed"] == INSTANCES
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (INSTANCES - 1, 0)
