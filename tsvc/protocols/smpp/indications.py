"""What an SMPP session tells its user; plain values."""

from dataclasses import dataclass

from tsvc.protocols.smpp.pdus import Pdu


@dataclass(frozen=True, slots=True)
class BoundInd:
    """The ESME is bound."""

    system_id: str


@dataclass(frozen=True, slots=True)
class MessageInd:
    """A submit_sm or data_sm that awaits its response; `octets` are the PDU's."""

    pdu: Pdu
    octets: bytes


@dataclass(frozen=True, slots=True)
class AnswerInd:
    """The response to a request of ours, generic_nack included."""

    sequence_number: int
    pdu: Pdu
    octets: bytes


@dataclass(frozen=True, slots=True)
class FailedInd:
    """A request of ours gets no usable response: `reason` says why."""

    sequence_number: int
    reason: str


@dataclass(frozen=True, slots=True)
class CloseInd:
    """The connection is to be closed once everything queued has been sent."""

    reason: str


Indication = BoundInd | MessageInd | AnswerInd | FailedInd | CloseInd
