"""tsvc record through click's own runner: what it lists, writes, reports and refuses."""

import json

import pytest
from click.testing import CliRunner
from support.segments import data, exported, pcap, sctp

from tsvc.commands.record import command
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sccp.messages import encode_udt
from tsvc.protocols.tcap import dialogue_portion
from tsvc.protocols.tcap.components import Invoke
from tsvc.protocols.tcap.components import encode as encode_component
from tsvc.protocols.tcap.messages import MessageType, encode


def message(type_, name, arguments, *, invoke_id=0, **ids):
    operation = OPERATIONS.get(name)
    octets = operation.encode_argument(arguments, "camel2")
    return encode(
        type_, components=[encode_component(Invoke(invoke_id, operation.code, octets))], **ids
    )


AARQ = dialogue_portion.encode(dialogue_portion.Aarq(BY_ALIAS["camel2"].octets))
BEGIN = message(
    MessageType.BEGIN,
    "InitialDP",
    {"serviceKey": 45, "callingPartyNumber_digits": "6421000001"},
    otid=b"\1\1\1\1",
    dialogue=AARQ,
)
END = message(MessageType.END, "ReleaseCall", {"initialCallSegment_cause": 31}, dtid=b"\1\1\1\1")
UNKNOWN = encode(MessageType.END, components=[encode_component(Invoke(1, 99))], dtid=b"\1\1\1\1")
SSP, SCP = Address(1, 146, pc=1), Address(1, 146, pc=2)


def on_a_link(*messages):
    """Return a capture of M3UA over SCTP; SSP and SCP send alternately, the SSP first."""
    packets = []
    for at, octets in enumerate(messages):
        is_ours = at % 2 == 0
        called, calling, codes = (SCP, SSP, (1, 2)) if is_ours else (SSP, SCP, (2, 1))
        udt = encode_udt(called, calling, octets)
        chunk = data(at, 1, at // 2, encode_data(*codes, 3, 2, 0, 0, udt))
        packets.append((at * 0.01, sctp(is_ours, chunk)))
    return pcap(packets)


@pytest.fixture
def record(tmp_path):
    """A function that runs the command on a capture: record(octets, *arguments)."""

    def run(octets, *arguments):
        path = tmp_path / "call.pcap"
        path.write_bytes(octets)
        return CliRunner().invoke(command, [str(path), *arguments])

    return run


def test_it_is_a_command():
    from tsvc.cli.main import main

    done = CliRunner().invoke(main, ["record", "--help"])
    assert done.exit_code == 0
    assert "Make a test definition from a capture" in done.output


def test_a_file_is_written(record, tmp_path):
    done = record(on_a_link(BEGIN, END), "-o", str(tmp_path / "made.json"))
    assert (done.exit_code, done.stdout) == (0, "")
    made = json.loads((tmp_path / "made.json").read_text("utf-8"))
    assert made["name"] == "call"
    assert made["ssp_ac"] == "camel2"
    assert [entry["type"] for entry in made["operations"]] == [
        "inap.ssp_to_scp.InitialDP",
        "inap.ssp_from_scp.ReleaseCall",
    ]
    lines = done.stderr.splitlines()
    assert lines[0].endswith("call.pcap: 2 messages in 2 packets, 1 dialogues")
    assert lines[1:] == [
        "  1. packet 1: CAP (camel2) InitialDP",
        "     BEGIN InitialDP, END ReleaseCall",
    ]


def test_without_a_file_it_is_printed(record):
    done = record(on_a_link(BEGIN, END))
    assert done.exit_code == 0
    assert json.loads(done.stdout)["operations"][0]["arguments"] == {
        "serviceKey": 45,
        "callingPartyNumber_digits": "6421000001",
    }


def test_a_list_makes_nothing(record, tmp_path):
    target = tmp_path / "made.json"
    done = record(on_a_link(BEGIN, END), "--list", "-o", str(target))
    assert (done.exit_code, done.stdout, target.exists()) == (0, "", False)


def other(octets):
    """Return the same message with another transaction id."""
    return octets.replace(b"\1\1\1\1", b"\2\2\2\2")


def test_one_of_several_dialogues(record):
    capture = on_a_link(BEGIN, END, other(BEGIN), other(END))
    both = json.loads(record(capture).stdout)
    assert [entry["dialogue"] for entry in both["operations"]] == ["SSP 1"] * 2 + ["SSP 2"] * 2
    assert both["vars"] == {"callingPartyNumber": "6421000001"}
    second = json.loads(record(capture, "--dialogue", "2").stdout)
    assert len(second["operations"]) == 2
    assert "vars" not in second
    done = record(capture, "--dialogue", "3")
    assert (done.exit_code, "--dialogue 3: there are 2" in done.stderr) == (2, True)


def test_what_is_lacking_is_told(record):
    done = record(on_a_link(BEGIN, UNKNOWN))
    assert done.exit_code == 1
    assert "     lacks: packet 2: operation 99 is not known in camel2" in done.stderr
    assert len(json.loads(done.stdout)["operations"]) == 1


def test_what_is_not_used_is_told(record):
    done = record(on_a_link(BEGIN, END)[:-3])
    assert "  not used: packet 2, octet " in done.stderr
    assert done.exit_code == 0


@pytest.mark.parametrize("side", ["10.0.0.1", "10.0.0.1:2906", "pc 1", "client", "ssp"])
def test_sides_that_are_the_clients(record, side):
    made = json.loads(record(on_a_link(BEGIN, END), "--as", side).stdout)
    assert made["operations"][0]["type"] == "inap.ssp_to_scp.InitialDP"


@pytest.mark.parametrize("side", ["10.0.0.2", "pc 2", "server", "scp"])
def test_sides_that_a_tester_can_not_have(record, side):
    done = record(on_a_link(BEGIN, END), "--as", side)
    assert done.exit_code == 1
    assert "lacks: the tester can't wait for a dialogue of INAP or CAP" in done.stderr


def test_a_side_that_nobody_has(record):
    done = record(on_a_link(BEGIN, END), "--as", "10.9.9.9")
    assert done.exit_code == 2
    assert "--as 10.9.9.9: none of client, server, 10.0.0.1," in done.stderr


@pytest.mark.parametrize(
    ("octets", "text"),
    [(b"PK", "neither pcap nor pcapng"), (exported([], "tcap"), "no dialogue was found")],
)
def test_files_of_nothing(record, octets, text):
    done = record(octets)
    assert done.exit_code != 0
    assert text in done.stderr


def test_a_protocol_that_nobody_records_is_told(record):
    done = record(exported([b"SELECT 1"], "postgres"), "--list")
    assert "packet 1, octet 0: nothing makes operations of postgres" in done.stderr
