"""Routes of the workspace: files, git, definitions, reports.

Writes are done one after the other, so that none changes a file that another has just checked.
"""

from collections.abc import Callable
from typing import Any

from gevent.lock import BoundedSemaphore

from tsvc.gui.asked import Answer, Asked, Refusal, json_answer, list_of, text_of
from tsvc.gui.daemons import Daemons, daemon_of
from tsvc.gui.definition import params_in
from tsvc.gui.files import Files
from tsvc.gui.git import Git
from tsvc.gui.offload import off_loop
from tsvc.gui.reports import Wanted, export, suite
from tsvc.gui.workspace import Workspace
from tsvc.numbers import encode_exactly
from tsvc.words import kind_of

MOST_RUNS = 1000
MOST_PATHS = 1000
_LONGEST_MESSAGE = 10_000


class Folder:
    """/api/files, /api/file, /api/git, /api/definition, /api/export, /api/suite."""

    def __init__(self, workspace: Workspace | None, daemons: Daemons) -> None:
        self._given = workspace
        self._daemons = daemons
        self._writing = BoundedSemaphore(1)

    # -- files -----------------------------------------------------------------------------------

    def files(self, asked: Asked) -> Answer:
        """List the workspace."""
        return json_answer(off_loop(self._workspace.listing))

    def read(self, asked: Asked) -> Answer:
        """Return a file."""
        return json_answer(off_loop(self._files.read, _query(asked, "path")))

    def save(self, asked: Asked) -> Answer:
        """Write a file."""
        given = asked.document()
        path, text, etag = text_of(given, "path"), text_of(given, "text"), _etag(given)
        if bool(given.get("is_new", etag is None)) != (etag is None):
            raise Refusal(400, "a new file has the etag null, another one has its own")
        return self._written(self._files.save, path, text, etag)

    def move(self, asked: Asked) -> Answer:
        """Rename a file or folder."""
        given = asked.document()
        return self._written(self._files.move, text_of(given, "from"), text_of(given, "to"))

    def delete(self, asked: Asked) -> Answer:
        """Remove a file or an empty folder."""
        given = asked.document()
        return self._written(self._files.delete, text_of(given, "path"), _etag(given))

    def make_folder(self, asked: Asked) -> Answer:
        """Make a folder."""
        return self._written(self._files.make_folder, text_of(asked.document(), "path"))

    # -- git -------------------------------------------------------------------------------------

    def git_status(self, asked: Asked) -> Answer:
        """Return git's status of the workspace."""
        return json_answer(self._git.status())

    def git_diff(self, asked: Asked) -> Answer:
        """Return how a file differs from the last commit."""
        return json_answer(self._git.difference(self._checked(_query(asked, "path"))))

    def git_commit(self, asked: Asked) -> Answer:
        """Commit files."""
        given = asked.document()
        message = text_of(given, "message")
        if not message.strip() or len(message) > _LONGEST_MESSAGE or "\0" in message:
            raise Refusal(400, f"a message has 1 to {_LONGEST_MESSAGE} characters")
        paths = [self._checked(one) for one in list_of(given, "paths", MOST_PATHS)]
        if not paths:
            raise Refusal(400, "paths has one path at least")
        with self._writing:
            return json_answer(self._git.commit(message, paths))

    # -- definitions and reports -----------------------------------------------------------------

    def definition(self, asked: Asked) -> Answer:
        """Return the params of ExecuteTest for a file."""
        given = asked.document()
        text = None if given.get("text") is None else text_of(given, "text")
        over = None if given.get("environment") is None else text_of(given, "environment")
        params = off_loop(params_in, self._workspace, text_of(given, "path"), text, over)
        return Answer(encode_exactly({"params": params}))

    def export(self, asked: Asked) -> Answer:
        """Return a report about a run."""
        daemon = daemon_of(self._daemons, asked.query.get("daemon"))
        number = asked.query.get("result")
        if number is not None and not (number.isascii() and number.isdigit()):
            raise Refusal(400, "result must be a number of the archive")
        if number is None and not asked.query.get("run"):
            raise Refusal(400, "run or result is needed")
        wanted = Wanted(asked.query.get("run"), None if number is None else int(number))
        return export(daemon, wanted, _query(asked, "format"), asked.query.get("name"))

    def suite(self, asked: Asked) -> Answer:
        """Return a report about the runs of many files."""
        given = asked.document()
        runs = list_of(given, "runs", MOST_RUNS)
        if not all(isinstance(run, dict) for run in runs):
            raise Refusal(400, "each of runs must be an object")
        return suite(self._daemons, text_of(given, "format"), runs)

    # -- helpers ---------------------------------------------------------------------------------

    @property
    def _workspace(self) -> Workspace:
        if self._given is None:
            raise Refusal(404, "there is no workspace: start tsvc gui with --workspace")
        return self._given

    @property
    def _files(self) -> Files:
        return Files(self._workspace)

    @property
    def _git(self) -> Git:
        return Git(self._workspace.root)

    def _checked(self, path: Any) -> str:
        if not isinstance(path, str):
            raise Refusal(400, f"a path must be a text, not {kind_of(path)}")
        self._workspace.place(path)
        return path

    def _written(self, write: Callable[..., dict[str, Any]], *given: Any) -> Answer:
        with self._writing:
            return json_answer(off_loop(write, *given))


def _query(asked: Asked, name: str) -> str:
    value = asked.query.get(name)
    if not value:
        raise Refusal(400, f"{name} is missing")
    return value


def _etag(given: dict[str, Any]) -> str | None:
    return None if given.get("etag") is None else text_of(given, "etag")
