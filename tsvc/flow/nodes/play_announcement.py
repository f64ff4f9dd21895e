"""PlayAnnouncement: play one announcement."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tsvc.flow.announcements import Announcement
from tsvc.flow.call import CallFacts, Play
from tsvc.flow.fields import Announced, NodeSchema
from tsvc.flow.node import Node, NodeRun, Serves, Site, register


@register
class PlayAnnouncement(Node):
    """Play an announcement and go on if the caller is still there."""

    type = "PlayAnnouncement"
    summary = "Plays an announcement; a caller who hangs up meanwhile ends the flow."
    serves: ClassVar[Serves | None] = "calls"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Played",),)
    exit_help: ClassVar[Mapping[str, str]] = {"Played": "the announcement is over"}
    example: ClassVar[Mapping[str, object]] = {
        "config": {"announcement": {"set": "Site Prompts", "entry": "Welcome"}},
        "exits": [3],
    }

    class Config(NodeSchema):
        """The announcement."""

        announcement = Announced(required=True, help="what is played")

    def __init__(self, announcement: Announcement) -> None:
        self._play = Play(announcement)

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "PlayAnnouncement":
        """Return the node."""
        return cls(site.announcement(config["announcement"], "announcement"))

    def run(self, call: CallFacts) -> NodeRun:
        """Play to the end."""
        yield self._play
        return 0
