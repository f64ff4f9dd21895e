"""Fixtures that several tests of REST share."""

import pytest
from kinds.rest.service import HttpService


@pytest.fixture
def daemon(tmp_path):
    """A function that makes services with a gateway R1 to a port."""
    made = []

    def make(port, **members):
        given = {"base_uri": f"http://127.0.0.1:{port}", **members}
        made.append(HttpService(tmp_path, {"R1": ("rest", given)}))
        return made[-1]

    yield make
    for one in made:
        one.stop()
