"""A service with one gateway of each kind in turn, its real peer, and a proxy between the two."""

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from e2e.gateway_contract.proxy import Proxy
from support.daemons import Daemon
from support.kind_peers import Address, Peer, kinds_with_peers, peer_of
from support.waiting import GUARD_S, until

from tsvc.gateways.gateway import GatewayState

SHORT_S = 0.4  # for deadlines that are to pass
LONG_S = 4 * GUARD_S  # for deadlines that are not to pass: a longer wait is a hang


class World(Daemon):
    """A service with the gateway GW, behind a proxy."""

    def __init__(
        self, kind: str, peer: Peer, address: Address, folder: Path, seconds: float
    ) -> None:
        self.kind = kind
        self.peer = peer
        self.seconds = seconds
        self.proxy = Proxy(address, is_reversed=peer.is_reversed)
        self.proxy.start()
        port = address[1] if peer.is_reversed else self.proxy.port
        super().__init__(folder, {"GW": (kind, peer.members(port, seconds))}, is_started=False)

    @property
    def gateway(self) -> Any:
        return self.gateway_of(self.kind)

    @property
    def state(self) -> GatewayState:
        state = self.gateway.status().state
        assert isinstance(state, GatewayState)
        return state

    def try_to_execute(self, token: str, **params: Any) -> tuple[str, Any]:
        """Start a run; return its id, and the refusal if there is one."""
        run_id = f"run {next(self._ids)}"
        operations = self.peer.operations(token, self.seconds)
        params = {"run_id": run_id, "operations": operations, **self.peer.params, **params}
        return run_id, self.ask("ExecuteTest", **params).get("error")

    def execute(self, token: str, **params: Any) -> str:  # type: ignore[override]
        run_id, error = self.try_to_execute(token, **params)
        assert error is None, error
        return run_id

    def reason(self, token: str) -> str:
        """Run, and return the reason why the only instance was aborted."""
        result = self.run(token)
        assert result["verdict"] == "abort", result["first_call_summary"]
        return str(result["first_call_summary"]["reason"])

    def complaint(self, token: str) -> str:
        """Run, and return why the only instance was aborted, or which check failed."""
        result = self.run(token)
        assert result["verdict"] in ("abort", "fail"), result["first_call_summary"]
        return str(next(iter(result["failures"]))["cause"])

    def passes(self, token: str) -> None:
        """Assert that a run passes: the answer belongs to its request.

        A short deadline may pass on a busy machine before the answer is there; the run is then
        repeated.
        """

        def is_passed() -> bool:
            result = self.run(token)
            summary = result["first_call_summary"]
            is_good = bool(result["verdict"] == "pass")
            is_late = self.seconds == SHORT_S and re.search(
                self.peer.texts.deadline, str(summary["reason"])
            )
            assert is_good or is_late, (summary["reason"], summary["check_log"])
            return is_good

        until(is_passed)

    def until_up(self) -> None:
        until(lambda: self.state is GatewayState.UP)


@pytest.fixture(scope="module")
def address_of() -> Iterator[Callable[[str, Peer], Address]]:
    """A function that returns the address of a kind's peer, and starts the peer on first use."""
    with contextlib.ExitStack() as stack:
        found: dict[str, Address] = {}

        def address_of_kind(kind: str, peer: Peer) -> Address:
            if kind not in found:
                found[kind] = stack.enter_context(peer.run())
            return found[kind]

        yield address_of_kind


@pytest.fixture(params=kinds_with_peers())
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(
    kind: str, address_of: Callable[[str, Peer], Address], tmp_path: Path
) -> Iterator[Callable[..., World]]:
    """A function that makes the world. seconds: every deadline; is_started: gateway up."""
    with contextlib.ExitStack() as stack:

        def make_one(seconds: float = LONG_S, *, is_started: bool = True) -> World:
            peer = peer_of(kind)
            world = World(kind, peer, address_of(kind, peer), tmp_path, seconds)
            stack.callback(world.proxy.stop)
            stack.callback(world.service.stop)
            if peer.is_reversed:
                stack.enter_context(peer.answer_at(world.proxy.port))
            if is_started:
                world.service.start()
                world.until_up()
            return world

        yield make_one
