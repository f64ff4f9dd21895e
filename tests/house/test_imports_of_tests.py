"""Test modules import support modules, never each other: what two need has a file of its own."""

from pathlib import Path

from house.source import imports_of

TESTS = Path(__file__).parents[1]


def test_no_test_module_is_imported() -> None:
    found = [
        f"{path.relative_to(TESTS)}: {module}"
        for path in sorted(TESTS.rglob("*.py"))
        for module, name in imports_of(path)
        if any(part.startswith("test_") for part in [*module.split("."), name])
    ]
    assert found == []
