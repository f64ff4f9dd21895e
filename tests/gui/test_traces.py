"""Traces longer than a portion, in a browser: portions are fetched when they are viewed."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gui.browsers import GuiProcess, daemon_options, gui
from gui.journeys import STATIC, play, require_browser
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, running

from tsvc.cli.definition_file import read_definition

pytestmark = pytest.mark.e2e

CALLS = 400  # with four messages each
RIGHT = 380  # calls, after which the definition expects something else
PROMPT = "inap.ssp_from_scp.PromptAndCollectUserInformation"


def definitions() -> dict[str, dict[str, Any]]:
    right = read_definition(ROOT / "etc/examples/guide/loop.json")
    right["vars"]["wanted"] = CALLS
    wrong = copy.deepcopy(right)
    (prompt,) = (one for one in wrong["operations"] if one.get("type") == PROMPT)
    digits = f"{{$v->{{calls}} > {RIGHT} ? 7 : 4}}"
    prompt["arguments"] = {"collectedInfo": {"collectedDigits": {"maximumNbOfDigits": digits}}}
    return {"long": right, "wrong": wrong}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    require_browser()
    with running(tmp_path_factory.mktemp("service")) as made:
        for name, definition in definitions().items():
            params = {**definition, "run_id": name, "trace_messages": 1}
            assert made.result("ExecuteTest", params) == "ok"
            query = {"run_id": name, "wait_s": HANG_GUARD_S, "collect": 0}
            result = made.result("QueryTest", query)
            assert result["verdict"] == ("pass" if name == "long" else "fail"), result
        yield made


@pytest.fixture
def served(service: DaemonProcess, tmp_path: Path) -> Iterator[GuiProcess]:
    with gui(tmp_path / "gui", STATIC, *daemon_options({"local": service.port})) as made:
        yield made


@pytest.mark.parametrize("name", ["portions", "failed"])
def test_journey(served: GuiProcess, name: str) -> None:
    play("traces.mjs", name, {"enter": served.addresses[-1], "base": served.base})
