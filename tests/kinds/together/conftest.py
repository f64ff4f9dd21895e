"""The fixture of all tests of instances that have several peers."""

import pytest

from tsvc.kinds.rest.gateway import RestGateway


@pytest.fixture(autouse=True)
def steady_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevent the gateway's checks, which may make one connection more if it has none."""
    monkeypatch.setattr(RestGateway, "look_s", 3600)
