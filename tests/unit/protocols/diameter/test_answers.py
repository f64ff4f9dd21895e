"""Answers that belong to another request, or break their grammar: all are reported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.protocols.diameter.answers import differences, read_answer, read_request
from tsvc.protocols.diameter.dictionary import Rule, standard
from tsvc.protocols.diameter.message import (
    HEADER_OCTETS,
    CommandFlag,
    Header,
    decode_header,
    encode_message,
    encode_raw,
    read_avps,
)
from tsvc.protocols.diameter.tree import encode_avps

DICTIONARY = standard()
PROXIES = [
    ("Proxy-Info", [("Proxy-Host", "a"), ("Proxy-State", "1")]),
    ("Proxy-Info", [("Proxy-Host", "b"), ("Proxy-State", "2")]),
]
SERVER = [("Origin-Host", "ocs.example"), ("Origin-Realm", "example")]
CLIENT = [("Origin-Host", "a.example"), ("Origin-Realm", "example"), ("Destination-Realm", "x")]
UNITS = (
    "Granted-Service-Unit",
    [("CC-Time", 10), ("CC-Money", [("Unit-Value", [("Value-Digits", 5)])])],
)

# command: (application, AVPs of both, further AVPs of the request, further AVPs of the answer)
EXCHANGES = {
    272: (
        4,
        [("Auth-Application-Id", 4), ("CC-Request-Type", 2), ("CC-Request-Number", 7)],
        [("Service-Context-Id", "x@3gpp.org")],
        [
            ("Multiple-Services-Credit-Control", [UNITS, ("Rating-Group", 10)]),
            ("Multiple-Services-Credit-Control", [("Rating-Group", 20), ("Result-Code", 4012)]),
            (
                "Final-Unit-Indication",
                [
                    ("Final-Unit-Action", 1),
                    (
                        "Redirect-Server",
                        [("Redirect-Address-Type", 2), ("Redirect-Server-Address", "http://x")],
                    ),
                ],
            ),
            ("Cost-Information", [("Unit-Value", [("Value-Digits", 1)]), ("Currency-Code", 978)]),
        ],
    ),
    271: (
        3,
        [
            ("Accounting-Record-Type", 2),
            ("Accounting-Record-Number", 3),
            ("Acct-Application-Id", 3),
        ],
        [],
        [("Acct-Interim-Interval", 60)],
    ),
    258: (4, [], [("Auth-Application-Id", 4), ("Re-Auth-Request-Type", 0)], []),
}


def trees(avps):
    return [
        {"name": name, "value": trees(value) if isinstance(value, list) else value}
        for name, value in avps
    ]


def exchange(command):
    """Return a request of a command and a correct answer to it."""
    application, both, asked, answered = EXCHANGES[command]
    session = [("Session-Id", "a;1;2")]

    def message(flags, avps):
        octets = encode_avps(trees(avps), DICTIONARY, "avps")
        return encode_message(Header(command, flags, application, 11, 22), octets)

    to = [("Destination-Host", "ocs.example")]
    request = message(0xC0, [*session, *CLIENT, *to, *both, *asked, *PROXIES])
    answer = message(0x40, [*session, ("Result-Code", 2001), *SERVER, *both, *answered, *PROXIES])
    return request, answer


def problems(request, answer):
    found = differences(request, answer, DICTIONARY)
    return [one.member for one in found], read_answer(answer, DICTIONARY)[1]


@pytest.mark.parametrize("command", EXCHANGES)
def test_what_is_right_has_no_problems(command):
    request, answer = exchange(command)
    assert problems(request, answer) == ([], [])
    assert read_request(request, DICTIONARY)[1] == []


# -- mutants of structure -------------------------------------------------------------------------

# Flags of an AVP that may be wrong while the structure is right.
TOLERABLE_FLAGS = {
    "protected": "reserved for end-to-end security; no reader looks at it",
    "reserved": "receivers ignore the reserved bits",
    "mandatory": "it tells readers that do not know the AVP what to do; ours knows it",
}
MAY_BE_MISSING = {
    # Optional by the grammars.
    "Multiple-Services-Credit-Control",
    "Final-Unit-Indication",
    "Cost-Information",
    "Acct-Interim-Interval",
    "Granted-Service-Unit",
    "Rating-Group",
    "CC-Time",
    "CC-Money",
    "Redirect-Server",
    "Acct-Application-Id",
    # Concerns a service, not the message.
    "Result-Code in Multiple-Services-Credit-Control",
}
MAY_COME_AGAIN = {"Multiple-Services-Credit-Control"}


def nodes(octets, start=HEADER_OCTETS, stop=None, above=()):
    """Yield (path of names, raw AVP) of all AVPs at all depths."""
    for raw in read_avps(octets, start, stop or len(octets)):
        definition = DICTIONARY.avps[raw[0], raw[1] or 0]
        path = (*above, definition.name)
        yield path, definition, raw
        if definition.type.is_grouped:
            yield from nodes(octets, raw[3], raw[4], path)


def edited(octets, target, edit, start=HEADER_OCTETS, stop=None):
    """Return AVPs with the one at `target` replaced by edit(code, vendor, flags, data)."""
    parts = []
    for code, vendor, flags, at, end in read_avps(octets, start, stop or len(octets)):
        if at == target:
            parts.append(edit(code, vendor, flags, octets[at:end]))
            continue
        data = octets[at:end]
        if at < target < end:
            data = edited(octets, target, edit, at, end)
        parts.append(encode_raw(code, vendor, flags, data))
    return b"".join(parts)


def mutate(octets, raw, edit):
    header = decode_header(octets)
    return encode_message(header, edited(octets, raw[3], edit))


def with_length(octets, raw, length):
    """Return a message in which the length field of one AVP is changed, and nothing else."""
    at = raw[3] - 8 - (4 if raw[1] is not None else 0)
    return octets[: at + 5] + length.to_bytes(3) + octets[at + 8 :]


def mutants(command):
    """Yield (description of the change, mutant, why it is tolerable or None)."""
    _, answer = exchange(command)
    for path, definition, raw in nodes(answer):
        name = ".".join(path)
        inner = " in ".join(reversed(path[-2:])) if len(path) > 1 else path[-1]
        may_miss = path[-1] in MAY_BE_MISSING or inner in MAY_BE_MISSING
        size = raw[4] - raw[3]
        yield (
            f"{name} left out",
            mutate(answer, raw, lambda *_: b""),
            "it is optional" if may_miss else None,
        )
        yield (
            f"{name} twice",
            mutate(answer, raw, lambda *one: encode_raw(*one) * 2),
            "it may come often" if path[-1] in MAY_COME_AGAIN else None,
        )
        for more in (-1, 1, 4):
            is_fixed = definition.type.is_grouped or definition.type.name not in (
                "UTF8String",
                "OctetString",
                "DiameterIdentity",
            )
            if is_fixed:
                yield (
                    f"{name} with {more} octets",
                    mutate(
                        answer,
                        raw,
                        lambda c, v, f, d, more=more: encode_raw(
                            c, v, f, d + bytes(more) if more > 0 else d[:more]
                        ),
                    ),
                    None,
                )
        for length in (0, 7, size + 8 + 400, 0xFFFFFF):
            yield f"{name} says {length} octets", with_length(answer, raw, length), None
        yield (
            f"{name} of an unknown code",
            mutate(answer, raw, lambda c, v, f, d: encode_raw(59999, v, f | 0x40, d)),
            None,
        )
        yield (
            f"{name} of a vendor",
            mutate(answer, raw, lambda c, v, f, d: encode_raw(c, 59999, f | 0x40, d)),
            None,
        )
        for bit, label in ((0x20, "protected"), (0x01, "reserved"), (0x40, "mandatory")):
            yield (
                f"{name} with another bit {label}",
                mutate(answer, raw, lambda c, v, f, d, bit=bit: encode_raw(c, v, f ^ bit, d)),
                TOLERABLE_FLAGS[label],
            )
        if definition.type.is_text:
            yield (
                f"{name} with octets that are no text",
                mutate(answer, raw, lambda c, v, f, d: encode_raw(c, v, f, b"\xff" + d[1:])),
                None,
            )
    header = decode_header(answer)
    for at, what in ((4, "flags"), (8, "application"), (12, "hop by hop"), (16, "end to end")):
        for bit in range(8):
            mutant = bytearray(answer)
            mutant[at] ^= 1 << bit
            reason = None
            if at == 4 and bit == 7:
                continue  # with this bit it is a request
            if at == 4 and bit < 5:
                reason = "T says something of requests only; receivers ignore the reserved bits"
            yield f"{what}, bit {bit}", bytes(mutant), reason
    avps = answer[HEADER_OCTETS:]
    first = read_avps(answer, HEADER_OCTETS, len(answer))[0]
    length = (first[4] - HEADER_OCTETS + 3) & ~3
    yield "Session-Id last", encode_message(header, avps[length:] + avps[:length]), None


@pytest.mark.parametrize("command", EXCHANGES)
def test_every_mutant_is_told_or_is_tolerable(command):
    request, _ = exchange(command)
    count = 0
    for what, mutant, tolerable in mutants(command):
        members, notes = problems(request, mutant)
        is_told = bool(members or notes)
        assert is_told or tolerable, what
        # Proxy-Info must be returned unchanged, octet by octet.
        if tolerable and "bit" in what and "Proxy-Info." not in what:
            assert not is_told, (what, members, notes)
        count += 1
    assert count > 100


@pytest.mark.parametrize("command", EXCHANGES)
def test_every_octet_of_an_avp_header(command):
    """Any change of a code or a length is reported, unless it gives another known AVP."""
    request, answer = exchange(command)
    for path, _, raw in nodes(answer):
        head = raw[3] - 8 - (4 if raw[1] is not None else 0)
        for at in (*range(head, head + 4), *range(head + 5, head + 8)):
            for bit in range(8):
                mutant = bytearray(answer)
                mutant[at] ^= 1 << bit
                mutant = bytes(mutant)
                members, notes = problems(request, mutant)
                if members or notes:
                    continue
                before = [name for name, _, _ in nodes(answer)]
                after = [name for name, _, _ in nodes(mutant)]
                # Still valid by the grammar: an optional AVP instead of another, or a text that
                # is shorter or longer by octets of its own padding.
                is_other = sorted(before) != sorted(after)
                is_text = DICTIONARY.by_name[path[-1]].type.name in (
                    "UTF8String",
                    "OctetString",
                    "DiameterIdentity",
                )
                assert is_other or is_text, (path, at - head, bit)


@given(st.data())
def test_octets_that_are_anything_never_raise(data):
    request, answer = exchange(272)
    mutant = bytearray(answer)
    for _ in range(data.draw(st.integers(1, 8))):
        mutant[data.draw(st.integers(HEADER_OCTETS, len(mutant) - 1))] = data.draw(
            st.integers(0, 255)
        )
    problems(request, bytes(mutant))
    read_request(bytes(mutant), DICTIONARY)
    garbage = data.draw(st.binary(max_size=400))
    garbage += bytes(-len(garbage) % 4)
    problems(request, encode_message(decode_header(answer), garbage))


# -- identity -------------------------------------------------------------------------------------


def test_both_values_are_told():
    request, answer = exchange(272)
    other = mutate(
        answer,
        next(raw for path, _, raw in nodes(answer) if path == ("CC-Request-Number",)),
        lambda c, v, f, d: encode_raw(c, v, f, (9).to_bytes(4)),
    )
    assert differences(request, other, DICTIONARY) == [("CC-Request-Number", 7, 9)]
    header = decode_header(answer)._replace(end_to_end_id=23, application_id=5)
    other = encode_message(header, answer[HEADER_OCTETS:])
    assert differences(request, other, DICTIONARY) == [
        ("End-to-End Identifier", 22, 23),
        ("Application-ID", 4, 5),
    ]


def test_proxies_keep_their_order():
    request, answer = exchange(258)
    *rest, one, two = [
        encode_raw(code, vendor, flags, answer[at:end])
        for code, vendor, flags, at, end in read_avps(answer, HEADER_OCTETS, len(answer))
    ]
    turned = encode_message(decode_header(answer), b"".join([*rest, two, one]))
    assert problems(request, turned) == (["Proxy-Info"], [])


def error_answer(result, flags, *more):
    avps = [("Session-Id", "a;1;2"), ("Result-Code", result), *SERVER, *more, *PROXIES]
    octets = encode_avps(trees(avps), DICTIONARY, "avps")
    return encode_message(Header(272, 0x40 | flags, 4, 11, 22), octets)


@pytest.mark.parametrize(
    ("result", "flags", "told"),
    [
        (3002, CommandFlag.ERROR, []),
        (5012, CommandFlag.ERROR, []),
        (3002, 0, ["Result-Code 3002 without the E bit"]),
        (2001, CommandFlag.ERROR, ["Result-Code 2001 with the E bit"]),
        (4012, CommandFlag.ERROR, ["Result-Code 4012 with the E bit"]),
        # Without the E bit the answer has the grammar of the command, after any error.
        (5012, 0, []),
    ],
)
def test_the_error_bit(result, flags, told):
    request, _ = exchange(272)
    members, notes = problems(request, error_answer(result, flags))
    if flags:
        assert (members, notes) == ([], told)
    else:
        assert members == ["CC-Request-Type", "CC-Request-Number"]
        assert notes == ["Auth-Application-Id: mandatory AVP is missing", *told]


def test_what_an_answer_must_not_have():
    request, _ = exchange(272)
    answer = error_answer(3002, CommandFlag.ERROR, ("Destination-Realm", "x"))
    assert problems(request, answer) == ([], ["Destination-Realm in an answer"])


def test_what_a_request_lacks_is_not_owed():
    avps = encode_avps(trees([("Session-Id", "a;1;2"), *CLIENT]), DICTIONARY, "avps")
    request = encode_message(Header(272, 0xC0, 4, 11, 22), avps)
    _, answer = exchange(272)
    assert differences(request, answer, DICTIONARY) == []


def test_failed_avp_may_hold_anything():
    bad = encode_raw(
        279, None, 0x40, encode_raw(268, None, 0x40, b"\1") + encode_raw(59999, None, 0x40, b"")
    )
    answer = error_answer(5014, CommandFlag.ERROR)
    answer = encode_message(decode_header(answer), answer[HEADER_OCTETS:] + bad)
    assert problems(exchange(272)[0], answer) == ([], [])


def test_an_unknown_avp_without_the_bit_is_no_problem():
    request, answer = exchange(272)
    extra = encode_raw(59999, 4711, 0, b"x") + encode_raw(59998, None, 0, b"y")
    answer = encode_message(decode_header(answer), answer[HEADER_OCTETS:] + extra)
    assert problems(request, answer) == ([], [])


def test_rules_name_what_the_dictionary_has():
    rules = [
        *DICTIONARY.groups.values(),
        *DICTIONARY.requests.values(),
        *DICTIONARY.answers.values(),
    ]
    for rule in rules:
        assert all(DICTIONARY.avp(name) for name in rule.least | rule.once)
    assert all(DICTIONARY.by_name[name].type.is_grouped for name in DICTIONARY.groups)
    assert Rule.of("A! B C+ D*") == Rule(frozenset("AC"), frozenset("AB"))
