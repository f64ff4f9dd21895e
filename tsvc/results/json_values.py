"""Decoded values in a form that can be shown: without raw octets, in JSON's types."""

from typing import Any

from tsvc import turns

_INT64 = range(-(2**63), 2**63)
# Members of type IA5String: their values are readable text, not raw octets.
_TEXTS = frozenset({"messageContent", "displayInformation", "iA5Response"})


def json_value(value: Any) -> Any:
    """Return a decoded value in JSON's types.

    A raw X is left out if X_hex has the same octets. Integers beyond 64 bits become hex text,
    because few readers of JSON accept them. Blocks: while other greenlets run, inside
    turns.given().
    """
    turns.walked()
    if isinstance(value, dict):
        return {
            key: json_value(item)
            for key, item in value.items()
            if not _is_raw_twin(value, key, item)
        }
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, int) and value not in _INT64:
        return hex(value)
    return value


def _is_raw_twin(tree: dict[str, Any], key: str, item: Any) -> bool:
    twin = tree.get(f"{key}_hex")
    if key in _TEXTS:
        return False
    if isinstance(item, list) and isinstance(twin, list):
        are_texts = all(isinstance(one, str) for one in turns.over(item))
        return are_texts and [_hex(one) for one in turns.over(item)] == twin
    return isinstance(item, str) and _hex(item) == twin


def _hex(raw: str) -> str:
    return raw.encode("latin-1", "replace").hex()
