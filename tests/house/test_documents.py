"""Documents name only things that exist: files, modules, names, commands, pages."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from house.source import ROOT, modules, tree_of, words

from tsvc.kind import kinds

# Generated pages are compared with their declarations; the changelog describes earlier versions.
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.parent.name != "reference"),
]
# Inputs and outputs of the commands, in a folder of the reader.
ELSEWHERE = re.compile(r"^(/|~|\.\./shared|build/|conf\.d|mine|report|results|out)")
# Names in the docstrings of packages that are not modules.
OF_A_PACKAGE = frozenset(
    {"tsvcd", "now", "__init__", "_unknown", "tsvc.scp", "s", "a", "c", "l", "_"}
)
# They have names of modules here but another meaning: operation types, Locust's modules.
OF_OTHERS = frozenset({"rest", "rpc"})
TOP = ("tsvc/", "tests/", "etc/", "docs/", "bin/", ".ci/")
# Names in the worked examples, and in other people's programs.
FREE = frozenset({"Note", "StreamServer", "X_npi", "rest_routes", "smpp_server"})

documents = pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT))
)


def inline(document: Path) -> list[str]:
    """Return the texts between single backticks, outside of blocks of code."""
    return re.findall(r"`([^`\n]+)`", prose(document))


def prose(document: Path) -> str:
    return re.sub(r"^```.*?^```", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def blocks(document: Path) -> str:
    return "\n".join(
        re.findall(r"^```sh\n(.*?)^```", document.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    )


@documents
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose(document))
    inside = [target for target in targets if "://" not in target]
    assert [target for target in inside if not (document.parent / target).exists()] == []


def test_the_list_of_the_guides_names_them_all() -> None:
    guide = ROOT / "docs/guide"
    listed = set(re.findall(r"\]\(([^)#\s]+)\)", prose(guide / "README.md")))
    assert {path.name for path in guide.glob("*.md")} - {"README.md"} - listed == set()


@documents
def test_files_that_are_named_are_there(document: Path) -> None:
    """Whole paths, and those from a package of the product: `schema/table.py`, `scp/call`."""
    lost = [name for name in inline(document) if name.startswith(TOP) and not is_file(name)]
    rooms = {path.name for path in (ROOT / "tsvc").iterdir()}
    for name in inline(document):
        room, slash, _ = name.partition("/")
        is_path = slash and room in rooms and re.fullmatch(r"[\w/]+(\.py|/)?", name)
        if (is_path and not is_module(name)) or re.fullmatch(r"_[a-z]\w*\.py", name):
            lost.append(name)
    assert lost == []


def is_module(name: str) -> bool:
    path = ROOT / "tsvc" / name
    return path.exists() or path.with_suffix(".py").exists()


def is_file(name: str) -> bool:
    name = re.split(r"[\s:]", name)[0].rstrip("/")
    if re.search(r"[<>*]|\bK\b|NAME|FILE", name):  # a pattern, not a file
        name = re.split(r"[<>*]|\bK\b|NAME|FILE", name)[0].rpartition("/")[0]
    return (ROOT / name).exists()


@documents
def test_modules_that_are_named_are_there(document: Path) -> None:
    lost = []
    for name in re.findall(r"(?<![\w./-])tsvc(?:\.[A-Za-z_]\w*)+", document.read_text("utf-8")):
        if name.endswith((".toml", ".service", ".json", ".conf", ".sqlite", ".sock", ".py")):
            continue
        module, _, last = name.rpartition(".")
        is_there = name in modules() or (module in modules() and last in words())
        if not is_there and name != "tsvc.kinds":
            lost.append(name)
    assert lost == []


@documents
def test_names_in_code_are_there(document: Path) -> None:
    """Names that can only be names of code: CamelCase, with an underscore, with a call."""
    lost = []
    known = words() | FREE
    for text in inline(document):
        name = text.removesuffix("()").removeprefix("tsvc_")  # the beginning of metrics' names
        is_name = re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?", name)
        looks = "_" in name or text.endswith("()") or re.search(r"[a-z][A-Z]", name)
        if is_name and looks and not set(name.split(".")) <= known:
            lost.append(text)
    assert lost == []


@documents
def test_make_words_are_there(document: Path) -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    used = set()
    for text in [*inline(document), *blocks(document).splitlines()]:
        used |= set(re.findall(r"(?:^|&& |\$ )make ([a-z][\w-]*)", text))
    assert used <= targets


@documents
def test_commands_are_there(document: Path) -> None:
    known = commands()
    lost = set()
    for text in [*inline(document), *blocks(document).splitlines()]:
        for word in re.findall(r"(?:^|\$ |bin/)tsvc ([a-z][\w-]*)", text):
            if word not in known:
                lost.add(word)
    assert lost == set()


@cache
def commands() -> frozenset[str]:
    done = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.main", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return frozenset(re.findall(r"^  ([a-z][\w-]*)", done.stdout, re.MULTILINE))


def tokens_of_diagrams() -> Iterator[str]:
    """Yield package/module names in the drawings of the architecture page."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    for block in re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from re.findall(r"(?<![\w/.])([a-z_0-9]+(?:/[a-z_0-9]+)+)(?![\w.])", block)


def test_the_drawings_of_the_architecture_name_what_is_there() -> None:
    lost = []
    for name in tokens_of_diagrams():
        path = ROOT / "tsvc" / name
        if not path.exists() and not path.with_suffix(".py").exists():
            lost.append(name)
    assert lost == []


def test_packages_name_their_own_modules() -> None:
    """A name in backticks in a package's docstring is one of its modules, or code in it."""
    lost = []
    for name, path in modules().items():
        if path.name != "__init__.py":
            continue
        text = ast.get_docstring(tree_of(path)) or ""
        for word in re.findall(r"`([a-z_][a-z0-9_./]*)`", text):
            here = f"{name}.{word.strip('/').replace('/', '.')}"
            if here not in modules() and word not in OF_A_PACKAGE:
                lost.append(f"{name}: {word}")
    assert lost == []


def test_comments_and_docstrings_name_files_that_are_there() -> None:
    lost = []
    for name, path in modules().items():
        for file in re.findall(r"(?<![\w/.-])((?:\w+/)*\w+\.py)\b", path.read_text("utf-8")):
            places = (ROOT / file, ROOT / "tsvc" / file, path.parent / file)
            if not any(place.exists() for place in places):
                lost.append(f"{name}: {file}")
    assert lost == []


def test_docstrings_name_code_that_is_there() -> None:
    """Names such as `operation.Instance`, `endpoint._rest` exist in the module."""
    homes: dict[str, set[str]] = {}
    for name, path in modules().items():
        found = set(re.findall(r"\w+", path.read_text("utf-8")))
        homes.setdefault(name.rpartition(".")[2], set()).update(found)
    lost = []
    for name, path in modules().items():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node) or ""
                for home, word in re.findall(r"(?<![\w./])([a-z]\w*)\.(_?[A-Z]\w*|_\w+)", text):
                    is_ours = home in homes and home not in OF_OTHERS and not word.isupper()
                    if is_ours and word not in homes[home]:
                        lost.append(f"{name}: {home}.{word}")
    assert lost == []


def test_every_decision_says_what_would_undo_it() -> None:
    decisions = sorted((ROOT / "docs/adr").glob("*.md"))
    silent = [path.name for path in decisions if not re.search(r"(?i)undo", path.read_text())]
    assert decisions
    assert silent == []


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_the_readme_names_every_kind(kind: str) -> None:
    """Its table of kinds names the module that a reader puts into the configuration."""
    rows = [line for line in (ROOT / "README.md").read_text().splitlines() if line[:1] == "|"]
    assert any(f"`{kind}`" in row for row in rows)
