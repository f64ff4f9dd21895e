"""Many small cases in one test: a separate pytest test for each would take longer than the cases.

It is used like parametrize() and takes the same cases; a failure names the cases. Fixtures are
made once for all cases. `make test` runs a sample of CASES, chosen by its seed; `make test-full`
runs all.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from _pytest.mark import ParameterSet

from support.tiers import sample

Test = Callable[..., None]
CASES = 60
_SHOWN = 20


def each(
    parameters: str | tuple[str, ...],
    cases: Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    ids: Callable[[Any], object] | None = None,
) -> Callable[[Test], Test]:
    """Make a test that calls the function with each case: values for these parameters.

    If making the cases takes long, pass a function that returns them; the test calls it.
    """
    names = (parameters,) if isinstance(parameters, str) else parameters

    def around(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def all_of_them(**fixtures: Any) -> None:
            given = cases() if callable(cases) else cases
            known = [_case(one, len(names), ids) for one in given]
            assert known, "there are no cases"
            known = sample(known, CASES, test.__qualname__)
            failed: dict[str, Exception] = {}
            for name, values in known:
                try:
                    test(**fixtures, **dict(zip(names, values, strict=True)))
                except Exception as error:  # noqa: BLE001 - any error is shown
                    failed[name] = error
            if failed:
                shown = "\n".join(f"{name}: {error}" for name, error in failed.items())
                shown = "\n".join(shown.splitlines()[:_SHOWN])
                first = next(iter(failed.values()))
                raise AssertionError(f"{len(failed)} of {len(known)}:\n{shown}") from first

        rest = [one for name, one in signature.parameters.items() if name not in names]
        all_of_them.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return all_of_them

    return around


def _case(
    given: Any, count: int, ids: Callable[[Any], object] | None
) -> tuple[str, tuple[Any, ...]]:
    """Return the name and the values of a case, as parametrize() makes them."""
    read = ParameterSet.extract_from(given, force_tuple=count == 1)
    assert not read.marks, "a case alone can't be marked"
    name = read.id or ", ".join(str(ids(value) if ids else value) for value in read.values)
    return str(name), tuple(read.values)
