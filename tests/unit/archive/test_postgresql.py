"""The archive in a real PostgreSQL: the same rows and the same answers as elsewhere."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from support.daemons import require_peer
from support.ports import free_port
from unit.archive.conftest import completed, summary

from tsvc.archive.store import METADATA, VERSION, ArchiveError, Store
from tsvc.archive.wanted import Wanted

INSTALL = "apt-get install postgresql"


def find(program: str) -> str | None:
    """Return the path of a program of PostgreSQL; Debian keeps most of them off the PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return shutil.which(program) or (str(versions[-1]) if versions else None)


def as_user(folder: Path) -> list[str]:
    """Return the words to put before a command, because PostgreSQL does not run as root."""
    if os.geteuid() != 0:
        return []
    setpriv = require_peer(shutil.which("setpriv"), "apt-get install util-linux")
    shutil.chown(folder, "nobody", "nogroup")
    return [setpriv, "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of the database of a server that runs for these tests."""
    initdb, pg_ctl = (require_peer(find(name), INSTALL) for name in ("initdb", "pg_ctl"))
    driver = importlib.util.find_spec("psycopg")
    require_peer(driver and driver.origin, "pip install '.[postgresql]'")
    # Not below pytest's folder: only the user of pytest may enter that folder.
    with tempfile.TemporaryDirectory(prefix="tsvc-pg-", ignore_cleanup_errors=True) as name:
        folder, port = Path(name), free_port()
        user = as_user(folder)
        data = str(folder / "data")
        subprocess.run(
            [*user, initdb, "-D", data, "-U", "tsvc", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            cwd="/",
        )
        options = f"-h 127.0.0.1 -p {port} -k {name} -c fsync=off"
        log = str(folder / "log")
        start = [*user, pg_ctl, "-D", data, "-w", "-o", options, "-l", log, "start"]
        subprocess.run(start, check=True, cwd="/", stdout=subprocess.DEVNULL)
        try:
            yield f"postgresql+psycopg://tsvc@127.0.0.1:{port}/postgres"
        finally:
            stop = [*user, pg_ctl, "-D", data, "-m", "immediate", "stop"]
            subprocess.run(stop, check=True, cwd="/", stdout=subprocess.DEVNULL)


@pytest.fixture
def store(server: str) -> Iterator[Store]:
    store = Store(server, "tester")
    store.open("tester")
    yield store
    store.close()
    engine = create_engine(server)
    METADATA.drop_all(engine)
    engine.dispose()


def test_a_run_from_begin_to_result(store: Store) -> None:
    result_id = store.begin(summary(), {"operations": []})
    store.snapshot({result_id: summary(counts={"started": 2})})
    assert store.list(Wanted(10))[0]["counts"] == {"started": 2}
    store.finish(result_id, completed(), {"text": "ä\U0001f600"}, [[1, 2]])
    found = store.get(run_id="a")
    assert found is not None
    assert (found.result, found.messages) == ({"text": "ä\U0001f600"}, [[1, 2]])
    store.probe()


def test_lost_listed_and_purged(server: str, store: Store) -> None:
    ids = [store.begin(summary(name, start=100.0), {}) for name in ("a", "b", "a")]
    assert Store(server, "another").open("another") == 0, "runs of another daemon are its own"
    assert Store(server, "tester").open("tester") == 3
    assert [row["result_id"] for row in store.list(Wanted(2))] == [ids[2], ids[1]]
    assert [row["result_id"] for row in store.list(Wanted(2, ids[1]))] == [ids[0]]
    assert [row["result_id"] for row in store.list(Wanted(9, None, "a"))] == [ids[2], ids[0]]
    assert {row["state"] for row in store.list(Wanted(9))} == {"lost"}
    assert store.purge(0.0, 1) == 2
    assert store.purge(100.1, 1) == 1


def test_any_text_that_json_can_hold(store: Store) -> None:
    """PostgreSQL refuses NUL in text."""
    run_id = "\u0000a\u0001\U0001f600\\0" + "x" * 200
    result_id = store.begin(summary(run_id, note="\u0000"), {})
    (row,) = store.list(Wanted(1, None, run_id))
    assert (row["result_id"], row["run_id"], row["note"]) == (result_id, run_id, "\u0000")
    found = store.get(run_id=run_id)
    assert found is not None
    assert found.run_id == run_id
    assert store.list(Wanted(1, None, run_id.replace("\u0000", "\\0"))) == [], "another run_id"


def test_a_newer_database_is_refused(server: str, store: Store) -> None:
    engine = create_engine(server)
    with engine.begin() as connection:
        connection.execute(text("UPDATE tsvc_archive SET version = version + 1"))
    engine.dispose()
    with pytest.raises(ArchiveError, match=f"this tsvc knows {VERSION}"):
        Store(server, "tester").open("tester")


def test_a_server_that_is_away_and_back(server: str, store: Store) -> None:
    """Connections that the server has closed are noticed and opened again."""
    result_id = store.begin(summary(), {})
    engine = create_engine(server)
    with engine.begin() as connection:
        others = "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        connection.execute(text(f"SELECT pg_terminate_backend(pid) FROM ({others}) AS o"))
    engine.dispose()
    store.finish(result_id, completed(), {}, [])
    assert store.list(Wanted(1))[0]["state"] == "completed"


def test_nobody_listens() -> None:
    url = f"postgresql+psycopg://tsvc@127.0.0.1:{free_port()}/postgres"
    with pytest.raises(ArchiveError, match="refused"):
        Store(url, "tester").open("tester")
