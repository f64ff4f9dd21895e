"""Applications of every kind, for definitions that are checked and never run."""

from typing import Any

from support.kind_peers import every_application


def as_toml() -> str:
    """Return the applications of all kinds."""
    lines = []
    for name, (module, members) in every_application().items():
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
