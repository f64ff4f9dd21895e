"""A test fails if it writes a script of a state machine and does not assert it."""

from collections.abc import Iterator

import pytest
from support.playbook import unplayed


@pytest.fixture(autouse=True)
def every_script_is_asserted() -> Iterator[None]:
    """Without `assert` before it, a script would pass in any case."""
    unplayed()
    yield
    assert unplayed() == 0, "a playbook that is not asserted"
