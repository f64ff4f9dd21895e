"""The table of routes: method, path, handler, and the role that may use it.

A route that is not a GET is a write: it needs the CSRF token and our own origin, except for the
login. Tests try every row of this table with every role.
"""

from collections.abc import Callable

from tsvc.gui.asked import Answer, Asked
from tsvc.gui.assets import Assets
from tsvc.gui.calls import Calls
from tsvc.gui.entering import Entering
from tsvc.gui.folder import Folder
from tsvc.gui.roles import Role
from tsvc.values import dataclass

MIB = 1 << 20
LONGEST_BODY = MIB
LONGEST_FILE_BODY = 4 * MIB


@dataclass(frozen=True, slots=True)
class Route:
    """A route. `role`: the lowest role that may use it; None: no session is needed."""

    method: str
    path: str
    handler: Callable[[Asked], Answer]
    role: Role | None
    longest_body: int = LONGEST_BODY
    is_way_in: bool = False

    @property
    def needs_csrf(self) -> bool:
        """True if the route is a write."""
        return self.method != "GET" and not self.is_way_in


def routes(assets: Assets, entering: Entering, calls: Calls, folder: Folder) -> list[Route]:
    """Return all routes."""
    return [
        Route("GET", "/", assets.index, None),
        Route("GET", "/static/<name>", assets.file, None),
        Route("GET", "/enter/<token>", entering.invited, None, is_way_in=True),
        Route("POST", "/api/enter", entering.enter, None, is_way_in=True),
        Route("GET", "/api/session", entering.session, None),
        Route("POST", "/api/leave", entering.leave, Role.VIEWER),
        Route("POST", "/api/call", calls.call, Role.VIEWER),
        Route("GET", "/api/feed", calls.look, Role.VIEWER),
        Route("POST", "/api/feed", calls.subscribe, Role.VIEWER),
        Route("GET", "/api/files", folder.files, Role.VIEWER),
        Route("GET", "/api/file", folder.read, Role.VIEWER),
        Route("POST", "/api/file", folder.save, Role.AUTHOR, LONGEST_FILE_BODY),
        Route("POST", "/api/file/move", folder.move, Role.AUTHOR),
        Route("POST", "/api/file/delete", folder.delete, Role.AUTHOR),
        Route("POST", "/api/file/folder", folder.make_folder, Role.AUTHOR),
        Route("GET", "/api/git", folder.git_status, Role.VIEWER),
        Route("GET", "/api/git/diff", folder.git_diff, Role.VIEWER),
        Route("POST", "/api/git/commit", folder.git_commit, Role.AUTHOR),
        Route("POST", "/api/definition", folder.definition, Role.VIEWER, LONGEST_FILE_BODY),
        Route("GET", "/api/export", folder.export, Role.VIEWER),
        Route("POST", "/api/suite", folder.suite, Role.VIEWER),
    ]
