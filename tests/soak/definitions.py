"""What the runs of a soak ask the peers: each answer tells what was asked, and is checked."""

from typing import Any

Operation = dict[str, Any]
TOKEN = "{$v->{token}}"
VARS = {"token": "{1 + $r->{idx} % 9}"}


def _ccr(asked: str) -> Operation:
    return {
        "type": "diameter.Request",
        "arguments": {
            "name": "Credit-Control-Request",
            "avps": [
                {"name": "Session-Id_auto", "value": 1},
                {"name": "Service-Context-Id", "value": "32251@3gpp.org"},
                {"name": "CC-Request-Type", "value": "INITIAL_REQUEST"},
                {"name": "CC-Request-Number", "value": 0},
                {
                    "name": "Subscription-Id",
                    "value": [
                        {"name": "Subscription-Id-Type", "value": "END_USER_E164"},
                        {"name": "Subscription-Id-Data", "value": "6421000001"},
                    ],
                },
                {"name": "Requested-Service-Unit", "value": [{"name": "CC-Time", "value": asked}]},
            ],
        },
        "tests": [
            {
                "kpath": "response.avp.Granted-Service-Unit.CC-Time",
                "type": "integer",
                "value": asked,
            }
        ],
    }


CHARGE = _ccr(TOKEN)
REAUTHORIZED: list[Operation] = [
    {"type": "diameter.from_server.Register"},
    CHARGE,
    {"type": "diameter.from_server.Request", "arguments": {"code": "RAR", "seconds": 4}},
]
QUERY: Operation = {
    "type": "db.Say",
    "arguments": {"token": TOKEN},
    "tests": [{"kpath": "rows.token", "value": TOKEN}],
}
FETCH: Operation = {
    "type": "rest.Request",
    "arguments": {"method": "GET", "path": '{"/$v->{token}.json"}'},
    "tests": [{"kpath": "rest.content_json.token", "value": TOKEN}],
}
CALL: Operation = {
    "type": "osd.Request",
    "arguments": {
        "action": "http://sms.example/wsdls/Provider/Accounts/QueryBalance",
        "wsdl_url": "http://sms.example/wsdls/Provider/Accounts.wsdl",
        "operation": "QueryBalance",
        "parameters": {"msisdn": TOKEN},
    },
    "tests": [{"kpath": "returned.balance", "type": "integer", "value": TOKEN}],
}
PROVISION: Operation = {
    "type": "pi.Request",
    "arguments": {
        "command": "CCSCD1=QRY",
        "parameters": {"MSISDN": TOKEN, "BALANCE_TYPE": "General Cash"},
    },
    "tests": [{"kpath": "fields.BALANCE", "type": "integer", "value": TOKEN}],
}


def _deliver(source: str) -> Operation:
    return {
        "type": "smpp.smsc_to_esme.Request",
        "arguments": {"pdu": "deliver_sm", "parameters": {"source_addr": source}},
        "tests": [{"kpath": "parameters.message_id", "value": source}],
    }


DELIVER = _deliver(TOKEN)
_ADDRESS = "{$v->{address}}"
REPLIED: list[Operation] = [
    {"type": "eval", "expression": "$v->{address} = substr(uuid(), 0, 18)"},
    {
        "type": "smpp.smsc_from_esme.Register",
        "arguments": {"pdu": "submit_sm", "destination_addr": _ADDRESS},
    },
    _deliver(_ADDRESS),
    {
        "type": "smpp.smsc_from_esme.Request",
        "arguments": {
            "pdu": "submit_sm",
            "seconds": 4,
            "parameters": {"destination_addr": _ADDRESS},
        },
    },
]

# What a gateway is asked, by its kind.
ASKS: dict[str, list[list[Operation]]] = {
    "diameter": [[CHARGE], REAUTHORIZED],
    "db": [[QUERY]],
    "rest": [[FETCH]],
    "osd": [[CALL]],
    "pi": [[PROVISION]],
    "smpp": [[DELIVER], REPLIED],
}
ALL: list[Operation] = [CHARGE, QUERY, FETCH, CALL, PROVISION, DELIVER]
