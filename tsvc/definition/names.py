"""Names of operation types in Python: `pass` is pass_, MT-ForwardSM is MT_ForwardSM."""

import keyword


def python_name(word: str) -> str:
    """Return a part of the name of a type as Python can have it."""
    name = word.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name
