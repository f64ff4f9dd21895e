"""guide/transaction.json as it stands, with the statements that the guide shows, on SQLite."""

import json
from pathlib import Path

import pytest
from support.daemons import ROOT, running
from support.transaction import database

pytestmark = pytest.mark.e2e


def test_the_example_leaves_nothing(tmp_path: Path) -> None:
    with running(tmp_path, database(tmp_path)) as daemon:
        daemon.wait_for("connected gateway=SMF01")
        definition = json.loads((ROOT / "etc/examples/guide/transaction.json").read_text())
        for _ in range(2):
            result = daemon.run({**definition, "db_smf": "SMF01"})
            assert result["verdict"] == "pass", result["first_call_summary"]
    text = json.dumps(result["first_call_summary"])
    assert all(word in text for word in ("Begin", "Rollback", "done"))
