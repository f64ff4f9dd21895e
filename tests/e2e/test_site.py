"""make site, if mkdocs is installed: strict, and without anything fetched from elsewhere."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.daemons import ROOT, require_peer

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


PICTURE = "docs/guide/images/tests.png"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, with a picture that stands for its screenshot: another picture of the tree."""
    pictures = tmp_path_factory.mktemp("pictures")
    shutil.copy(ROOT / "docs/guide/images/load.png", pictures / "tests.png")
    beside = Path(sys.executable).with_name("mkdocs")
    found = shutil.which(beside) or shutil.which("mkdocs")
    mkdocs = require_peer(found, "pip install -r requirements-site.txt")
    made = subprocess.run(
        ["make", "--silent", "site-build", f"MKDOCS={mkdocs}", f"PICTURES={pictures}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return ROOT / "build/site"


def test_every_page_is_there_and_begins_with_its_heading(site: Path) -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        name = "index" if page.name == "README.md" else page.stem
        html = site / page.relative_to(ROOT).with_name(f"{name}.html")
        heading = re.search(r"^# (.*)$", page.read_text("utf-8"), re.MULTILINE)
        assert heading, page
        shown = re.search(r"<h1[^>]*>(.*?)<a ", html.read_text("utf-8"), re.DOTALL)
        assert shown, html
        plain = re.sub(r"<[^>]*>", "", shown[1])
        assert plain.split() == heading[1].replace("`", "").split(), html


def test_search_finds_what_references_and_guides_say(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))
    places = {entry["location"]: entry["text"] for entry in index["docs"]}
    assert "docs/reference/methods.html#executetest" in places
    assert "docs/guide/service.html#looking-at-it" in places
    assert any("tsvc_gateway_level" in text for text in places.values())


def test_browsers_fetch_nothing_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=["']?(?:https?:)?//""")
    for page in site.rglob("*.html"):
        assert loads.search(page.read_text("utf-8")) is None, page


def test_pictures_are_those_that_were_taken_for_it(site: Path) -> None:
    taken, of_tree = (ROOT / f"docs/guide/images/{name}.png" for name in ("load", "flows"))
    assert (site / PICTURE).read_bytes() == taken.read_bytes()
    assert (site / "docs/guide/images/flows.png").read_bytes() == of_tree.read_bytes()
