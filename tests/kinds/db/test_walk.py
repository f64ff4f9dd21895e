"""A random walk of runs over a pool of a few sessions, and a model of what each run may see.

A run sees committed work and its own uncommitted work. After its end only its committed work is
left. Whatever a run does to its session, the next run finds the session as after the login.
TSVC_WALK_STEPS is the number of steps of each walk.
"""

import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import gevent
import pytest
from support.databases import mariadb, postgresql
from support.waiting import GUARD_S, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.db.config import DbConfig
from tsvc.kinds.db.gateway import DbGateway, HeldSession
from tsvc.kinds.db.statements import Shape
from tsvc.kinds.db.transactions import Isolation, Mode

STEPS = int(os.environ.get("TSVC_WALK_STEPS", "150"))
TABLE = "CREATE TABLE walked (n INTEGER PRIMARY KEY)"


@dataclass
class Make:
    """A make of database: statements that leave something behind, and probes that show it."""

    url: str
    dirt: list[str]
    probes: list[str]
    isolation: Isolation | None = Isolation.READ_COMMITTED
    has_many_writers: bool = True


POSTGRESQL = (
    [
        "SET search_path = pg_catalog",
        "SELECT set_config('tsvc.mine', 'x', false)",
        "SET statement_timeout = 77",
        "SET default_transaction_read_only = on",
        "SET default_transaction_isolation = 'serializable'",
        "SET ROLE pg_monitor",
        "SET SESSION AUTHORIZATION pg_monitor",
        "SET TIME ZONE 'Asia/Tokyo'",
        "CREATE TEMP TABLE IF NOT EXISTS walked_temp (a int)",
        "CREATE TEMP TABLE IF NOT EXISTS walked (a int)",
        "CREATE TEMP VIEW walked_view AS SELECT 1 AS a",
        "SELECT pg_advisory_lock(7)",
        "SELECT pg_advisory_lock_shared(8)",
        "PREPARE mine AS SELECT 1",
        "LISTEN walked",
        "SELECT nextval('walked_numbers')",
        "DECLARE mine CURSOR WITH HOLD FOR SELECT 1",
        "SELECT 1/0",
        "SELECT nothing",
        "SELECT set_config('search_path', 'nowhere', false), 1/0",
        "DO $$ BEGIN PERFORM set_config('tsvc.mine', 'y', false); END $$",
        "LOCK TABLE walked IN ACCESS SHARE MODE",
    ],
    [
        "SELECT current_setting('search_path') || current_setting('statement_timeout')"
        " || current_setting('default_transaction_read_only') || current_setting('TimeZone')"
        " || current_setting('default_transaction_isolation') || current_user || session_user"
        " || coalesce(nullif(current_setting('tsvc.mine', true), ''), '-') AS a",
        "SELECT count(*) AS a FROM pg_prepared_statements",
        "SELECT count(*) AS a FROM pg_cursors WHERE name = 'mine'",
        "SELECT count(*) AS a FROM pg_listening_channels()",
        "SELECT count(*) AS a FROM pg_class WHERE relnamespace = pg_my_temp_schema()",
        "SELECT lastval() AS a",
    ],
)
# The locks of the whole server, which has none while no run holds a session.
POSTGRESQL_AT_REST = "SELECT count(*) AS a FROM pg_locks WHERE locktype = 'advisory'"
MARIADB = (
    [
        "SET @mine = 1",
        "SET NAMES latin1",
        "SET time_zone = '+05:00'",
        "SET sql_mode = ''",
        "SET max_statement_time = 77",
        "SET timestamp = 1000",
        "SET sql_select_limit = 1",
        "SET foreign_key_checks = 0",
        "USE information_schema",
        "CREATE TEMPORARY TABLE walked_temp (a int)",
        "SELECT get_lock('walked', 0)",
        "PREPARE mine FROM 'SELECT 1'",
        "SELECT last_insert_id(77)",
        "SET ROLE walker",
        "SELECT nothing",
        "SELECT sql_calc_found_rows 1 AS a UNION SELECT 2",
    ],
    [
        "SELECT concat_ws('|', @mine, @@character_set_client, @@collation_connection, @@time_zone,"
        " @@sql_mode, @@max_statement_time, @@sql_select_limit, @@foreign_key_checks, database(),"
        " last_insert_id(), @@autocommit, @@tx_read_only, current_role(),"
        " is_used_lock('walked'), now() > '2020-01-01') AS a",
        "SELECT a FROM walked_temp",
        "EXECUTE mine",
    ],
)
SQLITE = (
    [
        "PRAGMA case_sensitive_like = 1",
        "PRAGMA foreign_keys = 1",
        "PRAGMA query_only = 1",
        "PRAGMA cache_size = 77",
        "ATTACH ':memory:' AS mine",
        "CREATE TEMP TABLE walked_temp (a)",
        "CREATE TEMP VIEW walked_view AS SELECT 1",
        "SELECT nothing",
        "SELECT abs(-9223372036854775808)",
    ],
    [
        "SELECT count(*) AS a FROM pragma_database_list WHERE name <> 'temp'",
        "SELECT group_concat(name) AS a FROM temp.sqlite_master",
        "SELECT foreign_keys AS a FROM pragma_foreign_keys",
        "SELECT query_only AS a FROM pragma_query_only",
        "SELECT cache_size AS a FROM pragma_cache_size",
        "SELECT last_insert_rowid() || ' ' || changes() AS a",
        "SELECT 'a' LIKE 'A' AS a",
    ],
)


@pytest.fixture(scope="module", params=["postgresql", "mariadb", "sqlite", "sqlite-wal"])
def make(request: Any, tmp_path_factory: Any) -> Iterator[Make]:
    if request.param == "postgresql":
        with postgresql() as server:
            yield Make(server.url, *POSTGRESQL)
    elif request.param == "mariadb":
        with mariadb() as server:
            yield Make(server.url, *MARIADB)
    else:
        path = tmp_path_factory.mktemp("walk") / "walked.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            wanted = "wal" if request.param.endswith("wal") else "delete"
            connection.execute(f"PRAGMA journal_mode = {wanted}")
        yield Make(f"sqlite:///{path}", *SQLITE, isolation=None, has_many_writers=False)


def gateway_of(make: Make, **members: Any) -> DbGateway:
    table = {
        "url": make.url,
        "allow_sql": True,
        "read_only": False,
        "blocking": True,  # this process is not patched
        "query_timeout_s": GUARD_S,
        "backlog_timeout_s": GUARD_S,
        **members,
    }
    gateway = DbGateway("DB", DbConfig.load(table), GatewayContext(SYSTEM_CLOCK, lambda: 0.0))
    gateway.start()
    until(lambda: gateway.status().state is GatewayState.UP, what=lambda: gateway.status().detail)
    return gateway


@dataclass(eq=False)
class Run:
    """A user of the gateway, with its uncommitted work."""

    held: HeldSession | None = None
    added: set[int] = field(default_factory=set)
    taken: set[int] = field(default_factory=set)
    has_failed: bool = False  # a statement in its transaction was refused

    def end(self) -> None:
        self.held, self.added, self.taken, self.has_failed = None, set(), set(), False


class Walk:
    def __init__(self, make: Make, gateway: DbGateway, seed: int, size: int) -> None:
        self.make, self.gateway, self.size = make, gateway, size
        self.chance = random.Random(seed)
        self.runs = [Run() for _ in range(size + 1)]
        self.committed: set[int] = set()
        self.next = 0
        self.seen: list[str] = []
        self.clean = self.probed()

    def ask(self, sql: str, shape: str = "rows", run: Run | None = None) -> Any:
        held = run.held if run else None
        return self.gateway.perform(self.gateway.query(sql, Shape(shape)), {}, held=held)

    def probed(self) -> list[Any]:
        return [self.ask(sql).tree() for sql in self.make.probes]

    def held(self) -> list[Run]:
        return [run for run in self.runs if run.held]

    def steps(self, count: int) -> None:
        for _ in range(count):
            run = self.chance.choice(self.runs)
            step = self.chance.choice(
                (
                    *(self.begin, self.add, self.add, self.take, self.commit, self.roll_back),
                    *(self.end, self.look, self.look, self.soil, self.soil, self.probe),
                )
            )
            self.seen.append(f"{self.runs.index(run)} {step.__name__}")
            step(run)
            assert self.gateway.status().counters["held"] == len(self.held())
        for run in self.held():
            self.end(run)
        self.look(self.runs[0])
        self.probe(self.runs[0])

    def begin(self, run: Run) -> None:
        # One session stays free for runs that hold none, except in a walk with one session.
        most = max(self.size - 1, 1) if self.make.has_many_writers else 1
        if run.held is None and len(self.held()) < most:
            held = self.gateway.begin(Mode(self.make.isolation), "", lambda ends: None)
            assert isinstance(held, HeldSession), held
            run.held = held

    def can(self, run: Run, *, is_writing: bool = False) -> bool:
        if run.has_failed:
            return False
        if run.held is None and len(self.held()) >= self.size:
            return False
        return not is_writing or self.make.has_many_writers or self.held() in ([], [run])

    def add(self, run: Run) -> None:
        if self.can(run, is_writing=True):
            self.next += 1
            assert self.ask(f"INSERT INTO walked VALUES ({self.next})", "count", run).count == 1
            (run.added if run.held else self.committed).add(self.next)

    def take(self, run: Run) -> None:
        locked = set().union(*(one.taken for one in self.runs))
        free = sorted(self.committed - locked)
        if free and self.can(run, is_writing=True):
            one = self.chance.choice(free)
            assert self.ask(f"DELETE FROM walked WHERE n = {one}", "count", run).count == 1
            if run.held:
                run.taken.add(one)
            else:
                self.committed.discard(one)

    def look(self, run: Run) -> None:
        if self.can(run):
            rows = self.ask("SELECT n FROM walked ORDER BY n", "rows", run).rows
            wanted = sorted((self.committed | run.added) - run.taken)
            assert [row["n"] for row in rows] == wanted, self.seen

    def commit(self, run: Run) -> None:
        if run.held is None:
            return
        try:
            assert self.gateway.finish(run.held, is_kept=True) is None
            self.committed = (self.committed | run.added) - run.taken
        except GatewayError:
            assert run.has_failed, self.seen  # PostgreSQL keeps nothing of the transaction then
        run.end()

    def roll_back(self, run: Run) -> None:
        if run.held is not None:
            self.gateway.finish(run.held, is_kept=False)
            run.end()

    def end(self, run: Run) -> None:
        """End a run that has not committed: at once, or as a cancelled run."""
        if run.held is None:
            return
        if self.chance.random() < 0.7:
            self.gateway.finish(run.held, is_kept=False)
        else:
            run.held.give_up()
        run.end()

    def soil(self, run: Run) -> None:
        """Leave something behind; in a held session it lasts only until the run ends."""
        if not self.can(run):
            return
        sql = self.chance.choice(self.make.dirt)
        self.seen.append(sql)
        shape = "rows" if sql.startswith(("SELECT", "EXECUTE")) else "count"
        try:
            answer = self.ask(sql, shape, run)
        except GatewayError:
            if run.held is None:
                return  # such as LOCK TABLE without a transaction
            run.held.give_up()
            run.end()
            return
        if answer.refusal is not None and "postgresql" in self.make.url:
            run.has_failed = run.held is not None  # a later commit keeps nothing
        elif run.held is not None:
            self.end(run)  # its statement would change what it sees

    def probe(self, run: Run) -> None:
        """Assert that a run without a held session finds a session as after the login."""
        if len(self.held()) < self.size:
            assert self.probed() == self.clean, self.seen


def asked(
    gateway: DbGateway, sql: str, held: HeldSession | None = None, shape: str = "count"
) -> Any:
    return gateway.perform(gateway.query(sql, Shape(shape)), {}, held=held)


def test_a_transaction_that_the_database_ends_or_a_procedure_begins(make: Make) -> None:
    gateway = gateway_of(make, pool=2)
    try:
        asked(gateway, "DROP TABLE IF EXISTS walked")
        asked(gateway, TABLE)
        if "mariadb" in make.url:
            held = gateway.begin(Mode(), "", lambda ends: None)
            assert isinstance(held, HeldSession)
            asked(gateway, "INSERT INTO walked VALUES (1)", held)
            with pytest.raises(GatewayError, match="the database has ended the transaction"):
                asked(gateway, "CREATE TABLE IF NOT EXISTS other (a INT)", held)
            held.give_up()
            asked(gateway, "DROP PROCEDURE IF EXISTS sly")
            body = "BEGIN START TRANSACTION; INSERT INTO walked VALUES (2); END"
            asked(gateway, f"CREATE PROCEDURE sly() {body}")
            with pytest.raises(GatewayError, match="it began a transaction, which was rolled"):
                asked(gateway, "CALL sly()")
        elif "postgresql" in make.url:
            held = gateway.begin(Mode(), "", lambda ends: None)
            assert isinstance(held, HeldSession)
            asked(gateway, "INSERT INTO walked VALUES (1)", held)
            refused = asked(gateway, "SELECT 1/0 AS a", held, "rows")
            assert refused.refusal is not None
            with pytest.raises(GatewayError, match="was refused, so nothing is kept"):
                gateway.finish(held, is_kept=True)
            asked(gateway, "CREATE TABLE IF NOT EXISTS child (n int REFERENCES walked (n)"
                  " DEFERRABLE INITIALLY DEFERRED)")  # fmt: skip
            held = gateway.begin(Mode(), "", lambda ends: None)
            assert isinstance(held, HeldSession)
            asked(gateway, "INSERT INTO child VALUES (77)", held)
            refusal = gateway.finish(held, is_kept=True)
            assert refusal is not None
            assert refusal.code == "23503"
            asked(gateway, "DROP TABLE child")
        else:
            held = gateway.begin(Mode(), "", lambda ends: None)
            assert isinstance(held, HeldSession)
            asked(gateway, "INSERT INTO walked VALUES (1)", held)
            with pytest.raises(
                GatewayError, match="the database has ended the transaction, refus"
            ):
                asked(gateway, "INSERT OR ROLLBACK INTO walked VALUES (1)", held)
            held.give_up()
        left = asked(gateway, "SELECT n FROM walked WHERE n <> 1", shape="rows").rows
        assert left == []
    finally:
        gateway.kill()


def test_two_that_lock_each_other_out(make: Make) -> None:
    """The server ends one of two transactions; nothing of that transaction is kept."""
    if not make.has_many_writers:
        pytest.skip("one writes at a time here")
    gateway = gateway_of(make, pool=3)
    try:
        asked(gateway, "DROP TABLE IF EXISTS walked")
        asked(gateway, TABLE)
        asked(gateway, "INSERT INTO walked VALUES (1), (2)")
        both = [gateway.begin(Mode(), "", lambda ends: None) for _ in range(2)]
        for held, row in zip(both, (1, 2), strict=True):
            assert isinstance(held, HeldSession)
            asked(gateway, f"UPDATE walked SET n = n WHERE n = {row}", held)
            asked(gateway, f"INSERT INTO walked VALUES ({row + 10})", held)

        def cross(held: Any, row: int) -> Any:
            try:
                return asked(gateway, f"DELETE FROM walked WHERE n = {row}", held).refusal
            except GatewayError as error:
                return error

        crossing = [gevent.spawn(cross, both[0], 2), gevent.spawn(cross, both[1], 1)]
        gevent.joinall(crossing, timeout=GUARD_S)
        ended = [one.value is not None for one in crossing]
        assert sorted(ended) == [False, True], [one.value for one in crossing]
        for held, is_over in zip(both, ended, strict=True):
            assert isinstance(held, HeldSession)
            if is_over:
                held.give_up()
            else:
                assert gateway.finish(held, is_kept=True) is None
        rows = asked(gateway, "SELECT n FROM walked ORDER BY n", shape="rows").rows
        assert [row["n"] for row in rows] == ([2, 12] if ended[0] else [1, 11])
    finally:
        gateway.kill()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_each_run_sees_its_own_and_leaves_what_it_committed(make: Make, size: int) -> None:
    gateway = gateway_of(make, pool=size)
    try:
        for statement in ("DROP TABLE IF EXISTS walked", TABLE):
            gateway.perform(gateway.query(statement, Shape.COUNT), {})
        if "postgresql" in make.url:
            sequence = "CREATE SEQUENCE IF NOT EXISTS walked_numbers"
            gateway.perform(gateway.query(sequence, Shape.COUNT), {})
        walk = Walk(make, gateway, seed=size, size=size)
        walk.steps(STEPS)
        if "postgresql" in make.url:
            until(lambda: walk.ask(POSTGRESQL_AT_REST).rows == [{"a": 0}])
        counters = gateway.status().counters
        assert (counters["held"], counters["in_use"]) == (0, 0)
        assert counters["connections"] <= size
    finally:
        gateway.kill()
