"""jSS7 on one side of a link, a daemon of ours on the other side."""

from collections.abc import Iterator

import pytest
from peers.jss7.stack import Cap, Node
from peers.jss7.testbed import TESTER, Link
from support.daemons import FLOW, configure, launch
from support.ports import free_port


@pytest.fixture(scope="package")
def scp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Link]:
    """jSS7 as the SCP, a signalling gateway to which a tester connects."""
    folder = tmp_path_factory.mktemp("jss7")
    port, own = free_port(), free_port()
    node = Node(folder / "jss7", port, pc=2, peer_pc=1, peer_port=own)
    try:
        cap, map_, tcap = node.cap(146, 146), node.map(6, 6), node.tcap(106, 106)
        node.start()
        tester = launch(folder, configure(folder, TESTER.format(port=port, own=own)))
        try:
            tester.until_up()
            yield Link(tester, cap, map_, tcap)
        finally:
            tester.kill()
    finally:
        node.stop()


@pytest.fixture(scope="package")
def ssp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cap]:
    """jSS7 as an SSP, an ASP that connects to the SCP of a daemon."""
    folder = tmp_path_factory.mktemp("jss7")
    port = free_port()
    text = f'[scp]\nflows = ["{FLOW}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n'
    daemon = launch(folder, configure(folder, text))
    try:
        node = Node(folder / "jss7", port, pc=1, peer_pc=2)
        try:
            cap = node.cap(146, 146)
            node.start()
            node.until_active()
            yield cap
        finally:
            node.stop()
    finally:
        daemon.kill()
