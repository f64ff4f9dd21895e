"""Structural rules that the linters' own rules can't express."""

import ast
import re
from collections.abc import Iterator

import pytest
from house.source import imported, imports_of, modules, package_of, tree_of

MOST_LINES = 600

# The modules that may start greenlets and threads, and their purpose. All else runs in these.
BIRTHPLACES = {
    "tsvc.archive.worker": "calls off the loop, and undoing those that nobody waits for",
    "tsvc.cluster.agent": "being the agent of a coordinator, again and again",
    "tsvc.cluster.player": "telling of a run each second, and ending it",
    "tsvc.cluster.run": "ending a run that was cancelled before it began",
    "tsvc.cluster.worker": "looking for the end of the daemon, and at the lag of the loop",
    "tsvc.cluster.processes": "keeping a worker process running",
    "tsvc.cluster.link": "ending a link from out of the greenlet that reads it",
    "tsvc.cluster.sockets": "answering which keys are allowed",
    "tsvc.engine.gateway_table": "stopping gateways side by side",
    "tsvc.engine.housekeeping": "the work of each second",
    "tsvc.engine.limits.memory": "looking at the memory",
    "tsvc.engine.load.instance_pool": "greenlets that run one instance after another",
    "tsvc.engine.result.otlp": "sending traces of runs",
    "tsvc.engine.run": "the loop that starts instances",
    "tsvc.engine.service": "cancelling runs side by side",
    "tsvc.gateways.pooled": "keeping a pool's gateway up",
    "tsvc.gui.topics": "asking a daemon while somebody looks",
    "tsvc.kinds.diameter.connections": "connecting again",
    "tsvc.kinds.diameter.fake": "answers that come late on purpose",
    "tsvc.kinds.outside.gateway": "a call of foreign code, so that it can be left behind",
    "tsvc.transport.http.authentication": "a fetch of a token, which many may wait for",
    "tsvc.kinds.rest.gateway": "a request whose response is expected later",
    "tsvc.kinds.smpp.fake": "connecting again, submitting, and the lines of somebody",
    "tsvc.server.daemon": "the watchdog of systemd",
    "tsvc.server.loop_watch": "looking at the lag of the loop",
    "tsvc.ss7.network": "connecting again",
    "tsvc.transport.driver": "reader, writer and timers of a link",
    "tsvc.transport.http.http2": "reader and writer of a connection that many share",
    "tsvc.transport.threads": "threads for drivers that block",
}
_BIRTHS = {"spawn", "spawn_later", "spawn_raw", "start_new_thread", "Greenlet", "Thread"}

# Modules that need each other, with the decision that gives the reason.
CIRCLES: dict[frozenset[str], str] = {}


def names() -> list[str]:
    return sorted(modules())


def is_below(module: str, place: str) -> bool:
    return module == place or module.startswith(f"{place}.")


def births(module: str) -> Iterator[str]:
    text = modules()[module].read_text("utf-8")
    if not any(name in text for name in _BIRTHS):
        return  # parsing all files takes seconds
    for node in ast.walk(tree_of(modules()[module])):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in _BIRTHS:
                yield f"{module}:{node.lineno} {name}"
        if isinstance(node, ast.ClassDef):  # whose objects are ones
            for base in node.bases:
                if isinstance(base, ast.Name) and base.id in _BIRTHS:
                    yield f"{module}:{node.lineno} {node.name}"


def test_greenlets_and_threads_are_born_where_the_list_says() -> None:
    elsewhere = [
        birth
        for module in names()
        if not any(is_below(module, place) for place in BIRTHPLACES)
        for birth in births(module)
    ]
    assert elsewhere == []


def test_every_birthplace_is_one() -> None:
    idle = [
        place
        for place in BIRTHPLACES
        if not any(list(births(module)) for module in names() if is_below(module, place))
    ]
    assert idle == []


def test_what_another_package_imports_has_no_underscore() -> None:
    private = []
    for module in names():
        for source, item in imports_of(modules()[module]):
            if not source.startswith("tsvc."):
                continue
            steps = [*source.split("."), *([item] if item else [])]
            here = ".".join(module.split(".")[:-1])
            for at, step in enumerate(steps):
                owner = ".".join(steps[:at])
                if step.startswith("_") and not is_below(here, owner) and step != "__version__":
                    private.append(f"{module} imports {source}.{item}")
    assert private == []


def test_no_module_looks_like_a_test() -> None:
    assert [name for name in names() if name.endswith("_test")] == []


def test_no_file_is_too_long() -> None:
    lengths = {name: len(path.read_text("utf-8").splitlines()) for name, path in modules().items()}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_every_package_says_what_it_is() -> None:
    """A paragraph below its first line: what the package must not know, and where to start."""
    silent = [
        name
        for name, path in modules().items()
        if path.name == "__init__.py"
        and name != "tsvc"
        and "\n\n" not in (ast.get_docstring(tree_of(path)) or "")
    ]
    assert silent == []


def test_every_room_says_where_to_start() -> None:
    silent = []
    for name, path in modules().items():
        if path.name == "__init__.py" and name != "tsvc":
            words = " ".join((ast.get_docstring(tree_of(path)) or "").split())
            if not re.search(r"[Ss]tart with|the place to start", words):
                silent.append(name)
    assert silent == []


def test_the_system_s_words_of_an_error_come_from_one_place() -> None:
    """errors.reason() returns it: `strerror` may be None, and str() has a number in front."""
    elsewhere = [
        f"{module}:{node.lineno}"
        for module, path in modules().items()
        if module != "tsvc.errors"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute)
        and node.attr == "strerror"
        and getattr(node.value, "id", "") not in ("os", "zmq")
    ]
    assert elsewhere == []


def test_modules_form_no_circle() -> None:
    """Imports only for types and imports inside functions count, too."""
    assert [sorted(circle) for circle in circles() if circle not in CIRCLES] == []


def circles() -> list[frozenset[str]]:
    """Return the sets of modules that need each other (Tarjan)."""
    graph = imported()
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(frozenset(stack[at:]))
            del stack[at:]

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return found


@pytest.mark.parametrize(
    "kind",
    sorted(
        {m.split(".")[2] for m in modules() if m.count(".") > 2 and m.startswith("tsvc.kinds.")}
    ),
)
def test_a_kind_imports_no_other_kind(kind: str) -> None:
    if kind == "outside":
        return  # its adapters stand in for four kinds
    others = [
        f"{module} -> {target}"
        for module, targets in imported().items()
        if is_below(module, f"tsvc.kinds.{kind}")
        for target in targets
        if target.startswith("tsvc.kinds.") and not is_below(target, f"tsvc.kinds.{kind}")
    ]
    assert others == []


def test_the_layers_name_every_package() -> None:
    """import-linter checks the order; this test checks that no package is missing in it."""
    import tomllib

    from house.source import ROOT

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (layers,) = (
        contract["layers"]
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    )
    named = {name.strip() for layer in layers for name in layer.split("|")}
    assert {package_of(module) for module in modules() if module != "tsvc"} == named
