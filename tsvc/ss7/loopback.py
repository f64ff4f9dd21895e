"""The loopback: a tester and an SCP in one process, exchanging whole SCCP messages.

Both sides encode and decode UDT as on a link; only the link is missing. Messages that one side
sends while the other side works wait in a queue, so that no machine is entered twice.
"""

from collections import deque
from collections.abc import Callable

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.sccp.address import Network
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.ss7.sccp import GivenBack, Sccp, Subsystems, ToReturn, Whole
from tsvc.ss7.scp_node import ScpNode
from tsvc.ss7.tcap_node import TcapNode


class LoopbackNetwork:
    """The network of a tester whose SCP is in the same process.

    A dialogue's route, if set, is the ScpNode that it belongs to; otherwise the default one is
    used. Without an SCP messages get no answer, as in a network without the destination. Any point
    code and global title leads to the SCP; subsystems that are not equipped give messages back.
    """

    def __init__(
        self,
        node: TcapNode,
        default_scp: Callable[[], ScpNode | None],
        network: Network = Network.ITU,
        subsystems: Subsystems | None = None,
    ) -> None:
        # One for each direction, as two nodes on a link have.
        self._sccp = {True: _sccp(network), False: _sccp(network)}
        self._node = node
        self._default_scp = default_scp
        self._subsystems = subsystems
        # (octets, the SCP that they go to or come from, True if they go to the SCP)
        self._queue: deque[tuple[bytes, ScpNode, bool]] = deque()
        self._is_pumping = False

    def transmit(self, outgoing: Outgoing) -> None:
        """Send a message of the tester to its SCP."""
        scp = outgoing.route or self._default_scp()
        if scp is not None:
            self._carry(outgoing, scp, is_to_scp=True)

    def send(self, outgoing: Outgoing, node: ScpNode) -> None:
        """Send a message of an SCP to the tester; the Route of the SCP's dialogues."""
        self._carry(outgoing, node, is_to_scp=False)

    def _carry(self, outgoing: Outgoing, scp: ScpNode, *, is_to_scp: bool) -> None:
        for octets in self._sccp[is_to_scp].encode(outgoing):
            self._queue.append((octets, scp, is_to_scp))
        self._pump()

    def _pump(self) -> None:
        if self._is_pumping:
            return
        self._is_pumping = True
        try:
            while self._queue:
                self._deliver(*self._queue.popleft())
        finally:
            self._is_pumping = False

    def _deliver(self, octets: bytes, scp: ScpNode, is_to_scp: bool) -> None:
        subsystems = scp.subsystems if is_to_scp else self._subsystems
        now = self._node.clock.now()
        try:
            arrivals = self._sccp[is_to_scp].decode(octets, now, None, subsystems)
        except RemoteProtocolError:
            return  # sent by one of the two ends; it gets no answer, as on a link
        for arrival in arrivals:
            match arrival:
                case Whole(data, called, calling) if is_to_scp:
                    scp.receive(data, called, calling, self)
                case Whole(data, called, calling):
                    self._node.deliver(data, called, calling, scp)
                case ToReturn(back):
                    self._queue.append((back, scp, not is_to_scp))
                case GivenBack(data, cause) if is_to_scp:
                    scp.give_back(data, cause)
                case GivenBack(data, cause):
                    self._node.deliver_returned(data, cause)


def _sccp(network: Network) -> Sccp:
    return Sccp(network, wants_return=True)
