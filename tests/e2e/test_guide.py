"""The worked definitions of the guide: each runs to its end and passes. All samples are valid.

They run against a daemon with the shipped configuration, unchanged.
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import scripted_scp
from support.daemons import FLOW, ROOT, Daemon, DaemonProcess, launch
from support.ports import free_port

from tsvc.cli.definition_file import read_definition
from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.curve import new_pair
from tsvc.config.load import load_config
from tsvc.config.pools import of_process
from tsvc.config.tables import Config
from tsvc.engine.gateway_table import GatewayTable
from tsvc.gateways.gateway import GatewayContext

pytestmark = pytest.mark.e2e

GUIDE = ROOT / "etc/examples/guide"
DOCS = ROOT / "docs/guide"
TESTS = ROOT / "tests"


def definition(name: str) -> dict[str, Any]:
    return read_definition(GUIDE / f"{name}.json")


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with the default configuration; only its port and its folder are the test's."""
    folder = tmp_path_factory.mktemp("shipped")
    shutil.copytree(ROOT / "etc", folder, dirs_exist_ok=True)
    port = free_port()
    own = {"TSVC_RPC_PORT": str(port), "TSVC_SERVICE_STATE_DIR": str(folder / "state")}
    made = launch(folder, port, **own)
    yield made
    made.kill()


def passes(result: dict[str, Any]) -> None:
    assert result["verdict"] == "pass", result["first_call_summary"]


WORKED = (
    "prepaid", "prepaid_camel4", "prepaid_cs1", "ussd", "assist", "two_calls", "loop", "locks"
)  # fmt: skip


@pytest.mark.parametrize("name", WORKED)
def test_against_the_default_configuration(shipped: DaemonProcess, name: str) -> None:
    passes(shipped.run(definition(name)))


@pytest.mark.parametrize("variant", ["cs1", "camel2", "camel3", "camel4"])
def test_a_prepaid_call_of_each_variant(shipped: DaemonProcess, variant: str) -> None:
    """The characteristics of INAP are octets: the definition gives those of CAP."""
    params = {**definition("prepaid"), "ssp_ac": variant}
    text = json.dumps(params)
    if variant == "camel4":
        text = text.replace("callActive", "legActive")
    if variant == "cs1":
        params["operations"] = [_in_octets(one) for one in params["operations"]]
        text = json.dumps(params)
    passes(shipped.run(json.loads(text)))


def _in_octets(operation: dict[str, Any]) -> dict[str, Any]:
    if operation["type"].endswith("ApplyCharging"):
        return {
            **operation,
            "arguments": {"aChBillingChargingCharacteristics_hex": "a00480020258"},
        }
    if operation["type"].endswith("ApplyChargingReport"):
        is_last = operation.get("send_with_next", False)
        used = "8002032082" if is_last else "8002025882"
        octets = f"a00ea003810101a104{used}01{'00' if is_last else 'ff'}"
        return {**operation, "arguments": {"callResult_hex": octets}}
    return operation


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("vars", "grant_s"), 59, "maxCallPeriodDuration"),
        (("operations", 1, "arguments", "oAbandon"), None, "bcsmEvents"),
    ],
)
def test_a_prepaid_call_that_expects_something_else(
    shipped: DaemonProcess, path: tuple[Any, ...], value: object, told: str
) -> None:
    params = definition("prepaid")
    place: Any = params
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    result = shipped.run(params)
    failed = scripted_scp.checks(result, "FAIL") or scripted_scp.checks(result, "fail")
    assert any(told in text for text in failed), failed
    assert result["verdict"] == "fail"


def test_a_ussd_session_of_another_pin(shipped: DaemonProcess) -> None:
    params = json.loads(json.dumps(definition("ussd")).replace('"1234"', '"4321"'))
    result = shipped.run(params)
    assert result["verdict"] != "pass", "the flow knows the PIN"


def test_the_loop_leaves_its_count_in_the_globals(shipped: DaemonProcess) -> None:
    load = {"type": "load", "total": 4, "backlog": 2}
    result = shipped.run(definition("loop"), distribution=load)
    assert (result["verdict"], result["globals"]) == ("pass", {"calls": 12})


def test_the_loop_as_a_load_of_a_rate(shipped: DaemonProcess) -> None:
    load = {"type": "linear", "total": 20, "backlog": 20, "cps": 100}
    result = shipped.run(definition("loop"), distribution=load)
    assert (result["verdict"], result["counts"]["passed"]) == ("pass", 20)


def test_a_lock_that_another_run_holds(shipped: DaemonProcess) -> None:
    held = definition("locks")
    held["operations"] = [{"type": "halt"}]
    assert shipped.result("ExecuteTest", {**held, "run_id": "holder"}) == "ok"
    error = shipped.call("ExecuteTest", {**definition("locks"), "run_id": "second"})["error"]
    assert error["code"] == 2003
    assert shipped.result("CancelTest", {"run_id": "holder"})["cancelled"] == 1
    passes(shipped.run(definition("locks")))


def test_the_resource_of_an_assist_dialogue_is_told_apart(shipped: DaemonProcess) -> None:
    result = shipped.run(definition("assist"))
    passes(result)
    texts = [check["text"] for check in result["first_call_summary"]["check_log"]]
    assert "correlationID_digits (regex)" in texts


# -- the guide itself -------------------------------------------------------------------------

PAGES = sorted(path.stem for path in DOCS.glob("*.md"))
START = "../../README"  # the page that everybody sees first
# A table that the samples of a page need, and that only other pages show.
BESIDE = """
[application.SIGTRAN]
module = "sigtran"
"""


def test_every_worked_definition_is_run_by_a_test_and_named_in_the_guide() -> None:
    tests = "".join(
        path.read_text() for folder in ("e2e", "support") for path in (TESTS / folder).glob("*.py")
    )
    text = "".join(path.read_text() for path in DOCS.glob("*.md"))
    files = sorted(GUIDE.glob("*.json"))
    assert len(files) >= 7
    for path in files:
        assert f"guide/{path.name}" in text, path.name
        if path.stem != "begin_call":  # only included by other definitions
            assert f'"{path.stem}"' in tests or f"guide/{path.name}" in tests, path.name


def test_the_gallery_has_every_definition_and_says_against_what_it_runs() -> None:
    text = (DOCS / "gallery.md").read_text("utf-8")
    shown = {
        path.name
        for path in [*(ROOT / "etc/examples").glob("*.json"), *GUIDE.glob("*.json")]
        if f"/{path.name})" in text
    }
    files = {path.name for path in (ROOT / "etc/examples").glob("*.json")}
    assert shown == files | {path.name for path in GUIDE.glob("*.json")}
    rows = [line for line in text.splitlines() if "the samples' daemon |" in line]
    named = {name for row in rows for name in re.findall(r"guide/(\w+)\.json", row)}
    assert named - {"begin_call"} == set(WORKED)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "etc/examples").glob("*.json")), ids=lambda one: one.stem
)
def test_a_sample_of_the_gallery(shipped: DaemonProcess, path: Path) -> None:
    text = (DOCS / "gallery.md").read_text("utf-8")
    (row,) = (line for line in text.splitlines() if f"/{path.name})" in line)
    params = read_definition(path)
    assert ("flow" in params) == row.endswith("| its flow |"), row
    passes(shipped.run(params))


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / f"{page}.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def of_machines(page: str) -> list[str]:
    """Return the blocks of a page for other machines; their first line names the machine."""
    return [one for one in blocks(page, "toml") if one.startswith(("# the coor", "# an agent"))]


def configured(page: str, folder: Path) -> Config:
    """Return the configuration that a page shows, with its files in a folder."""
    others = of_machines(page)
    return read("\n".join(one for one in blocks(page, "toml") if one not in others), page, folder)


def read(text: str, page: str, folder: Path, secret: str = "secret\n") -> Config:
    """Return a configuration, with its files in a folder."""
    if 'module = "sigtran"' not in text:
        text += BESIDE
    text = text.replace("/etc/tsvc/", f"{folder}/")
    for name in re.findall(r'"file": "([^"]+)"', "\n".join(blocks(page, "json"))):
        (folder / "data").mkdir(exist_ok=True)
        (folder / "data" / name).write_text("content\n")
    for name in re.findall(r'_file = "([^"]+)"', text):
        (folder / name).write_text(secret)
        (folder / name).chmod(0o600)
    for name in re.findall(r'^flows = \["([^"]+)"\]', text, re.MULTILINE):
        shutil.copy(FLOW, folder / name)
    for client in blocks(page, "python"):
        (folder / "site_pi.py").write_text(client)
    (folder / "tsvc.toml").write_text(text)
    return load_config(folder / "tsvc.toml", {"STATE_DIRECTORY": str(folder)})


@pytest.mark.parametrize("page", [page for page in [START, *PAGES] if blocks(page, "toml")])
def test_every_toml_of_the_guide_is_valid(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    applications = of_process(configured(page, tmp_path), 0).applications
    shown = "".join(blocks(page, "toml"))
    assert len(applications) == shown.count("\nmodule = ") + ('module = "sigtran"' not in shown)
    made = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
    made.build(applications)  # raises with all errors
    assert {one["name"] for one in made.status()} == set(applications)


@pytest.mark.parametrize("number", [0, 1])
def test_the_machines_of_a_cluster(number: int, tmp_path: Path) -> None:
    """Where the page describes a key in words, the test inserts a key."""
    public, secret = new_pair()
    block = of_machines("cluster")[number]
    text = re.sub(r'"(the public key of|that of) [^"]*"', f'"{public}"', block)
    cluster = read(text, "cluster", tmp_path, secret).cluster
    assert [bool(cluster.listen), bool(cluster.coordinator)] == [number == 0, number == 1]


@pytest.mark.parametrize("page", [page for page in [START, *PAGES] if blocks(page, "json")])
def test_every_json_of_the_guide_is_valid(page: str, tmp_path: Path) -> None:
    """A block is a definition, one operation, a list of them, or a few of a definition's members.

    It is checked by a service with the applications that the page shows.
    """
    daemon = Daemon(tmp_path, config=configured(page, tmp_path), is_started=False)
    for block in blocks(page, "json"):
        value = json.loads(block)
        if isinstance(value, list) or "type" in value:
            value = {"operations": value if isinstance(value, list) else [value]}
        labels = {"type": "pass", "label": "again"}
        value["operations"] = [*value.get("operations", []), labels]
        operations = value.pop("operations")
        assert daemon.problems(*operations, **value) == {}, block


@pytest.mark.parametrize("page", [START, "definitions"])
def test_the_first_definition_passes_with_the_flow_that_is_named(
    shipped: DaemonProcess, page: str, tmp_path: Path
) -> None:
    flow = "etc/examples/flows/business_hours.json"
    assert f"--embedded --flow {flow}" in (DOCS / f"{page}.md").read_text("utf-8")
    first = {**json.loads(blocks(page, "json")[0]), "flow": str(ROOT / flow)}
    (tmp_path / "first.json").write_text(json.dumps(first))
    passes(shipped.run(read_definition(tmp_path / "first.json")))


@pytest.mark.parametrize(
    "path",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_link_leads_somewhere(path: Path) -> None:
    code = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
    text = code.sub("", path.read_text("utf-8"))
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if "://" not in link:
            assert (path.parent / link).exists(), link


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_in_both_lists(page: str) -> None:
    if page != "README":
        assert f"({page}.md)" in (DOCS / "README.md").read_text()
        assert f"(docs/guide/{page}.md)" in (ROOT / "README.md").read_text()
