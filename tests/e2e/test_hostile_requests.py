"""Hostile requests to a whole daemon: each gets its own error, a normal client is served."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from e2e.hostile_clients import VALID, beside, daemon_in, frame, request, send
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.daemons import DaemonProcess, example
from support.examples import examples
from support.normal_client import NormalClient

from tsvc.methods.method import METHODS

pytestmark = pytest.mark.e2e

CODES = {1000, 1001, 2000, 2001, 2002, 2003, 2004}
METHODS.load()
FUZZ = settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    yield from daemon_in(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(autouse=True)
def normal(daemon: DaemonProcess) -> Iterator[NormalClient]:
    yield from beside(daemon)


def assert_proper(response: dict[str, Any]) -> None:
    """Assert that it is a result or an error of the interface, and not an internal failure."""
    assert response["jsonrpc"] == "2.0"
    if response.get("error") is None:
        assert "error" not in response
        return
    error = response["error"]
    assert response["result"] is None
    assert error["code"] in CODES
    assert error["data"]["kind"] != "internal", error
    assert error["message"]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@FUZZ
@given(octets=st.binary(max_size=600))
def test_octets(daemon: DaemonProcess, octets: bytes) -> None:
    response = send(daemon, octets)
    assert_proper(response)
    assert response["error"]["code"] == 1000


@FUZZ
@given(st.data())
def test_a_frame_with_octets_changed(daemon: DaemonProcess, data: st.DataObject) -> None:
    octets = bytearray(VALID)
    for at in data.draw(st.lists(st.integers(0, len(octets) - 1), min_size=1, max_size=4)):
        octets[at] = data.draw(st.integers(0, 255))
    assert_proper(send(daemon, bytes(octets)))


@FUZZ
@given(document=st.dictionaries(st.sampled_from(("jsonrpc", "method", "params", "id")), VALUES))
def test_envelopes(daemon: DaemonProcess, document: dict[str, Any]) -> None:
    response = send(daemon, frame(json.dumps(document).encode()))
    assert_proper(response)
    assert response["error"]["code"] in (1000, 1001)


NAMES = st.sampled_from(
    sorted(
        {name for one in METHODS for name in (one.Definition or one.Params)().fields}
        | {"instance", "segment", "inap"}
    )
)


@FUZZ
@given(
    method=st.sampled_from(METHODS.names()),
    params=st.dictionaries(NAMES | st.text(max_size=8), VALUES, max_size=6),
    request_id=st.integers() | st.text(max_size=20),
)
def test_params(daemon: DaemonProcess, method: str, params: Any, request_id: Any) -> None:
    params.pop("wait_s", None)
    response = send(daemon, request(method, params, request_id))
    assert_proper(response)
    # A request that no JSON text can represent has no id for the response.
    assert response["id"] in (request_id, None)


SAMPLE = example("extension_dialing")
PIECES = st.sampled_from(
    [{}, [], "", "x", -1, 0, 2**70, 1.5, None, True, "{$v", "{$v->{a}{b}}", "{1/0}", [[]], [{}]]
)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything in a definition."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield (*at, key)
        if isinstance(value[key], dict | list):
            yield from places(value[key], (*at, key))


@FUZZ
@given(at=st.sampled_from(list(places(SAMPLE))), piece=PIECES | VALUES)
def test_the_sample_with_one_piece_changed(
    daemon: DaemonProcess, at: tuple[Any, ...], piece: Any
) -> None:
    definition = json.loads(json.dumps(SAMPLE))
    value = definition
    for key in at[:-1]:
        value = value[key]
    value[at[-1]] = piece
    run_id = uuid.uuid4().hex
    response = send(daemon, request("ExecuteTest", {**definition, "run_id": run_id}))
    assert_proper(response)
    if response.get("result") == "ok":
        counts = daemon.result("CancelTest", {"run_id": run_id})["counts"]
        assert counts["started"] == counts["finished"] <= 1
    else:
        assert response["error"]["code"] in (1000, 2002, 2003)
