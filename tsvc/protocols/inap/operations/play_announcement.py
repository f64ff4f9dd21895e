"""PlayAnnouncement: the resource plays announcements or a tone.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import Boolean, Integer, Sequence, Tree, m
from tsvc.protocols.facts import fact, flag
from tsvc.protocols.inap.facts import announcement, repetitions
from tsvc.protocols.inap.operation import CAMEL4, NOT_CAMEL1, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, INFORMATION_TO_SEND, renamed

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
    """Take the later name of requestAnnouncementComplete too."""
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
