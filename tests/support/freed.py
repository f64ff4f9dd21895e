"""Checks that the recordings of a run are freed with the run: no reference cycle keeps them."""

import gc
from typing import Any


def left(types: Any) -> int:
    """Return the number of objects of a type, or of a union of types."""
    return sum(isinstance(one, types) for one in gc.get_objects())


def assert_freed(world: Any, types: Any, verdict: str, *operations: Any, **params: Any) -> None:
    """Execute a run, and check that its objects are freed without a garbage collection."""
    gc.collect()
    gc.disable()
    try:
        run_id = world.execute(*operations, **params)
        world.service.runs[run_id].completed.wait(60)
        assert left(types) > 5, "the slowest are kept, else the test shows nothing"
        result = world.finish(run_id)
        assert result["verdict"] == verdict, result["failures"]
        assert left(types) == 0
    finally:
        gc.enable()
