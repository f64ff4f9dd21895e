"""Tests wait for the thing, by support/waiting.py; what still sleeps is counted: no more of it."""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
# Peers that are slow on purpose, processes apart from pytest, and what measures.
APART = ("bench/", "soak/", "fuzz/", "kinds/*/soak*.py", "support/waiting.py")
# How often each file may: where time that passes is what is tested, or nothing yet tells when.
# A file that sleeps less writes its new number here.
ALLOWED: dict[str, int] = {
    "e2e/conftest.py": 2,
    "e2e/daemon/test_links.py": 3,
    "e2e/gateway_contract/test_contract.py": 6,
    "e2e/hostile_clients.py": 1,
    "e2e/test_archive_crash.py": 3,
    "e2e/test_archive_disk.py": 1,
    "e2e/test_cli_daemon.py": 1,
    "e2e/test_cli_watch.py": 1,
    "e2e/test_db_servers.py": 4,
    "e2e/test_diameter_freediameter.py": 2,
    "e2e/test_guide_fakes.py": 1,
    "e2e/test_hostile_connections.py": 1,
    "e2e/test_hostile_frames.py": 1,
    "e2e/test_hostile_peers.py": 2,
    "e2e/test_legacy_guide.py": 3,
    "e2e/test_load_cancel.py": 3,
    "e2e/test_load_counts.py": 2,
    "e2e/test_load_pace.py": 12,
    "e2e/test_rest_nginx.py": 3,
    "e2e/test_service_init.py": 2,
    "e2e/test_service_memory.py": 1,
    "e2e/test_service_reload.py": 1,
    "e2e/test_without_memories.py": 1,
    "kinds/db/test_gateway.py": 2,
    "kinds/db/test_sessions.py": 3,
    "kinds/diameter/test_gateway.py": 4,
    "kinds/outside/test_gateway.py": 2,
    "kinds/pi/test_gateway.py": 2,
    "kinds/pi/test_operations.py": 1,
    "kinds/pi/test_trouble.py": 5,
    "kinds/rest/test_gateway.py": 2,
    "kinds/rest/test_operations.py": 1,
    "kinds/smpp/peer.py": 1,
    "kinds/smpp/test_expect.py": 1,
    "kinds/smpp/test_life.py": 1,
    "kinds/smpp/test_requests.py": 1,
    "support/databases.py": 1,
    "support/fakes.py": 1,
    "support/nginx.py": 1,
    "unit/archive/test_archive.py": 3,
    "unit/engine/limits/test_memory_ceiling.py": 2,
    "unit/engine/limits/test_service_clients.py": 1,
    "unit/engine/outcome/test_leaks.py": 1,
    "unit/engine/test_cancel.py": 3,
    "unit/engine/test_collecting.py": 5,
    "unit/engine/test_give_way.py": 4,
    "unit/engine/test_hostile.py": 1,
    "unit/engine/test_service_stop.py": 1,
    "unit/gateways/test_pooled.py": 1,
    "unit/methods/test_answers.py": 1,
    "unit/server/test_connection.py": 1,
    "unit/server/test_dispatch.py": 2,
    "unit/server/test_http.py": 2,
    "unit/server/test_listener.py": 2,
    "unit/server/test_loop_watch.py": 6,
    "unit/ss7/m3ua_nodes.py": 1,
    "unit/ss7/test_sctp.py": 2,
    "unit/ss7/test_sua.py": 1,
    "unit/transport/test_driver.py": 1,
    "unit/transport/test_pool.py": 3,
}


def sleeps(path: Path) -> int:
    """Count the calls of time.sleep() and gevent.sleep() for longer than a switch."""
    found = 0
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.sleep", "gevent.sleep"):
            found += bool(node.args) and ast.unparse(node.args[0]) not in ("0", "0.0")
    return found


def counted() -> dict[str, int]:
    found = {}
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS)
        if not any(name.match(f"{one}*") or str(name).startswith(one) for one in APART):
            found[str(name)] = sleeps(path)
    return {name: count for name, count in found.items() if count}


def test_no_sleep_is_added() -> None:
    assert counted() == ALLOWED
