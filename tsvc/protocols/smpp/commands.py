"""Commands of SMPP 3.4 and their parameters, as tables: mandatory (section 4), optional (5.3.2).

submit_multi, with its list of destinations, is not in them: it is refused as unknown.
"""

import re
from enum import IntEnum

from tsvc.values import dataclass


class Status(IntEnum):
    """command_status of a response; a peer may send values that have no name."""

    ESME_ROK = 0x00
    ESME_RINVMSGLEN = 0x01
    ESME_RINVCMDLEN = 0x02
    ESME_RINVCMDID = 0x03
    ESME_RINVBNDSTS = 0x04
    ESME_RALYBND = 0x05
    ESME_RINVPRTFLG = 0x06
    ESME_RINVREGDLVFLG = 0x07
    ESME_RSYSERR = 0x08
    ESME_RINVSRCADR = 0x0A
    ESME_RINVDSTADR = 0x0B
    ESME_RINVMSGID = 0x0C
    ESME_RBINDFAIL = 0x0D
    ESME_RINVPASWD = 0x0E
    ESME_RINVSYSID = 0x0F
    ESME_RCANCELFAIL = 0x11
    ESME_RREPLACEFAIL = 0x13
    ESME_RMSGQFUL = 0x14
    ESME_RINVSERTYP = 0x15
    ESME_RINVNUMDESTS = 0x33
    ESME_RINVDLNAME = 0x34
    ESME_RINVDESTFLAG = 0x40
    ESME_RINVSUBREP = 0x42
    ESME_RINVESMCLASS = 0x43
    ESME_RCNTSUBDL = 0x44
    ESME_RSUBMITFAIL = 0x45
    ESME_RINVSRCTON = 0x48
    ESME_RINVSRCNPI = 0x49
    ESME_RINVDSTTON = 0x50
    ESME_RINVDSTNPI = 0x51
    ESME_RINVSYSTYP = 0x53
    ESME_RINVREPFLAG = 0x54
    ESME_RINVNUMMSGS = 0x55
    ESME_RTHROTTLED = 0x58
    ESME_RINVSCHED = 0x61
    ESME_RINVEXPIRY = 0x62
    ESME_RINVDFTMSGID = 0x63
    ESME_RX_T_APPN = 0x64
    ESME_RX_P_APPN = 0x65
    ESME_RX_R_APPN = 0x66
    ESME_RQUERYFAIL = 0x67
    ESME_RINVOPTPARSTREAM = 0xC0
    ESME_ROPTPARNOTALLWD = 0xC1
    ESME_RINVPARLEN = 0xC2
    ESME_RMISSINGOPTPARAM = 0xC3
    ESME_RINVOPTPARAMVAL = 0xC4
    ESME_RDELIVERYFAILURE = 0xFE
    ESME_RUNKNOWNERR = 0xFF


STATUS_NAMES: dict[int, str] = {status.value: status.name for status in Status}


def status_name(status: int) -> str:
    """Return the name of a command_status, its number in hex if it has none."""
    return STATUS_NAMES.get(status) or f"0x{status:08x}"


RESPONSE = 0x8000_0000


class Command(IntEnum):
    """command_id of a request; the command_id of its response has the highest bit set."""

    BIND_RECEIVER = 0x01
    BIND_TRANSMITTER = 0x02
    QUERY_SM = 0x03
    SUBMIT_SM = 0x04
    DELIVER_SM = 0x05
    UNBIND = 0x06
    REPLACE_SM = 0x07
    CANCEL_SM = 0x08
    BIND_TRANSCEIVER = 0x09
    OUTBIND = 0x0B
    ENQUIRE_LINK = 0x15
    ALERT_NOTIFICATION = 0x102
    DATA_SM = 0x103


GENERIC_NACK = RESPONSE


@dataclass(frozen=True, slots=True)
class Number:
    """An unsigned integer, most significant octet first."""

    octets: int = 1


@dataclass(frozen=True, slots=True)
class Text:
    """A C-octet string; `max_octets` includes the NUL that ends it.

    `form`: the pattern that it must match unless it is empty; `noun`: the word for this form.
    """

    max_octets: int
    form: re.Pattern[str] | None = None
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """sm_length and short_message: one octet of length, then up to 254 octets."""

    max_octets: int = 254


Kind = Number | Text | Message


@dataclass(frozen=True, slots=True)
class Parameter:
    """A mandatory parameter; `status` is the response to a request in which it is wrong."""

    name: str
    kind: Kind
    status: Status = Status.ESME_RINVPARLEN


def _address(side: str, what: str, max_octets: int) -> tuple[Parameter, ...]:
    """Return type of number, numbering plan and digits of a party; `what`: name of the digits."""
    is_source = side == "source"
    digits = Status.ESME_RINVSRCADR if is_source else Status.ESME_RINVDSTADR
    return (
        Parameter(f"{side}_addr_ton", Number()),
        Parameter(f"{side}_addr_npi", Number()),
        Parameter(what, Text(max_octets), digits),
    )


_SOURCE = _address("source", "source_addr", 21)
_DESTINATION = _address("dest", "destination_addr", 21)
# YYMMDDhhmmsstnnp: absolute time, nn quarters of an hour from UTC; p = R: relative time (7.1.1).
_MOMENT = (
    r"[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])([01][0-9]|2[0-3])([0-5][0-9]){2}[0-9]"
    r"([0-3][0-9]|4[0-8])[+-]"
)
_TIME = Text(17, re.compile(rf"{_MOMENT}|[0-9]{{12}}000R"), "time")
_SERVICE_TYPE = Parameter("service_type", Text(6), Status.ESME_RINVSERTYP)
_MESSAGE_ID = Parameter("message_id", Text(65), Status.ESME_RINVMSGID)
_SCHEDULE = Parameter("schedule_delivery_time", _TIME, Status.ESME_RINVSCHED)
_VALIDITY = Parameter("validity_period", _TIME, Status.ESME_RINVEXPIRY)
_SHORT_MESSAGE = Parameter("short_message", Message(), Status.ESME_RINVMSGLEN)
_BIND = (
    Parameter("system_id", Text(16), Status.ESME_RINVSYSID),
    Parameter("password", Text(9), Status.ESME_RINVPASWD),
    Parameter("system_type", Text(13), Status.ESME_RINVSYSTYP),
    Parameter("interface_version", Number()),
    Parameter("addr_ton", Number()),
    Parameter("addr_npi", Number()),
    Parameter("address_range", Text(41)),
)
_BIND_ANSWER = (Parameter("system_id", Text(16), Status.ESME_RINVSYSID),)
_SHORT_MESSAGE_PDU = (
    _SERVICE_TYPE,
    *_SOURCE,
    *_DESTINATION,
    Parameter("esm_class", Number(), Status.ESME_RINVESMCLASS),
    Parameter("protocol_id", Number()),
    Parameter("priority_flag", Number(), Status.ESME_RINVPRTFLG),
    _SCHEDULE,
    _VALIDITY,
    Parameter("registered_delivery", Number(), Status.ESME_RINVREGDLVFLG),
    Parameter("replace_if_present_flag", Number(), Status.ESME_RINVREPFLAG),
    Parameter("data_coding", Number()),
    Parameter("sm_default_msg_id", Number(), Status.ESME_RINVDFTMSGID),
    _SHORT_MESSAGE,
)

# Mandatory parameters in order of transmission, by command_id.
LAYOUTS: dict[int, tuple[Parameter, ...]] = {
    GENERIC_NACK: (),
    Command.BIND_RECEIVER: _BIND,
    Command.BIND_TRANSMITTER: _BIND,
    Command.BIND_TRANSCEIVER: _BIND,
    RESPONSE | Command.BIND_RECEIVER: _BIND_ANSWER,
    RESPONSE | Command.BIND_TRANSMITTER: _BIND_ANSWER,
    RESPONSE | Command.BIND_TRANSCEIVER: _BIND_ANSWER,
    Command.OUTBIND: _BIND[:2],
    Command.UNBIND: (),
    RESPONSE | Command.UNBIND: (),
    Command.ENQUIRE_LINK: (),
    RESPONSE | Command.ENQUIRE_LINK: (),
    Command.SUBMIT_SM: _SHORT_MESSAGE_PDU,
    RESPONSE | Command.SUBMIT_SM: (_MESSAGE_ID,),
    Command.DELIVER_SM: _SHORT_MESSAGE_PDU,
    # The message_id of deliver_sm_resp must be empty; responses with one are read nevertheless.
    RESPONSE | Command.DELIVER_SM: (_MESSAGE_ID,),
    Command.DATA_SM: (
        _SERVICE_TYPE,
        *_address("source", "source_addr", 65),
        *_address("dest", "destination_addr", 65),
        Parameter("esm_class", Number(), Status.ESME_RINVESMCLASS),
        Parameter("registered_delivery", Number(), Status.ESME_RINVREGDLVFLG),
        Parameter("data_coding", Number()),
    ),
    RESPONSE | Command.DATA_SM: (_MESSAGE_ID,),
    Command.QUERY_SM: (_MESSAGE_ID, *_SOURCE),
    RESPONSE | Command.QUERY_SM: (
        _MESSAGE_ID,
        Parameter("final_date", _TIME),
        Parameter("message_state", Number()),
        Parameter("error_code", Number()),
    ),
    Command.CANCEL_SM: (_SERVICE_TYPE, _MESSAGE_ID, *_SOURCE, *_DESTINATION),
    RESPONSE | Command.CANCEL_SM: (),
    Command.REPLACE_SM: (
        _MESSAGE_ID,
        *_SOURCE,
        _SCHEDULE,
        _VALIDITY,
        Parameter("registered_delivery", Number(), Status.ESME_RINVREGDLVFLG),
        Parameter("sm_default_msg_id", Number(), Status.ESME_RINVDFTMSGID),
        _SHORT_MESSAGE,
    ),
    RESPONSE | Command.REPLACE_SM: (),
    Command.ALERT_NOTIFICATION: (
        *_address("source", "source_addr", 65),
        *_address("esme", "esme_addr", 65),
    ),
}


def is_response(command_id: int) -> bool:
    """Return True if a command_id is of a response, generic_nack included."""
    return command_id & RESPONSE != 0


def command_name(command_id: int) -> str:
    """Return the name in the standard, the number in hex if there is none."""
    if command_id == GENERIC_NACK:
        return "generic_nack"
    if command_id not in LAYOUTS:
        return f"0x{command_id:08x}"
    suffix = "_resp" if is_response(command_id) else ""
    return Command(command_id & ~RESPONSE).name.lower() + suffix


COMMAND_IDS: dict[str, int] = {command_name(command_id): command_id for command_id in LAYOUTS}


# Optional parameters (TLVs) by tag: names and kinds.


@dataclass(frozen=True, slots=True)
class Octets:
    """Octets, at least `least` and at most `most`."""

    least: int = 0
    most: int = 0xFFFF


@dataclass(frozen=True, slots=True)
class Tlv:
    """An optional parameter as on the wire: any tag, any octets."""

    tag: int
    value: bytes


@dataclass(frozen=True, slots=True)
class TlvType:
    """A declared optional parameter. `may_repeat`: it may occur more than once in a PDU."""

    tag: int
    name: str
    kind: Number | Text | Octets
    may_repeat: bool = False

    def problem(self, value: bytes) -> str:
        """Return the error in the length or the end of a value, "" for none."""
        kind, size = self.kind, len(value)
        if isinstance(kind, Number):
            return "" if size == kind.octets else f"{size} octets, where {kind.octets} are due"
        if isinstance(kind, Text):
            if size > kind.max_octets:
                return f"{size} octets, where {kind.max_octets} are the most"
            return "" if value.find(0) == size - 1 else "is not ended by its only NUL"
        if kind.least <= size <= kind.most:
            return ""
        return f"{size} octets, where {kind.least} to {kind.most} are due"


MESSAGE_PAYLOAD = 0x0424
SC_INTERFACE_VERSION = 0x0210

_DECLARED: tuple[tuple[int, str, Number | Text | Octets], ...] = (
    (0x0005, "dest_addr_subunit", Number()),
    (0x0006, "dest_network_type", Number()),
    (0x0007, "dest_bearer_type", Number()),
    (0x0008, "dest_telematics_id", Number(2)),
    (0x000D, "source_addr_subunit", Number()),
    (0x000E, "source_network_type", Number()),
    (0x000F, "source_bearer_type", Number()),
    (0x0010, "source_telematics_id", Number()),
    (0x0017, "qos_time_to_live", Number(4)),
    (0x0019, "payload_type", Number()),
    (0x001D, "additional_status_info_text", Text(256)),
    (0x001E, "receipted_message_id", Text(65)),
    (0x0030, "ms_msg_wait_facilities", Number()),
    (0x0201, "privacy_indicator", Number()),
    (0x0202, "source_subaddress", Octets(2, 23)),
    (0x0203, "dest_subaddress", Octets(2, 23)),
    (0x0204, "user_message_reference", Number(2)),
    (0x0205, "user_response_code", Number()),
    (0x020A, "source_port", Number(2)),
    (0x020B, "destination_port", Number(2)),
    (0x020C, "sar_msg_ref_num", Number(2)),
    (0x020D, "language_indicator", Number()),
    (0x020E, "sar_total_segments", Number()),
    (0x020F, "sar_segment_seqnum", Number()),
    (SC_INTERFACE_VERSION, "sc_interface_version", Number()),
    (0x0302, "callback_num_pres_ind", Number()),
    (0x0303, "callback_num_atag", Octets(0, 65)),
    (0x0304, "number_of_messages", Number()),
    (0x0381, "callback_num", Octets(4, 19)),
    (0x0420, "dpf_result", Number()),
    (0x0421, "set_dpf", Number()),
    (0x0422, "ms_availability_status", Number()),
    (0x0423, "network_error_code", Octets(3, 3)),
    (MESSAGE_PAYLOAD, "message_payload", Octets()),
    (0x0425, "delivery_failure_reason", Number()),
    (0x0426, "more_messages_to_send", Number()),
    (0x0427, "message_state", Number()),
    (0x0501, "ussd_service_op", Number()),
    (0x1201, "display_time", Number()),
    (0x1203, "sms_signal", Number(2)),
    (0x1204, "ms_validity", Number()),
    (0x130C, "alert_on_message_delivery", Octets(0, 0)),
    (0x1380, "its_reply_type", Number()),
    (0x1383, "its_session_info", Octets(2, 2)),
)

# These occur once for each callback number.
_REPEATED = frozenset({0x0302, 0x0303, 0x0381})

TLV_TYPES: dict[int, TlvType] = {
    tag: TlvType(tag, name, kind, tag in _REPEATED) for tag, name, kind in _DECLARED
}
TLVS_BY_NAME: dict[str, TlvType] = {type_.name: type_ for type_ in TLV_TYPES.values()}
