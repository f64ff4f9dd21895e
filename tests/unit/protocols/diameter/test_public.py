"""The generated part of the dictionary, compared with its sources and with other readers.

Formats are compared with pycrate's reading of TS 29.230, octets with python-diameter, and
messages of each application with tshark.
"""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from diameter.message import Avp
from pycrate_diameter.Diameter3GPP import TGPPAVPInfos_dict
from unit.protocols.diameter import public_table
from unit.protocols.diameter.dissection import dissected

from tsvc.protocols.diameter.capabilities import Node, encode_capabilities
from tsvc.protocols.diameter.dictionary import Command, public_text, standard, written
from tsvc.protocols.diameter.message import Header, encode_message
from tsvc.protocols.diameter.tree import encode_avps, message_tree
from tsvc.words import did_you_mean

DICTIONARY = standard()
PUBLIC = [one for one in DICTIONARY.avps.values() if one.key not in written().avps]
TGPP = 10415
# Formats that have the same length and octets for all values of the tests.
ALIKE = (
    {"OctetString", "UTF8String", "DiameterIdentity", "DiameterURI", "IPFilterRule"},
    {"Integer32", "Enumerated", "Unsigned32"},
)


def alike(one, two):
    return one == two or any({one, two} <= some for some in ALIKE)


def test_the_table_is_what_its_sources_say():
    assert public_text() == public_table.make(), "run public_table.py"


def test_what_is_written_by_hand_stays_as_it_is():
    assert (len(written().avps), len(written().commands)) == (392, 21)
    for key, one in written().avps.items():
        found = DICTIONARY.avps[key]
        assert replace(found, names=one.names) == one
        assert found.names == one.names or not one.names
    for name, one in written().by_name.items():
        assert DICTIONARY.by_name[name].key == one.key
    for code, command in written().commands.items():
        assert DICTIONARY.commands[code] == command
        for spelling in (f"{command.name}-Request", f"{command.abbreviation}R"):
            assert DICTIONARY.command(spelling) == written().command(spelling)


def test_names_are_there_once():
    names = [one.name.lower() for one in DICTIONARY.avps.values()]
    assert len(set(names)) == len(names) == len(DICTIONARY.avps) > 2800
    assert all(name.isascii() and not set(name) & set(" :!{}") for name in names)


def test_formats_are_those_of_the_second_source():
    """If python-diameter and pycrate differ on the wire, a named document decides."""
    differ = set()
    for vendor, table in public_table.tables():
        for code, info in table.items() if vendor == TGPP else ():
            theirs = info["type"].__name__.removeprefix("Avp").replace("Utf8", "UTF8")
            register = TGPPAVPInfos_dict.get(code)
            if register is None:
                continue
            name = register[1].__name__
            if not alike(name, theirs):
                differ.add(code)
            elif (code, TGPP) not in written().avps and code not in public_table.DECIDED:
                assert DICTIONARY.avps[code, TGPP].type.name == name
    assert differ == set(public_table.DECIDED)
    for code, (name, _) in public_table.DECIDED.items():
        assert DICTIONARY.avps[code, TGPP].type.name == name


SAMPLES = {
    "OctetString": "octets",
    "Integer32": -5,
    "Integer64": -(2**40),
    "Unsigned32": 4_000_000_000,
    "Unsigned64": 2**60,
    "Float32": 1.5,
    "Float64": 1.5,
    "Address": "192.0.2.7",
    "Time": 1_700_000_000,
    "UTF8String": "naïve",
    "DiameterIdentity": "a.example.net",
    "DiameterURI": "aaa://a.example.net:3868",
    "IPFilterRule": "permit in ip from any to any",
    "QoSFilterRule": "tag in ip from any to any",
    "Enumerated": 3,
    "Grouped": [{"name": "Rating-Group", "value": 7}],
}


def test_python_diameter_reads_every_one():
    for one in PUBLIC:
        octets = encode_avps([{"name": one.name, "value": SAMPLES[one.type.name]}], DICTIONARY, "")
        avp = Avp.from_bytes(octets)
        assert (avp.code, avp.vendor_id or 0) == one.key
        assert avp.is_mandatory == one.is_mandatory, one.name
        if one.vendor_id != TGPP or one.code not in public_table.DECIDED:
            assert avp.value is not None, one.name
        assert avp.as_bytes() == octets


def _same(one, name):
    plain = name.upper().replace("-", "_")
    return [
        number for number, other in one.names.items() if other.upper().replace("-", "_") == plain
    ]


def test_every_value_can_be_given_by_name():
    for one in DICTIONARY.avps.values():
        for number, name in one.names.items() if one.type.name == "Enumerated" else ():
            for spelling in (name, name.replace("_", "-"), name.lower()):
                assert one.number(spelling) in (number, *_same(one, name))
            octets = encode_avps([{"name": one.name, "value": name}], DICTIONARY, "")
            assert int.from_bytes(octets[-4:], signed=True) == number


# AVPs that must be known, by application; the first of each come from an issue and findings.
WANTED = {
    "Rx": "Media-Component-Description Media-Sub-Component Specific-Action Flow-Description",
    "Gx": "Charging-Rule-Install Event-Trigger Charging-Rule-Definition Default-EPS-Bearer-QoS",
    "S6a": "Subscription-Data ULR-Flags Authentication-Info APN-Configuration-Profile",
    "Sh": "User-Identity Sh-User-Data Data-Reference Session-Priority",
    "Cx": "Server-Assignment-Type SIP-Auth-Data-Item SIP-Digest-Authenticate Session-Priority",
    "SWm": "EAP-Payload EAP-Master-Session-Key RAT-Type AN-Trusted Mobile-Node-Identifier",
    "Gy": "Multiple-Services-Credit-Control PS-Information Announcement-Information",
    "Sy": "Policy-Counter-Status-Report Pending-Policy-Counter-Information SN-Request-Type",
    "Rf": "Accounting-Record-Type Service-Information IMS-Information",
    "S9": "Subsession-Enforcement-Info Subsession-Decision-Info Subsession-Id",
    "T6a": "SCEF-ID Connection-Action Bearer-Identifier Non-IP-Data",
}


@pytest.mark.parametrize("application", WANTED)
def test_what_must_be_there(application):
    for name in WANTED[application].split():
        assert DICTIONARY.avp(name) is not None, name


@pytest.mark.parametrize(
    ("name", "code", "application"),
    [
        ("Update-Location-Request", 316, 16777251),
        ("3GPP-Update-Location-Request", 316, 16777251),
        ("ULR", 316, 16777251),
        ("AIA", 318, 16777251),
        ("Diameter-EAP-Request", 268, 5),
        ("CMR", 8388732, 16777346),
    ],
)
def test_commands(name, code, application):
    found = DICTIONARY.command(name)
    assert isinstance(found, Command)
    assert (found.code, found.application_id) == (code, application)


def test_peers_are_not_told_of_more_vendors_than_before():
    octets = encode_capabilities(Node("a.b", "b"), DICTIONARY)
    assert octets == encode_capabilities(Node("a.b", "b"), written())


def test_near_misses_are_still_told():
    for wrong, meant in (
        ("Media-Component-Descripton", "Media-Component-Description"),
        ("Charging-Rule-Instal", "Charging-Rule-Install"),
        ("CC-Request-Typ", "CC-Request-Type"),
    ):
        assert meant in did_you_mean(wrong, DICTIONARY.like(wrong))


def test_nothing_is_read_before_it_is_needed():
    """The command line and a daemon without a Diameter gateway do not load the dictionary."""
    program = (
        "import tsvc.kinds.diameter.operations, tsvc.kinds.diameter.gateway\n"
        "from tsvc.protocols.diameter import dictionary\n"
        "print(len(dictionary._STANDARD), len(dictionary._WRITTEN))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "0 0\n"


# -- a message of each application -------------------------------------------------------------


def avp(name, value):
    return {"name": name, "value": value}


def group(name, **members):
    return avp(name, [avp(key.replace("_", "-"), value) for key, value in members.items()])


def vendor_application(number):
    members = {"Vendor_Id": TGPP, "Auth_Application_Id": number}
    return group("Vendor-Specific-Application-Id", **members)


STATELESS = avp("Auth-Session-State", "NO_STATE_MAINTAINED")
USER = avp("User-Name", "262011234567890")
PLMN = {"name": "Visited-PLMN-Id", "value_hex": "62f210"}
SUBSCRIBER = group(
    "Subscription-Id", Subscription_Id_Type="END_USER_E164", Subscription_Id_Data="6421000001"
)
QOS = [
    avp("QoS-Class-Identifier", 9),
    group("Allocation-Retention-Priority", Priority_Level=8),
]
CREDIT = [avp("CC-Request-Type", "INITIAL_REQUEST"), avp("CC-Request-Number", 0)]
CASES = {
    "Rx": (
        265,
        16777236,
        [
            avp("Auth-Application-Id", 16777236),
            avp("AF-Application-Identifier", "ims"),
            avp("Specific-Action", "INDICATION_OF_LOSS_OF_BEARER"),
            avp(
                "Media-Component-Description",
                [
                    avp("Media-Component-Number", 1),
                    avp("Media-Type", "AUDIO"),
                    avp("Max-Requested-Bandwidth-UL", 64000),
                    avp(
                        "Media-Sub-Component",
                        [
                            avp("Flow-Number", 1),
                            avp(
                                "Flow-Description", "permit in 17 from 192.0.2.1 to 192.0.2.2 5000"
                            ),
                            avp("Flow-Status", "ENABLED"),
                        ],
                    ),
                ],
            ),
        ],
    ),
    "Gx": (
        272,
        16777238,
        [
            avp("Auth-Application-Id", 16777238),
            *CREDIT,
            SUBSCRIBER,
            avp("Event-Trigger", "RAT_CHANGE"),
            avp("IP-CAN-Type", "3GPP-EPS"),
            avp("Default-EPS-Bearer-QoS", QOS),
            avp(
                "Charging-Rule-Install",
                [
                    avp(
                        "Charging-Rule-Definition",
                        [
                            avp("Charging-Rule-Name", "voice"),
                            avp("Rating-Group", 10),
                            avp(
                                "Flow-Information",
                                [
                                    avp("Flow-Description", "permit out ip from any to any"),
                                    avp("Flow-Direction", 1),
                                ],
                            ),
                            avp("Precedence", 5),
                        ],
                    ),
                ],
            ),
        ],
    ),
    "S6a ULR": (
        316,
        16777251,
        [
            vendor_application(16777251),
            STATELESS,
            USER,
            avp("RAT-Type", "EUTRAN"),
            avp("ULR-Flags", 34),
            PLMN,
            group("Terminal-Information", IMEI="35209900176148", Software_Version="23"),
        ],
    ),
    "S6a IDR": (
        319,
        16777251,
        [
            vendor_application(16777251),
            STATELESS,
            USER,
            avp(
                "Subscription-Data",
                [
                    avp("Subscriber-Status", "SERVICE_GRANTED"),
                    {"name": "MSISDN", "value_hex": "461200000010"},
                    avp("Network-Access-Mode", "ONLY_PACKET"),
                    group(
                        "AMBR", Max_Requested_Bandwidth_UL=50000, Max_Requested_Bandwidth_DL=100000
                    ),
                    avp(
                        "APN-Configuration-Profile",
                        [
                            avp("Context-Identifier", 1),
                            avp("All-APN-Configurations-Included-Indicator", 0),
                            avp(
                                "APN-Configuration",
                                [
                                    avp("Context-Identifier", 1),
                                    avp("PDN-Type", "IPV4"),
                                    avp("Service-Selection", "internet"),
                                    avp("EPS-Subscribed-QoS-Profile", QOS),
                                ],
                            ),
                        ],
                    ),
                ],
            ),
        ],
    ),
    "Sh": (
        306,
        16777217,
        [
            vendor_application(16777217),
            STATELESS,
            group("User-Identity", Public_Identity="sip:a@example.net"),
            avp("Data-Reference", "IMSUserState"),
        ],
    ),
    "Cx": (
        300,
        16777216,
        [
            vendor_application(16777216),
            STATELESS,
            avp("User-Name", "a@example.net"),
            avp("Public-Identity", "sip:a@example.net"),
            avp("Visited-Network-Identifier", "example.net"),
            avp("Session-Priority", "PRIORITY-1"),
        ],
    ),
    "SWm": (
        268,
        16777264,
        [
            avp("Auth-Application-Id", 16777264),
            avp("Auth-Request-Type", "AUTHORIZE_AUTHENTICATE"),
            {"name": "EAP-Payload", "value_hex": "02010005010000"[:10]},
            avp("RAT-Type", "WLAN"),
            avp("Service-Selection", "internet"),
            avp("Visited-Network-Identifier", "epc"),
        ],
    ),
    "Gy": (
        272,
        4,
        [
            avp("Auth-Application-Id", 4),
            avp("Service-Context-Id", "32251@3gpp.org"),
            *CREDIT,
            SUBSCRIBER,
            avp(
                "Service-Information",
                [
                    avp(
                        "PS-Information",
                        [
                            avp("Charging-Characteristics-Selection-Mode", 1),
                            avp("User-Location-Info-Time", 1_700_000_000),
                        ],
                    ),
                ],
            ),
        ],
    ),
    "Sy": (
        8388635,
        16777302,
        [
            avp("Auth-Application-Id", 16777302),
            avp("SL-Request-Type", "INITIAL_REQUEST"),
            SUBSCRIBER,
            avp(
                "Policy-Counter-Status-Report",
                [
                    avp("Policy-Counter-Identifier", "pc1"),
                    avp("Policy-Counter-Status", "normal"),
                    avp(
                        "Pending-Policy-Counter-Information",
                        [
                            avp("Policy-Counter-Status", "throttled"),
                            avp("Pending-Policy-Counter-Change-Time", 1_700_000_000),
                        ],
                    ),
                ],
            ),
        ],
    ),
    "Rf": (
        271,
        3,
        [
            avp("Acct-Application-Id", 3),
            avp("Accounting-Record-Type", "EVENT_RECORD"),
            avp("Accounting-Record-Number", 0),
            avp(
                "Service-Information",
                [
                    avp(
                        "IMS-Information",
                        [
                            avp("Node-Functionality", "P-CSCF"),
                            avp("Access-Transfer-Information", [avp("Access-Transfer-Type", 1)]),
                        ],
                    ),
                ],
            ),
        ],
    ),
    "S9": (
        272,
        16777267,
        [
            avp("Auth-Application-Id", 16777267),
            *CREDIT,
            avp(
                "Subsession-Enforcement-Info",
                [
                    avp("Subsession-Id", 1),
                    avp("Subsession-Operation", "ESTABLISHMENT"),
                ],
            ),
        ],
    ),
    "T6a": (
        8388732,
        16777346,
        [
            vendor_application(16777346),
            STATELESS,
            {"name": "User-Identifier", "value": [avp("User-Name", "262011234567890")]},
            {"name": "Bearer-Identifier", "value_hex": "05"},
            avp("Connection-Action", 0),
            avp("Service-Selection", "iot"),
        ],
    ),
}


def request(code, application, avps):
    head = [
        avp("Session-Id", "client.example.net;1;2"),
        avp("Origin-Host", "client.example.net"),
        avp("Origin-Realm", "example.net"),
        avp("Destination-Realm", "example.org"),
    ]
    body = encode_avps([*head, *avps], DICTIONARY, "avps")
    return encode_message(Header(code, 0xC0, application, 7, 8), body)


def test_tshark_reads_a_message_of_each_application(tmp_path):
    octets = {name: request(*case) for name, case in CASES.items()}
    for name, packet in zip(octets, dissected(tmp_path, *octets.values()), strict=True):
        text = json.dumps(packet)
        assert "_ws.malformed" not in text, name
        assert "_ws.expert" not in text, (name, text)
        code, application, _ = CASES[name]
        head = packet["diameter"]
        assert head["diameter.cmd.code"] == str(code)
        assert head["diameter.applicationId"] == str(application)


@pytest.mark.parametrize("name", CASES)
def test_and_so_do_we(name):
    notes = []
    tree = message_tree(request(*CASES[name]), DICTIONARY, notes)
    assert notes == []
    assert "AVP " not in json.dumps(tree)
    assert "Command" not in tree["name"]
