"""SUA with TID labels: processes with one address; the gateway routes only by the labels."""

from collections.abc import Iterator

import pytest
from gevent import socket
from gevent.server import StreamServer
from marshmallow import ValidationError
from support.waiting import until
from unit.ss7 import m3ua_nodes
from unit.ss7.by_hand import ACKS, read_messages
from unit.ss7.m3ua_nodes import connecting, is_up, to

from tsvc.errors import LocalProtocolError
from tsvc.kinds.sigtran.gateway import SigtranConfig
from tsvc.protocols.m3ua import messages
from tsvc.protocols.m3ua.messages import MessageStream, encode, message
from tsvc.protocols.sua import connectionless, params
from tsvc.protocols.sua.connectionless import DataTransfer
from tsvc.protocols.tcap import messages as tcap
from tsvc.protocols.tcap.frame import originating_id
from tsvc.protocols.tcap.ids import ALL_IDS, PROCESSES, IdRange
from tsvc.protocols.tcap.messages import MessageType

make = m3ua_nodes.make


class Gateway:
    """An SGP that ends each transaction that an ASP begins, at the ASP whose label matches."""

    def __init__(self) -> None:
        self.labels: list[tuple[params.TidLabel | None, socket.socket]] = []
        self._server = StreamServer(("127.0.0.1", 0), self._serve)
        self._server.start()
        self.port = self._server.server_port

    def _serve(self, connection: socket.socket, _: object) -> None:
        stream = MessageStream()
        while found := read_messages(connection, stream):
            for item in found:
                if item.id == messages.ASPAC:
                    self.labels.append((item.get(params.TID_LABEL), connection))
                if item.id in ACKS:
                    connection.sendall(encode(message(ACKS[item.id])))
                elif item.id == connectionless.CLDT:
                    self._end(connectionless.decode(encode(item)))

    def _end(self, begun: object) -> None:
        assert isinstance(begun, DataTransfer)
        otid = originating_id(begun.data)
        assert otid is not None
        octets = tcap.encode(MessageType.END, dtid=otid)
        answer = connectionless.encode(DataTransfer(begun.destination, begun.source, octets))
        for label, connection in self.labels:
            assert label is not None
            width = label.end - label.start + 1
            if int.from_bytes(otid) >> label.start & (1 << width) - 1 == label.value:
                connection.sendall(answer)

    def stop(self) -> None:
        self._server.stop(0)


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    made = Gateway()
    yield made
    made.stop()


def test_each_has_the_answers_to_what_it_has_begun(make, gateway: Gateway) -> None:
    link = connecting("link", gateway.port, kind="sua", tid_label=True)
    numbers = (0, 1, PROCESSES - 1)
    nodes = [make(1, link, ids=IdRange.of_process(number)) for number in numbers]
    until(lambda: all(is_up(node)() for node in nodes))
    for number, node in zip(numbers, nodes, strict=True):
        for place in (0, 1, -1):
            tid = IdRange.of_process(number).nth(place).to_bytes(4)
            node.send(tcap.encode(MessageType.BEGIN, otid=tid), to(2))
    for number, node in zip(numbers, nodes, strict=True):
        until(lambda node=node: len(node.got) >= 3)  # type: ignore[misc]
        ids = [IdRange.of_process(number).nth(place).to_bytes(4) for place in (0, 1, -1)]
        assert node.octets() == [tcap.encode(MessageType.END, dtid=tid) for tid in ids]
    labels = [label.value for label, _ in gateway.labels if label is not None]
    assert sorted(labels) == list(numbers)
    assert {(label.start, label.end) for label, _ in gateway.labels if label} == {(21, 31)}


@pytest.mark.parametrize("ids", [ALL_IDS, IdRange.of_process(5)])
def test_who_has_all_ids_or_is_not_asked_says_nothing(make, gateway: Gateway, ids) -> None:
    link = connecting("link", gateway.port, kind="sua", tid_label=ids is ALL_IDS)
    until(is_up(make(1, link, ids=ids)))
    assert [label for label, _ in gateway.labels] == [None]


@pytest.mark.parametrize("more", [{"type": "m3ua"}, {"type": "sua", "role": "sgp"}])
def test_what_has_no_labels(more: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="is for an ASP of SUA"):
        SigtranConfig.load({"connections": [{"name": "link", "tid_label": True, **more}]})


@pytest.mark.parametrize("label", [(1, 32, 0), (3, 2, 0), (0, 31, 1 << 16), (-1, 0, 0)])
def test_labels_that_do_not_fit(label: tuple[int, int, int]) -> None:
    with pytest.raises(LocalProtocolError, match="does not fit"):
        params.TID_LABEL.of(params.TidLabel(*label))
