"""Values that the table of a diameter gateway may have, and values that are refused."""

import pytest

from tsvc.kinds.diameter.config import DiameterConfig


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"remote_hosts": ["a:b"]}, "remote_hosts"),
        ({"transport": "sctp", "tls": {}}, "tls"),
        ({"origin_host": "é"}, "origin_host"),
        ({"avps": [{"name": "X", "code": 1, "type": "Text"}]}, "avps"),
        ({"avps": [{"name": "{x}", "code": 9000}]}, "avps"),
        ({"avps": [{"name": "X", "code": 9000}, {"name": "x", "code": 9001}]}, "avps"),
        ({"avps": [{"name": "X", "code": 9000}, {"name": "Y", "code": 9000}]}, "avps"),
        ({"avps": [{"name": "X", "code": 9000, "values": {"A": 1}}]}, "avps"),
        ({"avps": [{"name": "Origin-Host", "code": 264, "type": "Grouped"}]}, "avps"),
        ({"avps": [{"name": "Session-Id", "code": 9000}]}, "avps"),
        ({"watchdog_s": 0}, "watchdog_s"),
        ({"applications": [4]}, "applications"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_wrong_configuration(members, place):
    errors = DiameterConfig.schema().validate(members)
    assert list(errors) == [place]


def test_avps_that_the_dictionary_has_may_be_given_again():
    same = {"name": "Origin-Host", "code": 264, "type": "DiameterIdentity"}
    wider = {"name": "CC-Time", "code": 420, "type": "Unsigned64"}
    level = {
        "name": "X",
        "code": 420,
        "vendor_id": 55555,
        "type": "Enumerated",
        "values": {"A": 1},
    }
    assert DiameterConfig.schema().validate({"avps": [same, wider, level]}) == {}
