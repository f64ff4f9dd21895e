"""Routes for calls of a daemon's methods, and for the live feed."""

from collections.abc import Iterator

from tsvc.gui.asked import Answer, Asked, Refusal, json_answer, list_of, text_of
from tsvc.gui.daemons import Daemons, daemon_of
from tsvc.gui.feed import MOST_TOPICS, Feed
from tsvc.gui.roles import problem_of
from tsvc.gui.viewer import Key, Viewer
from tsvc.words import kind_of


class Calls:
    """POST /api/call, GET and POST /api/feed."""

    def __init__(self, daemons: Daemons, feed: Feed) -> None:
        self._daemons = daemons
        self._feed = feed

    def call(self, asked: Asked) -> Answer:
        """Call a method and return its response unchanged. Blocks: on the daemon."""
        document = asked.document()
        daemon = daemon_of(self._daemons, document.get("daemon"))
        method = text_of(document, "method")
        params = document.get("params") or {}
        if not isinstance(params, dict):
            raise Refusal(400, f"params must be an object, not {kind_of(params)}")
        problem = problem_of(asked.session.role, method, params)
        if problem:
            raise Refusal(403, problem)
        return Answer(daemon.call(method, params))

    def look(self, asked: Asked) -> Answer:
        """Open a stream of events."""
        viewer = self._feed.open(asked.session, asked.headers.get("last-event-id", ""))
        return Answer(_Stream(self._feed, viewer), type="text/event-stream")

    def subscribe(self, asked: Asked) -> Answer:
        """Replace the topics of a viewer."""
        document = asked.document()
        keys = tuple(map(self._key, list_of(document, "topics", MOST_TOPICS)))
        self._feed.subscribe(asked.session, text_of(document, "viewer"), keys)
        return json_answer({})

    def _key(self, topic: object) -> Key:
        if not isinstance(topic, dict):
            raise Refusal(400, f"a topic must be an object, not {kind_of(topic)}")
        daemon = daemon_of(self._daemons, topic.get("daemon")).name
        return daemon, text_of(topic, "run") if "run" in topic else None


class _Stream:
    """The octets of a viewer's stream; close() when the browser is gone."""

    def __init__(self, feed: Feed, viewer: Viewer) -> None:
        self._feed = feed
        self._viewer = viewer

    def __iter__(self) -> Iterator[bytes]:
        return self._viewer.stream()

    def close(self) -> None:
        self._feed.close(self._viewer)
