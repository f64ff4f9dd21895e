"""Ladders: whole texts against golden files, and the SVG as XML."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tsvc.protocols.tcap.messages import MessageType, encode
from tsvc.results.exchanges import decode_messages
from tsvc.results.ladder import ladder_svg, ladder_text
from tsvc.results.records import MessageRecord
from tsvc.results.text import messages_text

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"


def golden(name):
    return (GOLDEN / name).read_text(encoding="utf-8")


def test_a_call_as_the_demo_shows_it(extension_records):
    assert ladder_text(decode_messages(extension_records)) == golden("extension_dialing.txt")


def test_two_dialogues_have_lifelines_of_their_own(assisted_records):
    text = ladder_text(decode_messages(assisted_records), 80)
    assert text == golden("assisted.txt")
    assert max(len(line) for line in text.splitlines()) <= 80


def test_unicode_draws_the_same_with_other_signs(assisted_records):
    decoded = decode_messages(assisted_records)
    drawn = ladder_text(decoded, 80, is_unicode=True)
    assert drawn.translate(str.maketrans("│─┼▶◀", "|-+><")) == ladder_text(decoded, 80)


@pytest.mark.parametrize("width", [0, 72, 73, 100, 200])
def test_no_line_is_wider_than_asked(extension_records, assisted_records, width):
    for records in (extension_records, assisted_records):
        lines = ladder_text(decode_messages(records), width).splitlines()
        assert max(len(line) for line in lines) <= max(width, 72)
        ends = {len(line) for line in lines[1:]}
        assert len(ends) == 1  # the peer's lifeline is straight: nothing was written over it


def test_nothing_recorded_gives_nothing():
    assert ladder_text([]) == ""
    assert messages_text([]) == ""
    assert ElementTree.fromstring(ladder_svg([])).tag == SVG + "svg"


def bare(name, role="ssp", is_sent=True):
    octets = encode(MessageType.END, dtid=b"\1")
    return MessageRecord(1.0, name, role, is_sent, octets)


def test_dialogues_of_one_role_are_told_apart():
    decoded = decode_messages([bare("first"), bare("second", is_sent=False), bare("S", "srf")])
    text = ladder_text(decoded)
    assert "- [first] END -" in text
    assert "- [second] END -" in text
    assert "[S]" not in text
    assert text.splitlines()[0].split() == ["seconds", "SSP", "SRF", "SCP"]


def test_names_cannot_drive_the_terminal():
    decoded = decode_messages([bare("a\x1b[2J"), bare("ü")])
    text = ladder_text(decoded)
    assert "[a\\x1b[2J] END" in text
    assert "[\\xfc] END" in text
    assert "[ü] END" in ladder_text(decoded, is_unicode=True)


def test_svg_has_every_line_of_the_call_and_all_arguments(extension_records):
    decoded = decode_messages(extension_records)
    root = ElementTree.fromstring(ladder_svg(decoded))
    texts = [element.text for element in root.iter(SVG + "text")]
    assert texts[:2] == ["SSP", "SCP"]
    assert "CONTINUE  DFC, RRBE, CON" in texts
    assert "Connect  to 4329123" in texts
    groups = root.findall(SVG + "g")
    assert len(groups) == len(decoded)
    titles = [group.findtext(SVG + "title") for group in groups]
    assert "    calledPartyNumber_digits: 0800123456\n" in titles[0]
    assert "    digitsResponse_digits: 123" in titles[2]
    links = ("href", "src", "style")
    assert not [key for element in root.iter() for key in element.attrib if key in links]
    box = [float(part) for part in root.attrib["viewBox"].split()]
    for element in root.iter(SVG + "text"):
        assert 0 <= float(element.attrib["x"]) <= box[2]
        assert 0 <= float(element.attrib["y"]) <= box[3]


def test_svg_arrows_point_to_the_receiver(extension_records):
    root = ElementTree.fromstring(ladder_svg(decode_messages(extension_records)))
    lines = [group.find(SVG + "line").attrib for group in root.findall(SVG + "g")]
    is_right = [float(line["x1"]) < float(line["x2"]) for line in lines]
    assert is_right == [record.is_sent for record in extension_records]


def test_svg_keeps_hostile_names_as_text():
    decoded = decode_messages([bare("<script>&\x00"), bare("other")])
    root = ElementTree.fromstring(ladder_svg(decoded))
    texts = [element.text for element in root.iter(SVG + "text")]
    assert "[<script>&\\x00] END" in texts


def test_the_whole_decode_as_text(assisted_records):
    assert messages_text(decode_messages(assisted_records)) == golden("assisted_messages.txt")
