"""Recorded messages as a capture file that Wireshark and tshark dissect without settings.

Classic pcap, link type 252 (exported PDU): each packet names the dissector of its octets, here
m3ua. What was not recorded, the layers below TCAP, is rebuilt: M3UA DATA around SCCP UDT, or LUDT
where the data are too long for UDT. A message that SCCP can't carry is shown as bare TCAP.
Messages of other protocols stand as they are, if they have a dissector.
"""

import struct
from collections.abc import Iterable

from tsvc.errors import LocalProtocolError
from tsvc.kind import kinds
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.sccp.address import Address, RoutingIndicator
from tsvc.protocols.sccp.messages import ExtendedUnitdata, Unitdata, encode
from tsvc.results.records import ExchangeRecord, MessageRecord, Record

_FILE_HEADER = struct.Struct("<IHHiIII")
_PACKET_HEADER = struct.Struct("<IIII")
_MAGIC = 0xA1B2C3D4  # times in microseconds
_LINKTYPE = 252
_PROTOCOL_NAME, _END = 12, 0  # tags of an exported PDU

_SCCP_SI = 3
_NATIONAL = 2  # network indicator
_UDT_MAX_DATA = 255
_NO_LIMIT = 0xFFFF  # M3UA carries more than an MTP signal unit does
_LAST_SECOND = 0xFFFFFFFF
# Stands for an address that was not recorded: CAP's subsystem number.
_UNKNOWN = Address(RoutingIndicator.SSN, ssn=146)


def write_pcap(
    records: Iterable[Record], opc: int = 1, dpc: int = 2, start_wall: float = 0.0
) -> bytes:
    """Return the capture file of records.

    Units:   `opc`: the tester's point code, `dpc`: its peer's, of sent messages; the other way
             round for received ones. `start_wall`: when the instance started, seconds since the
             epoch; times have microseconds.
    Errors:  LocalProtocolError for a point code that M3UA has no room for.
    """
    parts = [_FILE_HEADER.pack(_MAGIC, 2, 4, 0, 0, 0x40000, _LINKTYPE)]
    for record in records:
        packet = _packet(record, opc, dpc)
        if packet is None:
            continue
        seconds, microseconds = divmod(round((start_wall + record.t) * 1_000_000), 1_000_000)
        second = min(max(seconds, 0), _LAST_SECOND)
        parts.append(_PACKET_HEADER.pack(second, microseconds, len(packet), len(packet)))
        parts.append(packet)
    return b"".join(parts)


def _packet(record: Record, opc: int, dpc: int) -> bytes | None:
    if isinstance(record, ExchangeRecord):
        kind = kinds().get(record.protocol)
        if kind is None or not kind.dissector:
            return None
        return _exported(kind.dissector.encode("ascii"), record.octets)
    unitdata = _unitdata(record)
    if unitdata is None:
        return _exported(b"tcap", record.octets)
    source, destination = (opc, dpc) if record.is_sent else (dpc, opc)
    data = encode_data(source, destination, _SCCP_SI, _NATIONAL, 0, 0, unitdata)
    return _exported(b"m3ua", data)


def _unitdata(record: MessageRecord) -> bytes | None:
    """Return the SCCP message around a record, None if there is none that holds it."""
    called, calling = record.called or _UNKNOWN, record.calling or _UNKNOWN
    message: Unitdata | ExtendedUnitdata = Unitdata(called, calling, record.octets)
    if len(record.octets) > _UDT_MAX_DATA:
        message = ExtendedUnitdata(called, calling, record.octets, is_long=True)
    try:
        return encode(message, max_octets=_NO_LIMIT)
    except LocalProtocolError:
        return None


def _exported(dissector: bytes, octets: bytes) -> bytes:
    name = dissector + bytes(-len(dissector) % 4)
    return (
        struct.pack(">HH", _PROTOCOL_NAME, len(name)) + name + struct.pack(">HH", _END, 0) + octets
    )
