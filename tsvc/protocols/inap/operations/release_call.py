"""ReleaseCall: the SCP releases the call, with a cause.

The argument is a bare Cause, `initialCallSegment`. CAP v4 may send it with extensions instead:
`allCallSegmentsWithExtension`.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import Choice, Sequence, Tree, m
from tsvc.protocols.inap.facts import cause
from tsvc.protocols.inap.operation import ALL, CAMEL4, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, renamed
from tsvc.protocols.party_number import CAUSE

ARGUMENT = Choice(
    m("initialCallSegment", None, CAUSE),
    m(
        "allCallSegmentsWithExtension",
        2,
        Sequence(m("allCallSegments", 0, CAUSE, required=True), m("extensions", 1, EXTENSIONS)),
        only=CAMEL4,
    ),
)


_SPELLING = "allCallSegments"


def expand(tree: Tree) -> Tree:
    """Accept CAP v4's name of the cause too."""
    if "allCallSegmentsWithExtension" in tree:
        return tree
    return renamed(tree, {_SPELLING: "initialCallSegment"})


RELEASE_CALL = declare(
    Operation(
        name="ReleaseCall",
        short_name="RC",
        code=22,
        operation_class=4,
        sent_by=SCP,
        variants=ALL,
        summary="take the call down, with a cause",
        argument=ARGUMENT,
        expand=expand,
        shorthands=frozenset(CAUSE.keys(_SPELLING)),
        facts=(
            cause("initialCallSegment_cause"),
            cause("allCallSegmentsWithExtension.allCallSegments_cause"),
        ),
        example={"initialCallSegment_cause": 16},
    )
)
