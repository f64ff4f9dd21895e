"""Commits say what changes for a reader, why, and how it was checked."""

import re
import shutil
import subprocess

import pytest
from house.source import ROOT

# The rule is kept from the commit after this one on, and from each release to the next.
SINCE = "4522b379"
MOST_CHARACTERS = 72


def git(*arguments: str) -> str:
    """Return what a git command prints."""
    return subprocess.check_output(["git", *arguments], cwd=ROOT, text=True).strip()


@pytest.fixture(scope="module")
def commits() -> list[tuple[str, str, str]]:
    """The id, the subject and the body of each commit, without merges."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no repository here")
    try:
        tag = git("describe", "--tags", "--abbrev=0")
    except subprocess.CalledProcessError:
        tag = ""
    known = subprocess.run(["git", "cat-file", "-e", f"{SINCE}^{{commit}}"], cwd=ROOT).returncode
    if not tag and known:
        pytest.skip("the history is cut off here")
    is_later = tag and not known and git("rev-list", "--count", f"{SINCE}..{tag}") != "0"
    first = tag if known or is_later else SINCE
    text = git("log", "--no-merges", "--format=%h%x00%s%x00%b%x01", f"{first}..HEAD")
    found = [one.strip().split("\0") for one in text.split("\1") if one.strip()]
    return [(name, subject, body) for name, subject, body in found]


def test_a_subject_is_short_and_names_no_area(commits: list[tuple[str, str, str]]) -> None:
    wrong = [
        f"{name} {subject}"
        for name, subject, _ in commits
        if len(subject) > MOST_CHARACTERS
        or subject.endswith(".")
        or not subject[:1].isupper()
        or re.match(r"[A-Za-z]+(, [a-z]+)*: [a-z]", subject)
    ]
    assert wrong == []


def test_a_body_says_why(commits: list[tuple[str, str, str]]) -> None:
    assert [f"{name} {subject}" for name, subject, body in commits if not body.strip()] == []
