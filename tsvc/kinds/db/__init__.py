"""Databases: prepared statements and their rows, by SQLAlchemy.

`gateway` is a pool of sessions, and `dialects` holds the differences between the makes of
databases. `statements` and `values` define requests and results. Drivers block, so they run in
threads of their own. Start with `operations`.
"""

from tsvc.kind import Kind

KIND = Kind(
    name="db",
    title="DB",
    package=__name__,
    purpose="A database: SQLite, PostgreSQL, MySQL or MariaDB, Oracle.",
    guide="database",
    dissector="json",
    is_labelled=True,
    example="""\
[application."SUBSCRIBERS"]
module = "db"
driver = "sqlite"
database = "/var/lib/tsvc/subscribers.db"

[application."SUBSCRIBERS".statements.Balance]
sql = "SELECT balance FROM account WHERE msisdn = :msisdn"
bind = { msisdn = "text" }
shape = "row"
types = { balance = "integer" }
""",
)
