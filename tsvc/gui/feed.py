"""The live feed: viewers, and their topics, each of which is polled once a second."""

import secrets
import time
from collections.abc import Callable

from tsvc.gui.asked import Refusal
from tsvc.gui.daemons import Daemons
from tsvc.gui.sessions import Session
from tsvc.gui.topics import DaemonTopic, RunTopic, Topic
from tsvc.gui.viewer import Key, Viewer
from tsvc.values import dataclass

MOST_VIEWERS = 500
MOST_TOPICS = 100  # of one viewer
KEPT_S = 60.0  # how long the topics of a browser that lost its connection are kept


@dataclass(frozen=True, slots=True)
class _Left:
    """The topics of a viewer whose stream has ended."""

    owner: str
    keys: tuple[Key, ...]
    until: float


class Feed:
    """All viewers and topics of a GUI. Nothing here blocks: topics poll in their own greenlets."""

    def __init__(self, daemons: Daemons, is_valid: Callable[[Session], bool]) -> None:
        self._daemons = daemons
        self._is_valid = is_valid
        self._viewers: dict[str, Viewer] = {}
        self._topics: dict[Key, Topic] = {}
        self._left: dict[str, _Left] = {}

    def open(self, session: Session, last_event_id: str = "") -> Viewer:
        """Return a new viewer. The caller must call close() when its stream ends.

        With the id of the last event of a lost stream, the viewer gets the topics of that stream.
        Errors: Refusal 503 if there are too many viewers.
        """
        name = last_event_id.rpartition("-")[0]
        lost = self._viewers.get(name)
        if lost is not None and lost.owner == session.key:
            self.close(lost)  # its connection is dead, which was not noticed yet
        if len(self._viewers) >= MOST_VIEWERS:
            raise Refusal(503, f"{MOST_VIEWERS} browsers look already")
        kept = self._left.get(name)
        if kept is None or kept.owner != session.key or kept.until < time.monotonic():
            kept, name = None, secrets.token_hex(12)
        viewer = Viewer(name, session.key, lambda: self._is_valid(session))
        self._viewers[name] = viewer
        if kept is not None:
            del self._left[name]
            self._look_at(viewer, kept.keys)
        return viewer

    def close(self, viewer: Viewer) -> None:
        """Remove a viewer; topics without viewers are no longer polled."""
        if self._viewers.get(viewer.name) is not viewer:
            return
        now = time.monotonic()
        self._left = {name: one for name, one in self._left.items() if one.until >= now}
        keys = tuple(viewer.topics)
        if keys and len(self._left) < MOST_VIEWERS:
            self._left[viewer.name] = _Left(viewer.owner, keys, now + KEPT_S)
        del self._viewers[viewer.name]
        self._look_at(viewer, ())
        viewer.end()

    def subscribe(self, session: Session, name: str, keys: tuple[Key, ...]) -> None:
        """Replace the topics of a viewer. Errors: Refusal 404 if it is not of this session."""
        viewer = self._viewers.get(name)
        if viewer is None or viewer.owner != session.key:
            raise Refusal(404, "there is no such viewer, or it has lost its stream")
        self._look_at(viewer, keys)

    def _look_at(self, viewer: Viewer, keys: tuple[Key, ...]) -> None:
        wanted = {key: self._topic(key) for key in keys}
        for key, topic in list(self._topics.items()):
            if key in wanted:
                is_new = viewer not in topic.viewers
                topic.viewers.add(viewer)
                # A run that is over may have been followed by another run with its name.
                if is_new:
                    topic.start()
                continue
            topic.viewers.discard(viewer)
            if not topic.viewers:
                topic.stop()
                del self._topics[key]
        viewer.look_at(dict(wanted))

    def _topic(self, key: Key) -> Topic:
        found = self._topics.get(key)
        if found is None:
            daemon, run_id = key
            class_ = DaemonTopic if run_id is None else RunTopic
            found = self._topics[key] = class_(key, self._daemons[daemon])
        return found
