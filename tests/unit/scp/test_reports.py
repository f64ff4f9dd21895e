"""Reports of events as the SCP reads them: the usual reports are decoded only once."""

import sys

import pytest

from tsvc.protocols import ber
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.scp import refusals

ERB = OPERATIONS.get("EventReportBCSM")
BUSY = {"eventTypeBCSM": 5, "eventSpecificInformationBCSM": {}}
BUSY["eventSpecificInformationBCSM"]["oCalledPartyBusySpecificInfo"] = {"busyCause_cause": 17}


def octets_of(unknown):
    """Return a report with `unknown` unknown members."""
    usual = ERB.encode_argument(BUSY, "camel2")
    return ber.tlv(b"\x30", usual[2:] + b"\x9e\x00" * unknown)


@pytest.mark.parametrize("unknown", [0, 1000])
def test_every_report_is_read_alike(unknown):
    octets = octets_of(unknown)
    for variant in ("camel2", "cs1", "camel2"):
        read = refusals.read_argument(ERB, octets, variant)
        assert read == (ERB.decode_argument(octets, variant, []), False)


def test_a_report_without_an_argument():
    read = refusals.read_argument(ERB, None, "camel2")
    assert read == (ERB.decode_argument(None, "camel2", []), True)


@pytest.mark.parametrize(("unknown", "is_kept"), [(1, True), (1001, False)])
def test_a_long_report_is_not_kept(unknown, is_kept):
    octets = octets_of(unknown)
    before = sys.getrefcount(octets)
    refusals.read_argument(ERB, octets, "camel2")
    assert (sys.getrefcount(octets) > before) is is_kept
