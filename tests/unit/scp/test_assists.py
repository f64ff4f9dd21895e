"""Correlation ids."""

from tsvc.scp.line import Assists


def test_ids_are_eight_digits_and_serve_once():
    assists = Assists(first=99_999_998)
    ids = [assists.expect(call) for call in ("one", "other", "third")]
    assert ids == ["99999999", "00000000", "00000001"]
    assert assists.take("00000000") == "other"
    assert assists.take("00000000") is None
    assists.forget("00000001")
    assists.forget("00000001")
    assert assists.take("00000001") is None
    assert len(assists) == 1


def test_id_in_use_is_not_given_again():
    assists = Assists(first=99_999_998)
    assists.expect("one")
    assists.serial = 99_999_998
    assert assists.expect("other") == "00000000"


def test_address_before_the_id_only_where_embedded():
    for address, found in (("649", "one"), ("", None), ("648", None)):
        assists = Assists(first=6)
        assists.expect("one", address)
        assert assists.take("64900000007") == found
        assert assists.take("00000007") == (None if found else "one")
