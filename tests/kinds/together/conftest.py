"""What all tests of instances that meet several have in common."""

import pytest

from tsvc.kinds.rest.gateway import RestGateway


@pytest.fixture(autouse=True)
def steady_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else there may be a connection more, made because there was none at that moment."""
    monkeypatch.setattr(RestGateway, "look_s", 3600)
