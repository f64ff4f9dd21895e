"""The example fragments of the published documentation, restated: those that are valid."""

from collections.abc import Iterator
from typing import Any

import pytest
from e2e.facts_daemon import daemon_in, problems
from support.daemons import DaemonProcess

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    yield from daemon_in(tmp_path_factory.mktemp("facts"))


FRAGMENTS: dict[str, dict[str, Any]] = {
    "wait": {"type": "wait", "arguments": {"seconds": "5"}},
    "initial dp": {
        "type": "inap.ssp_to_scp.InitialDP",
        "tcap_ac": "04000101010003",
        "arguments": {
            "serviceKey": "341",
            "locationNumber_digits": "6421",
            "locationNumber_noa": 4,
            "callingPartysCategory_hex": "0a",
            "mscAddress_digits": "6421999",
            "mscAddress_noa": 1,
            "eventTypeBCSM": "2",
        },
    },
    "event report": {
        "type": "inap.scp_from_ssp.EventReportBCSM",
        "arguments": {
            "eventTypeBCSM": 9,
            "eventSpecificInformationBCSM": {
                "oDisconnectSpecificInfo": {"releaseCause_cause": 16}
            },
            "legID": {"receivingSideID_hex": "01"},
        },
    },
    "event report by name": {
        "type": "inap.ssp_to_scp.EventReportBCSM",
        "arguments": {"eventTypeBCSM_name": "oDisconnectLeg1"},
    },
    "apply charging report, camel": {
        "type": "inap.ssp_to_scp.ApplyChargingReport",
        "variant": "camel",
        "arguments": {
            "timeDurationChargingResult": {
                "callActive": 1,
                "timeInformation": {"timeIfNoTariffSwitch": 300},
                "partyToCharge": {"receivingSideID_hex": "01"},
            }
        },
    },
    "apply charging report, octets": {
        "type": "inap.ssp_to_scp.ApplyChargingReport",
        "variant": "cs1",
        "arguments": {"CallResult_hex": "8001ff"},
    },
    "call information report": {
        "type": "inap.ssp_to_scp.CallInformationReport",
        "arguments": {
            "requestedInformationList": [
                {
                    "requestedInformationType": 0,
                    "requestedInformationValue": {"callAttemptElapsedTimeValue": 3},
                },
                {
                    "requestedInformationType": 2,
                    "requestedInformationValue": {"callConnectedElapsedTimeValue": 30},
                },
                {
                    "requestedInformationType": 30,
                    "requestedInformationValue": {"releaseCauseValue_cause": 16},
                },
            ]
        },
    },
    "activity test result": {"type": "inap.ssp_to_scp.ActivityTestResult"},
    "collected digits": {
        "type": "inap.ssp_to_scp.PromptAndCollectUserInformationResult",
        "arguments": {"digitsResponse_digits": "1234", "digitsResponse_type": 0},
    },
    "announcement error": {
        "type": "inap.srp_to_scp.PlayAnnouncementError",
        "arguments": {"errorCode": 13},
    },
    "assist": {
        "type": "inap.srp_to_scp.AssistRequestInstructions",
        "arguments": {
            "correlationID_digits": "{$i->{EstablishTemporaryConnection}{correlationID_digits}}",
            "correlationID_noa": 3,
            "correlationID_nqi": 0,
        },
    },
    "connect": {
        "type": "inap.scp_to_ssp.Connect",
        "variant": "cs1",
        "arguments": {
            "destinationRoutingAddress_digits": "1234",
            "destinationRoutingAddress_noa": 3,
            "cutAndPaste": None,
            "!alertingPattern": None,
        },
    },
    "release call": {
        "type": "inap.ssp_from_scp.ReleaseCall",
        "arguments": {"initialCallSegment_cause": 31, "initialCallSegment_location": 0},
        "last_component": 1,
    },
    "extensions": {
        "type": "inap.ssp_from_scp.ContinueWithArgument",
        "variant": "cs2",
        "arguments": {
            "extensions": [{"type": 400, "criticality": 0}],
            "legID": {"sendingSideID_hex": "01"},
        },
    },
    "send charging information": {"type": "inap.ssp_from_scp.SendChargingInformation"},
    "armed events": {
        "type": "inap.ssp_from_scp.RequestReportBCSMEvent",
        "arguments": {
            "oCalledPartyBusy": 1,
            "routeSelectFailure": 1,
            "oNoAnswer": 1,
            "oNoAnswer_timer": 300,
            "oDisconnectLeg1": 1,
            "oDisconnectLeg2": 1,
            "oAbandon": 1,
        },
    },
    "apply charging, camel": {
        "type": "inap.ssp_from_scp.ApplyCharging",
        "variant": "camel",
        "arguments": {
            "aChBillingChargingCharacteristics": {
                "timeDurationCharging": {
                    "maxCallPeriodDuration": 3000,
                    "releaseIfdurationExceeded": 1,
                    "tone": 1,
                }
            }
        },
    },
    "furnish charging, octets": {
        "type": "inap.ssp_from_scp.FurnishChargingInformation",
        "variant": "cs1",
        "arguments": {"FCIBillingChargingCharacteristics_hex": "0102"},
    },
    "connect to resource": {
        "type": "inap.ssp_from_scp.ConnectToResource",
        "arguments": {"resourceAddress": {"none": 1}},
    },
    "temporary connection": {
        "type": "inap.ssp_from_scp.EstablishTemporaryConnection",
        "arguments": {"assistingSSPIPRoutingAddress_digits": "64900"},
    },
    "announcement": {
        "type": "inap.scp_to_srp.PlayAnnouncement",
        "arguments": {
            "informationToSend": {
                "inbandInfo": {
                    "messageID": {
                        "variableMessage": {
                            "elementaryMessageID": 12,
                            "variableParts": [{"number_digits": "123"}],
                        }
                    }
                }
            }
        },
    },
    "announcement in words": {
        "type": "inap.ssp_from_scp.PlayAnnouncement",
        "arguments": {
            "informationToSend": {
                "inbandInfo": {"messageID": {"text": {"messageContent": "hello"}}}
            }
        },
    },
    "prompt": {
        "type": "inap.srf_from_scp.PromptAndCollectUserInformation",
        "arguments": {
            "collectedInfo": {
                "collectedDigits": {"minimumNbOfDigits": 1, "maximumNbOfDigits": "4"}
            }
        },
    },
    "abort by the provider": {"type": "tcap.ssp_to_scp.Abort", "arguments": {"p_cause": 4}},
    "expected abort": {
        "type": "tcap.ssp_from_scp.Abort",
        "tcap_result": 1,
        "tcap_result_diagnostic_user": 2,
        "tcap_result_diagnostic_provider": None,
        "arguments": {"u_source": 0},
    },
    "register": {
        "type": "map.hlr_from_scp.Register",
        "arguments": {"opcode": 71, "msisdn_digits": "6421000001"},
    },
    "any time interrogation": {
        "type": "map.hlr_from_scp.AnyTimeInterrogationRequest",
        "arguments_not_used": 1,
    },
    "ussd": {
        "type": "map.hlr_to_scp.ProcessUnstructuredSSRequest",
        "tcap_ac": "ussd2",
        "arguments": {
            "ussdString_text": "*100#",
            "msisdn_digits": "6421000001",
            "tcap": {"map_open": {"destination_reference_digits": "530011234"}},
        },
    },
    "diameter": {
        "type": "diameter.Request",
        "arguments": {
            "name": "Credit-Control-Request",
            "avps": [
                {"name": "Session-Id_auto", "value": 1},
                {"name": "CC-Request-Type", "value": "1"},
            ],
        },
        "tests": [{"kpath": "response.avps.[name=Origin-Host].value", "value": "ocs"}],
    },
    "diameter from the server": {
        "type": "diameter.from_server.Request",
        "arguments": {"code": 258, "seconds": 10},
    },
    "pi": {
        "type": "ocncc.pi.Request",
        "arguments": {
            "command": "CCSCD1=QRY",
            "parameters": {"MSISDN": "6421000001"},
            "status": "ACK",
        },
        "tests": [{"kpath": "info", "type": "regex", "pattern": "BALANCE"}],
    },
    "osd": {
        "type": "ocncc.osd.Request",
        "arguments": {
            "action": "query",
            "wsdl_url": "http://127.0.0.1/osd.wsdl",
            "operation": "Query",
            "parameters": {"msisdn": "6421000001"},
        },
        "tests": [{"kpath": "returned.rows.[2].a", "value": "1"}],
    },
    "db": {
        "type": "db.smf.CcsAcctExists",
        "arguments": {"be_acct_id": "17"},
        "tests": [{"kpath": "rows.Exists", "type": "integer", "value": 1}],
    },
    "rest": {
        "type": "rest.SendRequest",
        "arguments": {
            "path": "/balance",
            "method": "POST",
            "content_type": "application/json",
            "content": {"id": 1},
            "http_headers": [{"name": "X-A", "value": "1"}],
        },
    },
    "rest answer": {
        "type": "rest.ExpectResponse",
        "tests": [
            {"kpath": "rest.code", "type": "integer", "value": 200},
            {"kpath": "rest.http_headers.[name=Server].[0].value", "value": "x"},
        ],
    },
    "smpp": {
        "type": "smpp.smsc_to_esme.Request",
        "arguments": {
            "pdu": "deliver_sm",
            "parameters": {"source_addr": "64211", "short_message": "hi"},
        },
        "tests": [{"kpath": "command_status", "type": "integer", "value": 0}],
    },
}


@pytest.mark.parametrize("name", FRAGMENTS)
def test_fragment(daemon: DaemonProcess, name: str) -> None:
    fragment = FRAGMENTS[name]
    # an answer needs a dialogue of its role before it, whatever happens in the dialogue
    hlr_ac = "ussd2" if fragment["type"].startswith("map.") else None
    assert problems(daemon, fragment, ssp_ac="", hlr_ac=hlr_ac) == []
