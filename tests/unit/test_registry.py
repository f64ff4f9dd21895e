"""Registries: which modules are imported when, and messages about unknown names."""

import sys
from pathlib import Path

import pytest

from tsvc.kind import parts
from tsvc.operations.operation import OPERATION_TYPES, families
from tsvc.registry import DuplicateName, Registry, modules_of


def _package(folder: Path, name: str, **modules: str) -> str:
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("")
    for module, text in modules.items():
        (folder / name / f"{module}.py").write_text(text)
    return name


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[int]:
    """A registry with the name `plain` in general modules, `a.…` and `b.…` in near modules."""
    monkeypatch.syspath_prepend(str(tmp_path))
    register = "from registry_under_test import REGISTRY\nREGISTRY.register({!r}, {})\n"
    general = _package(tmp_path, "rt_general", plain=register.format("plain", 1))
    near = {
        "a": _package(tmp_path, "rt_a", one=register.format("a.one", 2)),
        "b": _package(tmp_path, "rt_b", one=register.format("b.one", 3)),
        "wrong": _package(tmp_path, "rt_wrong", one=register.format("a.one", 4)),
    }

    def find(word: str | None) -> list[str]:
        chosen = [word] if word in near else [] if word else ["a", "b"]
        return [name for one in chosen for name in modules_of(near[one])()]

    made: Registry[int] = Registry("number", modules_of(general), near=find)
    holder = type(sys)("registry_under_test")
    holder.REGISTRY = made
    monkeypatch.setitem(sys.modules, "registry_under_test", holder)
    for module in ("rt_general.plain", "rt_a.one", "rt_b.one", "rt_wrong.one"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return made


def test_only_what_a_name_begins_with_is_imported(registry: Registry[int]) -> None:
    assert registry.there() == []
    assert registry.get("a.one") == 2
    assert registry.there() == [2, 1]
    assert registry.near("b.two") is None
    assert registry.there() == [2, 3, 1]


def test_a_name_that_nobody_has_is_looked_for_everywhere(registry: Registry[int]) -> None:
    assert registry.near("a.two") is None
    assert registry.there() == [2, 1]
    assert registry.get("a.two") is None
    assert registry.names() == ["a.one", "b.one", "plain"]
    assert list(registry) == [2, 3, 1]


def test_a_name_taken_twice_is_an_error(registry: Registry[int]) -> None:
    registry.near("a.one")
    with pytest.raises(DuplicateName, match=r"two numbers are named 'a\.one'"):
        registry.near("wrong.one")


def test_operations_are_where_their_names_say() -> None:
    """Otherwise a definition would import all kinds, where one kind is enough."""
    for type_ in [*OPERATION_TYPES, *(family.sample for family in families())]:
        word = type_.name.partition(".")[0]
        near = {module.rpartition(".operations")[0] for module in parts("operations")(word)}
        package = type(type_).__module__.rpartition(".")[0]
        is_near = package == "tsvc.operations" or any(map(package.startswith, near))
        assert is_near, f"{type_.name} of {package}"
