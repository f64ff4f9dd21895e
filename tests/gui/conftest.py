"""One daemon and one build of the browser part for all tests of the GUI's server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gui.browsers import write_assets, write_users
from gui.journeys import HOSTS
from support.daemons import DaemonProcess, running

ROLES = {"vera": "viewer", "egon": "executor", "anna": "author"}


@pytest.fixture(scope="session")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_assets(tmp_path_factory.mktemp("assets"))


@pytest.fixture(scope="session")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a user for each role, whose password is the name."""
    return write_users(tmp_path_factory.mktemp("users") / "users", ROLES)


@pytest.fixture(scope="module")
def tester(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    with running(tmp_path_factory.mktemp("tester"), "") as made:
        yield made


@pytest.fixture(autouse=True, scope="module")
def browser() -> Iterator[None]:
    """The browser of a module's journeys, if it has any, ends with the module."""
    yield
    HOSTS.close()
