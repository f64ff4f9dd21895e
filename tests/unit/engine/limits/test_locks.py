from tsvc.engine.limits.locks import LockTable


def test_all_or_none():
    table, first, second = LockTable(), object(), object()
    assert table.acquire("run 1", ["a", "b"], first) is None
    assert table.acquire("run 2", ["c", "b", "a"], second) == ("b", "run 1")
    assert table.held() == {"a": "run 1", "b": "run 1"}


def test_duplicates_count_once():
    table, ticket = LockTable(), object()
    assert table.acquire("run 1", ["a", "a"], ticket) is None
    table.release(ticket)
    assert table.held() == {}


def test_release_frees_only_its_own():
    table, first, second = LockTable(), object(), object()
    table.acquire("same name", ["a"], first)
    table.acquire("same name", ["b"], second)
    table.release(first)
    assert table.held() == {"b": "same name"}
    assert table.acquire("run 3", ["a"], object()) is None
    table.release(first)  # twice changes nothing
    assert table.held() == {"a": "run 3", "b": "same name"}


def test_no_keys_no_lock():
    table = LockTable()
    assert table.acquire("run 1", [], object()) is None
    assert table.held() == {}
