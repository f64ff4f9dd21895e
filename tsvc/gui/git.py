"""git for the workspace: status, difference, commit. No push, no pull, no history.

git runs as a separate process, without a shell, with literal paths after `--`, and is killed after
a timeout. It never prompts and starts no external diff program. The hooks of a commit are run,
because they are the user's own rules.
"""

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tsvc.gui.asked import Refusal

LOOK_S = 10.0
COMMIT_S = 60.0
_LONGEST_DIFF = 1 << 20
_HARMLESS = ("--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
_WORDS = {"M": "changed", "A": "added", "D": "deleted", "R": "renamed", "C": "copied"}


class Git:
    """The repository that contains a folder, if there is one. All methods block on a process."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def status(self) -> dict[str, Any]:
        """Return {is_repository, branch, files: [{path, status}]}, paths of the workspace."""
        nothing: dict[str, Any] = {"is_repository": False, "branch": None, "files": []}
        try:
            prefix = self._run(["rev-parse", "--show-prefix"]).rstrip("\n")
        except (Refusal, FileNotFoundError):
            return nothing
        found = self._run(["status", "--porcelain=v2", "--branch", "-z", "-uall", "--", "."])
        head = re.search(r"(?:^|\0)# branch\.head ([^\0]*)", found)
        branch = head[1] if head is not None and head[1] != "(detached)" else None
        return {"is_repository": True, "branch": branch, "files": _files(found, prefix)}

    def difference(self, path: str) -> dict[str, Any]:
        """Return {diff, truncated} of a path: the change that a commit of it would make."""
        plain = ["--no-ext-diff", "--no-textconv", "--no-color"]
        has_head = self._succeeds(["rev-parse", "--verify", "--quiet", "HEAD"])
        if has_head and self._succeeds(["ls-files", "--error-unmatch", "--", path]):
            diff = self._run(["diff", *plain, "HEAD", "--", path])
        else:
            if not (self._root / path).is_file():
                raise Refusal(404, f"{path}: there is no such file")
            # git exits with 1 if there is a difference.
            arguments = ["diff", "--no-index", *plain, "--", os.devnull, path]
            diff = self._run(arguments, fine=(0, 1))
        return {"diff": diff[:_LONGEST_DIFF], "truncated": len(diff) > _LONGEST_DIFF}

    def commit(self, message: str, paths: Sequence[str]) -> dict[str, Any]:
        """Commit only these paths, as they are on the disk. Return {commit}."""
        self._run(["add", "--all", "--", *paths])
        words = ["commit", "--quiet", "--only", f"--message={message}", "--", *paths]
        self._run(words, seconds=COMMIT_S)
        return {"commit": self._run(["rev-parse", "HEAD"]).strip()}

    def _succeeds(self, arguments: Sequence[str]) -> bool:
        try:
            self._run(arguments)
        except Refusal:
            return False
        return True

    def _run(
        self, arguments: Sequence[str], *, seconds: float = LOOK_S, fine: tuple[int, ...] = (0,)
    ) -> str:
        """Return the output of git. Errors: Refusal 409 with git's message, FileNotFoundError."""
        process = subprocess.Popen(
            ["git", *_HARMLESS, *arguments],
            cwd=self._root,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the group, so that its hooks end too
            process.communicate()
            raise Refusal(409, f"git did not end within {seconds:g} s") from None
        if process.returncode not in fine:
            words = (
                err.decode("utf-8", "replace").strip() or out.decode("utf-8", "replace").strip()
            )
            raise Refusal(409, f"git: {words[:2000]}")
        return out.decode("utf-8", "replace")


def _files(porcelain: str, prefix: str) -> list[dict[str, str]]:
    """Return the files in the output of `git status --porcelain=v2 -z`.

    Entries end with NUL; entries of renamed files have two names.
    """
    found: list[dict[str, str]] = []
    entries = iter(porcelain.split("\0"))
    for entry in entries:
        kind, _, rest = entry.partition(" ")
        if kind == "?":
            path, status = rest, "new"
        elif kind in ("1", "2"):
            fields = rest.split(" ", 7 if kind == "1" else 8)
            letter = next((sign for sign in fields[0] if sign != "."), "M")
            path, status = fields[-1], _WORDS.get(letter, "changed")
            if kind == "2":
                next(entries, None)
        elif kind == "u":
            path, status = rest.split(" ", 9)[-1], "conflict"
        else:
            continue
        hidden = any(part.startswith(".") for part in path.removeprefix(prefix).split("/"))
        if path.startswith(prefix) and not hidden:
            found.append({"path": path.removeprefix(prefix), "status": status})
    return sorted(found, key=lambda one: one["path"])
