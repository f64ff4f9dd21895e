"""freeDiameter between gateways and the fake OCS: base protocol with all of them, relay of CCRs.

One gateway connects to freeDiameter, another one listens for it, both over TCP or over SCTP. SCTP
needs a kernel that has it (peers/test_sctp_guest.py).

freeDiameter listens on every address, whatever its configuration says. So it runs in a network
namespace of the test's own, where this file is the program that runs both ends (root is needed).
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

GUARD_S = 60
RELAY = "relay.example.net"
CONFIG = """
Identity = "relay.example.net";
Realm = "example.net";
Port = 3868;
SecPort = 0;
{no_sctp}
No_IPv6;
TwTimer = 60;
TcTimer = 1;
TLS_Cred = "{folder}/cert.pem", "{folder}/key.pem";
TLS_CA = "{folder}/cert.pem";
LoadExtension = "acl_wl.fdx" : "{folder}/acl.conf";
LoadExtension = "dict_nasreq.fdx";
LoadExtension = "dict_dcca.fdx";
LoadExtension = "dict_dcca_3gpp.fdx";
ConnectPeer = "ocs.example.net" {{ ConnectTo = "127.0.0.1"; Port = {port}; No_TLS; No_SCTP; }};
ConnectPeer = "listener.example.net" {{ ConnectTo = "127.0.0.1"; Port = 3869; No_TLS; {no_tcp} }};
"""
TRANSPORTS = ("tcp", "sctp")


def test_through_a_relay(tmp_path: Path, transport: str) -> None:
    import pytest
    from support.daemons import require_peer
    from support.user_mode_linux import has_sctp

    if transport == "sctp" and not has_sctp():
        pytest.skip("no SCTP here; see peers/test_sctp_guest.py")
    install = "apt-get install freediameterd freediameter-extensions"
    require_peer(shutil.which("freeDiameterd"), install)
    require_peer(shutil.which("unshare"), "apt-get install util-linux")
    require_peer(shutil.which("ip"), "apt-get install iproute2")
    if os.geteuid() != 0:
        pytest.skip("a network namespace of its own needs root")
    # The guest has a network of its own, and a new namespace would have no HMAC for SCTP.
    apart = [] if os.environ.get("TSVC_GUEST") else ["unshare", "--net"]
    command = [*apart, sys.executable, __file__, str(tmp_path), transport]
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=2 * GUARD_S, env=environ
    )
    log = (tmp_path / "log").read_text() if (tmp_path / "log").exists() else ""
    assert done.returncode == 0, done.stderr + log[-3000:]
    found = json.loads(done.stdout)
    assert found["relay"] == [RELAY, RELAY]
    assert [answer["Result-Code"] for answer in found["answers"]] == [2001, 2001, 2001, 4012]
    assert {answer["Origin-Host"] for answer in found["answers"]} == {"ocs.example.net"}
    assert found["answers"][0]["Granted-Service-Unit"] == {"CC-Time": 100}
    assert found["balance"] == 50
    assert found["route"] == ["tester.example.net"] * 4
    assert found["rar"] == 2001
    # several of our watchdog's requests were answered on the first connection
    assert found["connects"] == 1
    assert found["state"] == "down"
    assert found["listener"] == {"peer": RELAY, "asked": "tester.example.net", "result": 2001}
    assert "STATE_OPEN" in log


# -- inside the namespace --------------------------------------------------------------------


def main(folder: Path, transport: str) -> dict[str, Any]:
    """Run both ends and the relay; return what was seen."""
    from tsvc.kinds.diameter.fake import OcsFake

    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    # freeDiameter does not start without an interface besides the loopback.
    pair = ["ip", "link", "add", "fd0", "type", "veth", "peer", "name", "fd1"]
    subprocess.run(pair, check=True)
    subprocess.run(["ip", "address", "add", "192.0.2.1/24", "dev", "fd0"], check=True)
    for name in ("fd0", "fd1"):
        subprocess.run(["ip", "link", "set", name, "up"], check=True)
    settings = {"subscribers": {"64": 150, "65": 0}, "origin_realm": "example.net"}
    ocs = OcsFake("127.0.0.1", 0, origin_host="ocs.example.net", **settings)
    ocs.start()
    _configure(folder, ocs.address[1], transport)
    with (folder / "log").open("wb") as log:
        command = ["freeDiameterd", "-dd", "-c", str(folder / "fd.conf")]
        relay = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        return _seen(ocs, transport)
    finally:
        ocs.kill()
        relay.kill()
        relay.wait()


def _configure(folder: Path, port: int, transport: str) -> None:
    is_tcp = transport == "tcp"
    no_sctp, no_tcp = ("No_SCTP;", "") if is_tcp else ("", "No_TCP;")
    text = CONFIG.format(folder=folder, port=port, no_sctp=no_sctp, no_tcp=no_tcp)
    (folder / "fd.conf").write_text(text)
    (folder / "acl.conf").write_text("ALLOW_IPSEC *.example.net\n")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={RELAY}", "-keyout", str(folder / "key.pem")]
    subprocess.run([*command, "-out", str(folder / "cert.pem")], check=True, capture_output=True)


def _seen(ocs: Any, transport: str) -> dict[str, Any]:
    import gevent
    from kinds.diameter.testbed import play_watchdog_interval
    from support.waiting import until

    from tsvc.clock import SYSTEM_CLOCK
    from tsvc.gateways.gateway import GatewayContext, GatewayState
    from tsvc.kinds.diameter.gateway import DiameterConfig, DiameterGateway
    from tsvc.kinds.diameter.sessions import Registration
    from tsvc.protocols.diameter.dictionary import standard
    from tsvc.protocols.diameter.peer import State
    from tsvc.protocols.diameter.tree import encode_avps, message_tree

    def request_of(kind: int, subscriber: str, host: str, *more: Any) -> bytes:
        given = [
            ("Session-Id", f"tester.example.net;1;{subscriber}"),
            ("Origin-Host", "tester.example.net"),
            ("Origin-Realm", "example.net"),
            ("Destination-Realm", "example.net"),
            ("Destination-Host", host),
            ("Auth-Application-Id", 4),
            ("Service-Context-Id", "32274@3gpp.org"),
            ("CC-Request-Type", kind),
            ("CC-Request-Number", kind - 1),
            (
                "Subscription-Id",
                [avp("Subscription-Id-Type", 0), avp("Subscription-Id-Data", subscriber)],
            ),
            *more,
        ]
        return encode_avps([avp(*one) for one in given], standard(), "avps")

    def ask(kind: int, subscriber: str, *more: Any, host: str = "ocs.example.net") -> Any:
        octets = request_of(kind, subscriber, host, *more)
        pending = gateway.send(gateway.connection(), 272, 0x40, 4, octets)
        return dict(gateway.receive(pending, GUARD_S).tree["avp"])

    def avp(name: str, value: Any) -> dict[str, Any]:
        return {"name": name, "value": value}

    common = {"reconnect_interval_s": 0.5, "transport": transport}
    listening = {"mode": "listen", "local_host": "127.0.0.1", "local_port": 3869}

    def made(origin_host: str, **more: Any) -> DiameterGateway:
        config = DiameterConfig.load({"origin_host": origin_host, **common, **more})
        return DiameterGateway("DIA", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))

    listener = made("listener.example.net", **listening)
    listener.start()
    gateway = made("tester.example.net")
    until(lambda: ocs.is_connected)
    gateway.start()
    both = (gateway, listener)
    until(lambda: {one.status().state for one in both} == {GatewayState.UP})
    relay = [gateway.connection().peer.remote.origin_host]
    relay.append(ocs._connections.choose().peer.remote.origin_host)
    units = [avp("CC-Time", 100)]
    answers = [ask(1, "64", ("Requested-Service-Unit", units))]

    registration = Registration("tester.example.net;1;64")
    gateway.register(registration)
    asked = gevent.spawn(ocs.request, "Re-Auth-Request", "tester.example.net;1;64")
    request: Any = registration.receive(GUARD_S)
    own = [("Session-Id", "tester.example.net;1;64"), ("Result-Code", 2001)]
    own += [("Origin-Host", "tester.example.net"), ("Origin-Realm", "example.net")]
    octets = encode_avps([avp(*one) for one in own], standard(), "avps")
    gateway.answer(request, octets, is_error=False)
    rar = asked.get(timeout=GUARD_S)["avp"]["Result-Code"]

    (own,) = gateway._connections._live
    for _ in range(3):  # watchdog requests of ours, which the relay answers
        play_watchdog_interval(own)
        until(lambda: own.peer.state is State.OPEN)
    answers.append(ask(2, "64", ("Used-Service-Unit", [avp("CC-Time", 60)])))
    answers.append(ask(3, "64", ("Used-Service-Unit", [avp("CC-Time", 40)])))
    answers.append(ask(1, "65", ("Requested-Service-Unit", units)))

    served = Registration("tester.example.net;1;66")
    listener.register(served)
    sent = gevent.spawn(ask, 1, "66", host="listener.example.net")
    came: Any = served.receive(GUARD_S)
    own = [("Session-Id", "tester.example.net;1;66"), ("Result-Code", 2001)]
    own += [("Origin-Host", "listener.example.net"), ("Origin-Realm", "example.net")]
    own += [("Auth-Application-Id", 4), ("CC-Request-Type", 1), ("CC-Request-Number", 0)]
    octets = encode_avps([avp(*one) for one in own], standard(), "avps")
    listener.answer(came, octets, is_error=False)
    heard = {
        "peer": listener.connection().peer.remote.origin_host,
        "asked": message_tree(came.octets, standard())["avp"]["Origin-Host"],
        "result": sent.get(timeout=GUARD_S)["Result-Code"],
    }
    connects = gateway.status().counters["connects"]
    gateway.stop(1.0)
    listener.stop(1.0)
    return {
        "relay": relay,
        "answers": answers,
        "balance": ocs.ledger.balance("64"),
        "route": [request["avp"].get("Route-Record") for request in ocs.requests],
        "rar": rar,
        "connects": connects,
        "state": gateway.status().state.value,
        "listener": heard,
    }


if __name__ == "__main__":
    from gevent import monkey

    monkey.patch_all()
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2])))
else:
    import pytest

    pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("transport", TRANSPORTS)]
