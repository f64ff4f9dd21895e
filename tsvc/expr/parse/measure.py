"""Size and height of a syntax tree: what an evaluation costs and how deep it calls."""

from dataclasses import fields, is_dataclass

from tsvc.expr.syntax import Node


def measure(tree: Node) -> tuple[int, int]:
    """Return (number of nodes, height)."""
    count = height = 0
    waiting: list[tuple[object, int]] = [(tree, 1)]
    while waiting:
        node, level = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend((item, level) for item in node)
        elif is_dataclass(node):
            count += 1
            height = max(height, level)
            waiting.extend((getattr(node, part.name), level + 1) for part in fields(node))
    return count, height
