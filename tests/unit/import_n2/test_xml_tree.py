"""XML that is read, and XML that is refused with a line number."""

import pytest

from tsvc.import_n2.source import MAX_OCTETS, XmlError, read_xml

BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE a [
<!ENTITY b "xxxxxxxxxx"><!ENTITY c "&b;&b;&b;&b;">]>
<a>&c;</a>"""
FILE = b'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]>\n<a>&f;</a>'


def test_a_tree_knows_its_lines():
    root = read_xml(b"<a>\n <b c='1'>x\n  <d/>y</b>\n <b><e>2</e><c>3</c></b>\n</a>")
    first, second = root.all("b")
    assert (root.line, first.line, second.line) == (1, 2, 4)
    assert first.attributes == {"c": "1"}
    assert first.text.split() == ["x", "y"]
    assert second.members() == {"e": "2", "c": "3"}
    assert root.first("nothing") is None


@pytest.mark.parametrize(
    ("octets", "line", "text"),
    [
        (BOMB, 2, "document types"),
        (FILE, 2, "document types"),
        (b'<!DOCTYPE a SYSTEM "http://192.0.2.1/a.dtd"><a/>', 1, "document types"),
        (b"<a>\n<b></a>", 2, "mismatched tag"),
        (b"", 1, "no element found"),
        (b"<a/><b/>", 1, "junk after document element"),
        (b"<a>\n&nbsp;</a>", 2, "undefined entity"),
        (b"<a>\xff</a>", 1, "not well-formed"),
        (b"<a>" * 51, 1, "more than 50 elements deep"),
    ],
)
def test_what_is_refused(octets, line, text):
    with pytest.raises(XmlError) as caught:
        read_xml(octets)
    assert caught.value.line == line
    assert text in caught.value.text


def test_a_huge_file_is_not_looked_at():
    with pytest.raises(XmlError, match="larger than"):
        read_xml(b" " * (MAX_OCTETS + 1))
