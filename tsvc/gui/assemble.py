"""The assembly of a GUI from its settings."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tsvc.gui.app import App
from tsvc.gui.assets import Assets
from tsvc.gui.calls import Calls
from tsvc.gui.daemons import Daemons
from tsvc.gui.entering import Entering
from tsvc.gui.feed import Feed
from tsvc.gui.folder import Folder
from tsvc.gui.roles import Role
from tsvc.gui.routes import routes
from tsvc.gui.sessions import Invitation, Sessions
from tsvc.gui.users import Attempts, User
from tsvc.gui.workspace import Workspace
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a GUI."""

    assets: Assets
    daemons: Daemons
    workspace: Path | None
    users: Mapping[str, User] | None
    hosts: Sequence[str]
    """The names by which browsers may address this server; the first one is shown to users."""

    scheme: str
    most_role: Role
    tell: Callable[[str], None]
    """Shows users the path that they should open."""


class Gui:
    """The application, and the path by which users enter it."""

    def __init__(self, settings: Settings) -> None:
        self._tell = settings.tell
        # If there are users, they log in with their names, and no invitation is needed.
        self._invitation = Invitation() if settings.users is None else None
        sessions = Sessions(time.monotonic, settings.most_role)
        entering = Entering(
            sessions,
            Attempts(time.monotonic),
            users=settings.users,
            invitation=self._invitation,
            on_invited=self.invite,
            daemons=settings.daemons,
            has_workspace=settings.workspace is not None,
            is_secure=settings.scheme == "https",
            is_read_only=settings.most_role is Role.VIEWER,
        )
        calls = Calls(settings.daemons, Feed(settings.daemons, sessions.is_valid))
        workspace = None if settings.workspace is None else Workspace(settings.workspace)
        folder = Folder(workspace, settings.daemons)
        self.app = App(
            routes(settings.assets, entering, calls, folder),
            sessions,
            hosts=settings.hosts,
            scheme=settings.scheme,
        )

    @property
    def path(self) -> str:
        """The path to open: a one-time address, or the page with the login."""
        return "/" if self._invitation is None else self._invitation.path

    def invite(self) -> None:
        """Show users the path to open: at the start, and again each time that it was used."""
        self._tell(self.path)
