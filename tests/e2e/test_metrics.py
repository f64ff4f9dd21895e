"""The metrics page of a daemon, read by prometheus_client; the dashboard, compared with it."""

import json
import re
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, example, running
from support.ports import free_port

pytestmark = pytest.mark.e2e

DASHBOARD = json.loads((ROOT / "etc/grafana/tsvc.json").read_text("utf-8"))
SERVICE_TIMES = "tsvc_instance_service_seconds"


class Scraped:
    """A daemon with two kinds of gateways and an SCP; its pages before, between and after runs."""

    def __init__(self, daemon: DaemonProcess, port: int) -> None:
        self._port = port
        self.pages = [self.scrape()]
        self.results = [
            daemon.run(example("extension_dialing")),
            daemon.run(
                example("extension_dialing_busy"),
                distribution={"type": "load", "total": 40, "backlog": 4},
            ),
        ]
        self.pages.append(self.scrape())
        self.results.append(daemon.run({"operations": [{"type": "eval", "expression": "1"}]}))
        daemon.call("QueryTest", {"run_id": 'a "quoted" \\ one'})
        self.pages.append(self.scrape())

    def scrape(self) -> dict[str, Metric]:
        """Return the families by name."""
        address = f"http://127.0.0.1:{self._port}/metrics"
        with urllib.request.urlopen(address, timeout=HANG_GUARD_S) as got:
            families = list(text_string_to_metric_families(got.read().decode()))
        found = {one.name: one for one in families}
        assert len(found) == len(families)
        return found


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    port, peer = free_port(), free_port()
    tables = f"""
        [http]
        listen = "127.0.0.1:{port}"
        [cluster]
        workers = {int(find_spec("locust") is not None)}
        [application."of \\"quotes\\""]
        module = "pi"
        remote_host = "127.0.0.1"
        remote_port = {peer}
        username = "u"
        password = "p"
    """
    with running(tmp_path_factory.mktemp("daemon"), tables) as daemon:
        daemon.wait_for("daemon ready")
        yield Scraped(daemon, port)


def samples(family: Metric) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {(one.name, frozenset(one.labels.items())): one.value for one in family.samples}


def test_every_family_has_a_type_and_a_help(scraped: Scraped) -> None:
    for page in scraped.pages:
        for name, family in page.items():
            assert family.type in ("counter", "gauge", "histogram"), name
            assert family.documentation, name


def test_counters_do_not_fall_and_gauges_are_apart(scraped: Scraped) -> None:
    for before, after in pairwise(scraped.pages):
        for name, family in before.items():
            if family.type != "gauge":
                later = samples(after[name])
                assert all(later[place] >= value for place, value in samples(family).items()), name
    last = scraped.pages[-1]
    counted = {one.labels["what"] for one in last["tsvc_gateway_events"].samples}
    now = {one.labels["what"] for one in last["tsvc_gateway_level"].samples}
    assert {"dialogues_begun", "requests", "connects"} <= counted
    assert {"dialogues", "connections", "in_use", "waiting"} <= now
    assert not counted & now
    assert {one.labels["gateway"] for one in last["tsvc_gateway_level"].samples} == {
        "SIGTRAN",
        'of "quotes"',
    }


def test_service_times_are_those_of_the_results(scraped: Scraped) -> None:
    family = scraped.pages[-1][SERVICE_TIMES]
    assert family.type == "histogram"
    (count,) = (one.value for one in family.samples if one.name.endswith("_count"))
    (seconds,) = (one.value for one in family.samples if one.name.endswith("_sum"))
    told = [result["latency"]["service"] for result in scraped.results]
    assert count == sum(one["count"] for one in told) == 42
    of_results = sum(one["count"] * one["mean_ms"] for one in told) / 1000
    assert seconds == pytest.approx(of_results, abs=42 * 0.0005 / 1000)
    bounds = [
        (float(one.labels["le"]), one.value)
        for one in family.samples
        if one.name.endswith("_bucket")
    ]
    assert bounds == sorted(bounds)
    assert [count for _, count in bounds] == sorted(count for _, count in bounds)
    assert bounds[-1] == (float("inf"), 42)
    slowest = max(one["max_ms"] for one in told) / 1000
    assert all(count == 42 for bound, count in bounds if bound > slowest * 1.01)
    first = scraped.pages[0][SERVICE_TIMES]
    assert not any(one.value for one in first.samples)


# -- the dashboard ----------------------------------------------------------------------------


def expressions() -> list[str]:
    return [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


@pytest.mark.parametrize("expression", expressions())
def test_what_the_dashboard_asks_for_is_there(scraped: Scraped, expression: str) -> None:
    page = scraped.pages[-1]
    given = {one.name for family in page.values() for one in family.samples}
    labels: dict[str, set[str]] = {}
    for family in page.values():
        for one in family.samples:
            # Prometheus adds the instance.
            labels.setdefault(one.name, {"instance"}).update(one.labels)
    asked = re.findall(r"\b((?:tsvc|process)_\w+)(?:\{([^}]*)\})?", expression)
    assert asked
    for name, matchers in asked:
        assert name in given or no_sample_yet(page, name), name
        for label in re.findall(r"(\w+)=~?\"", matchers):
            is_there = label in labels.get(name, {"instance"})
            assert is_there or no_sample_yet(page, name), (name, label)
        is_counter = name.endswith(("_total", "_sum", "_count", "_bucket"))
        is_rated = re.search(rf"(rate|increase)\({name}\b", expression) is not None
        assert is_counter == is_rated, f"{name}: rates are of counters"
    (name, _) = asked[0]
    for group in re.findall(r"by \(([^)]*)\)", expression):
        if not no_sample_yet(page, name):
            assert set(group.split(", ")) <= labels[name], group


def no_sample_yet(page: dict[str, Metric], name: str) -> bool:
    """Return True if a family is declared but has no sample yet, such as errors of the SCP."""
    family = page.get(name.removesuffix("_total"))
    return family is not None and not family.samples


def test_the_dashboard_is_one_that_grafana_can_draw() -> None:
    panels: list[dict[str, Any]] = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = [panel["gridPos"] for panel in panels]
    assert all(place["x"] >= 0 and place["x"] + place["w"] <= 24 for place in places)
    for a, b in combinations(places, 2):
        is_beside = a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
        assert is_beside or a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"], (a, b)
    variables = {f"${{{one['name']}}}" for one in DASHBOARD["templating"]["list"]}
    assert {panel["datasource"]["uid"] for panel in panels} <= variables
    for panel in panels:
        names = [target["refId"] for target in panel["targets"]]
        assert len(set(names)) == len(names)
    for expression in expressions():
        assert expression.count("(") == expression.count(")")
        assert expression.count("{") == expression.count("}")


def test_the_alerts_of_the_guide_name_metrics_of_the_page(scraped: Scraped) -> None:
    guide = Path(ROOT / "docs/guide/service.md").read_text("utf-8")
    names = set(re.findall(r"`((?:tsvc|process)_\w+)(?:\{[^`]*)?`", guide))
    page = scraped.pages[-1]
    known = set(page) | {one.name for family in page.values() for one in family.samples}
    assert names
    assert names <= known | {f"{name}_total" for name in page}
