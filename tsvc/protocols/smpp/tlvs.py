"""Optional parameters (TLVs) of SMPP 3.4 by tag (section 5.3.2): names and kinds."""

from dataclasses import dataclass

from tsvc.protocols.smpp.commands import Number, Text


@dataclass(frozen=True, slots=True)
class Octets:
    """Octets of any number."""


@dataclass(frozen=True, slots=True)
class Tlv:
    """An optional parameter as on the wire: any tag, any octets."""

    tag: int
    value: bytes


@dataclass(frozen=True, slots=True)
class TlvType:
    """A declared optional parameter."""

    tag: int
    name: str
    kind: Number | Text | Octets


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
    (0x0202, "source_subaddress", Octets()),
    (0x0203, "dest_subaddress", Octets()),
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
    (0x0303, "callback_num_atag", Octets()),
    (0x0304, "number_of_messages", Number()),
    (0x0381, "callback_num", Octets()),
    (0x0420, "dpf_result", Number()),
    (0x0421, "set_dpf", Number()),
    (0x0422, "ms_availability_status", Number()),
    (0x0423, "network_error_code", Octets()),
    (MESSAGE_PAYLOAD, "message_payload", Octets()),
    (0x0425, "delivery_failure_reason", Number()),
    (0x0426, "more_messages_to_send", Number()),
    (0x0427, "message_state", Number()),
    (0x0501, "ussd_service_op", Number()),
    (0x1201, "display_time", Number()),
    (0x1203, "sms_signal", Number(2)),
    (0x1204, "ms_validity", Number()),
    (0x130C, "alert_on_message_delivery", Octets()),
    (0x1380, "its_reply_type", Number()),
    (0x1383, "its_session_info", Octets()),
)

TLV_TYPES: dict[int, TlvType] = {tag: TlvType(tag, name, kind) for tag, name, kind in _DECLARED}
TLVS_BY_NAME: dict[str, TlvType] = {type_.name: type_ for type_ in TLV_TYPES.values()}
