"""M3UA between processes: a lost association, failover to the alternate link, and back."""

from pathlib import Path

import pytest
from support.daemons import configure, example, launch
from support.links import CALLS, Lab, lab, lose_one_of_two
from support.waiting import until

pytestmark = pytest.mark.e2e
LOAD = {"type": "load", "total": CALLS, "backlog": CALLS}


def test_a_lost_association_aborts_exactly_its_calls(tmp_path: Path) -> None:
    with lab(tmp_path, "m3ua", "tcp", 2) as made:
        lose_one_of_two(made)


def configuration_of(ports: list[int]) -> str:
    """Return the configuration of a tester whose second link takes what the first one can't."""
    return f"""
[application.LAB]
module = "sigtran"
opc = 1
default_scp.dri = 0
default_scp.dssn = 146
default_scp.dgt_digits = "6421000001"
default_scp.dgt_noa = 4
default_scp.dgt_np = 1
default_scp.dgt_tt = 0
connections = [
    {{ name = "main", type = "m3ua", remote_port = {ports[0]} }},
    {{ name = "spare", type = "m3ua", remote_port = {ports[1]} }},
]
routes = [
    {{ gt_prefix = "6421", connection = "main", new_dpc = 2, priority = 1 }},
    {{ gt_from = "6421", gt_to = "6421", connection = "spare", new_dpc = 2, priority = 2 }},
]
"""


def calls(made: Lab) -> tuple[int, int]:
    return made.calls(0), made.calls(1)


def test_calls_fail_over_to_the_alternate_and_back(tmp_path: Path) -> None:
    with lab(tmp_path, "m3ua", "tcp", 2) as made:
        folder = tmp_path / "routing tester"
        made.tester.kill()
        made.tester = launch(folder, configure(folder, configuration_of(made.ports)))
        made.wait_until_active()

        first = made.tester.run(example("extension_dialing"), distribution=LOAD)
        assert first["counts"]["passed"] == CALLS
        assert calls(made) == (CALLS, 0), "all by the link of the better priority"

        made.scps[0].kill()
        until(lambda: made.gateway()["counters"]["links_active"] == 1, what=made.gateway)
        second = made.tester.run(example("extension_dialing"), distribution=LOAD)
        assert second["counts"]["passed"] == CALLS
        assert made.calls(1) == CALLS, "all by the alternate"
        assert "main" in made.gateway()["detail"], "and one sees why"

        made.restart_scp(0)
        made.wait_until_active()
        third = made.tester.run(example("extension_dialing"), distribution=LOAD)
        assert third["counts"]["passed"] == CALLS
        assert calls(made) == (CALLS, CALLS), "back to the first, which counts from 0 again"
