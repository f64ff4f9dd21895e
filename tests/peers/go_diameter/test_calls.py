"""go-diameter as the server and as the client of a gateway, over TCP and over SCTP.

If the kernel has no SCTP, test_sctp_guest.py runs the second half in a kernel that has it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kinds.diameter.credit import avp, credit, units
from peers.go_diameter.peer import GoPeer
from support.daemons import Daemon, Params
from support.ports import free_port
from support.user_mode_linux import has_sctp
from support.waiting import GUARD_S, until

from tsvc.kinds.diameter.transport import sctp_socket

pytestmark = pytest.mark.e2e
NO_SCTP = pytest.mark.skipif(not has_sctp(), reason="no SCTP here; see test_sctp_guest.py")
SESSION = "go.example.net;1;1"
REGISTER = {"type": "diameter.from_server.Register"}


@pytest.fixture(params=["tcp", pytest.param("sctp", marks=NO_SCTP)])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ends() -> Iterator[list[Any]]:
    """A list of functions that stop processes at the end, the last one first."""
    made: list[Any] = []
    yield made
    for one in reversed(made):
        one()


def port_of(transport: str) -> int:
    if transport == "tcp":
        return free_port()
    with sctp_socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def gateway(folder: Path, **members: object) -> Daemon:
    given = {
        "origin_host": "tester.example.net",
        "reconnect_interval_s": 0.1,
        "request_timeout_s": GUARD_S,
        **members,
    }
    return Daemon(folder, {"DIA": ("diameter", given)})


def detail(daemon: Daemon) -> str:
    (status,) = daemon.service.gateways.status()
    return str(status["detail"])


def charged(kind: int, number: int, seconds: int, granted: int) -> Params:
    asked = "Requested-Service-Unit" if kind < 3 else "Used-Service-Unit"
    avps = [
        avp("CC-Request-Type", kind),
        avp("CC-Request-Number", number),
        units("Granted-Service-Unit", granted),
    ]
    answer = {"result_code": 2001, "avps": avps}
    return credit(kind, number, units(asked, seconds), answer=answer)


def served(command: str | int, *avps: Params, **more: object) -> Params:
    arguments = {"code": command, "seconds": GUARD_S, "avps": list(avps), **more}
    return {"type": "diameter.from_server.Request", "arguments": arguments}


def test_a_server(tmp_path: Path, transport: str, ends: list[Any]) -> None:
    """The server grants, requests authorization in the middle of the session, and leaves."""
    port = port_of(transport)
    server = GoPeer(
        tmp_path, role="server", network=transport, address=f"127.0.0.1:{port}", grant=55
    )
    ends.append(server.kill)
    server.take("listening")
    daemon = gateway(tmp_path, remote_host="127.0.0.1", remote_port=port, transport=transport)
    ends.append(daemon.stop)
    daemon.until_up()
    up = server.take("up")
    assert (up["host"], up["realm"]) == ("tester.example.net", "example.net")
    assert up["applications"] == [4]
    assert "go.example.net at " in detail(daemon)
    assert "realm example.net, application 4" in detail(daemon)

    asked = [REGISTER, charged(1, 0, 100, 55), served(258), charged(2, 1, 50, 55)]
    run = daemon.execute(*asked, charged(3, 2, 20, 55))
    first = server.take("CCR")
    assert first["Origin-Host"] == "tester.example.net"
    assert first["Service-Context-Id"] == "32251@3gpp.org"
    assert (first["CC-Request-Type"], first["CC-Request-Number"]) == (1, 0)
    assert first["Requested-Service-Unit"] == 100
    server.say("RAR", first["Session-Id"])
    answer = server.take("RAA")
    assert (answer["Session-Id"], answer["Result-Code"]) == (first["Session-Id"], 2001)
    for kind, number in ((2, 1), (3, 2)):
        request = server.take("CCR")
        assert request["Session-Id"] == first["Session-Id"]
        assert (request["CC-Request-Type"], request["CC-Request-Number"]) == (kind, number)
    assert request["Used-Service-Unit"] == 20
    result = daemon.finish(run)
    assert result["verdict"] == "pass", result["first_fails"] or result["first_aborts"]

    server.say("DPR", 1)  # BUSY
    assert server.take("DPA")["Result-Code"] == 2001
    server.say("close")
    server.take("closed")
    until(lambda: "1 BUSY" in detail(daemon), what=lambda: detail(daemon))
    server.take("up")  # we connect again


def test_a_server_is_left(tmp_path: Path, transport: str, ends: list[Any]) -> None:
    port = port_of(transport)
    server = GoPeer(tmp_path, role="server", network=transport, address=f"127.0.0.1:{port}")
    ends.append(server.kill)
    server.take("listening")
    daemon = gateway(tmp_path, remote_host="127.0.0.1", remote_port=port, transport=transport)
    daemon.until_up()
    server.take("up")
    daemon.stop()
    assert server.take("DPR")["Disconnect-Cause"] == 0  # REBOOTING
    server.take("closed")


def test_a_server_of_other_applications(tmp_path: Path, transport: str, ends: list[Any]) -> None:
    """The server does not support base Diameter's accounting: there is no common application."""
    port = port_of(transport)
    server = GoPeer(tmp_path, role="server", network=transport, address=f"127.0.0.1:{port}")
    ends.append(server.kill)
    server.take("listening")
    own = {"applications": [{"id": 16777346}], "transport": transport}
    daemon = gateway(tmp_path, remote_host="127.0.0.1", remote_port=port, **own)
    ends.append(daemon.stop)
    told = "5010 DIAMETER_NO_COMMON_APPLICATION"
    until(lambda: told in detail(daemon), what=lambda: detail(daemon))


def test_a_client(tmp_path: Path, transport: str, ends: list[Any]) -> None:
    """The client connects, gets answers and a request, watches us, and disconnects."""
    port = port_of(transport)
    listening = {"mode": "listen", "local_host": "127.0.0.1", "local_port": port}
    daemon = gateway(tmp_path, **listening, transport=transport)
    ends.append(daemon.stop)
    client = GoPeer(
        tmp_path,
        role="client",
        network=transport,
        address=f"127.0.0.1:{port}",
        watchdog="50ms",
    )
    ends.append(client.kill)
    up = client.take("up")
    assert (up["host"], up["applications"]) == ("tester.example.net", [4])
    daemon.until_up()

    register = {**REGISTER, "arguments": {"session_id": SESSION}}
    granted = [avp("Granted-Service-Unit", [avp("CC-Time", 30)])]
    expected = [avp("CC-Request-Type", 1), avp("Requested-Service-Unit", [avp("CC-Time", 40)])]
    echo = [avp("CC-Request-Type", 1), avp("CC-Request-Number", 0)]
    answer = {"result_code": 2001, "avps": [*echo, *granted]}
    reauthorize = {
        "type": "diameter.Request",
        "arguments": {
            "name": "Re-Auth-Request",
            "avps": [
                avp("Session-Id", SESSION),
                avp("Auth-Application-Id", 4),
                avp("Re-Auth-Request-Type", 0),
            ],
            "answer": {"result_code": 2001},
        },
    }
    run = daemon.execute(register, served(272, *expected, answer=answer), reauthorize)
    until(lambda: len(daemon.gateway_of("diameter").sessions))
    client.say("CCR", SESSION, 1, 0, 40)
    seen = client.take("CCA")
    assert (seen["Session-Id"], seen["Result-Code"]) == (SESSION, 2001)
    assert (seen["Granted-Service-Unit"], seen["CC-Request-Type"]) == (30, 1)
    assert client.take("RAR")["Session-Id"] == SESSION
    result = daemon.finish(run)
    assert result["verdict"] == "pass", result["first_fails"] or result["first_aborts"]

    client.say("DPR", 2)  # DO_NOT_WANT_TO_TALK_TO_YOU
    assert client.take("DPA")["Result-Code"] == 2001
    client.say("close")
    client.take("closed")
    told = "DO_NOT_WANT_TO_TALK_TO_YOU"
    until(lambda: told in detail(daemon), what=lambda: detail(daemon))


def test_a_client_is_left(tmp_path: Path, transport: str, ends: list[Any]) -> None:
    port = port_of(transport)
    listening = {"mode": "listen", "local_host": "127.0.0.1", "local_port": port}
    daemon = gateway(tmp_path, **listening, transport=transport)
    client = GoPeer(tmp_path, role="client", network=transport, address=f"127.0.0.1:{port}")
    ends.append(client.kill)
    client.take("up")
    daemon.until_up()
    daemon.stop()
    assert client.take("DPR")["Disconnect-Cause"] == 0
    client.take("closed")


def test_a_client_of_other_applications(tmp_path: Path, transport: str, ends: list[Any]) -> None:
    port = port_of(transport)
    own = {"mode": "listen", "local_host": "127.0.0.1", "local_port": port}
    daemon = gateway(tmp_path, **own, applications=[{"id": 16777346}], transport=transport)
    ends.append(daemon.stop)
    client = GoPeer(tmp_path, role="client", network=transport, address=f"127.0.0.1:{port}")
    ends.append(client.kill)
    assert "5010" in client.take("refused")["text"]
    told = "go.example.net has no application in common with us"
    until(lambda: told in detail(daemon), what=lambda: detail(daemon))
