"""Calls over SCTP of the kernel between processes, M3UA and SUA: the samples, a lost association.

Where the kernel has no SCTP, peers/test_sctp_guest.py runs this file in one that has.
"""

from pathlib import Path

import pytest
from support.daemons import example
from support.links import lab, lose_one_of_two
from support.user_mode_linux import has_sctp

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not has_sctp(), reason="no SCTP here; peers/test_sctp_guest.py runs it"),
]


@pytest.mark.parametrize("kind", ["m3ua", "sua"])
def test_calls_pass_and_a_lost_association_aborts_exactly_its_calls(
    tmp_path: Path, kind: str
) -> None:
    with lab(tmp_path, kind, "sctp", 2) as made:
        for name in ("extension_dialing", "extension_dialing_busy"):
            result = made.tester.run(example(name))
            assert result["verdict"] == "pass", result["first_call_summary"]["check_log"]
        lose_one_of_two(made)
