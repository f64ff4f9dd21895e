"""git in the workspace: status, difference and commit with the real program."""

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gui.browsers import Browser, gui
from support.daemons import require_peer

from tsvc.gui import git as git_module
from tsvc.gui.asked import Refusal
from tsvc.gui.git import Git

pytestmark = pytest.mark.e2e

Run = Callable[..., str]


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run git in the repository around the workspace."""
    program = require_peer(shutil.which("git"), "apt-get install git")
    top = tmp_path_factory.mktemp("repository")

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [program, *arguments], cwd=top, capture_output=True, text=True, check=True
        )
        return done.stdout

    run("init", "--quiet", "--initial-branch=trunk")
    run("config", "user.name", "Anna")
    run("config", "user.email", "anna@example.org")
    (top / "tests" / "deep").mkdir(parents=True)
    (top / "other.txt").write_text("not of the workspace\n")
    (top / "tests" / "a.json").write_text("{}\n")
    (top / "tests" / "deep" / "old name.json").write_text("a file with some text in it\n")
    run("add", "--all")
    run("commit", "--quiet", "--message=first")
    run("tag", "first")  # each test returns to this tag: some tests commit
    return run


@pytest.fixture(scope="module")
def root(git: Run) -> Path:
    return Path(git("rev-parse", "--show-toplevel").strip()) / "tests"


@pytest.fixture(scope="module")
def anna(tmp_path_factory: pytest.TempPathFactory, assets: Path, root: Path) -> Iterator[Browser]:
    with gui(tmp_path_factory.mktemp("gui"), assets, "--workspace", root) as made:
        yield made.enter()


@pytest.fixture(autouse=True)
def clean(git: Run) -> None:
    git("reset", "--quiet", "--hard", "first")
    git("clean", "-fdxq")


def status(browser: Browser) -> dict[str, str]:
    found = browser.get("/api/git").document
    assert found["is_repository"] is True
    return {one["path"]: one["status"] for one in found["files"]}


def test_status(anna: Browser, git: Run, root: Path) -> None:
    found = anna.get("/api/git").document
    assert found == {"is_repository": True, "branch": "trunk", "files": []}
    (root / "a.json").write_text("[]\n")
    (root / "é ü.json").write_text("new")
    (root / "deep" / "more").mkdir()
    (root / "deep" / "more" / "b.json").write_text("new")
    (root / ".hidden").write_text("hidden")
    (root.parent / "other.txt").write_text("changed")
    git("mv", "tests/deep/old name.json", "tests/deep/new name.json")
    assert status(anna) == {
        "a.json": "changed",
        "é ü.json": "new",
        "deep/more/b.json": "new",
        "deep/new name.json": "renamed",
    }
    git("rm", "--quiet", "--force", "tests/a.json")
    assert status(anna)["a.json"] == "deleted"


def test_difference(anna: Browser, git: Run, root: Path) -> None:
    def diff(path: str) -> str:
        return str(anna.get("/api/git/diff", path=path).document["diff"])

    assert diff("a.json") == ""
    (root / "a.json").write_text("[]\n")
    assert "-{}\n+[]\n" in diff("a.json")
    git("add", "tests/a.json")
    assert "-{}\n+[]\n" in diff("a.json")
    (root / "new.json").write_text("new\n")
    assert "+new\n" in diff("new.json")
    assert anna.get("/api/git/diff", path="none.json").status == 404
    (root / "a.json").write_text("x\n" * (1 << 20))
    assert anna.get("/api/git/diff", path="a.json").document["truncated"] is True


def test_commit(anna: Browser, git: Run, root: Path) -> None:
    """The named files and nothing else, deleted and new files included."""
    (root / "a.json").write_text("[1]\n")
    (root / "new.json").write_text("new\n")
    (root / "stays.json").write_text("stays\n")
    (root / "deep" / "old name.json").unlink()
    (root.parent / "other.txt").write_text("staged by somebody\n")
    git("add", "other.txt")
    given = {
        "message": "--amend: a message\n\nthat looks like an option",
        "paths": ["a.json", "new.json", "deep/old name.json"],
    }
    found = anna.post("/api/git/commit", given)
    assert found.status == 200, found
    assert git("rev-parse", "HEAD").strip() == found.document["commit"]
    names = git("show", "--name-status", "--format=%B", "HEAD")
    assert names.startswith(given["message"])
    assert sorted(names.splitlines()[-3:]) == [
        "A\ttests/new.json",
        "D\ttests/deep/old name.json",
        "M\ttests/a.json",
    ]
    assert status(anna) == {"stays.json": "new"}
    assert "M  other.txt" in git("status", "--porcelain")


@pytest.mark.parametrize(
    "given",
    [
        {"message": "", "paths": ["a.json"]},
        {"message": " \n", "paths": ["a.json"]},
        {"message": "m\0", "paths": ["a.json"]},
        {"message": "m" * 10_001, "paths": ["a.json"]},
        {"message": "m", "paths": []},
        {"message": "m", "paths": "a.json"},
        {"message": "m", "paths": [7]},
        {"message": "m", "paths": ["../other.txt"]},
        {"message": "m", "paths": [".git/config"]},
        {"paths": ["a.json"]},
    ],
)
def test_what_is_no_commit(anna: Browser, git: Run, given: object) -> None:
    before = git("rev-parse", "HEAD")
    assert anna.post("/api/git/commit", given).status == 400
    assert git("rev-parse", "HEAD") == before


@pytest.mark.parametrize("path", [":(top)other.txt", "--all", "*", "none.json"])
def test_a_path_is_a_path(anna: Browser, git: Run, root: Path, path: str) -> None:
    """A path is neither a pattern, nor an option, nor a keyword of git."""
    before = git("rev-parse", "HEAD")
    (root / "a.json").write_text("[2]\n")
    (root.parent / "other.txt").write_text("changed\n")
    found = anna.post("/api/git/commit", {"message": "m", "paths": [path]})
    assert (found.status, found.problem.startswith("git: ")) == (409, True)
    assert git("rev-parse", "HEAD") == before


def test_a_hook_says_no(anna: Browser, git: Run, root: Path) -> None:
    hook = root.parent / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    (root / "a.json").write_text("[3]\n")
    try:
        found = anna.post("/api/git/commit", {"message": "m", "paths": ["a.json"]})
    finally:
        hook.unlink()
    assert found.status == 409
    assert "not today" in found.problem


def test_a_hook_that_hangs(git: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook and the processes that it has started are ended."""
    monkeypatch.setattr(git_module, "COMMIT_S", 1.0)
    hook = root.parent / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nsleep 600\n")
    hook.chmod(0o755)
    (root / "a.json").write_text("[4]\n")
    begun = time.monotonic()
    try:
        with pytest.raises(Refusal, match="did not end within 1 s"):
            Git(root).commit("m", ["a.json"])
    finally:
        hook.unlink()
        (root.parent / ".git" / "index.lock").unlink(missing_ok=True)
    assert time.monotonic() - begun < 300, "it was waited for"


def test_no_repository(tmp_path: Path) -> None:
    found = Git(tmp_path).status()
    assert found == {"is_repository": False, "branch": None, "files": []}


def test_no_commit_yet(tmp_path: Path, git: Run) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / "a.json").write_text("{}\n")
    assert Git(tmp_path).status()["files"] == [{"path": "a.json", "status": "new"}]
    assert "+{}" in Git(tmp_path).difference("a.json")["diff"]
