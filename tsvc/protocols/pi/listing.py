"""Lists of NAME=VALUE, as commands and answers of PI carry them."""

Value = str | list[str]


def read_listing(text: str, separator: str) -> dict[str, Value]:
    """Return the members of a list; one that comes more than once has a list of values.

    Parts without "=" are no members: an answer may say anything.
    """
    found: dict[str, Value] = {}
    for part in text.split(separator):
        name, sign, value = part.partition("=")
        name = name.strip()
        if not sign or not name:
            continue
        before = found.get(name)
        if before is None:
            found[name] = value
        elif isinstance(before, list):
            before.append(value)
        else:
            found[name] = [before, value]
    return found
