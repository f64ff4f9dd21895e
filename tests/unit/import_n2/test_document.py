"""Whole N2SVCD files and parts of them are converted; tomllib reads the output."""

import tomllib
from pathlib import Path

import pytest

from tsvc.gateways.gateway import GATEWAYS
from tsvc.import_n2.document import import_document
from tsvc.import_n2.source import XmlError

SAMPLE = Path(__file__).with_name("n2svcd.xml").read_bytes()


def converted(applications):
    return import_document(
        f"<n2svcd><applications>{applications}</applications></n2svcd>".encode()
    )


def application(module, parameters="", config="", **attributes):
    given = "".join(f'<parameter name="{n}" value="{v}"/>' for n, v in parameters)
    more = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return (
        f'<application name="A" module="{module}"{more}><parameters>{given}</parameters>'
        f"<config>{config}</config></application>"
    )


def table(module, parameters=(), config="", **attributes):
    """Return the members of the one application, and the texts of the notes."""
    found = converted(application(module, parameters, config, **attributes))
    tables = tomllib.loads(found.toml("x", with_secrets=True)).get("application", {})
    return tables.get("A"), [f"{note.place}: {note.text}" for note in found.notes]


def test_the_sample_as_a_whole():
    found = tomllib.loads(import_document(SAMPLE).toml("n2svcd.xml", with_secrets=True))
    assert found["rpc"] == {"host": "127.0.0.1", "port": 9010}
    assert found["tester"] == {
        "default_sigtran": "SIGTRAN",
        "default_pi": "PI-SMF01",
        "default_osd": "OSD-SLC01",
        "default_db_smf": "DB-SMF01",
        "ignore_reset_timer": True,
    }
    applications = found["application"]
    assert {name: one["module"] for name, one in applications.items()} == {
        "SIGTRAN": "sigtran",
        "LOOP": "sigtran",
        "PI-SMF01": "pi",
        "OSD-SLC01": "osd",
        "DIAMETER-S1": "diameter",
        "DB-SMF01": "db",
        "REST-CLIENT": "rest",
    }
    assert applications["PI-SMF01"] == {
        "module": "pi",
        "remote_host": "192.0.2.154",
        "remote_port": 4999,
        "username": "admin",
        "password": 'top-"s3cr3t',
        "num_client_connections": 3,
        "backlog_timeout_s": 5,
    }
    assert applications["DIAMETER-S1"]["force_destination_host"] is False
    assert applications["DIAMETER-S1"]["avps"] == [
        {
            "name": "Extension-Int-3",
            "code": 9043,
            "vendor_id": 20901,
            "mandatory": True,
            "type": "Unsigned64",
        }
    ]
    assert applications["DB-SMF01"] == {
        "module": "db",
        "url": "oracle://192.0.2.9:1521/SMF",
        "username": "smf",
        "password": "db-s3cr3t",
        "post_login_sql": "BEGIN SMF_SECURITY.RESPONSE('x'); END;",
        "ping_interval_s": 60,
        "pool": 5,
    }
    assert applications["REST-CLIENT"]["http_headers"] == {"x-api-key": "aaaa-bbbb"}
    sigtran = applications["SIGTRAN"]
    assert (sigtran["ogt_digits"], sigtran["ossn"]) == ("0645600000", 12)
    assert sigtran["connections"][0]["network_appearance"] == 10
    assert sigtran["routes"][0] == {"pc": 2057, "connection": "stp-1"}


def test_every_line_of_the_sample_that_is_not_taken_over_is_named():
    lines = import_document(SAMPLE).lines_of_notes()
    for wanted in (
        "line 3: syslog",
        "line 5: Manager: ManageApp",
        "line 33: SIGTRAN: config.handlers",
        "line 54: PI-SMF01: trace_level",
        "line 57: PI-SOAP: PIApp: is not converted: PI over soap",
        "line 104: MONGO",
        "line 136: Tester: default_rest_app_name",
        "line 138: Tester: edr_margin_secs",
    ):
        assert any(line.startswith(wanted) for line in lines), wanted
    text = import_document(SAMPLE).toml("x", with_secrets=False)
    assert all(f"# {line}" in text for line in lines)


def test_without_secrets_a_file_is_named_for_each():
    text = import_document(SAMPLE).toml("x", with_secrets=False)
    assert "s3cr3t" not in text
    applications = tomllib.loads(text)["application"]
    assert applications["PI-SMF01"]["password_file"] == "pi-smf01.password"
    assert "password" not in applications["DB-SMF01"]


KINDS = sorted(tomllib.loads(import_document(SAMPLE).toml("x", with_secrets=True))["application"])


@pytest.mark.parametrize("name", KINDS)
def test_each_table_is_one_that_its_gateway_takes(name):
    members = tomllib.loads(import_document(SAMPLE).toml("x", with_secrets=True))["application"]
    given = members[name]
    kind = GATEWAYS.get(given.pop("module"))
    assert kind.Config.schema().validate(given) == {}


@pytest.mark.parametrize("value", ["1", "Y", "yes", "On", "t", "TRUE"])
def test_truths(value):
    found, _ = table("DiameterApp", [("force_destination_host", value)])
    assert found["force_destination_host"] is True


@pytest.mark.parametrize(
    ("module", "parameter", "value", "text"),
    [
        ("PIApp", "remote_port", "4x", "A: remote_port: '4x' is no whole number"),
        ("PIApp", "backlog_timeout", "soon", "A: backlog_timeout: 'soon' is no number"),
        (
            "DiameterApp",
            "force_destination_host",
            "2",
            "A: force_destination_host: '2' is neither",
        ),
        ("PIApp", "colour", "red", "A: colour: has no counterpart"),
        ("OSDApp", "security", "signed", "A: security: 'signed' is none of"),
    ],
)
def test_values_that_can_not_be_taken_over(module, parameter, value, text):
    found, notes = table(module, [(parameter, value)])
    assert parameter not in found
    assert any(note.startswith(text) for note in notes), notes


def test_parameters_may_be_elements():
    octets = '<application name="A" module="PIApp"><parameters><remote_host>h</remote_host>\
<parameter name="pool">4</parameter></parameters></application>'
    found = converted(octets).targets[0].members
    assert found == {"remote_host": "h", "num_client_connections": 4}


@pytest.mark.parametrize(
    ("connect", "members"),
    [
        ("dbi:Oracle:host=h;sid=S;port=1521", {"url": "oracle://h:1521/S"}),
        (
            "dbi:Oracle:host=h;service_name=N",
            {"driver": "oracle", "host": "h", "database": "N"},
        ),
        ("DBI:Pg:dbname=d;host=h", {"driver": "postgresql", "host": "h", "database": "d"}),
        ("dbi:mysql:d", {"driver": "mysql", "database": "d"}),
        ("dbi:SQLite:dbname=/x/y.db", {"driver": "sqlite", "database": "/x/y.db"}),
    ],
)
def test_connect_strings(connect, members):
    found, _ = table("DBApp", [("connect", connect)])
    assert found == {"module": "db", **members}


@pytest.mark.parametrize("connect", ["", "dbi:Sybase:x", "mongodb://h/d", "host=h"])
def test_databases_that_do_not_exist_here(connect):
    found, notes = table("DBApp", [("connect", connect)])
    assert found is None
    assert "is not converted" in notes[0]


def test_a_part_of_a_connect_string_that_is_not_known():
    found, notes = table("DBApp", [("connect", "dbi:Oracle:TNSNAME")])
    assert found == {"module": "db", "driver": "oracle"}
    assert "A: connect: a part without name is not taken over" in notes


@pytest.mark.parametrize(
    ("module", "parameters", "becomes"),
    [
        ("MmlClientApp", [("remote_host", "h")], "pi"),
        ("MmlClientApp", [("protocol", "MML")], "pi"),
        ("SoapClientApp", [("quirks_mode", "ncc_osd")], "osd"),
        ("SoapClientApp", [("quirks_mode", "ncc_pi")], None),
        ("SoapClientApp", [], None),
        ("SMPPApp", [], None),
        ("RestServerApp", [], None),
    ],
)
def test_what_a_module_becomes(module, parameters, becomes):
    found, notes = table(module, parameters)
    assert (found or {"module": None})["module"] == becomes
    assert any(f"{module}: is not converted: " in note for note in notes) == (becomes is None)


def test_a_loopback_beside_others_is_left_out():
    config = (
        '<connections><connection name="L" type="loopback"/>'
        '<connection name="C" type="m3ua"><remote_host>h</remote_host></connection></connections>'
        '<routes><route pc="1" connection="L"/><route pc="2" connection="C"/></routes>'
    )
    found, notes = table("SigtranApp", [("opc", "1")], config)
    assert found["connections"] == [
        {"name": "C", "type": "m3ua", "remote_host": "h", "transport": "sctp"}
    ]
    assert found["routes"] == [{"pc": 2, "connection": "C"}]
    assert any("loopback stands alone" in note for note in notes)


def test_connections_with_several_addresses():
    config = (
        '<connections><connection name="C" type="sua" mode="connect" role="as" sg_dpc="7">'
        "<remote_host>192.0.2.1, 192.0.2.2</remote_host><remote_port>14001</remote_port>"
        "<local_host>192.0.2.3,192.0.2.4</local_host></connection></connections>"
        '<routes><route mingt="64" maxgt="640" connection="C"/></routes>'
    )
    found, notes = table("SigtranApp", [], config)
    assert found == {
        "module": "sigtran",
        "connections": [
            {
                "name": "C",
                "type": "sua",
                "mode": "connect",
                "role": "as",
                "remote_host": "192.0.2.1",
                "remote_port": 14001,
                "dpc": 7,
                "transport": "sctp",
                "local_hosts": ["192.0.2.3", "192.0.2.4"],
            }
        ],
    }
    assert [note.partition(": ")[2].partition(":")[0] for note in notes] == [
        "connection.remote_host",
        "route",
    ]
    assert "192.0.2.2" in notes[0]
    assert GATEWAYS.get(found.pop("module")).Config.schema().validate(found) == {}


def test_a_point_code_of_24_bits_makes_the_network_ansi():
    found, notes = table("SigtranApp", [("opc", "131073")])
    assert found["network"] == "ansi"
    assert any("network is ansi" in note for note in notes)


def test_text_from_outside_stays_in_its_comment_and_its_string():
    name = "X&#10;[rpc]&#10;port = 1"
    found = converted(f'<application name="{name}" module="PIApp"/>')
    text = found.toml("a\n[rpc]", with_secrets=True)
    loaded = tomllib.loads(text)
    assert list(loaded) == ["application"]
    assert list(loaded["application"]) == ["X\n[rpc]\nport = 1"]


@pytest.mark.parametrize(
    ("octets", "line"),
    [
        (b"<html/>", 1),
        (b"<n2svcd><applications>\n<application name='A'/></applications></n2svcd>", 2),
        (
            b"<n2svcd><applications><application name='A' module='PIApp'>\n<parameters>"
            b"<parameter name='a' value='1'/>\n<parameter name='a' value='2'/>"
            b"</parameters></application></applications></n2svcd>",
            3,
        ),
    ],
)
def test_what_is_no_configuration(octets, line):
    with pytest.raises(XmlError) as caught:
        import_document(octets)
    assert caught.value.line == line


def test_two_of_one_name():
    found = converted(application("PIApp", [("remote_host", "1")]) + application("OSDApp"))
    assert [target.module for target in found.targets] == ["pi"]
    assert any("of that name already" in note.text for note in found.notes)


def test_two_testers():
    tester = application("TesterApp", [("json_port", "1")])
    found = converted(tester + tester.replace('"A"', '"B"').replace('"1"', '"2"'))
    assert found.rpc == {"port": 1}
    assert any("one tester" in note.text for note in found.notes)
