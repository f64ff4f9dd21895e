"""An application of every kind, for definitions that are checked and never run: nobody answers."""

from typing import Any

NOBODY = {"remote_host": "127.0.0.1", "remote_port": 9}  # the discard port
# A statement for each name that published definitions, or our own examples, perform.
_STATEMENTS = {
    "CcsAcctExists": {
        "sql": "SELECT 1 AS \"Exists\" WHERE :be_acct_id <> ''",
        "bind": ["be_acct_id"],
    },
    "CcsEdrsForCli": {"sql": "SELECT :cli AS cli", "bind": ["cli"], "shape": "rows"},
    "CcsWalletAccountsForCli": {"sql": "SELECT :cli AS cli", "bind": ["cli"], "shape": "rows"},
}
EVERY_KIND: dict[str, tuple[str, dict[str, Any]]] = {
    "PI": ("pi", NOBODY),
    "OSD": ("osd", NOBODY),
    "OCS": ("diameter", NOBODY),
    "SMF": ("db", {"url": "sqlite://", "allow_sql": True, "statements": _STATEMENTS}),
    "BSS": ("rest", NOBODY),
    "SMSC": ("smpp", {"port": 0}),
}


def as_toml() -> str:
    """Return the tables of all of them."""
    lines = []
    for name, (module, members) in EVERY_KIND.items():
        lines += [f"[application.{name}]", f'module = "{module}"']
        lines += [f"{key} = {_value(value)}" for key, value in members.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            inner = ", ".join(f"{key} = {_value(item)}" for key, item in value.items())
            return f"{{ {inner} }}"
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case _:
            return str(value)
