"""What is refused is gone at once, by its references: no circle of an error and of what it passed.

Circles wait for a full collection, and none comes while there are runs and requests: a wrong
definition of a mebibyte after the other would stay in memory (see collector.py).
"""

import gc
import json
from typing import Any

import pytest
from refusals import golden

MOST = 60  # objects in circles that an answer may leave: of the server, and of what is refused
LONG = 400  # times that each list is repeated, which may leave no more


def left_by(tsvc: Any, definition: Any) -> int:
    """Return how many objects in circles ValidateTest of a definition leaves, once it is known."""
    request = {"jsonrpc": "2.0", "method": "ValidateTest", "params": definition}
    octets = json.dumps(request).encode()
    tsvc.dispatcher.dispatch(octets)
    gc.collect()
    gc.disable()
    try:
        tsvc.dispatcher.dispatch(octets)
        return gc.collect()
    finally:
        gc.enable()


@pytest.mark.parametrize("path", golden.files("definitions"), ids=lambda path: path.stem)
def test_a_refusal_leaves_no_circles(path, daemon):
    tsvc = daemon()
    left = {one["name"]: left_by(tsvc, one["definition"]) for one in golden.read(path)}
    assert {name: count for name, count in left.items() if count > MOST} == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"serviceKey": 1, "extensions": [[[]] for _ in range(LONG)]},
        {"serviceKey": ["x"] * LONG},
        {"serviceKey": 1, "callingPartyNumber": {"digits": [[1]] * LONG}},
    ],
    ids=["list", "number", "party"],
)
def test_neither_do_wrong_arguments(wrong, daemon):
    operation = {"type": "inap.ssp_to_scp.InitialDP", "arguments": wrong}
    assert left_by(daemon(), {"operations": [operation]}) <= MOST
