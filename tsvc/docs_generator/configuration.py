"""docs/reference/configuration.md, made from the declarations of the keys."""

from tsvc.config.load import KeyDoc, describe
from tsvc.docs_generator.markdown import table

_HEAD = """\
# Configuration

Made from the declarations of the keys; `etc/tsvc.toml` says the same as a file to start from.

`tsvcd` reads `/etc/tsvc/tsvc.toml` (`-c FILE` names another one), then `conf.d/*.toml` beside it
in the order of their names; a key may be set once only. `TSVC_<TABLE>_<KEY>` of the environment
goes before all files: `TSVC_RPC_PORT`, `TSVC_RPC_TLS_CERT_FILE`. Every key has a default.
Relative paths start in the folder of the file that names them.

* `tsvcd --check` names everything that is wrong, with file, key, value and rule, and does nothing
  else; `tsvcd --print-config` shows what is in force, secrets hidden.
* SIGHUP (`systemctl reload tsvc`) reads it all again and applies the difference: gateways whose
  table changed restart, the others and what runs on them go on. If anything is wrong, nothing
  changes and one line of the log says what. `service.state_dir`, `results.url`, `rpc.host`,
  `rpc.port`, `http.listen` and TLS on or off need a restart; renewed certificates do not.
* A secret stands in a file of its own (`<key>_file`), in the environment, or in a file that
  others can't read; elsewhere it is refused.
"""


def text() -> str:
    """Return the whole file."""
    parts = [_HEAD]
    tables: dict[str, list[KeyDoc]] = {}
    for doc in describe():
        tables.setdefault(doc.table, []).append(doc)
    for name, keys in tables.items():
        parts.append(f"\n## [{name}]\n")
        parts.append(table(("Key", "Default", "Must be", "Meaning"), map(_row, keys)))
    return "\n".join(parts) + "\n"


def _row(doc: KeyDoc) -> tuple[str, ...]:
    return f"`{doc.key}`", f"`{doc.default}`" if doc.default else "", doc.type, doc.help
