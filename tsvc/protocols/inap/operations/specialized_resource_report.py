"""SpecializedResourceReport: an announcement is over (or, in CAP v4, has begun).

The argument is NULL up to CAP v3, given or not: the key `null` is filled in on receipt. In CAP v4
it says what is reported, allAnnouncementsComplete if nothing is given.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from collections.abc import Mapping
from typing import Any

from tsvc.protocols.asn1 import ByVariant, Choice, Null, m
from tsvc.protocols.facts import flag
from tsvc.protocols.inap.operation import ALL, CAMEL4, NOT_CAMEL1, SSP_OR_SRF, Operation, declare


class Report(Choice):
    """A choice whose first alternative is sent where nothing is given."""

    def encode_members(self, args: Mapping[str, Any]) -> bytes:
        return super().encode_members(args or {self.members[0].name: 1})


ARGUMENT = ByVariant(
    {
        ALL - CAMEL4: Report(m("null", None, Null())),
        CAMEL4: Report(
            m("allAnnouncementsComplete", 50, Null()), m("firstAnnouncementStarted", 51, Null())
        ),
    }
)

SPECIALIZED_RESOURCE_REPORT = declare(
    Operation(
        name="SpecializedResourceReport",
        short_name="SRR",
        code=49,
        operation_class=4,
        sent_by=SSP_OR_SRF,
        variants=NOT_CAMEL1,
        summary="report that an announcement is over",
        argument=ARGUMENT,
        linked_to=("PlayAnnouncement", "PromptAndCollectUserInformation"),
        facts=(
            flag("all announcements complete", "allAnnouncementsComplete"),
            flag("first announcement started", "firstAnnouncementStarted"),
        ),
    )
)
