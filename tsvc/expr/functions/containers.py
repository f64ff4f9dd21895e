"""Functions on arrays, hashes and references."""

from tsvc.errors import ExpressionFailed
from tsvc.expr.environment import Frame
from tsvc.expr.functions import register
from tsvc.expr.values import Value, noun


def _keys(frame: Frame, holder: Value) -> list[Value]:
    if isinstance(holder, dict | list):
        frame.step(len(holder))
        return list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    return _nothing(holder)


def _values(frame: Frame, holder: Value) -> list[Value]:
    if isinstance(holder, dict | list):
        frame.step(len(holder))
        return list(holder.values() if isinstance(holder, dict) else holder)
    return _nothing(holder)


def _nothing(holder: Value) -> list[Value]:
    if holder is None:
        return []
    raise ExpressionFailed(f"{noun(holder)} has no keys or values")


def _count(frame: Frame, holder: Value) -> Value:
    return len(_values(frame, holder))


def _push(frame: Frame, holder: list[Value], values: list[Value]) -> Value:
    frame.use(16 * len(values))
    holder.extend(values)
    return len(holder)


def _unshift(frame: Frame, holder: list[Value], values: list[Value]) -> Value:
    frame.use(16 * len(values))
    frame.step(len(holder) >> 6)
    holder[:0] = values
    return len(holder)


def _pop(frame: Frame, holder: list[Value]) -> Value:
    return holder.pop() if holder else None


def _shift(frame: Frame, holder: list[Value]) -> Value:
    frame.step(len(holder) >> 6)
    return holder.pop(0) if holder else None


def _ref(frame: Frame, value: Value) -> Value:
    if isinstance(value, dict):
        return "HASH"
    return "ARRAY" if isinstance(value, list) else ""


register("keys", "c", _count, _keys)
register("values", "c", _count, _values)
register("push", "al", _push)
register("unshift", "al", _unshift)
register("pop", "a", _pop)
register("shift", "a", _shift)
register("ref", "_", _ref)
