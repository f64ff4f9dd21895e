"""The site has every page, and every link in it leads to an existing place.

mkdocs, which checks this too, is not needed: tests/e2e/test_site.py runs `make site`.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from house.source import ROOT

from tsvc.docs_generator.markdown import anchor


class Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without its Python tags."""


Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)

SITE = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader)


def pages(entries: list[Any]) -> list[str]:
    """Return the paths of a navigation, in their order."""
    found = []
    for entry in entries:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        found += pages(value) if isinstance(value, list) else [value]
    return found


NAVIGATION = pages(SITE["nav"])


def test_every_page_is_in_the_navigation_once() -> None:
    assert sorted(set(NAVIGATION)) == sorted(NAVIGATION)
    documents = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    # A dictionary of thousands of lines: a page links to it.
    assert documents - set(NAVIGATION) == {"docs/reference/diameter.md"}
    assert [page for page in NAVIGATION if not (ROOT / page).is_file()] == []


def test_what_the_navigation_names_is_copied_into_the_site() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    match = re.search(r"^IN_SITE := (.*)$", makefile, re.MULTILINE)
    assert match
    copied = {*match[1].split(), "gui"}
    assert {page.partition("/")[0] for page in NAVIGATION} <= copied
    assert all((ROOT / name).exists() for name in copied)


@pytest.mark.parametrize("page", NAVIGATION)
def test_links_lead_to_headings_that_are_there(page: str) -> None:
    path = ROOT / page
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        file, _, place = target.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        leads_to = path if not file else (path.parent / file).resolve()
        is_there = leads_to.is_relative_to(ROOT) and leads_to.exists()
        is_of_page = bool(place) and leads_to.suffix == ".md"
        if not is_there or (is_of_page and place not in headings(leads_to)):
            lost.append(target)
    assert lost == []


def prose(path: Path) -> str:
    text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


@cache
def headings(path: Path) -> frozenset[str]:
    text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return frozenset(anchor(heading.replace("&lt;", "").replace("&gt;", "")) for heading in found)


@pytest.mark.parametrize("page", NAVIGATION)
def test_lists_begin_behind_an_empty_line(page: str) -> None:
    """Otherwise the site shows them as one paragraph, although a repository shows a list."""
    text = (ROOT / page).read_text("utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    begins = re.compile(r"^(?![*\-#|>\s]|\d+\. |<!--)(.+)\n([*-]|\d+\.) ", re.MULTILINE)
    assert [match[0] for match in begins.finditer(text)] == []


@pytest.mark.parametrize("page", NAVIGATION)
def test_tables_have_no_escaped_bars_in_code(page: str) -> None:
    """A repository shows a bar, the site both characters; `&#124;` in <code> is always a bar."""
    rows = [line for line in prose_with_code(page) if line.startswith("|")]
    assert [row for row in rows if re.search(r"`[^`]*\\\|[^`]*`", row)] == []


def prose_with_code(page: str) -> list[str]:
    text = (ROOT / page).read_text("utf-8")
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).splitlines()
