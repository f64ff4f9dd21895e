"""A trace of as many messages as an instance keeps: whole or in portions, it blocks no loop."""

import gc
import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.daemons import FLOW, ROOT, Daemon

from slices.meter import BOUND_MS, Slice, longest, scale
from slices.requests import body
from tsvc.cli.definition_file import read_definition
from tsvc.engine.limits.collector import settle
from tsvc.engine.result.kept_messages import MAX_MESSAGES

CALLS = MAX_MESSAGES // 4 + 10  # with four messages each


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    thresholds = gc.get_threshold()
    made = Daemon(tmp_path_factory.mktemp("long"), flows=(FLOW,))
    try:
        made.until_up()
        settle()
        definition = read_definition(ROOT / "etc/examples/guide/loop.json")
        definition["vars"]["wanted"] = CALLS
        result = made.run(**definition, run_id="long", trace_messages=1)
        assert result["verdict"] == "pass"
        yield made
    finally:
        gc.set_threshold(*thresholds)
        made.stop()


def portion(first: int, count: int, **more: Any) -> dict[str, Any]:
    return {"format": "json", "from": first, "count": count, **more}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("params", "messages"),
    [
        (portion(0, 200), 200),
        (portion(5000, 1000, summary=1, fields=["messages"]), 1000),
        (portion(MAX_MESSAGES - 1, 1), 1),
        ({"format": "json"}, MAX_MESSAGES),
        ({"format": "ladder"}, None),
    ],
    ids=str,
)
def test_a_long_trace(daemon: Daemon, params: dict[str, Any], messages: int | None) -> None:
    """The run was collected: the archive has the whole trace, too."""
    answers: list[bytes] = []

    def played() -> Slice:
        gc.collect()
        request = body("GetTrace", {"run_id": "long", **params})
        return longest(lambda: answers.append(daemon.dispatcher.dispatch(request)))

    found = played()
    if found.ms > BOUND_MS:
        found = min([found, played(), played()], key=lambda one: one.ms)
        assert found.ms <= BOUND_MS * scale(), str(found)
    content = json.loads(answers[0])["result"]["content"]
    if messages is not None:
        assert len(content["messages"]) == messages
    else:
        assert content.count("IDP") >= MAX_MESSAGES // 4
