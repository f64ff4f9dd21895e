"""Types that several INAP and CAP operations share.

Source: TS 29.078 (CAP-datatypes), ETS 300 374-1 (IN-CS1-DataTypes)
"""

from tsvc.protocols.asn1 import (
    Choice,
    Enumerated,
    Integer,
    Null,
    Octets,
    Sequence,
    SequenceOf,
    m,
)
from tsvc.protocols.inap._base import CAMEL4, CS
from tsvc.protocols.inap.bcsm import EVENT_NAMES
from tsvc.protocols.party_number import ISDN_ADDRESS, LOCATION_NUMBER

EVENT_TYPE = Enumerated(EVENT_NAMES)

LEG_ID = Choice(m("sendingSideID", 0, Octets(1, 1)), m("receivingSideID", 1, Octets(1, 1)))
SENDING_SIDE = Choice(m("sendingSideID", 0, Octets(1, 1)))
RECEIVING_SIDE = Choice(m("receivingSideID", 1, Octets(1, 1)))

CALL_SEGMENT_ID = m("callSegmentID", 50, Integer(1, 127), only=CAMEL4)

# type is a local INTEGER or a global OBJECT IDENTIFIER; value holds whatever the type says.
EXTENSION = Sequence(
    m("type", None, Integer(-(2**31), 2**31 - 1)),
    m("criticality", None, Enumerated({0: "ignore", 1: "abort"})),
    m("value", 1, Octets()),
)
EXTENSIONS = SequenceOf(EXTENSION, 1, 10)

BEARER_CAPABILITY = Choice(m("bearerCap", 0, Octets(2, 11)), m("tmr", 1, Octets(1, 1), only=CS))

CELL_OR_LAI = Choice(
    m("cellGlobalIdOrServiceAreaIdFixedLength", 0, Octets(7, 7)),
    m("laiFixedLength", 1, Octets(5, 5)),
)
LOCATION_INFORMATION = Sequence(
    m("ageOfLocationInformation", None, Integer(0, 32767, unit="min")),
    m("geographicalInformation", 0, Octets(8, 8)),
    m("vlr-number", 1, ISDN_ADDRESS),
    m("locationNumber", 2, LOCATION_NUMBER),
    m("cellGlobalIdOrServiceAreaIdOrLAI", 3, CELL_OR_LAI),
    m("selectedLSA-Id", 5, Octets(3, 3)),
    m("msc-Number", 6, ISDN_ADDRESS),
    m("geodeticInformation", 7, Octets(10, 10)),
    m("currentLocationRetrieved", 8, Null()),
    m("sai-Present", 9, Null()),
)

MISC_CALL_INFO = Sequence(
    m("messageType", 0, Enumerated({0: "request", 1: "notification"}), required=True),
    m(
        "dpAssignment",
        1,
        Enumerated({0: "individualLine", 1: "groupBased", 2: "officeBased"}),
        only=CS,
    ),
)
