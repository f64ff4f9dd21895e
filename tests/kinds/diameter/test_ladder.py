"""AVPs that only a gateway's configuration knows, in results, traces and the archive."""

import pytest
from kinds.diameter.testbed import VARS, World, ccr


@pytest.fixture
def here(tmp_path):
    avp = {
        "name": "Site-Tariff",
        "code": 9001,
        "vendor_id": 55555,
        "type": "Enumerated",
        "values": {"GOLD": 3},
    }
    here = World(tmp_path, {"avps": [avp]}, {})
    yield here
    here.stop()


def test_they_have_their_names_and_keep_them_in_the_archive(here):
    result = here.run(ccr(4, {"name": "Site-Tariff", "value": "GOLD"}), vars=VARS)
    sent = result["first_call_summary"]["messages"][0]["content"]["avps"][-1]
    assert (sent["name"], sent["value"], sent["value_name"]) == ("Site-Tariff", 3, "GOLD")
    # The result has been collected: these come from the archive.
    for form in ("text", "svg"):
        content = here.ask("GetTrace", run_id="r", format=form)["result"]["content"]
        assert "Site-Tariff" in content, form
        assert "GOLD" in content, form
        assert "AVP 9001" not in content, form
