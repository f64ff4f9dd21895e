"""Continue: the SCP lets the SSP continue the call, unchanged or with changes.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1); of CS-2's ContinueWithArgument only the members
that it shares with CAP, and the leg
"""

from tsvc.protocols.asn1 import Choice, Integer, Null, Octets, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import ALL, CAMEL3_UP, CAMEL4, CS, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, SERVICE_INTERACTION_INDICATORS_TWO
from tsvc.protocols.party_number import GENERIC_NUMBER, LOCATION_NUMBER

declare(
    Operation(
        name="Continue",
        short_name="CUE",
        code=31,
        operation_class=4,
        sent_by=SCP,
        variants=ALL,
        summary="go on with the call as it stands",
    )
)

LEG_OR_CALL_SEGMENT = Choice(m("callSegmentID", 0, Integer(1, 127)), m("legID", 1, LEG_ID))
ARGUMENT_EXTENSION = Sequence(
    m("suppress-D-CSI", 0, Null()),
    m("suppress-N-CSI", 1, Null()),
    m("suppressOutgoingCallBarring", 2, Null()),
    m("legOrCallSegment", 3, LEG_OR_CALL_SEGMENT),
)

declare(
    Operation(
        name="ContinueWithArgument",
        short_name="CWA",
        code=88,
        operation_class=2,
        sent_by=SCP,
        variants=(CS - {"cs1"}) | CAMEL3_UP,
        summary="go on with the call, changed by what is given",
        argument=Sequence(
            m("legID", 0, LEG_ID, only=CS),
            m("alertingPattern", 1, Octets(3, 3)),
            m("extensions", 6, EXTENSIONS),
            m("serviceInteractionIndicatorsTwo", 7, SERVICE_INTERACTION_INDICATORS_TWO),
            m("callingPartysCategory", 12, Octets(1, 1)),
            m("genericNumbers", 16, SequenceOf(GENERIC_NUMBER, 1, 5), only=CAMEL3_UP),
            m("cug-Interlock", 17, Octets(4, 4), only=CAMEL3_UP),
            m("cug-OutgoingAccess", 18, Null(), only=CAMEL3_UP),
            m("chargeNumber", 50, LOCATION_NUMBER, only=CAMEL3_UP),
            m("carrier", 52, Octets(4, 4), only=CAMEL3_UP),
            m("suppressionOfAnnouncement", 55, Null(), only=CAMEL3_UP),
            m("naOliInfo", 56, Octets(1, 1), only=CAMEL3_UP),
            m("bor-InterrogationRequested", 57, Null(), only=CAMEL3_UP),
            m("suppress-O-CSI", 58, Null(), only=CAMEL3_UP),
            m("continueWithArgumentArgExtension", 59, ARGUMENT_EXTENSION, only=CAMEL4),
        ),
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownLegID",
            "unknownCSID",
        ),
        example={"alertingPattern_hex": "000001", "callingPartysCategory_hex": "0a"},
    )
)
