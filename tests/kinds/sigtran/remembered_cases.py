"""Random definitions, and random messages of an SCP for them to meet."""

from support.scripted_scp import evaluate, expect, operation, send

INSTANCES = 12


def many(total=INSTANCES, backlog=1):
    return {"type": "load", "total": total, "backlog": backlog}


# Operations of an SCP, each in several forms; some deviate, some are empty.
SAID = {
    "Connect": [
        {"destinationRoutingAddress_digits": "4329100"},
        {"destinationRoutingAddress_digits": "4329101"},
        {"destinationRoutingAddress_digits": "4329100", "destinationRoutingAddress_noa": 3},
        b"\x30\x03\x80\x01\x00",
        b"\x30\x05\xa0\x03\x04\x01\x83",
        b"\x04\x01\x00",
        None,
    ],
    "RequestReportBCSMEvent": [
        {"oAnswer": 1, "oDisconnectLeg1": 1, "oDisconnectLeg2": 1},
        {"oDisconnectLeg2": 1, "oAnswer": 1},
        {"oAnswer": 1, "oNoAnswer_timer": 20},
        {"oAnswer": 1, "oNoAnswer_timer": 30, "oAbandon": 1},
        b"\x30\x04\xa0\x02\x30\x00",
    ],
    "ReleaseCall": [
        {"initialCallSegment_cause": 16},
        {"initialCallSegment_cause": 31},
        b"\x04\x02\x80\x90",
        b"\x04\x00",
    ],
    "FurnishChargingInformation": [
        {"fCIBillingChargingCharacteristics_hex": "a0 06 80 01 2a a1 01 01"},
        b"\x04\x03\x80\x01\x2a",
        b"\x04\x81\xff" + bytes(255),
    ],
    "PlayAnnouncement": [
        {"informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 7}}}},
        {"informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 8}}}},
        b"\x30\x06\xa0\x04\xa0\x02\x80\x00",
    ],
    "Continue": [None],
}
EXPECTED = {
    "Connect": [
        {"destinationRoutingAddress_digits": "4329100"},
        {"!destinationRoutingAddress_digits": "4329101", "alertingPattern": None},
        {"destinationRoutingAddress_noa": "3", "!alertingPattern": None},
        {"destinationRoutingAddress_digits": "{ $v->{number} }", "alertingPattern": None},
        {"destinationRoutingAddress_digits": "{ '43291' . '00' }"},
        {"destinationRoutingAddress": None},
        {"destinationRoutingAddress": ["x"], "destinationRoutingAddress_hex": ["02"]},
    ],
    "RequestReportBCSMEvent": [
        {"oAnswer": 1, "oDisconnectLeg1": 1, "oDisconnectLeg2": 1},
        {"oAnswer": 1, "oNoAnswer_timer": 20},
        {"oAnswer": 1, "oNoAnswer_timer": "{ $v->{seconds} }"},
        {
            "bcsmEvents": [
                {"eventTypeBCSM_name": "oAnswer"},
                {"legID": {"!sendingSideID_hex": "02"}},
            ]
        },
        {"bcsmEvents": None},
        {"!oAbandon": 1},
    ],
    "ReleaseCall": [
        {"initialCallSegment_cause": 16},
        {"!initialCallSegment_cause": 31, "initialCallSegment_standard": 0},
        {"initialCallSegment_cause": "{ $v->{seconds} - 4 }"},
    ],
    "FurnishChargingInformation": [
        {"fCIBillingChargingCharacteristics_hex": "0380012a"},
        {"!fCIBillingChargingCharacteristics_hex": "{ $v->{number} }"},
    ],
    "PlayAnnouncement": [
        {"informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 7}}}},
        {"informationToSend": {"!tone": {}, "inbandInfo": {"numberOfRepetitions": None}}},
    ],
    "Continue": [{}],
}
TESTS = {
    "Connect": [
        {"kpath": "destinationRoutingAddress_digits", "type": "regex", "pattern": "^4329.*0$"},
        {"kpath": "destinationRoutingAddress_digits", "value": "{ $v->{number} }"},
        {"kpath": "_unknown.[0].tag", "type": "exists", "value": 0, "abort_on_fail": 1},
        {"kpath": "destinationRoutingAddress_noa", "type": "range", "max": 2, "abort_on_fail": 1},
    ],
    "RequestReportBCSMEvent": [
        {"kpath": "bcsmEvents.[monitorMode=1].[0].eventTypeBCSM", "type": "integer", "value": 7},
        {"kpath": "oNoAnswer_timer", "type": "in", "value": [20, "{ $v->{seconds} }"]},
    ],
}
KEEPING = "push @{$v->{seen}}, join('|', map { $_ . '=' . ref($i->{$_}) } sort keys %$i)"
CHANGING = "$i->{Connect}{destinationRoutingAddress_digits} .= '9' if defined $i->{Connect}"


def said(draw, name):
    given = draw.choice(SAID[name])
    if given is None or isinstance(given, bytes):
        return operation(name, parameter=b"" if given is None else given)
    return operation(name, given)


def expected(draw, name):
    entry = expect(name)
    if draw.random() < 0.85:
        entry["arguments"] = draw.choice(EXPECTED[name])
    if name in TESTS and draw.random() < 0.3:
        entry["tests"] = draw.sample(TESTS[name], draw.randint(1, 2))
    if draw.random() < 0.15:
        entry["last_component"] = draw.random() < 0.5
    if draw.random() < 0.1:
        entry["tcap_ac"] = draw.choice(["camel2", "cs1", None])
    if draw.random() < 0.1:
        entry["variant"] = draw.choice(["cs1", "camel2", "camel3"])
    if draw.random() < 0.15:
        entry |= {"optional": 1, "seconds": 0}
    return entry


def definition_of(draw, names, service_key):
    begin = send("InitialDP", {"serviceKey": service_key, "eventTypeBCSM": 2})
    steps = [begin, *(expected(draw, name) for name in names)]
    if draw.random() < 0.4:
        steps.insert(
            draw.randint(1, len(steps)), evaluate("push @{$v->{seen}}, join(',', sort keys %$i)")
        )
    params = {
        "ssp_ac": draw.choice(["cs1", "camel2", "camel3", "camel4"]),
        "seed": draw.randint(1, 1000),
        "turbo": draw.random() < 0.15,
        "trace_level": draw.choice([0, 0, 3]),
        "vars": {
            "seen": [],
            "number": {"$csv": {"file": "numbers.csv", "column": "digits"}},
            "seconds": {"$random": {"min": 19, "max": 21}},
        },
        "distribution": many(),
    }
    return steps, params
