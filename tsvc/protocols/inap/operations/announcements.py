"""PlayAnnouncement, PlayTone, and SpecializedResourceReport about the end of an announcement.

The report's argument is NULL up to CAP v3, whether given or not: the key `null` is filled in on
receipt. In CAP v4 it is the event, allAnnouncementsComplete if nothing is given.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from collections.abc import Mapping
from typing import Any

from tsvc.protocols.asn1 import Boolean, ByVariant, Choice, Integer, Null, Sequence, Tree, m
from tsvc.protocols.facts import fact, flag
from tsvc.protocols.inap.facts import announcement, repetitions
from tsvc.protocols.inap.operation import (
    ALL,
    CAMEL4,
    NOT_CAMEL1,
    SCP,
    SSP_OR_SRF,
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import BURSTS, EXTENSIONS, INFORMATION_TO_SEND, LEG_ID, renamed
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT

ARGUMENT = Sequence(
    m("informationToSend", 0, INFORMATION_TO_SEND, required=True),
    m("disconnectFromIPForbidden", 1, Boolean()),
    m("requestAnnouncementComplete", 2, Boolean()),
    m("extensions", 3, EXTENSIONS),
    m("callSegmentID", 5, Integer(1, 127), only=CAMEL4),
    m("requestAnnouncementStartedNotification", 51, Boolean(), only=CAMEL4),
)


_SPELLING = "requestAnnouncementCompleteNotification"


def expand(tree: Tree) -> Tree:
    """Accept the later name of requestAnnouncementComplete too."""
    return renamed(tree, {_SPELLING: "requestAnnouncementComplete"})


PLAY_ANNOUNCEMENT = declare(
    Operation(
        name="PlayAnnouncement",
        short_name="PA",
        code=47,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="play announcements or a tone to the user",
        argument=ARGUMENT,
        errors=(
            "canceled",
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unavailableResource",
            "unknownCSID",
        ),
        timer_s=1800.0,
        expand=expand,
        shorthands=frozenset({_SPELLING}),
        facts=(
            announcement,
            repetitions,
            fact("duration", "informationToSend.inbandInfo.duration", "s"),
            fact("duration", "informationToSend.tone.duration", "s"),
            flag("report when over", "requestAnnouncementComplete"),
            flag("may disconnect", "disconnectFromIPForbidden", 0),
        ),
        example={
            "informationToSend": {
                "inbandInfo": {
                    "messageID": {"elementaryMessageID": 1001},
                    "numberOfRepetitions": 1,
                }
            },
            "disconnectFromIPForbidden": 1,
            "requestAnnouncementComplete": 1,
        },
    )
)


LEG_OR_CALL_SEGMENT = Choice(m("callSegmentID", 0, CALL_SEGMENT), m("legID", 1, LEG_ID))
TONE = Sequence(
    m("legOrCallSegment", 0, LEG_OR_CALL_SEGMENT, required=True),
    m("bursts", 1, BURSTS, required=True),
    m("extensions", 2, EXTENSIONS),
)

PLAY_TONE = declare(
    Operation(
        name="PlayTone",
        code=97,
        operation_class=2,
        sent_by=SCP,
        variants=CAMEL4,
        summary="play a tone to one leg or call segment",
        argument=TONE,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownLegID",
            "unknownCSID",
        ),
        example={
            "legOrCallSegment": {"legID": {"sendingSideID_hex": "01"}},
            "bursts": {"numberOfBursts": 1, "burstInterval": 2},
        },
    )
)


class Report(Choice):
    """A choice whose first alternative is sent if nothing is given."""

    def encode_members(self, args: Mapping[str, Any]) -> bytes:
        return super().encode_members(args or {self.members[0].name: 1})


REPORT = ByVariant(
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
        argument=REPORT,
        is_argument_optional=True,
        linked_to=("PlayAnnouncement", "PromptAndCollectUserInformation"),
        facts=(
            flag("all announcements complete", "allAnnouncementsComplete"),
            flag("first announcement started", "firstAnnouncementStarted"),
        ),
    )
)
