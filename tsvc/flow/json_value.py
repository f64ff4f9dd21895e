"""How messages speak of a value that came from JSON (or from YAML or TOML of the same shape)."""

from difflib import get_close_matches

_SHOWN = 40


def describe(value: object) -> str:
    """Name a value as a user would: its kind, and the value itself where it is short."""
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {'true' if value else 'false'}"
        case int():
            return f"the integer {show(value)}"
        case float():
            return f"the number {value}"
        case str():
            return f'the string "{value}"' if len(value) <= _SHOWN else "a string"
        case list() | tuple():
            return "an array"
        case dict():
            return "an object"
    return f"a {type(value).__name__}"


def show(value: int) -> str:
    """Return the digits of an integer unless they would fill the message."""
    return str(value) if abs(value) < 10**_SHOWN else "of very many digits"


def hint(word: object, known: list[str]) -> str:
    """Return `; did you mean "x"?` for the nearest known word, or nothing."""
    lowered = {name.lower(): name for name in known}
    near = get_close_matches(str(word).lower(), lowered, n=1)
    return f'; did you mean "{lowered[near[0]]}"?' if near else ""
