"""Messages of other protocols than TCAP: kept, stored, shown on ladders of several peers."""

import json

from support.captures import read

from tsvc.results.exchanges import decode_messages
from tsvc.results.ladder import ladder_svg, ladder_text
from tsvc.results.pcap import write_pcap
from tsvc.results.records import (
    ExchangeRecord,
    MessageRecord,
    messages_from_json,
    messages_to_json,
)
from tsvc.results.text import messages_text

# A TCAP BEGIN with an otid and nothing else.
BEGIN = bytes.fromhex("6206480400000001")
RECORDS = [
    MessageRecord(0.001, "SSP", "ssp", True, BEGIN),
    ExchangeRecord(0.002, "nobody's protocol", "OCS-SITE-01", True, b"\x01\x02"),
    ExchangeRecord(0.003, "nobody's protocol", "OCS-SITE-01", False, b""),
    ExchangeRecord(0.004, "nobody's protocol", "SMF", True, b"\xff"),
]


def test_a_protocol_nobody_decodes_is_shown_by_its_octets() -> None:
    decoded = decode_messages([RECORDS[1]])[0]
    assert decoded == {
        "protocol": "nobody's protocol",
        "t": 0.002,
        "peer": "OCS-SITE-01",
        "direction": "sent",
        "title": "message",
        "facts": [],
        "content": None,
        "is_failure": False,
        "hex": "0102",
    }


def test_records_come_back_from_the_archive() -> None:
    assert messages_from_json(messages_to_json(RECORDS)) == RECORDS


def test_a_grammar_comes_back_and_is_archived_once() -> None:
    records = [
        ExchangeRecord(0.1, "diameter", peer, True, b"", grammar)
        for peer, grammar in (
            ("A", "of A"),
            ("B", "of B"),
            ("C", ""),
            ("A", "of A"),
            ("B", "of B"),
        )
    ]
    rows = messages_to_json([RECORDS[0], *records])
    assert json.dumps(rows).count("of A") == 1
    assert messages_from_json(json.loads(json.dumps(rows))) == [RECORDS[0], *records]


def test_each_peer_has_a_lifeline_and_texts_stand_before_the_first() -> None:
    text = ladder_text(decode_messages(RECORDS), 100)
    heading, *lines = text.splitlines()
    assert heading.split() == ["seconds", "TSVC", "SSP", "SCP", "OCS-SITE-01", "SMF"]
    assert all(len(line) <= 100 for line in lines)
    ocs = heading.index("OCS-SITE-01") + len("OCS-SITE-01") // 2
    sent, received, to_smf = [line for line in lines if "message" in line]
    assert sent[ocs - 1] == ">"
    assert received.index("<") == heading.index("TSVC") + len("TSVC") // 2 + 1
    assert to_smf.endswith(">|")
    assert sent.index("message") < heading.index("SCP")


def test_text_and_svg_show_all_of_them() -> None:
    decoded = decode_messages(RECORDS)
    assert "OCS-SITE-01  received  message" in messages_text(decoded)
    assert ladder_svg(decoded).count("<polygon") == len(RECORDS)


def test_what_no_dissector_reads_is_in_the_capture_as_data() -> None:
    packets = read(write_pcap(RECORDS))
    assert [packet.octets for packet in packets] == [record.octets for record in RECORDS]
    assert "data" in {packet.protocol for packet in packets}
