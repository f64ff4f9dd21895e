"""Peers of kinds are found through the registry; a kind without a peer fails its tests."""

from pathlib import Path

import pytest
from soak.kind import soak_kinds

from support.kind_peers import kinds_with_peers, peer_of


def test_each_kind_of_the_tree_has_a_peer():
    assert kinds_with_peers()
    for kind in kinds_with_peers():
        assert peer_of(kind).texts.lost, kind


def test_a_kind_without_a_peer_is_named():
    with pytest.raises(pytest.fail.Exception) as caught:
        peer_of("dummy")
    assert str(caught.value) == "kind dummy has no tests/kinds/dummy/peer.py"


def test_a_peer_that_lacks_a_module_of_its_own_says_so(monkeypatch, tmp_path: Path):
    """This message is only for a missing peer; other import errors are raised unchanged."""
    import kinds

    folder = tmp_path / "dummy"
    folder.mkdir()
    (folder / "peer.py").write_text("import nothing_of_this_name\n")
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(tmp_path)])
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
        peer_of("dummy")


def test_each_kind_of_the_tree_is_in_the_soak():
    assert [*soak_kinds()] == kinds_with_peers()
    for name, kind in soak_kinds().items():
        assert kind.held, name
        assert kind.start is None or kind.asks, name
