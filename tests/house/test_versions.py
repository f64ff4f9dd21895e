"""One version everywhere, and the documented Python versions are the declared ones."""

import ast
import re

from house.source import ROOT

from tsvc import __version__


def test_the_latest_released_version_is_that_of_the_package() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "Unreleased"
    number, _, day = headings[1].partition(" - ")
    assert number == __version__
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", day)


def test_each_version_has_each_part_once() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    parts = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    for version in text.split("\n## ")[1:]:
        found = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert found == [part for part in parts if part in found]


def test_the_pythons_of_the_readme_are_those_of_the_package() -> None:
    setup = (ROOT / "setup.py").read_text("utf-8")
    match = re.search(r"^PYTHONS = (\(.*?\))", setup, re.MULTILINE)
    assert match
    declared = ast.literal_eval(match[1])
    readme = (ROOT / "README.md").read_text("utf-8")
    said = re.search(r"^Python ([\d., and]+):", readme, re.MULTILINE)
    assert said
    assert tuple(re.findall(r"3\.\d+", said[1])) == declared
    assert f'python_requires=">={declared[0]}"' in setup
