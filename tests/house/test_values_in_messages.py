"""Messages contain values of users and peers by quoted(), which takes microseconds and cuts them.

repr() of a mebibyte of lists blocks the event loop for tens of milliseconds, and is as long.
"""

import ast
import re
from collections.abc import Iterator

from house.source import modules, tree_of

# Packages that process only input of their own user.
OWN = ("tsvc.cli", "tsvc.commands", "tsvc.client", "tsvc.import_n2", "tsvc.pytest_plugin")
ALLOWED = {
    "tsvc.engine.result.traces": "names of members, each in its turn",
    "tsvc.kind": "names in our own code",
    "tsvc.registry": "names in our own code",
    "tsvc.schema.table": "values of a configuration",
    "tsvc.server.metrics": "numbers",
    "tsvc.values": "names in our own code",
}
# Occurs in the text of each module that has an f-string with a repr().
REPR = re.compile(r"!\s*r|=\s*[}:]")


def written() -> Iterator[tuple[str, str]]:
    """Yield (module, source) of values that f-strings write by repr(), except for slices."""
    for module, path in modules().items():
        if module.startswith(OWN) or not REPR.search(path.read_text("utf-8")):
            continue
        for node in ast.walk(tree_of(path)):
            is_repr = isinstance(node, ast.FormattedValue) and node.conversion == ord("r")
            if is_repr and not isinstance(node.value, ast.Subscript):
                yield module, ast.unparse(node.value)


def test_no_message_has_all_of_a_value() -> None:
    found = list(written())
    assert [one for one in found if one[0] not in ALLOWED] == []
    assert {module for module, _ in found} == set(ALLOWED), "a row that nothing needs"
