"""The database that guide/transaction.json needs, with the statements that the guide shows."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from support.daemons import ROOT


def database(folder: Path) -> str:
    """Make an SQLite database in a folder; return the configuration of its gateway, SMF01."""
    page = (ROOT / "docs/guide/database.md").read_text("utf-8")
    (statements,) = re.findall(
        r"```toml\n(\[application.\"SMF01\".statements.AddAcct\].*?)```", page, re.DOTALL
    )
    # The keys of the page's own application decide too: its example must run with them.
    (application,) = re.findall(r"```toml\n(\[application.\"SMF01\"\].*?)\n\n", page, re.DOTALL)
    (read_only,) = re.findall(r"^read_only = .*", application, re.MULTILINE)
    path = folder / "smf.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE ccs_acct (be_acct_id INTEGER, name TEXT)")
    return f"""
[application."SMF01"]
module = "db"
url = "sqlite:///{path}"
{read_only}
{statements}
"""
