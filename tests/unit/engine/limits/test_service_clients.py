"""The client of a request: only the greenlet that answers the request sees this client."""

from dataclasses import replace

import gevent
import pytest
from support.daemons import Daemon

from tsvc.config.tables import Rpc
from tsvc.engine.compiler.parameters import TestParameters
from tsvc.engine.limits.run_limits import NOBODY, client, on_behalf_of
from tsvc.errors import StartError

HALT = [{"type": "halt", "arguments": {"seconds": 600}}]


def test_each_greenlet_has_its_own_client():
    seen = []

    def answer(name):
        with on_behalf_of(name):
            gevent.sleep(0.001)
            seen.append((name, client()))
        seen.append((name, client()))

    gevent.joinall([gevent.spawn(answer, name) for name in ("a", "b", "c")])
    assert sorted(seen) == sorted([(name, name) for name in "abc"] + [(n, NOBODY) for n in "abc"])
    assert client() == NOBODY


def test_a_caller_in_the_process_has_no_limit(tmp_path):
    tsvc = Daemon(tmp_path)
    try:
        tsvc.service.config = replace(tsvc.service.config, rpc=Rpc(client_runs=1))
        for _ in range(3):
            tsvc.execute(*HALT)
        params = TestParameters().load({"operations": HALT})
        with on_behalf_of("one"):
            assert tsvc.service.execute("first", params) == "ok"
            with pytest.raises(StartError) as refused:
                tsvc.service.execute("second", params)
            assert refused.value.data["limit"] == "rpc.client_runs"
            assert len(tsvc.service.table.in_progress_of("one")) == 1
        assert len(tsvc.service.table.in_progress()) == 4
    finally:
        tsvc.stop()
