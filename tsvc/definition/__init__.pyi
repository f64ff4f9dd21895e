# ruff: noqa
# fmt: off
"""What definitions and operations take: made by `make docs`; change the declarations."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict, TypeVar

from tsvc.definition.build import Definition, Entry, WrongMember, operation, unchecked

S = str | int | float | None
I = int | str | None
N = float | str | None
B = bool | int | str | None
A_contra = TypeVar("A_contra", contravariant=True)
Locks = TypedDict("Locks", {"key": str}, total=False)
Distribution = TypedDict("Distribution", {"type": Literal["single", "load", "linear"],
    "total": int | str, "backlog": int | str, "cps": float | str | Mapping[str, Any],
    "max_seconds": float | str, "keep_rate": str, "warm_up_s": float | str}, total=False)
Thresholds = TypedDict("Thresholds", {"metric": str, "op": Literal["<", "<=", ">", ">=", "==",
    "!="], "value": float | str, "abort_after_s": float | str}, total=False)
Allow = TypedDict("Allow", {"failed": str, "aborted": str}, total=False)
Segment = TypedDict("Segment", {"index": int | str, "of": int | str}, total=False)
Inap = TypedDict("Inap", {"extensions": Mapping[str, Any]}, total=False)
Scp = TypedDict("Scp", {"dri": int | str, "dssn": int | str, "dpc": int | str, "dgt_digits": str,
    "dgt_noa": int | str, "dgt_np": int | str, "dgt_tt": int | str, "tcap_timeout": float | str},
    total=False)
Ssp = TypedDict("Ssp", {"opc": int | str, "ssn": int | str, "gt_digits": str, "gt_noa": int | str,
    "gt_np": int | str, "gt_tt": int | str}, total=False)
AbortArguments = TypedDict("AbortArguments", {"text": S, "raw_hex": S}, total=False)
Test = TypedDict("Test", {"kpath": str, "abort_on_fail": B, "type": Literal["string", "integer",
    "number", "regex", "exists", "defined", "boolean", "timestamp", "size", "len",
    "ordered_str_array", "range", "in"], "value": Any, "tolerance": Any, "pattern": Any,
    "tolerance_s": Any, "min": Any, "max": Any, "comment": Any, "name": Any, "description": Any},
    total=False)
BeginArguments = TypedDict("BeginArguments", {"isolation": S, "read_only": B, "raw_hex": S},
    total=False)
QueryArguments = TypedDict("QueryArguments", {"sql": S, "bind": Mapping[str, Any], "shape": S,
    "raw_hex": S}, total=False)
Avps = TypedDict("Avps", {"name": S, "code": I, "vendor_id": I, "value": Any, "value_name": S,
    "value_hex": S, "mandatory": B, "protected": B, "reserved": I, "vendor_specific": B},
    total=False)
Answer = TypedDict("Answer", {"result_code": Any, "avps": Sequence[Avps]}, total=False)
RequestArguments = TypedDict("RequestArguments", {"name": S, "code": I, "application_id": I,
    "proxiable": B, "retransmitted": B, "avps": Sequence[Avps], "answer": Answer, "raw_hex": S},
    total=False)
RegisterArguments = TypedDict("RegisterArguments", {"session_id": S, "raw_hex": S}, total=False)
RequestArguments2 = TypedDict("RequestArguments2", {"code": Any, "seconds": N, "session_id": S,
    "avps": Sequence[Avps], "answer": Answer, "raw_hex": S}, total=False)
HaltArguments = TypedDict("HaltArguments", {"seconds": N, "comment": S, "raw_hex": S}, total=False)
Text = TypedDict("Text", {"messageContent": S, "messageContent_hex": S, "attributes": S,
    "attributes_hex": S}, total=False)
VariableParts = TypedDict("VariableParts", {"integer": I, "integer_hex": S, "number": S,
    "number_hex": S, "number_digits": S, "number_scheme": S, "number_type": S, "time": S,
    "time_hex": S, "date": S, "date_hex": S, "price": S, "price_hex": S}, total=False)
VariableMessage = TypedDict("VariableMessage", {"elementaryMessageID": I,
    "elementaryMessageID_hex": S, "variableParts": Sequence[VariableParts],
    "variableParts_hex": Any}, total=False)
MessageID = TypedDict("MessageID", {"elementaryMessageID": I, "elementaryMessageID_hex": S,
    "text": Text, "text_hex": S, "elementaryMessageIDs": Sequence[I],
    "elementaryMessageIDs_hex": Any, "variableMessage": VariableMessage, "variableMessage_hex": S},
    total=False)
InbandInfo = TypedDict("InbandInfo", {"messageID": MessageID, "messageID_hex": S,
    "numberOfRepetitions": I, "numberOfRepetitions_hex": S, "duration": I, "duration_hex": S,
    "interval": I, "interval_hex": S}, total=False)
Tone = TypedDict("Tone", {"toneID": I, "toneID_hex": S, "duration": I, "duration_hex": S},
    total=False)
InformationToSend = TypedDict("InformationToSend", {"inbandInfo": InbandInfo, "inbandInfo_hex": S,
    "tone": Tone, "tone_hex": S, "displayInformation": S, "displayInformation_hex": S},
    total=False)
FilteredCallTreatment = TypedDict("FilteredCallTreatment", {"sFBillingChargingCharacteristics": S,
    "sFBillingChargingCharacteristics_hex": S, "informationToSend": InformationToSend,
    "informationToSend_hex": S, "maximumNumberOfCounters": I, "maximumNumberOfCounters_hex": S,
    "releaseCause": S, "releaseCause_hex": S, "releaseCause_cause": S, "releaseCause_standard": S,
    "releaseCause_location": S, "releaseCause_diagnostics_hex": S}, total=False)
FilteringCharacteristics = TypedDict("FilteringCharacteristics", {"interval": I, "interval_hex": S,
    "numberOfCalls": I, "numberOfCalls_hex": S}, total=False)
FilteringTimeOut = TypedDict("FilteringTimeOut", {"duration": I, "duration_hex": S, "stopTime": S,
    "stopTime_hex": S, "stopTime_digits": S}, total=False)
AddressAndService = TypedDict("AddressAndService", {"calledAddressValue": S,
    "calledAddressValue_hex": S, "calledAddressValue_digits": S, "calledAddressValue_nqi": S,
    "calledAddressValue_noa": S, "calledAddressValue_ni": S, "calledAddressValue_npi": S,
    "calledAddressValue_pri": S, "calledAddressValue_si": S, "serviceKey": I, "serviceKey_hex": S,
    "callingAddressValue": S, "callingAddressValue_hex": S, "callingAddressValue_digits": S,
    "callingAddressValue_nqi": S, "callingAddressValue_noa": S, "callingAddressValue_ni": S,
    "callingAddressValue_npi": S, "callingAddressValue_pri": S, "callingAddressValue_si": S,
    "locationNumber": S, "locationNumber_hex": S, "locationNumber_digits": S,
    "locationNumber_noa": S, "locationNumber_inn": S, "locationNumber_npi": S,
    "locationNumber_pri": S, "locationNumber_si": S}, total=False)
FilteringCriteria = TypedDict("FilteringCriteria", {"dialledNumber": S, "dialledNumber_hex": S,
    "dialledNumber_digits": S, "dialledNumber_scheme": S, "dialledNumber_type": S,
    "callingLineID": S, "callingLineID_hex": S, "callingLineID_digits": S,
    "callingLineID_scheme": S, "callingLineID_type": S, "serviceKey": I, "serviceKey_hex": S,
    "addressAndService": AddressAndService, "addressAndService_hex": S}, total=False)
Extensions = TypedDict("Extensions", {"type": I, "type_hex": S, "globalType": S,
    "globalType_hex": S, "criticality": I, "criticality_name": S, "criticality_hex": S, "value": S,
    "value_hex": S, "value_inner": S}, total=False)
ActivateServiceFilteringArguments = TypedDict("ActivateServiceFilteringArguments",
    {"filteredCallTreatment": FilteredCallTreatment, "filteredCallTreatment_hex": S,
    "filteringCharacteristics": FilteringCharacteristics, "filteringCharacteristics_hex": S,
    "filteringTimeOut": FilteringTimeOut, "filteringTimeOut_hex": S,
    "filteringCriteria": FilteringCriteria, "filteringCriteria_hex": S, "startTime": S,
    "startTime_hex": S, "startTime_digits": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
INServiceCompatibilityResponse = TypedDict("INServiceCompatibilityResponse", {"agreements": S,
    "agreements_hex": S, "networkSpecific": I, "networkSpecific_hex": S}, total=False)
ForwardServiceInteractionInd = TypedDict("ForwardServiceInteractionInd",
    {"conferenceTreatmentIndicator": S, "conferenceTreatmentIndicator_hex": S,
    "callDiversionTreatmentIndicator": S, "callDiversionTreatmentIndicator_hex": S,
    "callOfferingTreatmentIndicator": S, "callOfferingTreatmentIndicator_hex": S,
    "callingPartyRestrictionIndicator": S, "callingPartyRestrictionIndicator_hex": S,
    "callWaitingTreatmentIndicator": S, "callWaitingTreatmentIndicator_hex": S,
    "holdTreatmentIndicator": S, "holdTreatmentIndicator_hex": S, "ectTreatmentIndicator": S,
    "ectTreatmentIndicator_hex": S}, total=False)
BackwardServiceInteractionInd = TypedDict("BackwardServiceInteractionInd",
    {"conferenceTreatmentIndicator": S, "conferenceTreatmentIndicator_hex": S,
    "callCompletionTreatmentIndicator": S, "callCompletionTreatmentIndicator_hex": S,
    "holdTreatmentIndicator": S, "holdTreatmentIndicator_hex": S, "ectTreatmentIndicator": S,
    "ectTreatmentIndicator_hex": S}, total=False)
RedirectServiceTreatmentInd = TypedDict("RedirectServiceTreatmentInd", {"redirectReason": S,
    "redirectReason_hex": S}, total=False)
ServiceInteractionIndicatorsTwo = TypedDict("ServiceInteractionIndicatorsTwo",
    {"forwardServiceInteractionInd": ForwardServiceInteractionInd,
    "forwardServiceInteractionInd_hex": S,
    "backwardServiceInteractionInd": BackwardServiceInteractionInd,
    "backwardServiceInteractionInd_hex": S, "bothwayThroughConnectionInd": I,
    "bothwayThroughConnectionInd_name": S, "bothwayThroughConnectionInd_hex": S, "suspendTimer": I,
    "suspendTimer_hex": S, "connectedNumberTreatmentInd": I, "connectedNumberTreatmentInd_name": S,
    "connectedNumberTreatmentInd_hex": S, "suppressCallDiversionNotification": B,
    "suppressCallDiversionNotification_hex": S, "suppressCallTransferNotification": B,
    "suppressCallTransferNotification_hex": S, "allowCdINNoPresentationInd": B,
    "allowCdINNoPresentationInd_hex": S, "userDialogueDurationInd": B,
    "userDialogueDurationInd_hex": S, "overrideLineRestrictions": B,
    "overrideLineRestrictions_hex": S, "suppressVPNAPP": B, "suppressVPNAPP_hex": S,
    "calledINNumberOverriding": B, "calledINNumberOverriding_hex": S,
    "redirectServiceTreatmentInd": RedirectServiceTreatmentInd,
    "redirectServiceTreatmentInd_hex": S, "nonCUGCall": B, "nonCUGCall_hex": S,
    "holdTreatmentIndicator": S, "holdTreatmentIndicator_hex": S, "cwTreatmentIndicator": S,
    "cwTreatmentIndicator_hex": S, "ectTreatmentIndicator": S, "ectTreatmentIndicator_hex": S},
    total=False)
LegToBeCreated = TypedDict("LegToBeCreated", {"sendingSideID": S, "sendingSideID_hex": S,
    "receivingSideID": S, "receivingSideID_hex": S}, total=False)
AnalyseInformationArguments = TypedDict("AnalyseInformationArguments",
    {"destinationRoutingAddress": Sequence[S], "destinationRoutingAddress_hex": Any,
    "destinationRoutingAddress_digits": Any, "destinationRoutingAddress_noa": Any,
    "destinationRoutingAddress_inn": Any, "destinationRoutingAddress_npi": Any,
    "alertingPattern": S, "alertingPattern_hex": S, "iSDNAccessRelatedInformation": S,
    "iSDNAccessRelatedInformation_hex": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "callingPartyNumber": S,
    "callingPartyNumber_hex": S, "callingPartyNumber_digits": S, "callingPartyNumber_noa": S,
    "callingPartyNumber_ni": S, "callingPartyNumber_npi": S, "callingPartyNumber_pri": S,
    "callingPartyNumber_si": S, "callingPartysCategory": S, "callingPartysCategory_hex": S,
    "calledPartyNumber": S, "calledPartyNumber_hex": S, "calledPartyNumber_digits": S,
    "calledPartyNumber_noa": S, "calledPartyNumber_inn": S, "calledPartyNumber_npi": S,
    "chargeNumber": S, "chargeNumber_hex": S, "chargeNumber_digits": S, "chargeNumber_noa": S,
    "chargeNumber_inn": S, "chargeNumber_npi": S, "chargeNumber_pri": S, "chargeNumber_si": S,
    "travellingClassMark": S, "travellingClassMark_hex": S, "travellingClassMark_digits": S,
    "travellingClassMark_noa": S, "travellingClassMark_inn": S, "travellingClassMark_npi": S,
    "travellingClassMark_pri": S, "travellingClassMark_si": S, "carrier": S, "carrier_hex": S,
    "serviceInteractionIndicators": S, "serviceInteractionIndicators_hex": S,
    "iNServiceCompatibilityResponse": INServiceCompatibilityResponse,
    "iNServiceCompatibilityResponse_hex": S, "forwardGVNS": S, "forwardGVNS_hex": S,
    "backwardGVNS": S, "backwardGVNS_hex": S,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "correlationID": S, "correlationID_hex": S,
    "correlationID_digits": S, "correlationID_scheme": S, "correlationID_type": S, "scfID": S,
    "scfID_hex": S, "callSegmentID": I, "callSegmentID_hex": S, "legToBeCreated": LegToBeCreated,
    "legToBeCreated_hex": S, "raw_hex": S}, total=False)
ReleaseIfdurationExceeded = TypedDict("ReleaseIfdurationExceeded", {"tone": B, "tone_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any}, total=False)
Bursts = TypedDict("Bursts", {"numberOfBursts": I, "numberOfBursts_hex": S, "burstInterval": I,
    "burstInterval_hex": S, "numberOfTonesInBurst": I, "numberOfTonesInBurst_hex": S,
    "toneDuration": I, "toneDuration_hex": S, "toneInterval": I, "toneInterval_hex": S},
    total=False)
BurstList = TypedDict("BurstList", {"warningPeriod": I, "warningPeriod_hex": S, "bursts": Bursts,
    "bursts_hex": S}, total=False)
AudibleIndicator = TypedDict("AudibleIndicator", {"tone": B, "tone_hex": S, "burstList": BurstList,
    "burstList_hex": S}, total=False)
TimeDurationCharging = TypedDict("TimeDurationCharging", {"maxCallPeriodDuration": I,
    "maxCallPeriodDuration_hex": S, "releaseIfdurationExceeded": B | ReleaseIfdurationExceeded,
    "releaseIfdurationExceeded_hex": S, "tariffSwitchInterval": I, "tariffSwitchInterval_hex": S,
    "tone": B, "tone_hex": S, "audibleIndicator": AudibleIndicator, "audibleIndicator_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any}, total=False)
AChBillingChargingCharacteristics = TypedDict("AChBillingChargingCharacteristics",
    {"timeDurationCharging": TimeDurationCharging, "timeDurationCharging_hex": S}, total=False)
AChChargingAddress = TypedDict("AChChargingAddress", {"legID": LegToBeCreated, "legID_hex": S,
    "srfConnection": I, "srfConnection_hex": S}, total=False)
ApplyChargingArguments = TypedDict("ApplyChargingArguments",
    {"aChBillingChargingCharacteristics": S | AChBillingChargingCharacteristics,
    "aChBillingChargingCharacteristics_hex": S, "sendCalculationToSCPIndication": B,
    "sendCalculationToSCPIndication_hex": S, "partyToCharge": LegToBeCreated,
    "partyToCharge_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "aChChargingAddress": AChChargingAddress, "aChChargingAddress_hex": S,
    "achBillingChargingCharacteristics": Any, "achBillingChargingCharacteristics_hex": Any,
    "raw_hex": S}, total=False)
ChargingCharacteristics = TypedDict("ChargingCharacteristics", {"maxTransferredVolume": I,
    "maxTransferredVolume_hex": S, "maxElapsedTime": I, "maxElapsedTime_hex": S}, total=False)
ApplyChargingGPRSArguments = TypedDict("ApplyChargingGPRSArguments",
    {"chargingCharacteristics": ChargingCharacteristics, "chargingCharacteristics_hex": S,
    "tariffSwitchInterval": I, "tariffSwitchInterval_hex": S, "pDPID": S, "pDPID_hex": S,
    "raw_hex": S}, total=False)
AssistRequestInstructionsErrorArguments = TypedDict("AssistRequestInstructionsErrorArguments",
    {"errorCode": I, "errorCode_name": S, "parameter": S, "parameter_name": S, "parameter_hex": S,
    "raw_hex": S}, total=False)
AuthorizeTerminationArguments = TypedDict("AuthorizeTerminationArguments", {"alertingPattern": S,
    "alertingPattern_hex": S, "callingPartyNumber": S, "callingPartyNumber_hex": S,
    "callingPartyNumber_digits": S, "callingPartyNumber_noa": S, "callingPartyNumber_ni": S,
    "callingPartyNumber_npi": S, "callingPartyNumber_pri": S, "callingPartyNumber_si": S,
    "destinationNumberRoutingAddress": S, "destinationNumberRoutingAddress_hex": S,
    "destinationNumberRoutingAddress_digits": S, "destinationNumberRoutingAddress_noa": S,
    "destinationNumberRoutingAddress_inn": S, "destinationNumberRoutingAddress_npi": S,
    "displayInformation": S, "displayInformation_hex": S, "iSDNAccessRelatedInformation": S,
    "iSDNAccessRelatedInformation_hex": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "travellingClassMark": S, "travellingClassMark_hex": S, "travellingClassMark_digits": S,
    "travellingClassMark_noa": S, "travellingClassMark_inn": S, "travellingClassMark_npi": S,
    "travellingClassMark_pri": S, "travellingClassMark_si": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "iNServiceCompatibilityResponse": INServiceCompatibilityResponse,
    "iNServiceCompatibilityResponse_hex": S, "forwardGVNS": S, "forwardGVNS_hex": S,
    "backwardGVNS": S, "backwardGVNS_hex": S, "legID": LegToBeCreated, "legID_hex": S,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "scfID": S, "scfID_hex": S, "raw_hex": S},
    total=False)
GapIndicators = TypedDict("GapIndicators", {"duration": I, "duration_hex": S, "gapInterval": I,
    "gapInterval_hex": S}, total=False)
CallFilteringArguments = TypedDict("CallFilteringArguments", {"destinationIndex": S,
    "destinationIndex_hex": S, "gapIndicators": GapIndicators, "gapIndicators_hex": S,
    "registratorIdentifier": S, "registratorIdentifier_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
GapOnService = TypedDict("GapOnService", {"serviceKey": I, "serviceKey_hex": S, "dpCriteria": I,
    "dpCriteria_name": S, "dpCriteria_hex": S}, total=False)
CalledAddressAndService = TypedDict("CalledAddressAndService", {"calledAddressValue": S,
    "calledAddressValue_hex": S, "calledAddressValue_digits": S, "calledAddressValue_nqi": S,
    "calledAddressValue_noa": S, "calledAddressValue_ni": S, "calledAddressValue_npi": S,
    "calledAddressValue_pri": S, "calledAddressValue_si": S, "serviceKey": I, "serviceKey_hex": S},
    total=False)
CallingAddressAndService = TypedDict("CallingAddressAndService", {"callingAddressValue": S,
    "callingAddressValue_hex": S, "callingAddressValue_digits": S, "callingAddressValue_nqi": S,
    "callingAddressValue_noa": S, "callingAddressValue_ni": S, "callingAddressValue_npi": S,
    "callingAddressValue_pri": S, "callingAddressValue_si": S, "serviceKey": I,
    "serviceKey_hex": S, "locationNumber": S, "locationNumber_hex": S, "locationNumber_digits": S,
    "locationNumber_noa": S, "locationNumber_inn": S, "locationNumber_npi": S,
    "locationNumber_pri": S, "locationNumber_si": S}, total=False)
BasicGapCriteria = TypedDict("BasicGapCriteria", {"calledAddressValue": S,
    "calledAddressValue_hex": S, "calledAddressValue_digits": S, "calledAddressValue_nqi": S,
    "calledAddressValue_noa": S, "calledAddressValue_ni": S, "calledAddressValue_npi": S,
    "calledAddressValue_pri": S, "calledAddressValue_si": S, "gapOnService": GapOnService,
    "gapOnService_hex": S, "gapAllInTraffic": B, "gapAllInTraffic_hex": S,
    "calledAddressAndService": CalledAddressAndService, "calledAddressAndService_hex": S,
    "callingAddressAndService": CallingAddressAndService, "callingAddressAndService_hex": S},
    total=False)
CompoundGapCriteria = TypedDict("CompoundGapCriteria", {"basicGapCriteria": BasicGapCriteria,
    "basicGapCriteria_hex": S, "scfID": S, "scfID_hex": S}, total=False)
GapCriteria = TypedDict("GapCriteria", {"calledAddressValue": S, "calledAddressValue_hex": S,
    "calledAddressValue_digits": S, "calledAddressValue_nqi": S, "calledAddressValue_noa": S,
    "calledAddressValue_ni": S, "calledAddressValue_npi": S, "calledAddressValue_pri": S,
    "calledAddressValue_si": S, "gapOnService": GapOnService, "gapOnService_hex": S,
    "gapAllInTraffic": B, "gapAllInTraffic_hex": S,
    "calledAddressAndService": CalledAddressAndService, "calledAddressAndService_hex": S,
    "callingAddressAndService": CallingAddressAndService, "callingAddressAndService_hex": S,
    "basicGapCriteria": BasicGapCriteria, "basicGapCriteria_hex": S,
    "compoundGapCriteria": CompoundGapCriteria, "compoundGapCriteria_hex": S}, total=False)
Both = TypedDict("Both", {"informationToSend": InformationToSend, "informationToSend_hex": S,
    "releaseCause": S, "releaseCause_hex": S, "releaseCause_cause": S, "releaseCause_standard": S,
    "releaseCause_location": S, "releaseCause_diagnostics_hex": S}, total=False)
GapTreatment = TypedDict("GapTreatment", {"informationToSend": InformationToSend,
    "informationToSend_hex": S, "releaseCause": S, "releaseCause_hex": S, "releaseCause_cause": S,
    "releaseCause_standard": S, "releaseCause_location": S, "releaseCause_diagnostics_hex": S,
    "both": Both, "both_hex": S}, total=False)
CallGapArguments = TypedDict("CallGapArguments", {"gapCriteria": GapCriteria, "gapCriteria_hex": S,
    "gapIndicators": GapIndicators, "gapIndicators_hex": S, "controlType": I,
    "controlType_name": S, "controlType_hex": S, "gapTreatment": GapTreatment,
    "gapTreatment_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "raw_hex": S}, total=False)
CallInformationRequestArguments = TypedDict("CallInformationRequestArguments",
    {"requestedInformationTypeList": Sequence[I], "correlationID": S, "correlationID_hex": S,
    "correlationID_digits": S, "correlationID_nqi": S, "correlationID_noa": S,
    "correlationID_ni": S, "correlationID_npi": S, "correlationID_pri": S, "correlationID_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "legID": LegToBeCreated,
    "legID_hex": S, "raw_hex": S}, total=False)
CallSegmentToCancel = TypedDict("CallSegmentToCancel", {"invokeID": I, "invokeID_hex": S,
    "callSegmentID": I, "callSegmentID_hex": S}, total=False)
CancelArguments = TypedDict("CancelArguments", {"invokeID": I, "invokeID_hex": S, "allRequests": B,
    "allRequests_hex": S, "callSegmentToCancel": CallSegmentToCancel, "callSegmentToCancel_hex": S,
    "raw_hex": S}, total=False)
CancelGPRSArguments = TypedDict("CancelGPRSArguments", {"pDPID": S, "pDPID_hex": S, "raw_hex": S},
    total=False)
FacilityGroupID = TypedDict("FacilityGroupID", {"trunkGroupID": I, "trunkGroupID_hex": S,
    "privateFacilityID": I, "privateFacilityID_hex": S, "huntGroup": S, "huntGroup_hex": S,
    "routeIndex": S, "routeIndex_hex": S}, total=False)
ResourceID = TypedDict("ResourceID", {"lineID": S, "lineID_hex": S, "lineID_digits": S,
    "lineID_scheme": S, "lineID_type": S, "facilityGroupID": FacilityGroupID,
    "facilityGroupID_hex": S, "facilityGroupMemberID": I, "facilityGroupMemberID_hex": S,
    "trunkGroupID": I, "trunkGroupID_hex": S}, total=False)
CancelStatusReportRequestArguments = TypedDict("CancelStatusReportRequestArguments",
    {"resourceID": ResourceID, "resourceID_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
CollectInformationArguments = TypedDict("CollectInformationArguments",
    {"extensions": Sequence[Extensions], "extensions_hex": Any, "alertingPattern": S,
    "alertingPattern_hex": S, "numberingPlan": S, "numberingPlan_hex": S,
    "originalCalledPartyID": S, "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "travellingClassMark": S, "travellingClassMark_hex": S, "travellingClassMark_digits": S,
    "travellingClassMark_noa": S, "travellingClassMark_inn": S, "travellingClassMark_npi": S,
    "travellingClassMark_pri": S, "travellingClassMark_si": S, "callingPartyNumber": S,
    "callingPartyNumber_hex": S, "callingPartyNumber_digits": S, "callingPartyNumber_noa": S,
    "callingPartyNumber_ni": S, "callingPartyNumber_npi": S, "callingPartyNumber_pri": S,
    "callingPartyNumber_si": S, "dialledDigits": S, "dialledDigits_hex": S,
    "dialledDigits_digits": S, "dialledDigits_noa": S, "dialledDigits_inn": S,
    "dialledDigits_npi": S, "serviceInteractionIndicators": S,
    "serviceInteractionIndicators_hex": S,
    "iNServiceCompatibilityResponse": INServiceCompatibilityResponse,
    "iNServiceCompatibilityResponse_hex": S, "forwardGVNS": S, "forwardGVNS_hex": S,
    "backwardGVNS": S, "backwardGVNS_hex": S,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "callSegmentID": I, "callSegmentID_hex": S,
    "legToBeCreated": LegToBeCreated, "legToBeCreated_hex": S, "raw_hex": S}, total=False)
ConnectArguments = TypedDict("ConnectArguments", {"destinationRoutingAddress": Sequence[S],
    "destinationRoutingAddress_hex": S, "destinationRoutingAddress_digits": S,
    "destinationRoutingAddress_noa": S, "destinationRoutingAddress_inn": S,
    "destinationRoutingAddress_npi": S, "alertingPattern": S, "alertingPattern_hex": S,
    "correlationID": S, "correlationID_hex": S, "correlationID_digits": S, "correlationID_nqi": S,
    "correlationID_noa": S, "correlationID_ni": S, "correlationID_npi": S, "correlationID_pri": S,
    "correlationID_si": S, "cutAndPaste": I, "cutAndPaste_hex": S, "forwardingCondition": I,
    "forwardingCondition_name": S, "forwardingCondition_hex": S, "iSDNAccessRelatedInformation": S,
    "iSDNAccessRelatedInformation_hex": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "routeList": Sequence[S], "routeList_hex": Any, "scfID": S, "scfID_hex": S,
    "travellingClassMark": S, "travellingClassMark_hex": S, "travellingClassMark_digits": S,
    "travellingClassMark_noa": S, "travellingClassMark_inn": S, "travellingClassMark_npi": S,
    "travellingClassMark_pri": S, "travellingClassMark_si": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "carrier": S, "carrier_hex": S, "serviceInteractionIndicators": S,
    "serviceInteractionIndicators_hex": S, "callingPartyNumber": S, "callingPartyNumber_hex": S,
    "callingPartyNumber_digits": S, "callingPartyNumber_noa": S, "callingPartyNumber_ni": S,
    "callingPartyNumber_npi": S, "callingPartyNumber_pri": S, "callingPartyNumber_si": S,
    "callingPartysCategory": S, "callingPartysCategory_hex": S, "redirectingPartyID": S,
    "redirectingPartyID_hex": S, "redirectingPartyID_digits": S, "redirectingPartyID_noa": S,
    "redirectingPartyID_npi": S, "redirectingPartyID_pri": S, "redirectionInformation": S,
    "redirectionInformation_hex": S, "genericNumbers": Sequence[S], "genericNumbers_hex": Any,
    "genericNumbers_digits": Any, "genericNumbers_nqi": Any, "genericNumbers_noa": Any,
    "genericNumbers_ni": Any, "genericNumbers_npi": Any, "genericNumbers_pri": Any,
    "genericNumbers_si": Any, "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "chargeNumber": S, "chargeNumber_hex": S,
    "chargeNumber_digits": S, "chargeNumber_noa": S, "chargeNumber_inn": S, "chargeNumber_npi": S,
    "chargeNumber_pri": S, "chargeNumber_si": S, "legToBeConnected": LegToBeCreated,
    "legToBeConnected_hex": S, "cug-Interlock": S, "cug-Interlock_hex": S, "cug-OutgoingAccess": B,
    "cug-OutgoingAccess_hex": S, "suppressionOfAnnouncement": B,
    "suppressionOfAnnouncement_hex": S, "oCSIApplicable": B, "oCSIApplicable_hex": S,
    "naOliInfo": S, "naOliInfo_hex": S, "bor-InterrogationRequested": B,
    "bor-InterrogationRequested_hex": S, "suppress-N-CSI": B, "suppress-N-CSI_hex": S,
    "raw_hex": S}, total=False)
ConnectGPRSArguments = TypedDict("ConnectGPRSArguments", {"accessPointName": S,
    "accessPointName_hex": S, "pdpID": S, "pdpID_hex": S, "raw_hex": S}, total=False)
ConnectSMSArguments = TypedDict("ConnectSMSArguments", {"callingPartysNumber": S,
    "callingPartysNumber_hex": S, "callingPartysNumber_digits": S, "callingPartysNumber_noa": S,
    "callingPartysNumber_npi": S, "destinationSubscriberNumber": S,
    "destinationSubscriberNumber_hex": S, "destinationSubscriberNumber_digits": S,
    "destinationSubscriberNumber_noa": S, "destinationSubscriberNumber_npi": S, "sMSCAddress": S,
    "sMSCAddress_hex": S, "sMSCAddress_digits": S, "sMSCAddress_noa": S, "sMSCAddress_npi": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
Both2 = TypedDict("Both2", {"ipRoutingAddress": S, "ipRoutingAddress_hex": S,
    "ipRoutingAddress_digits": S, "ipRoutingAddress_noa": S, "ipRoutingAddress_inn": S,
    "ipRoutingAddress_npi": S, "legID": LegToBeCreated, "legID_hex": S}, total=False)
ResourceAddress = TypedDict("ResourceAddress", {"ipRoutingAddress": S, "ipRoutingAddress_hex": S,
    "ipRoutingAddress_digits": S, "ipRoutingAddress_noa": S, "ipRoutingAddress_inn": S,
    "ipRoutingAddress_npi": S, "legID": LegToBeCreated, "legID_hex": S, "both": Both2,
    "both_hex": S, "none": B, "none_hex": S}, total=False)
ConnectToResourceArguments = TypedDict("ConnectToResourceArguments",
    {"resourceAddress": ResourceAddress, "resourceAddress_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "serviceInteractionIndicators": S,
    "serviceInteractionIndicators_hex": S,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "callSegmentID": I, "callSegmentID_hex": S,
    "raw_hex": S}, total=False)
LegOrCallSegment = TypedDict("LegOrCallSegment", {"callSegmentID": I, "callSegmentID_hex": S,
    "legID": LegToBeCreated, "legID_hex": S}, total=False)
ContinueWithArgumentArgExtension = TypedDict("ContinueWithArgumentArgExtension",
    {"suppress-D-CSI": B, "suppress-D-CSI_hex": S, "suppress-N-CSI": B, "suppress-N-CSI_hex": S,
    "suppressOutgoingCallBarring": B, "suppressOutgoingCallBarring_hex": S,
    "legOrCallSegment": LegOrCallSegment, "legOrCallSegment_hex": S}, total=False)
ContinueWithArgumentArguments = TypedDict("ContinueWithArgumentArguments",
    {"legID": LegToBeCreated, "legID_hex": S, "alertingPattern": S, "alertingPattern_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "callingPartysCategory": S,
    "callingPartysCategory_hex": S, "genericNumbers": Sequence[S], "genericNumbers_hex": Any,
    "genericNumbers_digits": Any, "genericNumbers_nqi": Any, "genericNumbers_noa": Any,
    "genericNumbers_ni": Any, "genericNumbers_npi": Any, "genericNumbers_pri": Any,
    "genericNumbers_si": Any, "cug-Interlock": S, "cug-Interlock_hex": S, "cug-OutgoingAccess": B,
    "cug-OutgoingAccess_hex": S, "chargeNumber": S, "chargeNumber_hex": S,
    "chargeNumber_digits": S, "chargeNumber_noa": S, "chargeNumber_inn": S, "chargeNumber_npi": S,
    "chargeNumber_pri": S, "chargeNumber_si": S, "carrier": S, "carrier_hex": S,
    "suppressionOfAnnouncement": B, "suppressionOfAnnouncement_hex": S, "naOliInfo": S,
    "naOliInfo_hex": S, "bor-InterrogationRequested": B, "bor-InterrogationRequested_hex": S,
    "suppress-O-CSI": B, "suppress-O-CSI_hex": S,
    "continueWithArgumentArgExtension": ContinueWithArgumentArgExtension,
    "continueWithArgumentArgExtension_hex": S, "raw_hex": S}, total=False)
CreateCallSegmentAssociationArguments = TypedDict("CreateCallSegmentAssociationArguments",
    {"extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
Profile = TypedDict("Profile", {"access": S, "access_hex": S, "access_digits": S, "access_noa": S,
    "access_inn": S, "access_npi": S, "group": FacilityGroupID, "group_hex": S}, total=False)
TriggerData = TypedDict("TriggerData", {"triggerId": S, "triggerId_hex": S, "triggerPar": S,
    "triggerPar_hex": S}, total=False)
DefaultFaultHandling = TypedDict("DefaultFaultHandling", {"action": I, "action_name": S,
    "action_hex": S, "treatment": GapTreatment, "treatment_hex": S}, total=False)
Triggers = TypedDict("Triggers", {"tDPIdentifier": I, "tDPIdentifier_hex": S, "dpName": I,
    "dpName_name": S, "dpName_hex": S}, total=False)
TDPIdentifier = TypedDict("TDPIdentifier", {"oneTrigger": I, "oneTrigger_hex": S,
    "triggers": Sequence[Triggers], "triggers_hex": Any}, total=False)
CreateOrRemoveTriggerDataArguments = TypedDict("CreateOrRemoveTriggerDataArguments",
    {"createOrRemove": I, "createOrRemove_name": S, "createOrRemove_hex": S, "dPName": I,
    "dPName_name": S, "dPName_hex": S, "triggerDPType": I, "triggerDPType_name": S,
    "triggerDPType_hex": S, "serviceKey": I, "serviceKey_hex": S, "profile": Profile,
    "profile_hex": S, "triggerData": TriggerData, "triggerData_hex": S,
    "defaultFaultHandling": DefaultFaultHandling, "defaultFaultHandling_hex": S,
    "tDPIdentifier": TDPIdentifier, "tDPIdentifier_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
PartyToDisconnect = TypedDict("PartyToDisconnect", {"legID": LegToBeCreated, "legID_hex": S,
    "callSegmentID": I, "callSegmentID_hex": S}, total=False)
USIServiceIndicator = TypedDict("USIServiceIndicator", {"global": S, "global_hex": S, "local": S,
    "local_hex": S}, total=False)
DisconnectForwardConnectionWithArgumentArguments = TypedDict("DisconnectForwardConnectionWithArgumentArguments",
    {"callSegmentID": I, "callSegmentID_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "partyToDisconnect": PartyToDisconnect, "partyToDisconnect_hex": S,
    "uSIServiceIndicator": USIServiceIndicator, "uSIServiceIndicator_hex": S, "uSIInformation": S,
    "uSIInformation_hex": S, "raw_hex": S}, total=False)
DisconnectLegArguments = TypedDict("DisconnectLegArguments", {"legToBeReleased": LegToBeCreated,
    "legToBeReleased_hex": S, "releaseCause": S, "releaseCause_hex": S, "releaseCause_cause": S,
    "releaseCause_standard": S, "releaseCause_location": S, "releaseCause_diagnostics_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
EstablishTemporaryConnectionArguments = TypedDict("EstablishTemporaryConnectionArguments",
    {"assistingSSPIPRoutingAddress": S, "assistingSSPIPRoutingAddress_hex": S,
    "assistingSSPIPRoutingAddress_digits": S, "assistingSSPIPRoutingAddress_nqi": S,
    "assistingSSPIPRoutingAddress_noa": S, "assistingSSPIPRoutingAddress_ni": S,
    "assistingSSPIPRoutingAddress_npi": S, "assistingSSPIPRoutingAddress_pri": S,
    "assistingSSPIPRoutingAddress_si": S, "correlationID": S, "correlationID_hex": S,
    "correlationID_digits": S, "correlationID_nqi": S, "correlationID_noa": S,
    "correlationID_ni": S, "correlationID_npi": S, "correlationID_pri": S, "correlationID_si": S,
    "correlationID_scheme": S, "correlationID_type": S, "legID": LegToBeCreated, "legID_hex": S,
    "scfID": S, "scfID_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "carrier": S, "carrier_hex": S, "serviceInteractionIndicators": S,
    "serviceInteractionIndicators_hex": S,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "callSegmentID": I, "callSegmentID_hex": S,
    "naOliInfo": S, "naOliInfo_hex": S, "chargeNumber": S, "chargeNumber_hex": S,
    "chargeNumber_digits": S, "chargeNumber_noa": S, "chargeNumber_inn": S, "chargeNumber_npi": S,
    "chargeNumber_pri": S, "chargeNumber_si": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "callingPartyNumber": S, "callingPartyNumber_hex": S, "callingPartyNumber_digits": S,
    "callingPartyNumber_noa": S, "callingPartyNumber_ni": S, "callingPartyNumber_npi": S,
    "callingPartyNumber_pri": S, "callingPartyNumber_si": S, "raw_hex": S}, total=False)
PartyToCharge = TypedDict("PartyToCharge", {"sendingSideID": S, "sendingSideID_hex": S},
    total=False)
FCIBCCCAMELsequence1 = TypedDict("FCIBCCCAMELsequence1", {"freeFormatData": S,
    "freeFormatData_hex": S, "partyToCharge": PartyToCharge, "partyToCharge_hex": S,
    "appendFreeFormatData": I, "appendFreeFormatData_name": S, "appendFreeFormatData_hex": S},
    total=False)
FCIBillingChargingCharacteristics = TypedDict("FCIBillingChargingCharacteristics",
    {"fCIBCCCAMELsequence1": FCIBCCCAMELsequence1, "fCIBCCCAMELsequence1_hex": S}, total=False)
FurnishChargingInformationArguments = TypedDict("FurnishChargingInformationArguments",
    {"fCIBillingChargingCharacteristics": S | FCIBillingChargingCharacteristics,
    "fCIBillingChargingCharacteristics_hex": S, "FCIBillingChargingCharacteristics": Any,
    "FCIBillingChargingCharacteristics_hex": Any, "fCIBCCCAMELsequence1": Any, "raw_hex": S},
    total=False)
FCIBCCCAMELsequence12 = TypedDict("FCIBCCCAMELsequence12", {"freeFormatData": S,
    "freeFormatData_hex": S, "pDPID": S, "pDPID_hex": S, "appendFreeFormatData": I,
    "appendFreeFormatData_name": S, "appendFreeFormatData_hex": S}, total=False)
FCIGPRSBillingChargingCharacteristics = TypedDict("FCIGPRSBillingChargingCharacteristics",
    {"fCIBCCCAMELsequence1": FCIBCCCAMELsequence12, "fCIBCCCAMELsequence1_hex": S}, total=False)
FurnishChargingInformationGPRSArguments = TypedDict("FurnishChargingInformationGPRSArguments",
    {"fCIGPRSBillingChargingCharacteristics": FCIGPRSBillingChargingCharacteristics,
    "fCIGPRSBillingChargingCharacteristics_hex": S, "raw_hex": S}, total=False)
FCIBCCCAMELsequence13 = TypedDict("FCIBCCCAMELsequence13", {"freeFormatData": S,
    "freeFormatData_hex": S, "appendFreeFormatData": I, "appendFreeFormatData_name": S,
    "appendFreeFormatData_hex": S}, total=False)
FCISMSBillingChargingCharacteristics = TypedDict("FCISMSBillingChargingCharacteristics",
    {"fCIBCCCAMELsequence1": FCIBCCCAMELsequence13, "fCIBCCCAMELsequence1_hex": S}, total=False)
FurnishChargingInformationSMSArguments = TypedDict("FurnishChargingInformationSMSArguments",
    {"fCISMSBillingChargingCharacteristics": FCISMSBillingChargingCharacteristics,
    "fCISMSBillingChargingCharacteristics_hex": S, "raw_hex": S}, total=False)
HoldCallInNetworkArguments = TypedDict("HoldCallInNetworkArguments", {"holdcause": S,
    "holdcause_hex": S, "empty": B, "empty_hex": S, "raw_hex": S}, total=False)
BearerCapability = TypedDict("BearerCapability", {"bearerCap": S, "bearerCap_hex": S, "tmr": S,
    "tmr_hex": S}, total=False)
AlternativeCalledPartyIds = TypedDict("AlternativeCalledPartyIds", {"url": S, "url_hex": S},
    total=False)
IpRelatedInformation = TypedDict("IpRelatedInformation",
    {"alternativeCalledPartyIds": Sequence[AlternativeCalledPartyIds],
    "alternativeCalledPartyIds_hex": Any,
    "alternativeOriginatingPartyIds": Sequence[AlternativeCalledPartyIds],
    "alternativeOriginatingPartyIds_hex": Any,
    "alternativeOriginalCalledPartyIds": Sequence[AlternativeCalledPartyIds],
    "alternativeOriginalCalledPartyIds_hex": Any,
    "alternativeRedirectingPartyIds": Sequence[AlternativeCalledPartyIds],
    "alternativeRedirectingPartyIds_hex": Any}, total=False)
InitiateCallAttemptArguments = TypedDict("InitiateCallAttemptArguments",
    {"destinationRoutingAddress": Sequence[S], "destinationRoutingAddress_hex": Any,
    "destinationRoutingAddress_digits": Any, "destinationRoutingAddress_noa": Any,
    "destinationRoutingAddress_inn": Any, "destinationRoutingAddress_npi": Any,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "legToBeCreated": LegToBeCreated,
    "legToBeCreated_hex": S, "newCallSegment": I, "newCallSegment_hex": S, "callingPartyNumber": S,
    "callingPartyNumber_hex": S, "callingPartyNumber_digits": S, "callingPartyNumber_noa": S,
    "callingPartyNumber_ni": S, "callingPartyNumber_npi": S, "callingPartyNumber_pri": S,
    "callingPartyNumber_si": S, "callReferenceNumber": S, "callReferenceNumber_hex": S,
    "gsmSCFAddress": S, "gsmSCFAddress_hex": S, "gsmSCFAddress_digits": S, "gsmSCFAddress_noa": S,
    "gsmSCFAddress_npi": S, "suppress-T-CSI": B, "suppress-T-CSI_hex": S, "alertingPattern": S,
    "alertingPattern_hex": S, "iSDNAccessRelatedInformation": S,
    "iSDNAccessRelatedInformation_hex": S, "travellingClassMark": S, "travellingClassMark_hex": S,
    "travellingClassMark_digits": S, "travellingClassMark_noa": S, "travellingClassMark_inn": S,
    "travellingClassMark_npi": S, "travellingClassMark_pri": S, "travellingClassMark_si": S,
    "serviceInteractionIndicators": S, "serviceInteractionIndicators_hex": S,
    "iNServiceCompatibilityResponse": INServiceCompatibilityResponse,
    "iNServiceCompatibilityResponse_hex": S,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "carrier": S, "carrier_hex": S, "correlationID": S,
    "correlationID_hex": S, "correlationID_digits": S, "correlationID_scheme": S,
    "correlationID_type": S, "scfID": S, "scfID_hex": S, "callReference": S,
    "callReference_hex": S, "calledDirectoryNumber": S, "calledDirectoryNumber_hex": S,
    "bearerCapability": BearerCapability, "bearerCapability_hex": S, "calledPartySubaddress": S,
    "calledPartySubaddress_hex": S, "originalCalledPartyID": S, "originalCalledPartyID_hex": S,
    "originalCalledPartyID_digits": S, "originalCalledPartyID_noa": S,
    "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S, "callingPartysCategory": S,
    "callingPartysCategory_hex": S, "redirectingPartyID": S, "redirectingPartyID_hex": S,
    "redirectingPartyID_digits": S, "redirectingPartyID_noa": S, "redirectingPartyID_npi": S,
    "redirectingPartyID_pri": S, "redirectionInformation": S, "redirectionInformation_hex": S,
    "displayInformation": S, "displayInformation_hex": S, "forwardCallIndicators": S,
    "forwardCallIndicators_hex": S, "genericNumbers": Sequence[S], "genericNumbers_hex": Any,
    "genericNumbers_digits": Any, "genericNumbers_nqi": Any, "genericNumbers_noa": Any,
    "genericNumbers_ni": Any, "genericNumbers_npi": Any, "genericNumbers_pri": Any,
    "genericNumbers_si": Any, "forwardGVNS": S, "forwardGVNS_hex": S, "globalCallReference": S,
    "globalCallReference_hex": S, "cug-Interlock": S, "cug-Interlock_hex": S,
    "cug-OutgoingAccess": B, "cug-OutgoingAccess_hex": S, "incomingSignallingBufferCopy": B,
    "incomingSignallingBufferCopy_hex": S, "ipRelatedInformation": IpRelatedInformation,
    "ipRelatedInformation_hex": S, "raw_hex": S}, total=False)
ProfileAndDP = TypedDict("ProfileAndDP", {"triggerID": I, "triggerID_name": S, "triggerID_hex": S,
    "profile": Profile, "profile_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any}, total=False)
TriggerDataIdentifier = TypedDict("TriggerDataIdentifier", {"profileAndDP": ProfileAndDP,
    "profileAndDP_hex": S, "profile": Profile, "profile_hex": S}, total=False)
ManageTriggerDataArguments = TypedDict("ManageTriggerDataArguments", {"actionIndicator": I,
    "actionIndicator_name": S, "actionIndicator_hex": S,
    "triggerDataIdentifier": TriggerDataIdentifier, "triggerDataIdentifier_hex": S,
    "registratorIdentifier": S, "registratorIdentifier_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "tDPIdentifier": TDPIdentifier, "tDPIdentifier_hex": S, "raw_hex": S},
    total=False)
MergeCallSegmentsArguments = TypedDict("MergeCallSegmentsArguments", {"sourceCallSegment": I,
    "sourceCallSegment_hex": S, "targetCallSegment": I, "targetCallSegment_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "mergeSignallingPaths": B,
    "mergeSignallingPaths_hex": S, "raw_hex": S}, total=False)
MonitoringCriteria = TypedDict("MonitoringCriteria", {"threshold": I, "threshold_hex": S,
    "interval": I, "interval_hex": S}, total=False)
MonitorRouteRequestArguments = TypedDict("MonitorRouteRequestArguments", {"routeList": Sequence[S],
    "routeList_hex": Any, "correlationID": S, "correlationID_hex": S, "correlationID_digits": S,
    "correlationID_scheme": S, "correlationID_type": S, "monitoringCriteria": MonitoringCriteria,
    "monitoringCriteria_hex": S, "monitoringTimeout": FilteringTimeOut, "monitoringTimeout_hex": S,
    "startTime": S, "startTime_hex": S, "startTime_digits": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
CallSegments = TypedDict("CallSegments", {"sourceCallSegment": I, "sourceCallSegment_hex": S,
    "newCallSegment": I, "newCallSegment_hex": S}, total=False)
Legs = TypedDict("Legs", {"sourceLeg": LegToBeCreated, "sourceLeg_hex": S,
    "newLeg": LegToBeCreated, "newLeg_hex": S}, total=False)
MoveCallSegmentsArguments = TypedDict("MoveCallSegmentsArguments",
    {"targetCallSegmentAssociation": I, "targetCallSegmentAssociation_hex": S,
    "callSegments": Sequence[CallSegments], "callSegments_hex": Any, "legs": Sequence[Legs],
    "legs_hex": Any, "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S},
    total=False)
MoveLegArguments = TypedDict("MoveLegArguments", {"legIDToMove": LegToBeCreated,
    "legIDToMove_hex": S, "targetCallSegment": I, "targetCallSegment_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "detachSignallingPath": B,
    "detachSignallingPath_hex": S, "exportSignallingPath": B, "exportSignallingPath_hex": S,
    "raw_hex": S}, total=False)
PlayAnnouncementArguments = TypedDict("PlayAnnouncementArguments",
    {"informationToSend": InformationToSend, "informationToSend_hex": S,
    "disconnectFromIPForbidden": B, "disconnectFromIPForbidden_hex": S,
    "requestAnnouncementComplete": B, "requestAnnouncementComplete_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "callSegmentID": I,
    "callSegmentID_hex": S, "requestAnnouncementStartedNotification": B,
    "requestAnnouncementStartedNotification_hex": S,
    "requestAnnouncementCompleteNotification": Any, "raw_hex": S}, total=False)
PlayToneArguments = TypedDict("PlayToneArguments", {"legOrCallSegment": LegOrCallSegment,
    "legOrCallSegment_hex": S, "bursts": Bursts, "bursts_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
CollectedDigits = TypedDict("CollectedDigits", {"minimumNbOfDigits": I, "minimumNbOfDigits_hex": S,
    "maximumNbOfDigits": I, "maximumNbOfDigits_hex": S, "endOfReplyDigit": S,
    "endOfReplyDigit_hex": S, "cancelDigit": S, "cancelDigit_hex": S, "startDigit": S,
    "startDigit_hex": S, "firstDigitTimeOut": I, "firstDigitTimeOut_hex": S,
    "interDigitTimeOut": I, "interDigitTimeOut_hex": S, "errorTreatment": I,
    "errorTreatment_name": S, "errorTreatment_hex": S, "interruptableAnnInd": B,
    "interruptableAnnInd_hex": S, "voiceInformation": B, "voiceInformation_hex": S, "voiceBack": B,
    "voiceBack_hex": S}, total=False)
CollectedInfo = TypedDict("CollectedInfo", {"collectedDigits": CollectedDigits,
    "collectedDigits_hex": S, "iA5Information": B, "iA5Information_hex": S}, total=False)
PromptAndCollectUserInformationArguments = TypedDict("PromptAndCollectUserInformationArguments",
    {"collectedInfo": CollectedInfo, "collectedInfo_hex": S, "disconnectFromIPForbidden": B,
    "disconnectFromIPForbidden_hex": S, "informationToSend": InformationToSend,
    "informationToSend_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "callSegmentID": I, "callSegmentID_hex": S, "requestAnnouncementStartedNotification": B,
    "requestAnnouncementStartedNotification_hex": S, "raw_hex": S}, total=False)
ControlDigits = TypedDict("ControlDigits", {"endOfRecordingDigit": S, "endOfRecordingDigit_hex": S,
    "cancelDigit": S, "cancelDigit_hex": S, "replayDigit": S, "replayDigit_hex": S,
    "restartRecordingDigit": S, "restartRecordingDigit_hex": S, "restartAllowed": B,
    "restartAllowed_hex": S, "replayAllowed": B, "replayAllowed_hex": S}, total=False)
InformationToRecord = TypedDict("InformationToRecord", {"messageID": I, "messageID_hex": S,
    "messageDeletionTimeOut": I, "messageDeletionTimeOut_hex": S, "timeToRecord": I,
    "timeToRecord_hex": S, "controlDigits": ControlDigits, "controlDigits_hex": S}, total=False)
PromptAndReceiveMessageArguments = TypedDict("PromptAndReceiveMessageArguments",
    {"disconnectFromIPForbidden": B, "disconnectFromIPForbidden_hex": S,
    "informationToSend": InformationToSend, "informationToSend_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "subscriberID": S,
    "subscriberID_hex": S, "subscriberID_digits": S, "subscriberID_nqi": S, "subscriberID_noa": S,
    "subscriberID_ni": S, "subscriberID_npi": S, "subscriberID_pri": S, "subscriberID_si": S,
    "mailBoxID": S, "mailBoxID_hex": S, "informationToRecord": InformationToRecord,
    "informationToRecord_hex": S, "media": I, "media_name": S, "media_hex": S, "callSegmentID": I,
    "callSegmentID_hex": S, "raw_hex": S}, total=False)
ReconnectArguments = TypedDict("ReconnectArguments", {"notificationDuration": I,
    "notificationDuration_hex": S, "alertingPattern": S, "alertingPattern_hex": S,
    "displayInformation": S, "displayInformation_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "callSegmentID": I, "callSegmentID_hex": S, "raw_hex": S}, total=False)
AllCallSegmentsWithExtension = TypedDict("AllCallSegmentsWithExtension", {"allCallSegments": S,
    "allCallSegments_hex": S, "allCallSegments_cause": S, "allCallSegments_standard": S,
    "allCallSegments_location": S, "allCallSegments_diagnostics_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any}, total=False)
ReleaseCallArguments = TypedDict("ReleaseCallArguments", {"initialCallSegment": S,
    "initialCallSegment_hex": S, "initialCallSegment_cause": S, "initialCallSegment_standard": S,
    "initialCallSegment_location": S, "initialCallSegment_diagnostics_hex": S,
    "allCallSegmentsWithExtension": AllCallSegmentsWithExtension,
    "allCallSegmentsWithExtension_hex": S, "allCallSegments": Any, "allCallSegments_cause": Any,
    "allCallSegments_diagnostics_hex": Any, "allCallSegments_hex": Any,
    "allCallSegments_location": Any, "allCallSegments_standard": Any, "raw_hex": S}, total=False)
ReleaseGPRSArguments = TypedDict("ReleaseGPRSArguments", {"gprsCause": S, "gprsCause_hex": S,
    "pDPID": S, "pDPID_hex": S, "raw_hex": S}, total=False)
ReleaseSMSArguments = TypedDict("ReleaseSMSArguments", {"rPCause": S, "rPCause_hex": S,
    "raw_hex": S}, total=False)
RequestCurrentStatusReportArguments = TypedDict("RequestCurrentStatusReportArguments",
    {"lineID": S, "lineID_hex": S, "lineID_digits": S, "lineID_scheme": S, "lineID_type": S,
    "facilityGroupID": FacilityGroupID, "facilityGroupID_hex": S, "facilityGroupMemberID": I,
    "facilityGroupMemberID_hex": S, "trunkGroupID": I, "trunkGroupID_hex": S, "raw_hex": S},
    total=False)
RequestEveryStatusChangeReportArguments = TypedDict("RequestEveryStatusChangeReportArguments",
    {"resourceID": ResourceID, "resourceID_hex": S, "correlationID": S, "correlationID_hex": S,
    "correlationID_digits": S, "correlationID_scheme": S, "correlationID_type": S,
    "monitorDuration": I, "monitorDuration_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
RequestFirstStatusMatchReportArguments = TypedDict("RequestFirstStatusMatchReportArguments",
    {"resourceID": ResourceID, "resourceID_hex": S, "resourceStatus": I, "resourceStatus_name": S,
    "resourceStatus_hex": S, "correlationID": S, "correlationID_hex": S, "correlationID_digits": S,
    "correlationID_scheme": S, "correlationID_type": S, "monitorDuration": I,
    "monitorDuration_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "bearerCapability": BearerCapability, "bearerCapability_hex": S, "raw_hex": S}, total=False)
ChargingEvents = TypedDict("ChargingEvents", {"eventTypeCharging": S, "eventTypeCharging_hex": S,
    "monitorMode": I, "monitorMode_name": S, "monitorMode_hex": S, "legID": LegToBeCreated,
    "legID_hex": S}, total=False)
RequestNotificationChargingEventArguments = TypedDict("RequestNotificationChargingEventArguments",
    {"chargingEvents": Sequence[ChargingEvents], "chargingEvents_hex": Any, "raw_hex": S},
    total=False)
MidCallControlInfo = TypedDict("MidCallControlInfo", {"minimumNumberOfDigits": I,
    "minimumNumberOfDigits_hex": S, "maximumNumberOfDigits": I, "maximumNumberOfDigits_hex": S,
    "endOfReplyDigit": S, "endOfReplyDigit_hex": S, "cancelDigit": S, "cancelDigit_hex": S,
    "startDigit": S, "startDigit_hex": S, "interDigitTimeout": I, "interDigitTimeout_hex": S},
    total=False)
ChangeOfLocationAlt = TypedDict("ChangeOfLocationAlt", {}, total=False)
ChangeOfPositionControlInfo = TypedDict("ChangeOfPositionControlInfo", {"cellGlobalId": S,
    "cellGlobalId_hex": S, "serviceAreaId": S, "serviceAreaId_hex": S, "locationAreaId": S,
    "locationAreaId_hex": S, "inter-SystemHandOver": B, "inter-SystemHandOver_hex": S,
    "inter-PLMNHandOver": B, "inter-PLMNHandOver_hex": S, "inter-MSCHandOver": B,
    "inter-MSCHandOver_hex": S, "changeOfLocationAlt": ChangeOfLocationAlt,
    "changeOfLocationAlt_hex": S}, total=False)
DpSpecificCriteriaAlt = TypedDict("DpSpecificCriteriaAlt",
    {"changeOfPositionControlInfo": Sequence[ChangeOfPositionControlInfo],
    "changeOfPositionControlInfo_hex": Any, "numberOfDigits": I, "numberOfDigits_hex": S,
    "interDigitTimeout": I, "interDigitTimeout_hex": S}, total=False)
DpSpecificCriteria = TypedDict("DpSpecificCriteria", {"numberOfDigits": I, "numberOfDigits_hex": S,
    "applicationTimer": I, "applicationTimer_hex": S, "midCallControlInfo": MidCallControlInfo,
    "midCallControlInfo_hex": S, "dpSpecificCriteriaAlt": DpSpecificCriteriaAlt,
    "dpSpecificCriteriaAlt_hex": S}, total=False)
BcsmEvents = TypedDict("BcsmEvents", {"eventTypeBCSM": I, "eventTypeBCSM_name": S,
    "eventTypeBCSM_hex": S, "monitorMode": I, "monitorMode_name": S, "monitorMode_hex": S,
    "legID": LegToBeCreated, "legID_hex": S, "dpSpecificCriteria": DpSpecificCriteria,
    "dpSpecificCriteria_hex": S, "automaticRearm": B, "automaticRearm_hex": S}, total=False)
RequestReportBCSMEventArguments = TypedDict("RequestReportBCSMEventArguments",
    {"bcsmEvents": Sequence[BcsmEvents], "bcsmEvents_hex": S, "bcsmEventCorrelationID": S,
    "bcsmEventCorrelationID_hex": S, "bcsmEventCorrelationID_digits": S,
    "bcsmEventCorrelationID_nqi": S, "bcsmEventCorrelationID_noa": S,
    "bcsmEventCorrelationID_ni": S, "bcsmEventCorrelationID_npi": S,
    "bcsmEventCorrelationID_pri": S, "bcsmEventCorrelationID_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "analyzedInformation": Any,
    "analyzedInformation_timer": Any, "callAccepted": Any, "callAccepted_timer": Any,
    "collectedInfo": Any, "collectedInfo_timer": Any, "oAbandon": Any, "oAbandon_timer": Any,
    "oAnswer": Any, "oAnswer_timer": Any, "oCalledPartyBusy": Any, "oCalledPartyBusy_timer": Any,
    "oChangeOfPosition": Any, "oChangeOfPosition_timer": Any, "oDisconnect": Any,
    "oDisconnectLeg1": Any, "oDisconnectLeg1_timer": Any, "oDisconnectLeg2": Any,
    "oDisconnectLeg2_timer": Any, "oDisconnect_timer": Any, "oMidCall": Any, "oMidCall_timer": Any,
    "oNoAnswer": Any, "oNoAnswer_timer": Any, "oServiceChange": Any, "oServiceChange_timer": Any,
    "oTermSeized": Any, "oTermSeized_timer": Any, "origAttemptAuthorized": Any,
    "origAttemptAuthorized_timer": Any, "routeSelectFailure": Any, "routeSelectFailure_timer": Any,
    "tAbandon": Any, "tAbandon_timer": Any, "tAnswer": Any, "tAnswer_timer": Any, "tBusy": Any,
    "tBusy_timer": Any, "tChangeOfPosition": Any, "tChangeOfPosition_timer": Any,
    "tDisconnect": Any, "tDisconnectLeg1": Any, "tDisconnectLeg1_timer": Any,
    "tDisconnectLeg2": Any, "tDisconnectLeg2_timer": Any, "tDisconnect_timer": Any,
    "tMidCall": Any, "tMidCall_timer": Any, "tNoAnswer": Any, "tNoAnswer_timer": Any,
    "tServiceChange": Any, "tServiceChange_timer": Any, "termAttemptAuthorized": Any,
    "termAttemptAuthorized_timer": Any, "raw_hex": S}, total=False)
RequestReportFacilityEventArguments = TypedDict("RequestReportFacilityEventArguments",
    {"componentTypes": Sequence[I], "componentTypes_name": Any, "componentTypes_hex": Any,
    "legID": LegToBeCreated, "legID_hex": S, "componentCorrelationID": I,
    "componentCorrelationID_hex": S, "monitorDuration": I, "monitorDuration_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
GPRSEvent = TypedDict("GPRSEvent", {"gPRSEventType": I, "gPRSEventType_name": S,
    "gPRSEventType_hex": S, "monitorMode": I, "monitorMode_name": S, "monitorMode_hex": S},
    total=False)
RequestReportGPRSEventArguments = TypedDict("RequestReportGPRSEventArguments",
    {"gPRSEvent": Sequence[GPRSEvent], "gPRSEvent_hex": Any, "pDPID": S, "pDPID_hex": S,
    "raw_hex": S}, total=False)
SMSEvents = TypedDict("SMSEvents", {"eventTypeSMS": I, "eventTypeSMS_name": S,
    "eventTypeSMS_hex": S, "monitorMode": I, "monitorMode_name": S, "monitorMode_hex": S},
    total=False)
RequestReportSMSEventArguments = TypedDict("RequestReportSMSEventArguments",
    {"sMSEvents": Sequence[SMSEvents], "sMSEvents_hex": Any, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
RequestedUTSIList = TypedDict("RequestedUTSIList", {"uSIServiceIndicator": USIServiceIndicator,
    "uSIServiceIndicator_hex": S, "uSImonitorMode": I, "uSImonitorMode_name": S,
    "uSImonitorMode_hex": S}, total=False)
RequestReportUTSIArguments = TypedDict("RequestReportUTSIArguments",
    {"requestedUTSIList": Sequence[RequestedUTSIList], "requestedUTSIList_hex": Any,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "legID": LegToBeCreated,
    "legID_hex": S, "raw_hex": S}, total=False)
ResetTimerArguments = TypedDict("ResetTimerArguments", {"timerID": I, "timerID_name": S,
    "timerID_hex": S, "timervalue": I, "timervalue_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "callSegmentID": I, "callSegmentID_hex": S, "raw_hex": S}, total=False)
ResetTimerGPRSArguments = TypedDict("ResetTimerGPRSArguments", {"timerID": I, "timerID_name": S,
    "timerID_hex": S, "timervalue": I, "timervalue_hex": S, "raw_hex": S}, total=False)
ResetTimerSMSArguments = TypedDict("ResetTimerSMSArguments", {"timerID": I, "timerID_name": S,
    "timerID_hex": S, "timervalue": I, "timervalue_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
UIScriptId = TypedDict("UIScriptId", {"local": I, "local_hex": S, "global": S, "global_hex": S},
    total=False)
ScriptCloseArguments = TypedDict("ScriptCloseArguments", {"uIScriptId": UIScriptId,
    "uIScriptId_hex": S, "uIScriptSpecificInfo": S, "uIScriptSpecificInfo_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "callSegmentID": I,
    "callSegmentID_hex": S, "raw_hex": S}, total=False)
ScriptRunArguments = TypedDict("ScriptRunArguments", {"uIScriptId": UIScriptId,
    "uIScriptId_hex": S, "uIScriptSpecificInfo": S, "uIScriptSpecificInfo_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "disconnectFromIPForbidden": B,
    "disconnectFromIPForbidden_hex": S, "callSegmentID": I, "callSegmentID_hex": S, "raw_hex": S},
    total=False)
SelectFacilityArguments = TypedDict("SelectFacilityArguments", {"alertingPattern": S,
    "alertingPattern_hex": S, "destinationNumberRoutingAddress": S,
    "destinationNumberRoutingAddress_hex": S, "destinationNumberRoutingAddress_digits": S,
    "destinationNumberRoutingAddress_noa": S, "destinationNumberRoutingAddress_inn": S,
    "destinationNumberRoutingAddress_npi": S, "iSDNAccessRelatedInformation": S,
    "iSDNAccessRelatedInformation_hex": S, "calledFacilityGroup": FacilityGroupID,
    "calledFacilityGroup_hex": S, "calledFacilityGroupMember": I,
    "calledFacilityGroupMember_hex": S, "originalCalledPartyID": S, "originalCalledPartyID_hex": S,
    "originalCalledPartyID_digits": S, "originalCalledPartyID_noa": S,
    "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "displayInformation": S,
    "displayInformation_hex": S, "serviceInteractionIndicators": S,
    "serviceInteractionIndicators_hex": S,
    "iNServiceCompatibilityResponse": INServiceCompatibilityResponse,
    "iNServiceCompatibilityResponse_hex": S, "forwardGVNS": S, "forwardGVNS_hex": S,
    "backwardGVNS": S, "backwardGVNS_hex": S,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "correlationID": S, "correlationID_hex": S,
    "correlationID_digits": S, "correlationID_scheme": S, "correlationID_type": S, "scfID": S,
    "scfID_hex": S, "callSegmentID": I, "callSegmentID_hex": S, "legToBeCreated": LegToBeCreated,
    "legToBeCreated_hex": S, "ipRelatedInformation": IpRelatedInformation,
    "ipRelatedInformation_hex": S, "raw_hex": S}, total=False)
SelectRouteArguments = TypedDict("SelectRouteArguments", {"destinationRoutingAddress": Sequence[S],
    "destinationRoutingAddress_hex": Any, "destinationRoutingAddress_digits": Any,
    "destinationRoutingAddress_noa": Any, "destinationRoutingAddress_inn": Any,
    "destinationRoutingAddress_npi": Any, "alertingPattern": S, "alertingPattern_hex": S,
    "correlationID": S, "correlationID_hex": S, "correlationID_digits": S,
    "correlationID_scheme": S, "correlationID_type": S, "iSDNAccessRelatedInformation": S,
    "iSDNAccessRelatedInformation_hex": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "routeList": Sequence[S], "routeList_hex": Any, "scfID": S, "scfID_hex": S,
    "travellingClassMark": S, "travellingClassMark_hex": S, "travellingClassMark_digits": S,
    "travellingClassMark_noa": S, "travellingClassMark_inn": S, "travellingClassMark_npi": S,
    "travellingClassMark_pri": S, "travellingClassMark_si": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "carrier": S, "carrier_hex": S, "serviceInteractionIndicators": S,
    "serviceInteractionIndicators_hex": S,
    "iNServiceCompatibilityResponse": INServiceCompatibilityResponse,
    "iNServiceCompatibilityResponse_hex": S, "forwardGVNS": S, "forwardGVNS_hex": S,
    "backwardGVNS": S, "backwardGVNS_hex": S,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "callSegmentID": I, "callSegmentID_hex": S,
    "legToBeCreated": LegToBeCreated, "legToBeCreated_hex": S,
    "ipRelatedInformation": IpRelatedInformation, "ipRelatedInformation_hex": S, "raw_hex": S},
    total=False)
AOCInitial = TypedDict("AOCInitial", {"e1": I, "e1_hex": S, "e2": I, "e2_hex": S, "e3": I,
    "e3_hex": S, "e4": I, "e4_hex": S, "e5": I, "e5_hex": S, "e6": I, "e6_hex": S, "e7": I,
    "e7_hex": S}, total=False)
AOCSubsequent = TypedDict("AOCSubsequent", {"cAI-GSM0224": AOCInitial, "cAI-GSM0224_hex": S,
    "tariffSwitchInterval": I, "tariffSwitchInterval_hex": S}, total=False)
AOCBeforeAnswer = TypedDict("AOCBeforeAnswer", {"aOCInitial": AOCInitial, "aOCInitial_hex": S,
    "aOCSubsequent": AOCSubsequent, "aOCSubsequent_hex": S}, total=False)
SCIBillingChargingCharacteristics = TypedDict("SCIBillingChargingCharacteristics",
    {"aOCBeforeAnswer": AOCBeforeAnswer, "aOCBeforeAnswer_hex": S, "aOCAfterAnswer": AOCSubsequent,
    "aOCAfterAnswer_hex": S, "aOC-extension": ChangeOfLocationAlt, "aOC-extension_hex": S},
    total=False)
SendChargingInformationArguments = TypedDict("SendChargingInformationArguments",
    {"sCIBillingChargingCharacteristics": S | SCIBillingChargingCharacteristics,
    "sCIBillingChargingCharacteristics_hex": S, "partyToCharge": LegToBeCreated,
    "partyToCharge_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "raw_hex": S}, total=False)
SCIGPRSBillingChargingCharacteristics = TypedDict("SCIGPRSBillingChargingCharacteristics",
    {"aOCGPRS": AOCBeforeAnswer, "aOCGPRS_hex": S, "pDPID": S, "pDPID_hex": S}, total=False)
SendChargingInformationGPRSArguments = TypedDict("SendChargingInformationGPRSArguments",
    {"sCIGPRSBillingChargingCharacteristics": SCIGPRSBillingChargingCharacteristics,
    "sCIGPRSBillingChargingCharacteristics_hex": S, "raw_hex": S}, total=False)
Component = TypedDict("Component", {"componentInfo": S, "componentInfo_hex": S,
    "relayedComponent": S, "relayedComponent_hex": S}, total=False)
SendFacilityInformationArguments = TypedDict("SendFacilityInformationArguments",
    {"componentType": I, "componentType_name": S, "componentType_hex": S, "legID": LegToBeCreated,
    "legID_hex": S, "componentCorrelationID": I, "componentCorrelationID_hex": S,
    "component": Component, "component_hex": S, "callProcessingOperation": I,
    "callProcessingOperation_name": S, "callProcessingOperation_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
SendSTUIArguments = TypedDict("SendSTUIArguments", {"uSIServiceIndicator": USIServiceIndicator,
    "uSIServiceIndicator_hex": S, "legID": LegToBeCreated, "legID_hex": S, "uSIInformation": S,
    "uSIInformation_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "raw_hex": S}, total=False)
INprofiles = TypedDict("INprofiles", {"actionOnProfile": I, "actionOnProfile_name": S,
    "actionOnProfile_hex": S, "tDPIdentifier": TDPIdentifier, "tDPIdentifier_hex": S, "dPName": I,
    "dPName_name": S, "dPName_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any},
    total=False)
SetServiceProfileArguments = TypedDict("SetServiceProfileArguments",
    {"iNprofiles": Sequence[INprofiles], "iNprofiles_hex": Any, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
SplitLegArguments = TypedDict("SplitLegArguments", {"legToBeSplit": LegToBeCreated,
    "legToBeSplit_hex": S, "newCallSegment": I, "newCallSegment_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "detachSignallingPath": B,
    "detachSignallingPath_hex": S, "raw_hex": S}, total=False)
AssistRequestInstructionsArguments = TypedDict("AssistRequestInstructionsArguments",
    {"correlationID": S, "correlationID_hex": S, "correlationID_digits": S, "correlationID_nqi": S,
    "correlationID_noa": S, "correlationID_ni": S, "correlationID_npi": S, "correlationID_pri": S,
    "correlationID_si": S, "iPAvailable": S, "iPAvailable_hex": S, "iPSSPCapabilities": S,
    "iPSSPCapabilities_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "raw_hex": S}, total=False)
CreateCallSegmentAssociationResultArguments = TypedDict("CreateCallSegmentAssociationResultArguments",
    {"newCallSegmentAssociation": I, "newCallSegmentAssociation_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
CreateOrRemoveTriggerDataResultArguments = TypedDict("CreateOrRemoveTriggerDataResultArguments",
    {"triggerStatus": I, "triggerStatus_name": S, "triggerStatus_hex": S,
    "tDPIdentifier": TDPIdentifier, "tDPIdentifier_hex": S, "registratorIdentifier": S,
    "registratorIdentifier_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "raw_hex": S}, total=False)
InitiateCallAttemptResultArguments = TypedDict("InitiateCallAttemptResultArguments",
    {"supportedCamelPhases": S, "supportedCamelPhases_hex": S, "offeredCamel4Functionalities": S,
    "offeredCamel4Functionalities_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "releaseCallArgExtensionAllowed": B,
    "releaseCallArgExtensionAllowed_hex": S, "raw_hex": S}, total=False)
OneTriggerResult = TypedDict("OneTriggerResult", {"actionPerformed": I, "actionPerformed_name": S,
    "actionPerformed_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any},
    total=False)
Results = TypedDict("Results", {"tDPIdentifer": I, "tDPIdentifer_hex": S, "actionPerformed": I,
    "actionPerformed_name": S, "actionPerformed_hex": S, "dPName": I, "dPName_name": S,
    "dPName_hex": S}, total=False)
SeveralTriggerResult = TypedDict("SeveralTriggerResult", {"results": Sequence[Results],
    "results_hex": Any, "extensions": Sequence[Extensions], "extensions_hex": Any}, total=False)
ManageTriggerDataResultArguments = TypedDict("ManageTriggerDataResultArguments",
    {"oneTriggerResult": OneTriggerResult, "oneTriggerResult_hex": S,
    "severalTriggerResult": SeveralTriggerResult, "severalTriggerResult_hex": S, "raw_hex": S},
    total=False)
PromptAndCollectUserInformationResultArguments = TypedDict("PromptAndCollectUserInformationResultArguments",
    {"digitsResponse": S, "digitsResponse_hex": S, "digitsResponse_digits": S,
    "digitsResponse_scheme": S, "digitsResponse_type": S, "iA5Response": S, "iA5Response_hex": S,
    "raw_hex": S}, total=False)
PromptAndReceiveMessageResultArguments = TypedDict("PromptAndReceiveMessageResultArguments",
    {"receivedStatus": I, "receivedStatus_name": S, "receivedStatus_hex": S,
    "recordedMessageID": I, "recordedMessageID_hex": S, "recordedMessageUnits": I,
    "recordedMessageUnits_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "raw_hex": S}, total=False)
RequestCurrentStatusReportResultArguments = TypedDict("RequestCurrentStatusReportResultArguments",
    {"resourceStatus": I, "resourceStatus_name": S, "resourceStatus_hex": S,
    "resourceID": ResourceID, "resourceID_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
ScriptEventArguments = TypedDict("ScriptEventArguments", {"uIScriptId": UIScriptId,
    "uIScriptId_hex": S, "uIScriptResult": S, "uIScriptResult_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "callSegmentID": I,
    "callSegmentID_hex": S, "lastEventIndicator": B, "lastEventIndicator_hex": S, "raw_hex": S},
    total=False)
SpecializedResourceReportArguments = TypedDict("SpecializedResourceReportArguments", {"null": B,
    "null_hex": S, "allAnnouncementsComplete": B, "allAnnouncementsComplete_hex": S,
    "firstAnnouncementStarted": B, "firstAnnouncementStarted_hex": S, "raw_hex": S}, total=False)
IPAddressAndresource = TypedDict("IPAddressAndresource", {"iPAddressValue": S,
    "iPAddressValue_hex": S, "iPAddressValue_digits": S, "iPAddressValue_nqi": S,
    "iPAddressValue_noa": S, "iPAddressValue_ni": S, "iPAddressValue_npi": S,
    "iPAddressValue_pri": S, "iPAddressValue_si": S, "gapOnResource": UIScriptId,
    "gapOnResource_hex": S}, total=False)
SRFgapCriteria = TypedDict("SRFgapCriteria", {"iPAddressValue": S, "iPAddressValue_hex": S,
    "iPAddressValue_digits": S, "iPAddressValue_nqi": S, "iPAddressValue_noa": S,
    "iPAddressValue_ni": S, "iPAddressValue_npi": S, "iPAddressValue_pri": S,
    "iPAddressValue_si": S, "gapOnResource": UIScriptId, "gapOnResource_hex": S,
    "iPAddressAndresource": IPAddressAndresource, "iPAddressAndresource_hex": S}, total=False)
SrfCallGapArguments = TypedDict("SrfCallGapArguments", {"sRFgapCriteria": SRFgapCriteria,
    "sRFgapCriteria_hex": S, "gapIndicators": GapIndicators, "gapIndicators_hex": S,
    "controlType": I, "controlType_name": S, "controlType_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
MiscCallInfo = TypedDict("MiscCallInfo", {"messageType": I, "messageType_name": S,
    "messageType_hex": S, "dpAssignment": I, "dpAssignment_name": S, "dpAssignment_hex": S},
    total=False)
ServiceAddressInformation = TypedDict("ServiceAddressInformation", {"serviceKey": I,
    "serviceKey_hex": S, "miscCallInfo": MiscCallInfo, "miscCallInfo_hex": S, "triggerType": I,
    "triggerType_name": S, "triggerType_hex": S}, total=False)
DpSpecificCommonParameters = TypedDict("DpSpecificCommonParameters",
    {"serviceAddressInformation": ServiceAddressInformation, "serviceAddressInformation_hex": S,
    "bearerCapability": BearerCapability, "bearerCapability_hex": S, "calledPartyNumber": S,
    "calledPartyNumber_hex": S, "calledPartyNumber_digits": S, "calledPartyNumber_noa": S,
    "calledPartyNumber_inn": S, "calledPartyNumber_npi": S, "callingPartyNumber": S,
    "callingPartyNumber_hex": S, "callingPartyNumber_digits": S, "callingPartyNumber_noa": S,
    "callingPartyNumber_ni": S, "callingPartyNumber_npi": S, "callingPartyNumber_pri": S,
    "callingPartyNumber_si": S, "callingPartysCategory": S, "callingPartysCategory_hex": S,
    "iPSSPCapabilities": S, "iPSSPCapabilities_hex": S, "iPAvailable": S, "iPAvailable_hex": S,
    "iSDNAccessRelatedInformation": S, "iSDNAccessRelatedInformation_hex": S, "cGEncountered": I,
    "cGEncountered_name": S, "cGEncountered_hex": S, "locationNumber": S, "locationNumber_hex": S,
    "locationNumber_digits": S, "locationNumber_noa": S, "locationNumber_inn": S,
    "locationNumber_npi": S, "locationNumber_pri": S, "locationNumber_si": S,
    "serviceProfileIdentifier": S, "serviceProfileIdentifier_hex": S, "terminalType": I,
    "terminalType_name": S, "terminalType_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "chargeNumber": S, "chargeNumber_hex": S, "chargeNumber_digits": S,
    "chargeNumber_noa": S, "chargeNumber_inn": S, "chargeNumber_npi": S, "chargeNumber_pri": S,
    "chargeNumber_si": S, "servingAreaID": S, "servingAreaID_hex": S, "servingAreaID_digits": S,
    "servingAreaID_noa": S, "servingAreaID_inn": S, "servingAreaID_npi": S, "servingAreaID_pri": S,
    "servingAreaID_si": S, "serviceInteractionIndicators": S,
    "serviceInteractionIndicators_hex": S,
    "iNServiceCompatibilityIndication": Sequence[INServiceCompatibilityResponse],
    "iNServiceCompatibilityIndication_hex": Any,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "uSIServiceIndicator": USIServiceIndicator,
    "uSIServiceIndicator_hex": S, "uSIInformation": S, "uSIInformation_hex": S, "forwardGVNS": S,
    "forwardGVNS_hex": S, "createdCallSegmentAssociation": I,
    "createdCallSegmentAssociation_hex": S, "ipRelatedInformation": IpRelatedInformation,
    "ipRelatedInformation_hex": S}, total=False)
AnalysedInformationArguments = TypedDict("AnalysedInformationArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "dialledDigits": S, "dialledDigits_hex": S, "dialledDigits_digits": S, "dialledDigits_noa": S,
    "dialledDigits_inn": S, "dialledDigits_npi": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "callingPartySubaddress": S,
    "callingPartySubaddress_hex": S, "callingFacilityGroup": FacilityGroupID,
    "callingFacilityGroup_hex": S, "callingFacilityGroupMember": I,
    "callingFacilityGroupMember_hex": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "prefix": S, "prefix_hex": S, "prefix_digits": S, "prefix_scheme": S, "prefix_type": S,
    "redirectingPartyID": S, "redirectingPartyID_hex": S, "redirectingPartyID_digits": S,
    "redirectingPartyID_noa": S, "redirectingPartyID_npi": S, "redirectingPartyID_pri": S,
    "redirectionInformation": S, "redirectionInformation_hex": S, "routeList": Sequence[S],
    "routeList_hex": Any, "travellingClassMark": S, "travellingClassMark_hex": S,
    "travellingClassMark_digits": S, "travellingClassMark_noa": S, "travellingClassMark_inn": S,
    "travellingClassMark_npi": S, "travellingClassMark_pri": S, "travellingClassMark_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "featureCode": S,
    "featureCode_hex": S, "featureCode_digits": S, "featureCode_noa": S, "featureCode_inn": S,
    "featureCode_npi": S, "featureCode_pri": S, "featureCode_si": S, "accessCode": S,
    "accessCode_hex": S, "accessCode_digits": S, "accessCode_noa": S, "accessCode_inn": S,
    "accessCode_npi": S, "accessCode_pri": S, "accessCode_si": S, "carrier": S, "carrier_hex": S,
    "componentType": I, "componentType_name": S, "componentType_hex": S, "component": Component,
    "component_hex": S, "componentCorrelationID": I, "componentCorrelationID_hex": S,
    "raw_hex": S}, total=False)
PartyToCharge2 = TypedDict("PartyToCharge2", {"receivingSideID": S, "receivingSideID_hex": S},
    total=False)
TimeIfTariffSwitch = TypedDict("TimeIfTariffSwitch", {"timeSinceTariffSwitch": I,
    "timeSinceTariffSwitch_hex": S, "tariffSwitchInterval": I, "tariffSwitchInterval_hex": S},
    total=False)
TimeInformation = TypedDict("TimeInformation", {"timeIfNoTariffSwitch": I,
    "timeIfNoTariffSwitch_hex": S, "timeIfTariffSwitch": TimeIfTariffSwitch,
    "timeIfTariffSwitch_hex": S}, total=False)
TimeDurationChargingResult = TypedDict("TimeDurationChargingResult",
    {"partyToCharge": PartyToCharge2, "partyToCharge_hex": S, "timeInformation": TimeInformation,
    "timeInformation_hex": S, "callActive": B, "callActive_hex": S, "legActive": B,
    "legActive_hex": S, "callReleasedAtTcpExpiry": B, "callReleasedAtTcpExpiry_hex": S,
    "callLegReleasedAtTcpExpiry": B, "callLegReleasedAtTcpExpiry_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any,
    "aChChargingAddress": AChChargingAddress, "aChChargingAddress_hex": S}, total=False)
CallResult = TypedDict("CallResult", {"timeDurationChargingResult": TimeDurationChargingResult,
    "timeDurationChargingResult_hex": S}, total=False)
ApplyChargingReportArguments = TypedDict("ApplyChargingReportArguments",
    {"callResult": S | CallResult, "callResult_hex": S, "CAMEL-CallResult": Any,
    "CallResult_hex": Any, "timeDurationChargingResult": Any, "raw_hex": S}, total=False)
VolumeIfTariffSwitch = TypedDict("VolumeIfTariffSwitch", {"volumeSinceLastTariffSwitch": I,
    "volumeSinceLastTariffSwitch_hex": S, "volumeTariffSwitchInterval": I,
    "volumeTariffSwitchInterval_hex": S}, total=False)
TransferredVolume = TypedDict("TransferredVolume", {"volumeIfNoTariffSwitch": I,
    "volumeIfNoTariffSwitch_hex": S, "volumeIfTariffSwitch": VolumeIfTariffSwitch,
    "volumeIfTariffSwitch_hex": S}, total=False)
TimeGPRSIfTariffSwitch = TypedDict("TimeGPRSIfTariffSwitch", {"timeGPRSSinceLastTariffSwitch": I,
    "timeGPRSSinceLastTariffSwitch_hex": S, "timeGPRSTariffSwitchInterval": I,
    "timeGPRSTariffSwitchInterval_hex": S}, total=False)
ElapsedTime = TypedDict("ElapsedTime", {"timeGPRSIfNoTariffSwitch": I,
    "timeGPRSIfNoTariffSwitch_hex": S, "timeGPRSIfTariffSwitch": TimeGPRSIfTariffSwitch,
    "timeGPRSIfTariffSwitch_hex": S}, total=False)
ChargingResult = TypedDict("ChargingResult", {"transferredVolume": TransferredVolume,
    "transferredVolume_hex": S, "elapsedTime": ElapsedTime, "elapsedTime_hex": S}, total=False)
RequestedQoS = TypedDict("RequestedQoS", {"short-QoS-format": S, "short-QoS-format_hex": S,
    "long-QoS-format": S, "long-QoS-format_hex": S}, total=False)
RequestedQoSExtension = TypedDict("RequestedQoSExtension", {"supplement-to-long-QoS-format": S,
    "supplement-to-long-QoS-format_hex": S, "additionalSupplement": S,
    "additionalSupplement_hex": S}, total=False)
QualityOfService = TypedDict("QualityOfService", {"requested-QoS": RequestedQoS,
    "requested-QoS_hex": S, "subscribed-QoS": RequestedQoS, "subscribed-QoS_hex": S,
    "negotiated-QoS": RequestedQoS, "negotiated-QoS_hex": S,
    "requested-QoS-Extension": RequestedQoSExtension, "requested-QoS-Extension_hex": S,
    "subscribed-QoS-Extension": RequestedQoSExtension, "subscribed-QoS-Extension_hex": S,
    "negotiated-QoS-Extension": RequestedQoSExtension, "negotiated-QoS-Extension_hex": S},
    total=False)
ROVolumeIfTariffSwitch = TypedDict("ROVolumeIfTariffSwitch", {"rO-VolumeSinceLastTariffSwitch": I,
    "rO-VolumeSinceLastTariffSwitch_hex": S, "rO-VolumeTariffSwitchInterval": I,
    "rO-VolumeTariffSwitchInterval_hex": S}, total=False)
TransferredVolumeRollOver = TypedDict("TransferredVolumeRollOver", {"rO-VolumeIfNoTariffSwitch": I,
    "rO-VolumeIfNoTariffSwitch_hex": S, "rO-VolumeIfTariffSwitch": ROVolumeIfTariffSwitch,
    "rO-VolumeIfTariffSwitch_hex": S}, total=False)
ROTimeGPRSIfTariffSwitch = TypedDict("ROTimeGPRSIfTariffSwitch",
    {"rO-TimeGPRSSinceLastTariffSwitch": I, "rO-TimeGPRSSinceLastTariffSwitch_hex": S,
    "rO-TimeGPRSTariffSwitchInterval": I, "rO-TimeGPRSTariffSwitchInterval_hex": S}, total=False)
ElapsedTimeRollOver = TypedDict("ElapsedTimeRollOver", {"rO-TimeGPRSIfNoTariffSwitch": I,
    "rO-TimeGPRSIfNoTariffSwitch_hex": S, "rO-TimeGPRSIfTariffSwitch": ROTimeGPRSIfTariffSwitch,
    "rO-TimeGPRSIfTariffSwitch_hex": S}, total=False)
ChargingRollOver = TypedDict("ChargingRollOver",
    {"transferredVolumeRollOver": TransferredVolumeRollOver, "transferredVolumeRollOver_hex": S,
    "elapsedTimeRollOver": ElapsedTimeRollOver, "elapsedTimeRollOver_hex": S}, total=False)
ApplyChargingReportGPRSArguments = TypedDict("ApplyChargingReportGPRSArguments",
    {"chargingResult": ChargingResult, "chargingResult_hex": S,
    "qualityOfService": QualityOfService, "qualityOfService_hex": S, "active": B, "active_hex": S,
    "pDPID": S, "pDPID_hex": S, "chargingRollOver": ChargingRollOver, "chargingRollOver_hex": S,
    "raw_hex": S}, total=False)
RequestedInformationValue = TypedDict("RequestedInformationValue",
    {"callAttemptElapsedTimeValue": I, "callAttemptElapsedTimeValue_hex": S,
    "callStopTimeValue": S, "callStopTimeValue_hex": S, "callStopTimeValue_digits": S,
    "callConnectedElapsedTimeValue": I, "callConnectedElapsedTimeValue_hex": S,
    "calledAddressValue": S, "calledAddressValue_hex": S, "calledAddressValue_digits": S,
    "calledAddressValue_nqi": S, "calledAddressValue_noa": S, "calledAddressValue_ni": S,
    "calledAddressValue_npi": S, "calledAddressValue_pri": S, "calledAddressValue_si": S,
    "releaseCauseValue": S, "releaseCauseValue_hex": S, "releaseCauseValue_cause": S,
    "releaseCauseValue_standard": S, "releaseCauseValue_location": S,
    "releaseCauseValue_diagnostics_hex": S}, total=False)
RequestedInformationList = TypedDict("RequestedInformationList", {"requestedInformationType": I,
    "requestedInformationType_name": S, "requestedInformationType_hex": S,
    "requestedInformationValue": RequestedInformationValue, "requestedInformationValue_hex": S},
    total=False)
CallInformationReportArguments = TypedDict("CallInformationReportArguments",
    {"requestedInformationList": Sequence[RequestedInformationList],
    "requestedInformationList_hex": S, "correlationID": S, "correlationID_hex": S,
    "correlationID_digits": S, "correlationID_nqi": S, "correlationID_noa": S,
    "correlationID_ni": S, "correlationID_npi": S, "correlationID_pri": S, "correlationID_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "legID": LegToBeCreated,
    "legID_hex": S, "raw_hex": S}, total=False)
CollectedInformationArguments = TypedDict("CollectedInformationArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "dialledDigits": S, "dialledDigits_hex": S, "dialledDigits_digits": S, "dialledDigits_noa": S,
    "dialledDigits_inn": S, "dialledDigits_npi": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "callingPartySubaddress": S,
    "callingPartySubaddress_hex": S, "callingFacilityGroup": FacilityGroupID,
    "callingFacilityGroup_hex": S, "callingFacilityGroupMember": I,
    "callingFacilityGroupMember_hex": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "prefix": S, "prefix_hex": S, "prefix_digits": S, "prefix_scheme": S, "prefix_type": S,
    "redirectingPartyID": S, "redirectingPartyID_hex": S, "redirectingPartyID_digits": S,
    "redirectingPartyID_noa": S, "redirectingPartyID_npi": S, "redirectingPartyID_pri": S,
    "redirectionInformation": S, "redirectionInformation_hex": S, "travellingClassMark": S,
    "travellingClassMark_hex": S, "travellingClassMark_digits": S, "travellingClassMark_noa": S,
    "travellingClassMark_inn": S, "travellingClassMark_npi": S, "travellingClassMark_pri": S,
    "travellingClassMark_si": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "featureCode": S, "featureCode_hex": S, "featureCode_digits": S, "featureCode_noa": S,
    "featureCode_inn": S, "featureCode_npi": S, "featureCode_pri": S, "featureCode_si": S,
    "accessCode": S, "accessCode_hex": S, "accessCode_digits": S, "accessCode_noa": S,
    "accessCode_inn": S, "accessCode_npi": S, "accessCode_pri": S, "accessCode_si": S,
    "carrier": S, "carrier_hex": S, "componentType": I, "componentType_name": S,
    "componentType_hex": S, "component": Component, "component_hex": S,
    "componentCorrelationID": I, "componentCorrelationID_hex": S, "raw_hex": S}, total=False)
CallSegmentFailure = TypedDict("CallSegmentFailure", {"callSegmentID": I, "callSegmentID_hex": S,
    "cause": S, "cause_hex": S, "cause_cause": S, "cause_standard": S, "cause_location": S,
    "cause_diagnostics_hex": S}, total=False)
BCSMFailure = TypedDict("BCSMFailure", {"legID": LegToBeCreated, "legID_hex": S, "cause": S,
    "cause_hex": S, "cause_cause": S, "cause_standard": S, "cause_location": S,
    "cause_diagnostics_hex": S}, total=False)
CSFailure = TypedDict("CSFailure", {"callSegmentID": I, "callSegmentID_hex": S, "reason": S,
    "reason_hex": S, "cause": S, "cause_hex": S, "cause_cause": S, "cause_standard": S,
    "cause_location": S, "cause_diagnostics_hex": S}, total=False)
BCSMFailure2 = TypedDict("BCSMFailure2", {"legID": LegToBeCreated, "legID_hex": S, "reason": S,
    "reason_hex": S, "cause": S, "cause_hex": S, "cause_cause": S, "cause_standard": S,
    "cause_location": S, "cause_diagnostics_hex": S}, total=False)
EntityReleasedArguments = TypedDict("EntityReleasedArguments",
    {"callSegmentFailure": CallSegmentFailure, "callSegmentFailure_hex": S,
    "bCSM-Failure": BCSMFailure, "bCSM-Failure_hex": S, "cSFailure": CSFailure, "cSFailure_hex": S,
    "bCSMFailure": BCSMFailure2, "bCSMFailure_hex": S, "raw_hex": S}, total=False)
EntityReleasedGPRSArguments = TypedDict("EntityReleasedGPRSArguments", {"gPRSCause": S,
    "gPRSCause_hex": S, "pDPID": S, "pDPID_hex": S, "raw_hex": S}, total=False)
EventNotificationChargingArguments = TypedDict("EventNotificationChargingArguments",
    {"eventTypeCharging": S, "eventTypeCharging_hex": S, "eventSpecificInformationCharging": S,
    "eventSpecificInformationCharging_hex": S, "legID": LegToBeCreated, "legID_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "monitorMode": I,
    "monitorMode_name": S, "monitorMode_hex": S, "raw_hex": S}, total=False)
CollectedInfoSpecificInfo = TypedDict("CollectedInfoSpecificInfo", {"calledPartynumber": S,
    "calledPartynumber_hex": S, "calledPartynumber_digits": S, "calledPartynumber_noa": S,
    "calledPartynumber_inn": S, "calledPartynumber_npi": S}, total=False)
RouteSelectFailureSpecificInfo = TypedDict("RouteSelectFailureSpecificInfo", {"failureCause": S,
    "failureCause_hex": S, "failureCause_cause": S, "failureCause_standard": S,
    "failureCause_location": S, "failureCause_diagnostics_hex": S}, total=False)
OCalledPartyBusySpecificInfo = TypedDict("OCalledPartyBusySpecificInfo", {"busyCause": S,
    "busyCause_hex": S, "busyCause_cause": S, "busyCause_standard": S, "busyCause_location": S,
    "busyCause_diagnostics_hex": S}, total=False)
ExtBasicServiceCode = TypedDict("ExtBasicServiceCode", {"ext-BearerService": S,
    "ext-BearerService_hex": S, "ext-Teleservice": S, "ext-Teleservice_hex": S}, total=False)
OAnswerSpecificInfo = TypedDict("OAnswerSpecificInfo", {"destinationAddress": S,
    "destinationAddress_hex": S, "destinationAddress_digits": S, "destinationAddress_noa": S,
    "destinationAddress_inn": S, "destinationAddress_npi": S, "or-Call": B, "or-Call_hex": S,
    "forwardedCall": B, "forwardedCall_hex": S, "chargeIndicator": S, "chargeIndicator_hex": S,
    "ext-basicServiceCode": ExtBasicServiceCode, "ext-basicServiceCode_hex": S,
    "ext-basicServiceCode2": ExtBasicServiceCode, "ext-basicServiceCode2_hex": S}, total=False)
MidCallEvents = TypedDict("MidCallEvents", {"dTMFDigitsCompleted": S, "dTMFDigitsCompleted_hex": S,
    "dTMFDigitsCompleted_digits": S, "dTMFDigitsCompleted_scheme": S,
    "dTMFDigitsCompleted_type": S, "dTMFDigitsTimeOut": S, "dTMFDigitsTimeOut_hex": S,
    "dTMFDigitsTimeOut_digits": S, "dTMFDigitsTimeOut_scheme": S, "dTMFDigitsTimeOut_type": S},
    total=False)
OMidCallSpecificInfo = TypedDict("OMidCallSpecificInfo", {"connectTime": I, "connectTime_hex": S,
    "midCallEvents": MidCallEvents, "midCallEvents_hex": S}, total=False)
ODisconnectSpecificInfo = TypedDict("ODisconnectSpecificInfo", {"releaseCause": S,
    "releaseCause_hex": S, "releaseCause_cause": S, "releaseCause_standard": S,
    "releaseCause_location": S, "releaseCause_diagnostics_hex": S, "connectTime": I,
    "connectTime_hex": S}, total=False)
TBusySpecificInfo = TypedDict("TBusySpecificInfo", {"busyCause": S, "busyCause_hex": S,
    "busyCause_cause": S, "busyCause_standard": S, "busyCause_location": S,
    "busyCause_diagnostics_hex": S, "callForwarded": B, "callForwarded_hex": S,
    "routeNotPermitted": B, "routeNotPermitted_hex": S, "forwardingDestinationNumber": S,
    "forwardingDestinationNumber_hex": S, "forwardingDestinationNumber_digits": S,
    "forwardingDestinationNumber_noa": S, "forwardingDestinationNumber_inn": S,
    "forwardingDestinationNumber_npi": S}, total=False)
TNoAnswerSpecificInfo = TypedDict("TNoAnswerSpecificInfo", {"callForwarded": B,
    "callForwarded_hex": S, "forwardingDestinationNumber": S, "forwardingDestinationNumber_hex": S,
    "forwardingDestinationNumber_digits": S, "forwardingDestinationNumber_noa": S,
    "forwardingDestinationNumber_inn": S, "forwardingDestinationNumber_npi": S}, total=False)
CellGlobalIdOrServiceAreaIdOrLAI = TypedDict("CellGlobalIdOrServiceAreaIdOrLAI",
    {"cellGlobalIdOrServiceAreaIdFixedLength": S, "cellGlobalIdOrServiceAreaIdFixedLength_hex": S,
    "laiFixedLength": S, "laiFixedLength_hex": S}, total=False)
LocationInformationEPS = TypedDict("LocationInformationEPS", {"e-utranCellGlobalIdentity": S,
    "e-utranCellGlobalIdentity_hex": S, "trackingAreaIdentity": S, "trackingAreaIdentity_hex": S,
    "extensionContainer": S, "extensionContainer_hex": S, "geographicalInformation": S,
    "geographicalInformation_hex": S, "geodeticInformation": S, "geodeticInformation_hex": S,
    "currentLocationRetrieved": B, "currentLocationRetrieved_hex": S,
    "ageOfLocationInformation": I, "ageOfLocationInformation_hex": S, "mme-Name": S,
    "mme-Name_hex": S}, total=False)
UserCSGInformation = TypedDict("UserCSGInformation", {"csg-Id": S, "csg-Id_hex": S,
    "extensionContainer": S, "extensionContainer_hex": S, "accessMode": S, "accessMode_hex": S,
    "cmi": S, "cmi_hex": S}, total=False)
LocationInformation = TypedDict("LocationInformation", {"ageOfLocationInformation": I,
    "ageOfLocationInformation_hex": S, "geographicalInformation": S,
    "geographicalInformation_hex": S, "vlr-number": S, "vlr-number_hex": S, "vlr-number_digits": S,
    "vlr-number_noa": S, "vlr-number_npi": S, "locationNumber": S, "locationNumber_hex": S,
    "locationNumber_digits": S, "locationNumber_noa": S, "locationNumber_inn": S,
    "locationNumber_npi": S, "locationNumber_pri": S, "locationNumber_si": S,
    "cellGlobalIdOrServiceAreaIdOrLAI": CellGlobalIdOrServiceAreaIdOrLAI,
    "cellGlobalIdOrServiceAreaIdOrLAI_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S, "selectedLSA-Id": S, "selectedLSA-Id_hex": S, "msc-Number": S,
    "msc-Number_hex": S, "msc-Number_digits": S, "msc-Number_noa": S, "msc-Number_npi": S,
    "geodeticInformation": S, "geodeticInformation_hex": S, "currentLocationRetrieved": B,
    "currentLocationRetrieved_hex": S, "sai-Present": B, "sai-Present_hex": S,
    "locationInformationEPS": LocationInformationEPS, "locationInformationEPS_hex": S,
    "userCSGInformation": UserCSGInformation, "userCSGInformation_hex": S}, total=False)
OTermSeizedSpecificInfo = TypedDict("OTermSeizedSpecificInfo",
    {"locationInformation": LocationInformation, "locationInformation_hex": S}, total=False)
OAbandonSpecificInfo = TypedDict("OAbandonSpecificInfo", {"routeNotPermitted": B,
    "routeNotPermitted_hex": S}, total=False)
MetDPCriteriaList = TypedDict("MetDPCriteriaList", {"enteringCellGlobalId": S,
    "enteringCellGlobalId_hex": S, "leavingCellGlobalId": S, "leavingCellGlobalId_hex": S,
    "enteringServiceAreaId": S, "enteringServiceAreaId_hex": S, "leavingServiceAreaId": S,
    "leavingServiceAreaId_hex": S, "enteringLocationAreaId": S, "enteringLocationAreaId_hex": S,
    "leavingLocationAreaId": S, "leavingLocationAreaId_hex": S, "inter-SystemHandOverToUMTS": B,
    "inter-SystemHandOverToUMTS_hex": S, "inter-SystemHandOverToGSM": B,
    "inter-SystemHandOverToGSM_hex": S, "inter-PLMNHandOver": B, "inter-PLMNHandOver_hex": S,
    "inter-MSCHandOver": B, "inter-MSCHandOver_hex": S, "metDPCriterionAlt": ChangeOfLocationAlt,
    "metDPCriterionAlt_hex": S}, total=False)
OChangeOfPositionSpecificInfo = TypedDict("OChangeOfPositionSpecificInfo",
    {"locationInformation": LocationInformation, "locationInformation_hex": S,
    "metDPCriteriaList": Sequence[MetDPCriteriaList], "metDPCriteriaList_hex": Any}, total=False)
OServiceChangeSpecificInfo = TypedDict("OServiceChangeSpecificInfo",
    {"ext-basicServiceCode": ExtBasicServiceCode, "ext-basicServiceCode_hex": S,
    "initiatorOfServiceChange": I, "initiatorOfServiceChange_name": S,
    "initiatorOfServiceChange_hex": S, "natureOfServiceChange": I, "natureOfServiceChange_name": S,
    "natureOfServiceChange_hex": S}, total=False)
CollectedInfoSpecificInfo2 = TypedDict("CollectedInfoSpecificInfo2", {"calledPartyNumber": S,
    "calledPartyNumber_hex": S, "calledPartyNumber_digits": S, "calledPartyNumber_noa": S,
    "calledPartyNumber_inn": S, "calledPartyNumber_npi": S}, total=False)
DpSpecificInfoAlt = TypedDict("DpSpecificInfoAlt",
    {"oServiceChangeSpecificInfo": OServiceChangeSpecificInfo, "oServiceChangeSpecificInfo_hex": S,
    "tServiceChangeSpecificInfo": OServiceChangeSpecificInfo, "tServiceChangeSpecificInfo_hex": S,
    "collectedInfoSpecificInfo": CollectedInfoSpecificInfo2, "collectedInfoSpecificInfo_hex": S},
    total=False)
EventSpecificInformationBCSM = TypedDict("EventSpecificInformationBCSM",
    {"collectedInfoSpecificInfo": CollectedInfoSpecificInfo, "collectedInfoSpecificInfo_hex": S,
    "analyzedInfoSpecificInfo": CollectedInfoSpecificInfo, "analyzedInfoSpecificInfo_hex": S,
    "routeSelectFailureSpecificInfo": RouteSelectFailureSpecificInfo,
    "routeSelectFailureSpecificInfo_hex": S,
    "oCalledPartyBusySpecificInfo": OCalledPartyBusySpecificInfo,
    "oCalledPartyBusySpecificInfo_hex": S, "oNoAnswerSpecificInfo": ChangeOfLocationAlt,
    "oNoAnswerSpecificInfo_hex": S, "oAnswerSpecificInfo": OAnswerSpecificInfo,
    "oAnswerSpecificInfo_hex": S, "oMidCallSpecificInfo": OMidCallSpecificInfo,
    "oMidCallSpecificInfo_hex": S, "oDisconnectSpecificInfo": ODisconnectSpecificInfo,
    "oDisconnectSpecificInfo_hex": S, "tBusySpecificInfo": TBusySpecificInfo,
    "tBusySpecificInfo_hex": S, "tNoAnswerSpecificInfo": TNoAnswerSpecificInfo,
    "tNoAnswerSpecificInfo_hex": S, "tAnswerSpecificInfo": OAnswerSpecificInfo,
    "tAnswerSpecificInfo_hex": S, "tMidCallSpecificInfo": OMidCallSpecificInfo,
    "tMidCallSpecificInfo_hex": S, "tDisconnectSpecificInfo": ODisconnectSpecificInfo,
    "tDisconnectSpecificInfo_hex": S, "oTermSeizedSpecificInfo": OTermSeizedSpecificInfo,
    "oTermSeizedSpecificInfo_hex": S, "callAcceptedSpecificInfo": OTermSeizedSpecificInfo,
    "callAcceptedSpecificInfo_hex": S, "oAbandonSpecificInfo": OAbandonSpecificInfo,
    "oAbandonSpecificInfo_hex": S, "oChangeOfPositionSpecificInfo": OChangeOfPositionSpecificInfo,
    "oChangeOfPositionSpecificInfo_hex": S,
    "tChangeOfPositionSpecificInfo": OChangeOfPositionSpecificInfo,
    "tChangeOfPositionSpecificInfo_hex": S, "dpSpecificInfoAlt": DpSpecificInfoAlt,
    "dpSpecificInfoAlt_hex": S}, total=False)
EventReportBCSMArguments = TypedDict("EventReportBCSMArguments", {"eventTypeBCSM": I,
    "eventTypeBCSM_name": S, "eventTypeBCSM_hex": S, "bcsmEventCorrelationID": S,
    "bcsmEventCorrelationID_hex": S, "bcsmEventCorrelationID_digits": S,
    "bcsmEventCorrelationID_nqi": S, "bcsmEventCorrelationID_noa": S,
    "bcsmEventCorrelationID_ni": S, "bcsmEventCorrelationID_npi": S,
    "bcsmEventCorrelationID_pri": S, "bcsmEventCorrelationID_si": S,
    "eventSpecificInformationBCSM": EventSpecificInformationBCSM,
    "eventSpecificInformationBCSM_hex": S, "legID": LegToBeCreated, "legID_hex": S,
    "miscCallInfo": MiscCallInfo, "miscCallInfo_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "legID_defaulted": Any, "raw_hex": S}, total=False)
EventReportFacilityArguments = TypedDict("EventReportFacilityArguments", {"componentType": I,
    "componentType_name": S, "componentType_hex": S, "component": Component, "component_hex": S,
    "legID": LegToBeCreated, "legID_hex": S, "componentCorrelationID": I,
    "componentCorrelationID_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "raw_hex": S}, total=False)
LocationInformationGPRS = TypedDict("LocationInformationGPRS",
    {"cellGlobalIdOrServiceAreaIdOrLAI": S, "cellGlobalIdOrServiceAreaIdOrLAI_hex": S,
    "routeingAreaIdentity": S, "routeingAreaIdentity_hex": S, "geographicalInformation": S,
    "geographicalInformation_hex": S, "sgsn-Number": S, "sgsn-Number_hex": S,
    "sgsn-Number_digits": S, "sgsn-Number_noa": S, "sgsn-Number_npi": S, "selectedLSAIdentity": S,
    "selectedLSAIdentity_hex": S, "extensionContainer": S, "extensionContainer_hex": S,
    "sai-Present": B, "sai-Present_hex": S, "userCSGInformation": UserCSGInformation,
    "userCSGInformation_hex": S}, total=False)
AttachChangeOfPositionSpecificInformation = TypedDict("AttachChangeOfPositionSpecificInformation",
    {"locationInformationGPRS": LocationInformationGPRS, "locationInformationGPRS_hex": S},
    total=False)
EndUserAddress = TypedDict("EndUserAddress", {"pDPTypeOrganization": S,
    "pDPTypeOrganization_hex": S, "pDPTypeNumber": S, "pDPTypeNumber_hex": S, "pDPAddress": S,
    "pDPAddress_hex": S}, total=False)
PdpContextchangeOfPositionSpecificInformation = TypedDict("PdpContextchangeOfPositionSpecificInformation",
    {"accessPointName": S, "accessPointName_hex": S, "chargingID": S, "chargingID_hex": S,
    "locationInformationGPRS": LocationInformationGPRS, "locationInformationGPRS_hex": S,
    "endUserAddress": EndUserAddress, "endUserAddress_hex": S,
    "qualityOfService": QualityOfService, "qualityOfService_hex": S, "timeAndTimeZone": S,
    "timeAndTimeZone_hex": S, "timeAndTimeZone_digits": S, "gGSNAddress": S, "gGSNAddress_hex": S},
    total=False)
DetachSpecificInformation = TypedDict("DetachSpecificInformation", {"initiatingEntity": I,
    "initiatingEntity_name": S, "initiatingEntity_hex": S, "routeingAreaUpdate": B,
    "routeingAreaUpdate_hex": S}, total=False)
PDPContextEstablishmentSpecificInformation = TypedDict("PDPContextEstablishmentSpecificInformation",
    {"accessPointName": S, "accessPointName_hex": S, "endUserAddress": EndUserAddress,
    "endUserAddress_hex": S, "qualityOfService": QualityOfService, "qualityOfService_hex": S,
    "locationInformationGPRS": LocationInformationGPRS, "locationInformationGPRS_hex": S,
    "timeAndTimeZone": S, "timeAndTimeZone_hex": S, "timeAndTimeZone_digits": S,
    "pDPInitiationType": I, "pDPInitiationType_name": S, "pDPInitiationType_hex": S,
    "secondaryPDP-context": B, "secondaryPDP-context_hex": S}, total=False)
PDPContextEstablishmentAcknowledgementSpecificInformation = TypedDict("PDPContextEstablishmentAcknowledgementSpecificInformation",
    {"accessPointName": S, "accessPointName_hex": S, "chargingID": S, "chargingID_hex": S,
    "endUserAddress": EndUserAddress, "endUserAddress_hex": S,
    "qualityOfService": QualityOfService, "qualityOfService_hex": S,
    "locationInformationGPRS": LocationInformationGPRS, "locationInformationGPRS_hex": S,
    "timeAndTimeZone": S, "timeAndTimeZone_hex": S, "timeAndTimeZone_digits": S, "gGSNAddress": S,
    "gGSNAddress_hex": S}, total=False)
GPRSEventSpecificInformation = TypedDict("GPRSEventSpecificInformation",
    {"attachChangeOfPositionSpecificInformation": AttachChangeOfPositionSpecificInformation,
    "attachChangeOfPositionSpecificInformation_hex": S,
    "pdp-ContextchangeOfPositionSpecificInformation": PdpContextchangeOfPositionSpecificInformation,
    "pdp-ContextchangeOfPositionSpecificInformation_hex": S,
    "detachSpecificInformation": DetachSpecificInformation, "detachSpecificInformation_hex": S,
    "disconnectSpecificInformation": DetachSpecificInformation,
    "disconnectSpecificInformation_hex": S,
    "pDPContextEstablishmentSpecificInformation": PDPContextEstablishmentSpecificInformation,
    "pDPContextEstablishmentSpecificInformation_hex": S,
    "pDPContextEstablishmentAcknowledgementSpecificInformation": PDPContextEstablishmentAcknowledgementSpecificInformation,
    "pDPContextEstablishmentAcknowledgementSpecificInformation_hex": S}, total=False)
EventReportGPRSArguments = TypedDict("EventReportGPRSArguments", {"gPRSEventType": I,
    "gPRSEventType_name": S, "gPRSEventType_hex": S, "miscGPRSInfo": MiscCallInfo,
    "miscGPRSInfo_hex": S, "gPRSEventSpecificInformation": GPRSEventSpecificInformation,
    "gPRSEventSpecificInformation_hex": S, "pDPID": S, "pDPID_hex": S, "raw_hex": S}, total=False)
OSmsFailureSpecificInfo = TypedDict("OSmsFailureSpecificInfo", {"failureCause": I,
    "failureCause_name": S, "failureCause_hex": S}, total=False)
TSmsFailureSpecificInfo = TypedDict("TSmsFailureSpecificInfo", {"failureCause": S,
    "failureCause_hex": S}, total=False)
EventSpecificInformationSMS = TypedDict("EventSpecificInformationSMS",
    {"o-smsFailureSpecificInfo": OSmsFailureSpecificInfo, "o-smsFailureSpecificInfo_hex": S,
    "o-smsSubmissionSpecificInfo": ChangeOfLocationAlt, "o-smsSubmissionSpecificInfo_hex": S,
    "t-smsFailureSpecificInfo": TSmsFailureSpecificInfo, "t-smsFailureSpecificInfo_hex": S,
    "t-smsDeliverySpecificInfo": ChangeOfLocationAlt, "t-smsDeliverySpecificInfo_hex": S},
    total=False)
EventReportSMSArguments = TypedDict("EventReportSMSArguments", {"eventTypeSMS": I,
    "eventTypeSMS_name": S, "eventTypeSMS_hex": S,
    "eventSpecificInformationSMS": EventSpecificInformationSMS,
    "eventSpecificInformationSMS_hex": S, "miscCallInfo": MiscCallInfo, "miscCallInfo_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
FacilitySelectedAndAvailableArguments = TypedDict("FacilitySelectedAndAvailableArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "calledPartyBusinessGroupID": S, "calledPartyBusinessGroupID_hex": S,
    "calledPartySubaddress": S, "calledPartySubaddress_hex": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "callingPartyNumber": S, "callingPartyNumber_hex": S,
    "callingPartyNumber_digits": S, "callingPartyNumber_noa": S, "callingPartyNumber_ni": S,
    "callingPartyNumber_npi": S, "callingPartyNumber_pri": S, "callingPartyNumber_si": S,
    "originalCalledPartyID": S, "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "redirectingPartyID": S, "redirectingPartyID_hex": S, "redirectingPartyID_digits": S,
    "redirectingPartyID_noa": S, "redirectingPartyID_npi": S, "redirectingPartyID_pri": S,
    "redirectionInformation": S, "redirectionInformation_hex": S, "routeList": Sequence[S],
    "routeList_hex": Any, "travellingClassMark": S, "travellingClassMark_hex": S,
    "travellingClassMark_digits": S, "travellingClassMark_noa": S, "travellingClassMark_inn": S,
    "travellingClassMark_npi": S, "travellingClassMark_pri": S, "travellingClassMark_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "componentType": I,
    "componentType_name": S, "componentType_hex": S, "component": Component, "component_hex": S,
    "componentCorrelationID": I, "componentCorrelationID_hex": S, "raw_hex": S}, total=False)
SubscriberState = TypedDict("SubscriberState", {"assumedIdle": B, "assumedIdle_hex": S,
    "camelBusy": B, "camelBusy_hex": S, "netDetNotReachable": I, "netDetNotReachable_name": S,
    "netDetNotReachable_hex": S, "notProvidedFromVLR": B, "notProvidedFromVLR_hex": S},
    total=False)
UuData = TypedDict("UuData", {"uuIndicator": S, "uuIndicator_hex": S, "uui": S, "uui_hex": S,
    "uusCFInteraction": B, "uusCFInteraction_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S}, total=False)
NaCarrierInformation = TypedDict("NaCarrierInformation", {"naCarrierId": S, "naCarrierId_hex": S,
    "naCICSelectionType": S, "naCICSelectionType_hex": S}, total=False)
InitialDPArgExtension = TypedDict("InitialDPArgExtension", {"gmscAddress": S, "gmscAddress_hex": S,
    "gmscAddress_digits": S, "gmscAddress_noa": S, "gmscAddress_npi": S,
    "forwardingDestinationNumber": S, "forwardingDestinationNumber_hex": S,
    "forwardingDestinationNumber_digits": S, "forwardingDestinationNumber_noa": S,
    "forwardingDestinationNumber_inn": S, "forwardingDestinationNumber_npi": S, "ms-Classmark2": S,
    "ms-Classmark2_hex": S, "iMEI": S, "iMEI_hex": S, "iMEI_digits": S, "supportedCamelPhases": S,
    "supportedCamelPhases_hex": S, "offeredCamel4Functionalities": S,
    "offeredCamel4Functionalities_hex": S, "bearerCapability2": BearerCapability,
    "bearerCapability2_hex": S, "ext-basicServiceCode2": ExtBasicServiceCode,
    "ext-basicServiceCode2_hex": S, "highLayerCompatibility2": S, "highLayerCompatibility2_hex": S,
    "lowLayerCompatibility": S, "lowLayerCompatibility_hex": S, "lowLayerCompatibility2": S,
    "lowLayerCompatibility2_hex": S, "enhancedDialledServicesAllowed": B,
    "enhancedDialledServicesAllowed_hex": S, "uu-Data": UuData, "uu-Data_hex": S,
    "collectInformationAllowed": B, "collectInformationAllowed_hex": S,
    "releaseCallArgExtensionAllowed": B, "releaseCallArgExtensionAllowed_hex": S,
    "naCarrierInformation": NaCarrierInformation, "naCarrierInformation_hex": S}, total=False)
InitialDPArguments = TypedDict("InitialDPArguments", {"serviceKey": I, "serviceKey_hex": S,
    "dialledDigits": S, "dialledDigits_hex": S, "dialledDigits_digits": S, "dialledDigits_noa": S,
    "dialledDigits_inn": S, "dialledDigits_npi": S, "calledPartyNumber": S,
    "calledPartyNumber_hex": S, "calledPartyNumber_digits": S, "calledPartyNumber_noa": S,
    "calledPartyNumber_inn": S, "calledPartyNumber_npi": S, "callingPartyNumber": S,
    "callingPartyNumber_hex": S, "callingPartyNumber_digits": S, "callingPartyNumber_noa": S,
    "callingPartyNumber_ni": S, "callingPartyNumber_npi": S, "callingPartyNumber_pri": S,
    "callingPartyNumber_si": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "callingPartysCategory": S,
    "callingPartysCategory_hex": S, "callingPartySubaddress": S, "callingPartySubaddress_hex": S,
    "cGEncountered": I, "cGEncountered_name": S, "cGEncountered_hex": S, "iPSSPCapabilities": S,
    "iPSSPCapabilities_hex": S, "iPAvailable": S, "iPAvailable_hex": S, "locationNumber": S,
    "locationNumber_hex": S, "locationNumber_digits": S, "locationNumber_noa": S,
    "locationNumber_inn": S, "locationNumber_npi": S, "locationNumber_pri": S,
    "locationNumber_si": S, "miscCallInfo": MiscCallInfo, "miscCallInfo_hex": S,
    "originalCalledPartyID": S, "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "serviceProfileIdentifier": S, "serviceProfileIdentifier_hex": S, "terminalType": I,
    "terminalType_name": S, "terminalType_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "triggerType": I, "triggerType_name": S, "triggerType_hex": S,
    "highLayerCompatibility": S, "highLayerCompatibility_hex": S,
    "serviceInteractionIndicators": S, "serviceInteractionIndicators_hex": S,
    "additionalCallingPartyNumber": S, "additionalCallingPartyNumber_hex": S,
    "additionalCallingPartyNumber_digits": S, "additionalCallingPartyNumber_nqi": S,
    "additionalCallingPartyNumber_noa": S, "additionalCallingPartyNumber_ni": S,
    "additionalCallingPartyNumber_npi": S, "additionalCallingPartyNumber_pri": S,
    "additionalCallingPartyNumber_si": S, "forwardCallIndicators": S,
    "forwardCallIndicators_hex": S, "bearerCapability": BearerCapability,
    "bearerCapability_hex": S, "eventTypeBCSM": I, "eventTypeBCSM_name": S, "eventTypeBCSM_hex": S,
    "redirectingPartyID": S, "redirectingPartyID_hex": S, "redirectingPartyID_digits": S,
    "redirectingPartyID_noa": S, "redirectingPartyID_npi": S, "redirectingPartyID_pri": S,
    "redirectionInformation": S, "redirectionInformation_hex": S, "cause": S, "cause_hex": S,
    "cause_cause": S, "cause_standard": S, "cause_location": S, "cause_diagnostics_hex": S,
    "serviceInteractionIndicatorsTwo": ServiceInteractionIndicatorsTwo,
    "serviceInteractionIndicatorsTwo_hex": S, "carrier": S, "carrier_hex": S, "cug-Index": I,
    "cug-Index_hex": S, "cug-Interlock": S, "cug-Interlock_hex": S, "cug-OutgoingAccess": B,
    "cug-OutgoingAccess_hex": S, "iMSI": S, "iMSI_hex": S, "iMSI_digits": S,
    "subscriberState": SubscriberState, "subscriberState_hex": S,
    "locationInformation": LocationInformation, "locationInformation_hex": S,
    "ext-basicServiceCode": ExtBasicServiceCode, "ext-basicServiceCode_hex": S,
    "callReferenceNumber": S, "callReferenceNumber_hex": S, "mscAddress": S, "mscAddress_hex": S,
    "mscAddress_digits": S, "mscAddress_noa": S, "mscAddress_npi": S, "calledPartyBCDNumber": S,
    "calledPartyBCDNumber_hex": S, "calledPartyBCDNumber_digits": S, "calledPartyBCDNumber_noa": S,
    "calledPartyBCDNumber_npi": S, "timeAndTimezone": S, "timeAndTimezone_hex": S,
    "timeAndTimezone_digits": S, "callForwardingSS-Pending": B, "callForwardingSS-Pending_hex": S,
    "initialDPArgExtension": InitialDPArgExtension, "initialDPArgExtension_hex": S, "raw_hex": S},
    total=False)
GPRSMSClass = TypedDict("GPRSMSClass", {"mSNetworkCapability": S, "mSNetworkCapability_hex": S,
    "mSRadioAccessCapability": S, "mSRadioAccessCapability_hex": S}, total=False)
InitialDPGPRSArguments = TypedDict("InitialDPGPRSArguments", {"serviceKey": I, "serviceKey_hex": S,
    "gPRSEventType": I, "gPRSEventType_name": S, "gPRSEventType_hex": S, "mSISDN": S,
    "mSISDN_hex": S, "mSISDN_digits": S, "mSISDN_noa": S, "mSISDN_npi": S, "iMSI": S,
    "iMSI_hex": S, "iMSI_digits": S, "timeAndTimeZone": S, "timeAndTimeZone_hex": S,
    "timeAndTimeZone_digits": S, "gPRSMSClass": GPRSMSClass, "gPRSMSClass_hex": S,
    "endUserAddress": EndUserAddress, "endUserAddress_hex": S,
    "qualityOfService": QualityOfService, "qualityOfService_hex": S, "accessPointName": S,
    "accessPointName_hex": S, "routeingAreaIdentity": S, "routeingAreaIdentity_hex": S,
    "chargingID": S, "chargingID_hex": S, "sGSNCapabilities": S, "sGSNCapabilities_hex": S,
    "locationInformationGPRS": LocationInformationGPRS, "locationInformationGPRS_hex": S,
    "pDPInitiationType": I, "pDPInitiationType_name": S, "pDPInitiationType_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "gGSNAddress": S,
    "gGSNAddress_hex": S, "secondaryPDP-context": B, "secondaryPDP-context_hex": S, "iMEI": S,
    "iMEI_hex": S, "iMEI_digits": S, "raw_hex": S}, total=False)
InitialDPSMSArguments = TypedDict("InitialDPSMSArguments", {"serviceKey": I, "serviceKey_hex": S,
    "destinationSubscriberNumber": S, "destinationSubscriberNumber_hex": S,
    "destinationSubscriberNumber_digits": S, "destinationSubscriberNumber_noa": S,
    "destinationSubscriberNumber_npi": S, "callingPartyNumber": S, "callingPartyNumber_hex": S,
    "callingPartyNumber_digits": S, "callingPartyNumber_noa": S, "callingPartyNumber_npi": S,
    "eventTypeSMS": I, "eventTypeSMS_name": S, "eventTypeSMS_hex": S, "iMSI": S, "iMSI_hex": S,
    "iMSI_digits": S, "locationInformationMSC": LocationInformation,
    "locationInformationMSC_hex": S, "locationInformationGPRS": LocationInformationGPRS,
    "locationInformationGPRS_hex": S, "sMSCAddress": S, "sMSCAddress_hex": S,
    "sMSCAddress_digits": S, "sMSCAddress_noa": S, "sMSCAddress_npi": S, "timeAndTimezone": S,
    "timeAndTimezone_hex": S, "timeAndTimezone_digits": S, "tPShortMessageSpecificInfo": S,
    "tPShortMessageSpecificInfo_hex": S, "tPProtocolIdentifier": S, "tPProtocolIdentifier_hex": S,
    "tPDataCodingScheme": S, "tPDataCodingScheme_hex": S, "tPValidityPeriod": S,
    "tPValidityPeriod_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "smsReferenceNumber": S, "smsReferenceNumber_hex": S, "mscAddress": S, "mscAddress_hex": S,
    "mscAddress_digits": S, "mscAddress_noa": S, "mscAddress_npi": S, "sgsn-Number": S,
    "sgsn-Number_hex": S, "sgsn-Number_digits": S, "sgsn-Number_noa": S, "sgsn-Number_npi": S,
    "ms-Classmark2": S, "ms-Classmark2_hex": S, "gPRSMSClass": GPRSMSClass, "gPRSMSClass_hex": S,
    "iMEI": S, "iMEI_hex": S, "iMEI_digits": S, "calledPartyNumber": S, "calledPartyNumber_hex": S,
    "calledPartyNumber_digits": S, "calledPartyNumber_noa": S, "calledPartyNumber_npi": S,
    "raw_hex": S}, total=False)
RouteCounters = TypedDict("RouteCounters", {"route": S, "route_hex": S, "counterID": I,
    "counterID_hex": S, "counterValue": I, "counterValue_hex": S}, total=False)
MonitorRouteReportArguments = TypedDict("MonitorRouteReportArguments",
    {"routeCounters": Sequence[RouteCounters], "routeCounters_hex": Any, "correlationID": S,
    "correlationID_hex": S, "correlationID_digits": S, "correlationID_scheme": S,
    "correlationID_type": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "raw_hex": S}, total=False)
OAbandonArguments = TypedDict("OAbandonArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "callSegmentID": I, "callSegmentID_hex": S, "releaseCause": S, "releaseCause_hex": S,
    "releaseCause_cause": S, "releaseCause_standard": S, "releaseCause_location": S,
    "releaseCause_diagnostics_hex": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "raw_hex": S}, total=False)
OAnswerArguments = TypedDict("OAnswerArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "callingPartyBusinessGroupID": S, "callingPartyBusinessGroupID_hex": S,
    "callingPartySubaddress": S, "callingPartySubaddress_hex": S,
    "callingFacilityGroup": FacilityGroupID, "callingFacilityGroup_hex": S,
    "callingFacilityGroupMember": I, "callingFacilityGroupMember_hex": S,
    "originalCalledPartyID": S, "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "redirectingPartyID": S, "redirectingPartyID_hex": S, "redirectingPartyID_digits": S,
    "redirectingPartyID_noa": S, "redirectingPartyID_npi": S, "redirectingPartyID_pri": S,
    "redirectionInformation": S, "redirectionInformation_hex": S, "routeList": Sequence[S],
    "routeList_hex": Any, "travellingClassMark": S, "travellingClassMark_hex": S,
    "travellingClassMark_digits": S, "travellingClassMark_noa": S, "travellingClassMark_inn": S,
    "travellingClassMark_npi": S, "travellingClassMark_pri": S, "travellingClassMark_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "raw_hex": S}, total=False)
OCalledPartyBusyArguments = TypedDict("OCalledPartyBusyArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "busyCause": S, "busyCause_hex": S, "busyCause_cause": S, "busyCause_standard": S,
    "busyCause_location": S, "busyCause_diagnostics_hex": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "callingPartySubaddress": S,
    "callingPartySubaddress_hex": S, "callingFacilityGroup": FacilityGroupID,
    "callingFacilityGroup_hex": S, "callingFacilityGroupMember": I,
    "callingFacilityGroupMember_hex": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "prefix": S, "prefix_hex": S, "prefix_digits": S, "prefix_scheme": S, "prefix_type": S,
    "redirectingPartyID": S, "redirectingPartyID_hex": S, "redirectingPartyID_digits": S,
    "redirectingPartyID_noa": S, "redirectingPartyID_npi": S, "redirectingPartyID_pri": S,
    "redirectionInformation": S, "redirectionInformation_hex": S, "routeList": Sequence[S],
    "routeList_hex": Any, "travellingClassMark": S, "travellingClassMark_hex": S,
    "travellingClassMark_digits": S, "travellingClassMark_noa": S, "travellingClassMark_inn": S,
    "travellingClassMark_npi": S, "travellingClassMark_pri": S, "travellingClassMark_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "carrier": S, "carrier_hex": S,
    "raw_hex": S}, total=False)
ODisconnectArguments = TypedDict("ODisconnectArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "callingPartyBusinessGroupID": S, "callingPartyBusinessGroupID_hex": S,
    "callingPartySubaddress": S, "callingPartySubaddress_hex": S,
    "callingFacilityGroup": FacilityGroupID, "callingFacilityGroup_hex": S,
    "callingFacilityGroupMember": I, "callingFacilityGroupMember_hex": S, "releaseCause": S,
    "releaseCause_hex": S, "releaseCause_cause": S, "releaseCause_standard": S,
    "releaseCause_location": S, "releaseCause_diagnostics_hex": S, "routeList": Sequence[S],
    "routeList_hex": Any, "extensions": Sequence[Extensions], "extensions_hex": Any, "carrier": S,
    "carrier_hex": S, "connectTime": I, "connectTime_hex": S, "componentType": I,
    "componentType_name": S, "componentType_hex": S, "component": Component, "component_hex": S,
    "componentCorrelationID": I, "componentCorrelationID_hex": S, "raw_hex": S}, total=False)
OMidCallArguments = TypedDict("OMidCallArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "calledPartyBusinessGroupID": S, "calledPartyBusinessGroupID_hex": S,
    "calledPartySubaddress": S, "calledPartySubaddress_hex": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "callingPartySubaddress": S,
    "callingPartySubaddress_hex": S, "featureRequestIndicator": I,
    "featureRequestIndicator_name": S, "featureRequestIndicator_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "carrier": S, "carrier_hex": S,
    "componentType": I, "componentType_name": S, "componentType_hex": S, "component": Component,
    "component_hex": S, "componentCorrelationID": I, "componentCorrelationID_hex": S,
    "raw_hex": S}, total=False)
ONoAnswerArguments = TypedDict("ONoAnswerArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "callingPartyBusinessGroupID": S, "callingPartyBusinessGroupID_hex": S,
    "callingPartySubaddress": S, "callingPartySubaddress_hex": S,
    "callingFacilityGroup": FacilityGroupID, "callingFacilityGroup_hex": S,
    "callingFacilityGroupMember": I, "callingFacilityGroupMember_hex": S,
    "originalCalledPartyID": S, "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "prefix": S, "prefix_hex": S, "prefix_digits": S, "prefix_scheme": S, "prefix_type": S,
    "redirectingPartyID": S, "redirectingPartyID_hex": S, "redirectingPartyID_digits": S,
    "redirectingPartyID_noa": S, "redirectingPartyID_npi": S, "redirectingPartyID_pri": S,
    "redirectionInformation": S, "redirectionInformation_hex": S, "routeList": Sequence[S],
    "routeList_hex": Any, "travellingClassMark": S, "travellingClassMark_hex": S,
    "travellingClassMark_digits": S, "travellingClassMark_noa": S, "travellingClassMark_inn": S,
    "travellingClassMark_npi": S, "travellingClassMark_pri": S, "travellingClassMark_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "carrier": S, "carrier_hex": S,
    "raw_hex": S}, total=False)
OSuspendedArguments = TypedDict("OSuspendedArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "legID": LegToBeCreated, "legID_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
OriginationAttemptArguments = TypedDict("OriginationAttemptArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "callingPartyBusinessGroupID": S, "callingPartyBusinessGroupID_hex": S,
    "callingPartySubaddress": S, "callingPartySubaddress_hex": S,
    "callingFacilityGroup": FacilityGroupID, "callingFacilityGroup_hex": S,
    "callingFacilityGroupMember": I, "callingFacilityGroupMember_hex": S, "carrier": S,
    "carrier_hex": S, "travellingClassMark": S, "travellingClassMark_hex": S,
    "travellingClassMark_digits": S, "travellingClassMark_noa": S, "travellingClassMark_inn": S,
    "travellingClassMark_npi": S, "travellingClassMark_pri": S, "travellingClassMark_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "componentType": I,
    "componentType_name": S, "componentType_hex": S, "component": Component, "component_hex": S,
    "componenttCorrelationID": I, "componenttCorrelationID_hex": S, "raw_hex": S}, total=False)
OriginationAttemptAuthorizedArguments = TypedDict("OriginationAttemptAuthorizedArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "dialledDigits": S, "dialledDigits_hex": S, "dialledDigits_digits": S, "dialledDigits_noa": S,
    "dialledDigits_inn": S, "dialledDigits_npi": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "callingPartySubaddress": S,
    "callingPartySubaddress_hex": S, "callingFacilityGroup": FacilityGroupID,
    "callingFacilityGroup_hex": S, "callingFacilityGroupMember": I,
    "callingFacilityGroupMember_hex": S, "travellingClassMark": S, "travellingClassMark_hex": S,
    "travellingClassMark_digits": S, "travellingClassMark_noa": S, "travellingClassMark_inn": S,
    "travellingClassMark_npi": S, "travellingClassMark_pri": S, "travellingClassMark_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "carrier": S, "carrier_hex": S,
    "componentType": I, "componentType_name": S, "componentType_hex": S, "component": Component,
    "component_hex": S, "componentCorrelationID": I, "componentCorrelationID_hex": S,
    "raw_hex": S}, total=False)
RouteSelectFailureArguments = TypedDict("RouteSelectFailureArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "dialledDigits": S, "dialledDigits_hex": S, "dialledDigits_digits": S, "dialledDigits_noa": S,
    "dialledDigits_inn": S, "dialledDigits_npi": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "callingPartySubaddress": S,
    "callingPartySubaddress_hex": S, "callingFacilityGroup": FacilityGroupID,
    "callingFacilityGroup_hex": S, "callingFacilityGroupMember": I,
    "callingFacilityGroupMember_hex": S, "failureCause": S, "failureCause_hex": S,
    "failureCause_cause": S, "failureCause_standard": S, "failureCause_location": S,
    "failureCause_diagnostics_hex": S, "originalCalledPartyID": S, "originalCalledPartyID_hex": S,
    "originalCalledPartyID_digits": S, "originalCalledPartyID_noa": S,
    "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S, "prefix": S, "prefix_hex": S,
    "prefix_digits": S, "prefix_scheme": S, "prefix_type": S, "redirectingPartyID": S,
    "redirectingPartyID_hex": S, "redirectingPartyID_digits": S, "redirectingPartyID_noa": S,
    "redirectingPartyID_npi": S, "redirectingPartyID_pri": S, "redirectionInformation": S,
    "redirectionInformation_hex": S, "routeList": Sequence[S], "routeList_hex": Any,
    "travellingClassMark": S, "travellingClassMark_hex": S, "travellingClassMark_digits": S,
    "travellingClassMark_noa": S, "travellingClassMark_inn": S, "travellingClassMark_npi": S,
    "travellingClassMark_pri": S, "travellingClassMark_si": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "carrier": S, "carrier_hex": S, "raw_hex": S}, total=False)
CountersValue = TypedDict("CountersValue", {"counterID": I, "counterID_hex": S, "counterValue": I,
    "counterValue_hex": S}, total=False)
ServiceFilteringResponseArguments = TypedDict("ServiceFilteringResponseArguments",
    {"countersValue": Sequence[CountersValue], "countersValue_hex": Any,
    "filteringCriteria": FilteringCriteria, "filteringCriteria_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "responseCondition": I,
    "responseCondition_name": S, "responseCondition_hex": S, "raw_hex": S}, total=False)
StatusReportArguments = TypedDict("StatusReportArguments", {"resourceStatus": I,
    "resourceStatus_name": S, "resourceStatus_hex": S, "correlationID": S, "correlationID_hex": S,
    "correlationID_digits": S, "correlationID_scheme": S, "correlationID_type": S,
    "resourceID": ResourceID, "resourceID_hex": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "reportCondition": I, "reportCondition_name": S,
    "reportCondition_hex": S, "raw_hex": S}, total=False)
TAnswerArguments = TypedDict("TAnswerArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "calledPartyBusinessGroupID": S, "calledPartyBusinessGroupID_hex": S,
    "calledPartySubaddress": S, "calledPartySubaddress_hex": S,
    "calledFacilityGroup": FacilityGroupID, "calledFacilityGroup_hex": S,
    "calledFacilityGroupMember": I, "calledFacilityGroupMember_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "componentType": I,
    "componentType_name": S, "componentType_hex": S, "component": Component, "component_hex": S,
    "componentCorrelationID": I, "componentCorrelationID_hex": S, "raw_hex": S}, total=False)
TBusyArguments = TypedDict("TBusyArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "busyCause": S, "busyCause_hex": S, "busyCause_cause": S, "busyCause_standard": S,
    "busyCause_location": S, "busyCause_diagnostics_hex": S, "calledPartyBusinessGroupID": S,
    "calledPartyBusinessGroupID_hex": S, "calledPartySubaddress": S,
    "calledPartySubaddress_hex": S, "originalCalledPartyID": S, "originalCalledPartyID_hex": S,
    "originalCalledPartyID_digits": S, "originalCalledPartyID_noa": S,
    "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S, "redirectingPartyID": S,
    "redirectingPartyID_hex": S, "redirectingPartyID_digits": S, "redirectingPartyID_noa": S,
    "redirectingPartyID_npi": S, "redirectingPartyID_pri": S, "redirectionInformation": S,
    "redirectionInformation_hex": S, "routeList": Sequence[S], "routeList_hex": Any,
    "travellingClassMark": S, "travellingClassMark_hex": S, "travellingClassMark_digits": S,
    "travellingClassMark_noa": S, "travellingClassMark_inn": S, "travellingClassMark_npi": S,
    "travellingClassMark_pri": S, "travellingClassMark_si": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
TDisconnectArguments = TypedDict("TDisconnectArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "calledPartyBusinessGroupID": S, "calledPartyBusinessGroupID_hex": S,
    "calledPartySubaddress": S, "calledPartySubaddress_hex": S,
    "calledFacilityGroup": FacilityGroupID, "calledFacilityGroup_hex": S,
    "calledFacilityGroupMember": I, "calledFacilityGroupMember_hex": S, "releaseCause": S,
    "releaseCause_hex": S, "releaseCause_cause": S, "releaseCause_standard": S,
    "releaseCause_location": S, "releaseCause_diagnostics_hex": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "connectTime": I,
    "connectTime_hex": S, "componentType": I, "componentType_name": S, "componentType_hex": S,
    "component": Component, "component_hex": S, "componentCorrelationID": I,
    "componentCorrelationID_hex": S, "raw_hex": S}, total=False)
TNoAnswerArguments = TypedDict("TNoAnswerArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "calledPartyBusinessGroupID": S, "calledPartyBusinessGroupID_hex": S,
    "calledPartySubaddress": S, "calledPartySubaddress_hex": S,
    "calledFacilityGroup": FacilityGroupID, "calledFacilityGroup_hex": S,
    "calledFacilityGroupMember": I, "calledFacilityGroupMember_hex": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "redirectingPartyID": S, "redirectingPartyID_hex": S, "redirectingPartyID_digits": S,
    "redirectingPartyID_noa": S, "redirectingPartyID_npi": S, "redirectingPartyID_pri": S,
    "redirectionInformation": S, "redirectionInformation_hex": S, "travellingClassMark": S,
    "travellingClassMark_hex": S, "travellingClassMark_digits": S, "travellingClassMark_noa": S,
    "travellingClassMark_inn": S, "travellingClassMark_npi": S, "travellingClassMark_pri": S,
    "travellingClassMark_si": S, "extensions": Sequence[Extensions], "extensions_hex": Any,
    "componentType": I, "componentType_name": S, "componentType_hex": S, "component": Component,
    "component_hex": S, "componentCorrelationID": I, "componentCorrelationID_hex": S,
    "raw_hex": S}, total=False)
TermAttemptAuthorizedArguments = TypedDict("TermAttemptAuthorizedArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "calledPartyBusinessGroupID": S, "calledPartyBusinessGroupID_hex": S,
    "calledPartySubaddress": S, "calledPartySubaddress_hex": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "originalCalledPartyID": S,
    "originalCalledPartyID_hex": S, "originalCalledPartyID_digits": S,
    "originalCalledPartyID_noa": S, "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S,
    "redirectingPartyID": S, "redirectingPartyID_hex": S, "redirectingPartyID_digits": S,
    "redirectingPartyID_noa": S, "redirectingPartyID_npi": S, "redirectingPartyID_pri": S,
    "redirectionInformation": S, "redirectionInformation_hex": S, "routeList": Sequence[S],
    "routeList_hex": Any, "travellingClassMark": S, "travellingClassMark_hex": S,
    "travellingClassMark_digits": S, "travellingClassMark_noa": S, "travellingClassMark_inn": S,
    "travellingClassMark_npi": S, "travellingClassMark_pri": S, "travellingClassMark_si": S,
    "extensions": Sequence[Extensions], "extensions_hex": Any, "callingPartySubaddress": S,
    "callingPartySubaddress_hex": S, "raw_hex": S}, total=False)
TerminationAttemptArguments = TypedDict("TerminationAttemptArguments",
    {"dpSpecificCommonParameters": DpSpecificCommonParameters, "dpSpecificCommonParameters_hex": S,
    "calledPartyBusinessGroupID": S, "calledPartyBusinessGroupID_hex": S,
    "calledPartySubaddress": S, "calledPartySubaddress_hex": S, "callingPartyBusinessGroupID": S,
    "callingPartyBusinessGroupID_hex": S, "callingPartySubaddress": S,
    "callingPartySubaddress_hex": S, "originalCalledPartyID": S, "originalCalledPartyID_hex": S,
    "originalCalledPartyID_digits": S, "originalCalledPartyID_noa": S,
    "originalCalledPartyID_npi": S, "originalCalledPartyID_pri": S, "redirectingPartyID": S,
    "redirectingPartyID_hex": S, "redirectingPartyID_digits": S, "redirectingPartyID_noa": S,
    "redirectingPartyID_npi": S, "redirectingPartyID_pri": S, "redirectionInformation": S,
    "redirectionInformation_hex": S, "routeList": Sequence[S], "routeList_hex": Any,
    "travellingClassMark": S, "travellingClassMark_hex": S, "travellingClassMark_digits": S,
    "travellingClassMark_noa": S, "travellingClassMark_inn": S, "travellingClassMark_npi": S,
    "travellingClassMark_pri": S, "travellingClassMark_si": S, "extensions": Sequence[Extensions],
    "extensions_hex": Any, "raw_hex": S}, total=False)
SubscriberIdentity = TypedDict("SubscriberIdentity", {"imsi": S, "imsi_hex": S, "imsi_digits": S,
    "msisdn": S, "msisdn_hex": S, "msisdn_digits": S, "msisdn_noa": S, "msisdn_npi": S},
    total=False)
RequestedInfo = TypedDict("RequestedInfo", {"locationInformation": B, "locationInformation_hex": S,
    "subscriberState": B, "subscriberState_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S, "currentLocation": B, "currentLocation_hex": S,
    "requestedDomain": I, "requestedDomain_name": S, "requestedDomain_hex": S, "imei": B,
    "imei_hex": S, "ms-classmark": B, "ms-classmark_hex": S, "mnpRequestedInfo": B,
    "mnpRequestedInfo_hex": S, "locationInformationEPS-Supported": B,
    "locationInformationEPS-Supported_hex": S, "t-adsData": B, "t-adsData_hex": S,
    "requestedNodes": S, "requestedNodes_hex": S, "servingNodeIndication": B,
    "servingNodeIndication_hex": S, "localTimeZoneRequest": B, "localTimeZoneRequest_hex": S},
    total=False)
MapOpen = TypedDict("MapOpen", {"destination_reference": S, "destination_reference_hex": S,
    "destination_reference_digits": S, "destination_reference_noa": S,
    "destination_reference_npi": S, "origination_reference": S, "origination_reference_hex": S,
    "origination_reference_digits": S, "origination_reference_noa": S,
    "origination_reference_npi": S, "extension_container": S, "extension_container_hex": S},
    total=False)
Tcap = TypedDict("Tcap", {"map_open": MapOpen}, total=False)
AnyTimeInterrogationArguments = TypedDict("AnyTimeInterrogationArguments",
    {"subscriberIdentity": SubscriberIdentity, "subscriberIdentity_hex": S,
    "requestedInfo": RequestedInfo, "requestedInfo_hex": S, "gsmSCF-Address": S,
    "gsmSCF-Address_hex": S, "gsmSCF-Address_digits": S, "gsmSCF-Address_noa": S,
    "gsmSCF-Address_npi": S, "extensionContainer": S, "extensionContainer_hex": S, "tcap": Tcap,
    "raw_hex": S}, total=False)
MapAccept = TypedDict("MapAccept", {"extension_container": S, "extension_container_hex": S},
    total=False)
Tcap2 = TypedDict("Tcap2", {"map_accept": MapAccept}, total=False)
AnyTimeInterrogationErrorArguments = TypedDict("AnyTimeInterrogationErrorArguments",
    {"errorCode": I, "errorCode_name": S, "parameter": S, "parameter_name": S, "parameter_hex": S,
    "tcap": Tcap2, "raw_hex": S}, total=False)
LocationInformationGPRS2 = TypedDict("LocationInformationGPRS2",
    {"cellGlobalIdOrServiceAreaIdOrLAI": CellGlobalIdOrServiceAreaIdOrLAI,
    "cellGlobalIdOrServiceAreaIdOrLAI_hex": S, "routeingAreaIdentity": S,
    "routeingAreaIdentity_hex": S, "geographicalInformation": S, "geographicalInformation_hex": S,
    "sgsn-Number": S, "sgsn-Number_hex": S, "sgsn-Number_digits": S, "sgsn-Number_noa": S,
    "sgsn-Number_npi": S, "selectedLSAIdentity": S, "selectedLSAIdentity_hex": S,
    "extensionContainer": S, "extensionContainer_hex": S, "sai-Present": B, "sai-Present_hex": S,
    "geodeticInformation": S, "geodeticInformation_hex": S, "currentLocationRetrieved": B,
    "currentLocationRetrieved_hex": S, "ageOfLocationInformation": I,
    "ageOfLocationInformation_hex": S, "userCSGInformation": UserCSGInformation,
    "userCSGInformation_hex": S}, total=False)
PsPDPActiveNotReachableForPaging = TypedDict("PsPDPActiveNotReachableForPaging",
    {"pdp-ContextIdentifier": I, "pdp-ContextIdentifier_hex": S, "pdp-ContextActive": B,
    "pdp-ContextActive_hex": S, "pdp-Type": S, "pdp-Type_hex": S, "pdp-Address": S,
    "pdp-Address_hex": S, "apn-Subscribed": S, "apn-Subscribed_hex": S, "apn-InUse": S,
    "apn-InUse_hex": S, "nsapi": I, "nsapi_hex": S, "transactionId": S, "transactionId_hex": S,
    "teid-ForGnAndGp": S, "teid-ForGnAndGp_hex": S, "teid-ForIu": S, "teid-ForIu_hex": S,
    "ggsn-Address": S, "ggsn-Address_hex": S, "qos-Subscribed": S, "qos-Subscribed_hex": S,
    "qos-Requested": S, "qos-Requested_hex": S, "qos-Negotiated": S, "qos-Negotiated_hex": S,
    "chargingId": S, "chargingId_hex": S, "chargingCharacteristics": S,
    "chargingCharacteristics_hex": S, "rnc-Address": S, "rnc-Address_hex": S,
    "extensionContainer": S, "extensionContainer_hex": S, "qos2-Subscribed": S,
    "qos2-Subscribed_hex": S, "qos2-Requested": S, "qos2-Requested_hex": S, "qos2-Negotiated": S,
    "qos2-Negotiated_hex": S, "qos3-Subscribed": S, "qos3-Subscribed_hex": S, "qos3-Requested": S,
    "qos3-Requested_hex": S, "qos3-Negotiated": S, "qos3-Negotiated_hex": S, "qos4-Subscribed": S,
    "qos4-Subscribed_hex": S, "qos4-Requested": S, "qos4-Requested_hex": S, "qos4-Negotiated": S,
    "qos4-Negotiated_hex": S, "ext-pdp-Type": S, "ext-pdp-Type_hex": S, "ext-pdp-Address": S,
    "ext-pdp-Address_hex": S}, total=False)
PsSubscriberState = TypedDict("PsSubscriberState", {"notProvidedFromSGSNorMME": B,
    "notProvidedFromSGSNorMME_hex": S, "ps-Detached": B, "ps-Detached_hex": S,
    "ps-AttachedNotReachableForPaging": B, "ps-AttachedNotReachableForPaging_hex": S,
    "ps-AttachedReachableForPaging": B, "ps-AttachedReachableForPaging_hex": S,
    "ps-PDP-ActiveNotReachableForPaging": Sequence[PsPDPActiveNotReachableForPaging],
    "ps-PDP-ActiveNotReachableForPaging_hex": Any,
    "ps-PDP-ActiveReachableForPaging": Sequence[PsPDPActiveNotReachableForPaging],
    "ps-PDP-ActiveReachableForPaging_hex": Any, "netDetNotReachable": I,
    "netDetNotReachable_name": S, "netDetNotReachable_hex": S}, total=False)
MnpInfoRes = TypedDict("MnpInfoRes", {"routeingNumber": S, "routeingNumber_hex": S,
    "routeingNumber_digits": S, "imsi": S, "imsi_hex": S, "imsi_digits": S, "msisdn": S,
    "msisdn_hex": S, "msisdn_digits": S, "msisdn_noa": S, "msisdn_npi": S,
    "numberPortabilityStatus": I, "numberPortabilityStatus_name": S,
    "numberPortabilityStatus_hex": S, "extensionContainer": S, "extensionContainer_hex": S},
    total=False)
LocationInformation5GS = TypedDict("LocationInformation5GS", {"nrCellGlobalIdentity": S,
    "nrCellGlobalIdentity_hex": S, "e-utranCellGlobalIdentity": S,
    "e-utranCellGlobalIdentity_hex": S, "geographicalInformation": S,
    "geographicalInformation_hex": S, "geodeticInformation": S, "geodeticInformation_hex": S,
    "amf-address": S, "amf-address_hex": S, "trackingAreaIdentity": S,
    "trackingAreaIdentity_hex": S, "currentLocationRetrieved": B,
    "currentLocationRetrieved_hex": S, "ageOfLocationInformation": I,
    "ageOfLocationInformation_hex": S, "vplmnId": S, "vplmnId_hex": S, "localtimeZone": S,
    "localtimeZone_hex": S, "rat-Type": I, "rat-Type_name": S, "rat-Type_hex": S,
    "extensionContainer": S, "extensionContainer_hex": S, "nrTrackingAreaIdentity": S,
    "nrTrackingAreaIdentity_hex": S}, total=False)
SubscriberInfo = TypedDict("SubscriberInfo", {"locationInformation": LocationInformation,
    "locationInformation_hex": S, "subscriberState": SubscriberState, "subscriberState_hex": S,
    "extensionContainer": S, "extensionContainer_hex": S,
    "locationInformationGPRS": LocationInformationGPRS2, "locationInformationGPRS_hex": S,
    "ps-SubscriberState": PsSubscriberState, "ps-SubscriberState_hex": S, "imei": S, "imei_hex": S,
    "imei_digits": S, "ms-Classmark2": S, "ms-Classmark2_hex": S, "gprs-MS-Class": GPRSMSClass,
    "gprs-MS-Class_hex": S, "mnpInfoRes": MnpInfoRes, "mnpInfoRes_hex": S,
    "imsVoiceOverPS-SessionsIndication": I, "imsVoiceOverPS-SessionsIndication_name": S,
    "imsVoiceOverPS-SessionsIndication_hex": S, "lastUE-ActivityTime": S,
    "lastUE-ActivityTime_hex": S, "lastRAT-Type": I, "lastRAT-Type_name": S, "lastRAT-Type_hex": S,
    "eps-SubscriberState": PsSubscriberState, "eps-SubscriberState_hex": S,
    "locationInformationEPS": LocationInformationEPS, "locationInformationEPS_hex": S,
    "timeZone": S, "timeZone_hex": S, "daylightSavingTime": I, "daylightSavingTime_name": S,
    "daylightSavingTime_hex": S, "locationInformation5GS": LocationInformation5GS,
    "locationInformation5GS_hex": S}, total=False)
AnyTimeInterrogationResultArguments = TypedDict("AnyTimeInterrogationResultArguments",
    {"subscriberInfo": SubscriberInfo, "subscriberInfo_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S, "tcap": Tcap2, "raw_hex": S}, total=False)
SmRPDA = TypedDict("SmRPDA", {"imsi": S, "imsi_hex": S, "imsi_digits": S, "lmsi": S, "lmsi_hex": S,
    "serviceCentreAddressDA": S, "serviceCentreAddressDA_hex": S,
    "serviceCentreAddressDA_digits": S, "serviceCentreAddressDA_noa": S,
    "serviceCentreAddressDA_npi": S, "noSM-RP-DA": B, "noSM-RP-DA_hex": S}, total=False)
SmRPOA = TypedDict("SmRPOA", {"msisdn": S, "msisdn_hex": S, "msisdn_digits": S, "msisdn_noa": S,
    "msisdn_npi": S, "serviceCentreAddressOA": S, "serviceCentreAddressOA_hex": S,
    "serviceCentreAddressOA_digits": S, "serviceCentreAddressOA_noa": S,
    "serviceCentreAddressOA_npi": S, "noSM-RP-OA": B, "noSM-RP-OA_hex": S}, total=False)
CorrelationID = TypedDict("CorrelationID", {"hlr-id": S, "hlr-id_hex": S, "hlr-id_digits": S,
    "sip-uri-A": S, "sip-uri-A_hex": S, "sip-uri-B": S, "sip-uri-B_hex": S}, total=False)
SmRPDA2 = TypedDict("SmRPDA2", {"imsi": S, "imsi_hex": S, "imsi_digits": S, "lmsi": S,
    "lmsi_hex": S, "roamingNumber": S, "roamingNumber_hex": S, "roamingNumber_digits": S,
    "roamingNumber_noa": S, "roamingNumber_npi": S, "serviceCentreAddressDA": S,
    "serviceCentreAddressDA_hex": S, "serviceCentreAddressDA_digits": S,
    "serviceCentreAddressDA_noa": S, "serviceCentreAddressDA_npi": S, "noSM-RP-DA": B,
    "noSM-RP-DA_hex": S}, total=False)
MOForwardSMArguments = TypedDict("MOForwardSMArguments", {"sm-RP-DA": SmRPDA | SmRPDA2,
    "sm-RP-DA_hex": S, "sm-RP-OA": SmRPOA, "sm-RP-OA_hex": S, "sm-RP-UI": S, "sm-RP-UI_hex": S,
    "extensionContainer": S, "extensionContainer_hex": S, "imsi": S, "imsi_hex": S,
    "imsi_digits": S, "correlationID": CorrelationID, "correlationID_hex": S,
    "sm-DeliveryOutcome": I, "sm-DeliveryOutcome_name": S, "sm-DeliveryOutcome_hex": S,
    "moreMessagesToSend": B, "moreMessagesToSend_hex": S, "raw_hex": S}, total=False)
MOForwardSMResultArguments = TypedDict("MOForwardSMResultArguments", {"sm-RP-UI": S,
    "sm-RP-UI_hex": S, "extensionContainer": S, "extensionContainer_hex": S, "raw_hex": S},
    total=False)
SmsGmscDiameterAddress = TypedDict("SmsGmscDiameterAddress", {"diameter-Name": S,
    "diameter-Name_hex": S, "diameter-Realm": S, "diameter-Realm_hex": S}, total=False)
MTForwardSMArguments = TypedDict("MTForwardSMArguments", {"sm-RP-DA": SmRPDA, "sm-RP-DA_hex": S,
    "sm-RP-OA": SmRPOA, "sm-RP-OA_hex": S, "sm-RP-UI": S, "sm-RP-UI_hex": S,
    "moreMessagesToSend": B, "moreMessagesToSend_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S, "smDeliveryTimer": I, "smDeliveryTimer_hex": S,
    "smDeliveryStartTime": S, "smDeliveryStartTime_hex": S, "smsOverIP-OnlyIndicator": B,
    "smsOverIP-OnlyIndicator_hex": S, "correlationID": CorrelationID, "correlationID_hex": S,
    "maximumRetransmissionTime": S, "maximumRetransmissionTime_hex": S, "smsGmscAddress": S,
    "smsGmscAddress_hex": S, "smsGmscAddress_digits": S, "smsGmscAddress_noa": S,
    "smsGmscAddress_npi": S, "smsGmscDiameterAddress": SmsGmscDiameterAddress,
    "smsGmscDiameterAddress_hex": S, "tcap": Tcap, "raw_hex": S}, total=False)
MTForwardSMResultArguments = TypedDict("MTForwardSMResultArguments", {"sm-RP-UI": S,
    "sm-RP-UI_hex": S, "extensionContainer": S, "extensionContainer_hex": S, "tcap": Tcap2,
    "raw_hex": S}, total=False)
ProcessUnstructuredSSRequestArguments = TypedDict("ProcessUnstructuredSSRequestArguments",
    {"ussdDataCodingScheme": S, "ussdDataCodingScheme_hex": S, "ussdDataCodingScheme_group": S,
    "ussdDataCodingScheme_language": S, "ussdDataCodingScheme_is_compressed": S,
    "ussdDataCodingScheme_message_class": S, "ussdDataCodingScheme_encoding": S,
    "ussdDataCodingScheme_encoding_name": S, "ussdString": S, "ussdString_hex": S,
    "ussdString_text": S, "alertingPattern": S, "alertingPattern_hex": S, "msisdn": S,
    "msisdn_hex": S, "msisdn_digits": S, "msisdn_noa": S, "msisdn_npi": S, "tcap": Tcap,
    "raw_hex": S}, total=False)
ProcessUnstructuredSSRequestResultArguments = TypedDict("ProcessUnstructuredSSRequestResultArguments",
    {"ussdDataCodingScheme": S, "ussdDataCodingScheme_hex": S, "ussdDataCodingScheme_group": S,
    "ussdDataCodingScheme_language": S, "ussdDataCodingScheme_is_compressed": S,
    "ussdDataCodingScheme_message_class": S, "ussdDataCodingScheme_encoding": S,
    "ussdDataCodingScheme_encoding_name": S, "ussdString": S, "ussdString_hex": S,
    "ussdString_text": S, "tcap": Tcap2, "raw_hex": S}, total=False)
GsmBearerCapability = TypedDict("GsmBearerCapability", {"protocolId": I, "protocolId_name": S,
    "protocolId_hex": S, "signalInfo": S, "signalInfo_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S}, total=False)
AdditionalSignalInfo = TypedDict("AdditionalSignalInfo", {"ext-ProtocolId": I,
    "ext-ProtocolId_name": S, "ext-ProtocolId_hex": S, "signalInfo": S, "signalInfo_hex": S,
    "extensionContainer": S, "extensionContainer_hex": S}, total=False)
PagingArea = TypedDict("PagingArea", {"laiFixedLength": S, "laiFixedLength_hex": S, "lac": S,
    "lac_hex": S}, total=False)
ProvideRoamingNumberArguments = TypedDict("ProvideRoamingNumberArguments", {"imsi": S,
    "imsi_hex": S, "imsi_digits": S, "msc-Number": S, "msc-Number_hex": S, "msc-Number_digits": S,
    "msc-Number_noa": S, "msc-Number_npi": S, "msisdn": S, "msisdn_hex": S, "msisdn_digits": S,
    "msisdn_noa": S, "msisdn_npi": S, "lmsi": S, "lmsi_hex": S,
    "gsm-BearerCapability": GsmBearerCapability, "gsm-BearerCapability_hex": S,
    "networkSignalInfo": GsmBearerCapability, "networkSignalInfo_hex": S,
    "suppressionOfAnnouncement": B, "suppressionOfAnnouncement_hex": S, "gmsc-Address": S,
    "gmsc-Address_hex": S, "gmsc-Address_digits": S, "gmsc-Address_noa": S, "gmsc-Address_npi": S,
    "callReferenceNumber": S, "callReferenceNumber_hex": S, "or-Interrogation": B,
    "or-Interrogation_hex": S, "extensionContainer": S, "extensionContainer_hex": S,
    "alertingPattern": S, "alertingPattern_hex": S, "ccbs-Call": B, "ccbs-Call_hex": S,
    "supportedCamelPhasesInInterrogatingNode": S, "supportedCamelPhasesInInterrogatingNode_hex": S,
    "additionalSignalInfo": AdditionalSignalInfo, "additionalSignalInfo_hex": S,
    "orNotSupportedInGMSC": B, "orNotSupportedInGMSC_hex": S, "pre-pagingSupported": B,
    "pre-pagingSupported_hex": S, "longFTN-Supported": B, "longFTN-Supported_hex": S,
    "suppress-VT-CSI": B, "suppress-VT-CSI_hex": S, "offeredCamel4CSIsInInterrogatingNode": S,
    "offeredCamel4CSIsInInterrogatingNode_hex": S, "mtRoamingRetrySupported": B,
    "mtRoamingRetrySupported_hex": S, "pagingArea": Sequence[PagingArea], "pagingArea_hex": Any,
    "callPriority": I, "callPriority_hex": S, "mtrf-Indicator": B, "mtrf-Indicator_hex": S,
    "oldMSC-Number": S, "oldMSC-Number_hex": S, "oldMSC-Number_digits": S, "oldMSC-Number_noa": S,
    "oldMSC-Number_npi": S, "lastUsedLtePLMN-Id": S, "lastUsedLtePLMN-Id_hex": S,
    "previousRoamingNumber": S, "previousRoamingNumber_hex": S, "previousRoamingNumber_digits": S,
    "previousRoamingNumber_noa": S, "previousRoamingNumber_npi": S, "raw_hex": S}, total=False)
ProvideRoamingNumberResultArguments = TypedDict("ProvideRoamingNumberResultArguments",
    {"roamingNumber": S, "roamingNumber_hex": S, "roamingNumber_digits": S, "roamingNumber_noa": S,
    "roamingNumber_npi": S, "extensionContainer": S, "extensionContainer_hex": S,
    "releaseResourcesSupported": B, "releaseResourcesSupported_hex": S, "vmsc-Address": S,
    "vmsc-Address_hex": S, "vmsc-Address_digits": S, "vmsc-Address_noa": S, "vmsc-Address_npi": S,
    "raw_hex": S}, total=False)
ProvideSubscriberInfoArguments = TypedDict("ProvideSubscriberInfoArguments", {"imsi": S,
    "imsi_hex": S, "imsi_digits": S, "lmsi": S, "lmsi_hex": S, "requestedInfo": RequestedInfo,
    "requestedInfo_hex": S, "extensionContainer": S, "extensionContainer_hex": S,
    "callPriority": I, "callPriority_hex": S, "tcap": Tcap, "raw_hex": S}, total=False)
RegisterArguments2 = TypedDict("RegisterArguments2", {"opcode": I, "msisdn_digits": S,
    "imsi_digits": S, "raw_hex": S}, total=False)
CugCheckInfo = TypedDict("CugCheckInfo", {"cug-Interlock": S, "cug-Interlock_hex": S,
    "cug-OutgoingAccess": B, "cug-OutgoingAccess_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S}, total=False)
CamelInfo = TypedDict("CamelInfo", {"supportedCamelPhases": S, "supportedCamelPhases_hex": S,
    "suppress-T-CSI": B, "suppress-T-CSI_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S, "offeredCamel4CSIs": S, "offeredCamel4CSIs_hex": S}, total=False)
SendRoutingInfoArguments = TypedDict("SendRoutingInfoArguments", {"msisdn": S, "msisdn_hex": S,
    "msisdn_digits": S, "msisdn_noa": S, "msisdn_npi": S, "cug-CheckInfo": CugCheckInfo,
    "cug-CheckInfo_hex": S, "numberOfForwarding": I, "numberOfForwarding_hex": S,
    "interrogationType": I, "interrogationType_name": S, "interrogationType_hex": S,
    "or-Interrogation": B, "or-Interrogation_hex": S, "or-Capability": I, "or-Capability_hex": S,
    "gmsc-OrGsmSCF-Address": S, "gmsc-OrGsmSCF-Address_hex": S, "gmsc-OrGsmSCF-Address_digits": S,
    "gmsc-OrGsmSCF-Address_noa": S, "gmsc-OrGsmSCF-Address_npi": S, "callReferenceNumber": S,
    "callReferenceNumber_hex": S, "forwardingReason": I, "forwardingReason_name": S,
    "forwardingReason_hex": S, "basicServiceGroup": ExtBasicServiceCode,
    "basicServiceGroup_hex": S, "networkSignalInfo": GsmBearerCapability,
    "networkSignalInfo_hex": S, "camelInfo": CamelInfo, "camelInfo_hex": S,
    "suppressionOfAnnouncement": B, "suppressionOfAnnouncement_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S, "alertingPattern": S, "alertingPattern_hex": S, "ccbs-Call": B,
    "ccbs-Call_hex": S, "supportedCCBS-Phase": I, "supportedCCBS-Phase_hex": S,
    "additionalSignalInfo": AdditionalSignalInfo, "additionalSignalInfo_hex": S,
    "istSupportIndicator": I, "istSupportIndicator_name": S, "istSupportIndicator_hex": S,
    "pre-pagingSupported": B, "pre-pagingSupported_hex": S, "callDiversionTreatmentIndicator": S,
    "callDiversionTreatmentIndicator_hex": S, "longFTN-Supported": B, "longFTN-Supported_hex": S,
    "suppress-VT-CSI": B, "suppress-VT-CSI_hex": S, "suppressIncomingCallBarring": B,
    "suppressIncomingCallBarring_hex": S, "gsmSCF-InitiatedCall": B, "gsmSCF-InitiatedCall_hex": S,
    "basicServiceGroup2": ExtBasicServiceCode, "basicServiceGroup2_hex": S,
    "networkSignalInfo2": GsmBearerCapability, "networkSignalInfo2_hex": S, "suppressMTSS": S,
    "suppressMTSS_hex": S, "mtRoamingRetrySupported": B, "mtRoamingRetrySupported_hex": S,
    "callPriority": I, "callPriority_hex": S, "tcap": Tcap, "raw_hex": S}, total=False)
SendRoutingInfoForSMArguments = TypedDict("SendRoutingInfoForSMArguments", {"msisdn": S,
    "msisdn_hex": S, "msisdn_digits": S, "msisdn_noa": S, "msisdn_npi": S, "sm-RP-PRI": B,
    "sm-RP-PRI_hex": S, "serviceCentreAddress": S, "serviceCentreAddress_hex": S,
    "serviceCentreAddress_digits": S, "serviceCentreAddress_noa": S, "serviceCentreAddress_npi": S,
    "teleservice": S, "teleservice_hex": S, "extensionContainer": S, "extensionContainer_hex": S,
    "gprsSupportIndicator": B, "gprsSupportIndicator_hex": S, "sm-RP-MTI": I, "sm-RP-MTI_hex": S,
    "sm-RP-SMEA": S, "sm-RP-SMEA_hex": S, "sm-deliveryNotIntended": I,
    "sm-deliveryNotIntended_name": S, "sm-deliveryNotIntended_hex": S,
    "ip-sm-gwGuidanceIndicator": B, "ip-sm-gwGuidanceIndicator_hex": S, "imsi": S, "imsi_hex": S,
    "imsi_digits": S, "t4-Trigger-Indicator": B, "t4-Trigger-Indicator_hex": S,
    "singleAttemptDelivery": B, "singleAttemptDelivery_hex": S, "correlationID": CorrelationID,
    "correlationID_hex": S, "smsf-supportIndicator": B, "smsf-supportIndicator_hex": S,
    "tcap": Tcap, "raw_hex": S}, total=False)
AdditionalNumber = TypedDict("AdditionalNumber", {"msc-Number": S, "msc-Number_hex": S,
    "msc-Number_digits": S, "msc-Number_noa": S, "msc-Number_npi": S, "sgsn-Number": S,
    "sgsn-Number_hex": S, "sgsn-Number_digits": S, "sgsn-Number_noa": S, "sgsn-Number_npi": S},
    total=False)
LocationInfoWithLMSI = TypedDict("LocationInfoWithLMSI", {"roamingNumber": S,
    "roamingNumber_hex": S, "roamingNumber_digits": S, "roamingNumber_noa": S,
    "roamingNumber_npi": S, "networkNode-Number": S, "networkNode-Number_hex": S,
    "networkNode-Number_digits": S, "networkNode-Number_noa": S, "networkNode-Number_npi": S,
    "lmsi": S, "lmsi_hex": S, "extensionContainer": S, "extensionContainer_hex": S,
    "gprsNodeIndicator": B, "gprsNodeIndicator_hex": S, "additional-Number": AdditionalNumber,
    "additional-Number_hex": S, "networkNodeDiameterAddress": SmsGmscDiameterAddress,
    "networkNodeDiameterAddress_hex": S,
    "additionalNetworkNodeDiameterAddress": SmsGmscDiameterAddress,
    "additionalNetworkNodeDiameterAddress_hex": S, "thirdNumber": AdditionalNumber,
    "thirdNumber_hex": S, "thirdNetworkNodeDiameterAddress": SmsGmscDiameterAddress,
    "thirdNetworkNodeDiameterAddress_hex": S, "imsNodeIndicator": B, "imsNodeIndicator_hex": S,
    "smsf-3gpp-Number": S, "smsf-3gpp-Number_hex": S, "smsf-3gpp-Number_digits": S,
    "smsf-3gpp-Number_noa": S, "smsf-3gpp-Number_npi": S,
    "smsf-3gpp-DiameterAddress": SmsGmscDiameterAddress, "smsf-3gpp-DiameterAddress_hex": S,
    "smsf-non-3gpp-Number": S, "smsf-non-3gpp-Number_hex": S, "smsf-non-3gpp-Number_digits": S,
    "smsf-non-3gpp-Number_noa": S, "smsf-non-3gpp-Number_npi": S,
    "smsf-non-3gpp-DiameterAddress": SmsGmscDiameterAddress,
    "smsf-non-3gpp-DiameterAddress_hex": S, "smsf-3gpp-address-indicator": B,
    "smsf-3gpp-address-indicator_hex": S, "smsf-non-3gpp-address-indicator": B,
    "smsf-non-3gpp-address-indicator_hex": S}, total=False)
IpSmGwGuidance = TypedDict("IpSmGwGuidance", {"minimumDeliveryTimeValue": I,
    "minimumDeliveryTimeValue_hex": S, "recommendedDeliveryTimeValue": I,
    "recommendedDeliveryTimeValue_hex": S, "extensionContainer": S, "extensionContainer_hex": S},
    total=False)
SendRoutingInfoForSMResultArguments = TypedDict("SendRoutingInfoForSMResultArguments", {"imsi": S,
    "imsi_hex": S, "imsi_digits": S, "locationInfoWithLMSI": LocationInfoWithLMSI,
    "locationInfoWithLMSI_hex": S, "mwd-Set": B, "mwd-Set_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S, "ip-sm-gwGuidance": IpSmGwGuidance, "ip-sm-gwGuidance_hex": S,
    "tcap": Tcap2, "raw_hex": S}, total=False)
ForwardingData = TypedDict("ForwardingData", {"forwardedToNumber": S, "forwardedToNumber_hex": S,
    "forwardedToNumber_digits": S, "forwardedToNumber_noa": S, "forwardedToNumber_npi": S,
    "forwardedToSubaddress": S, "forwardedToSubaddress_hex": S, "forwardingOptions": S,
    "forwardingOptions_hex": S, "extensionContainer": S, "extensionContainer_hex": S,
    "longForwardedToNumber": S, "longForwardedToNumber_hex": S, "longForwardedToNumber_digits": S,
    "longForwardedToNumber_noa": S, "longForwardedToNumber_npi": S}, total=False)
RoutingInfo = TypedDict("RoutingInfo", {"roamingNumber": S, "roamingNumber_hex": S,
    "roamingNumber_digits": S, "roamingNumber_noa": S, "roamingNumber_npi": S,
    "forwardingData": ForwardingData, "forwardingData_hex": S}, total=False)
GmscCamelSubscriptionInfo = TypedDict("GmscCamelSubscriptionInfo", {"t-CSI": S, "t-CSI_hex": S,
    "o-CSI": S, "o-CSI_hex": S, "extensionContainer": S, "extensionContainer_hex": S,
    "o-BcsmCamelTDP-CriteriaList": S, "o-BcsmCamelTDP-CriteriaList_hex": S,
    "t-BCSM-CAMEL-TDP-CriteriaList": S, "t-BCSM-CAMEL-TDP-CriteriaList_hex": S, "d-csi": S,
    "d-csi_hex": S}, total=False)
CamelRoutingInfo = TypedDict("CamelRoutingInfo", {"forwardingData": ForwardingData,
    "forwardingData_hex": S, "gmscCamelSubscriptionInfo": GmscCamelSubscriptionInfo,
    "gmscCamelSubscriptionInfo_hex": S, "extensionContainer": S, "extensionContainer_hex": S},
    total=False)
ExtendedRoutingInfo = TypedDict("ExtendedRoutingInfo", {"routingInfo": RoutingInfo,
    "routingInfo_hex": S, "camelRoutingInfo": CamelRoutingInfo, "camelRoutingInfo_hex": S},
    total=False)
NaeaPreferredCI = TypedDict("NaeaPreferredCI", {"naea-PreferredCIC": S, "naea-PreferredCIC_hex": S,
    "extensionContainer": S, "extensionContainer_hex": S}, total=False)
CcbsIndicators = TypedDict("CcbsIndicators", {"ccbs-Possible": B, "ccbs-Possible_hex": S,
    "keepCCBS-CallIndicator": B, "keepCCBS-CallIndicator_hex": S, "extensionContainer": S,
    "extensionContainer_hex": S}, total=False)
SendRoutingInfoResultArguments = TypedDict("SendRoutingInfoResultArguments", {"imsi": S,
    "imsi_hex": S, "imsi_digits": S, "extendedRoutingInfo": ExtendedRoutingInfo,
    "extendedRoutingInfo_hex": S, "cug-CheckInfo": CugCheckInfo, "cug-CheckInfo_hex": S,
    "cugSubscriptionFlag": B, "cugSubscriptionFlag_hex": S, "subscriberInfo": SubscriberInfo,
    "subscriberInfo_hex": S, "ss-List": Sequence[S], "ss-List_hex": Any,
    "basicService": ExtBasicServiceCode, "basicService_hex": S,
    "forwardingInterrogationRequired": B, "forwardingInterrogationRequired_hex": S,
    "vmsc-Address": S, "vmsc-Address_hex": S, "vmsc-Address_digits": S, "vmsc-Address_noa": S,
    "vmsc-Address_npi": S, "extensionContainer": S, "extensionContainer_hex": S,
    "naea-PreferredCI": NaeaPreferredCI, "naea-PreferredCI_hex": S,
    "ccbs-Indicators": CcbsIndicators, "ccbs-Indicators_hex": S, "msisdn": S, "msisdn_hex": S,
    "msisdn_digits": S, "msisdn_noa": S, "msisdn_npi": S, "numberPortabilityStatus": I,
    "numberPortabilityStatus_name": S, "numberPortabilityStatus_hex": S, "istAlertTimer": I,
    "istAlertTimer_hex": S, "supportedCamelPhasesInVMSC": S, "supportedCamelPhasesInVMSC_hex": S,
    "offeredCamel4CSIsInVMSC": S, "offeredCamel4CSIsInVMSC_hex": S, "routingInfo2": RoutingInfo,
    "routingInfo2_hex": S, "ss-List2": Sequence[S], "ss-List2_hex": Any,
    "basicService2": ExtBasicServiceCode, "basicService2_hex": S, "allowedServices": S,
    "allowedServices_hex": S, "unavailabilityCause": I, "unavailabilityCause_name": S,
    "unavailabilityCause_hex": S, "releaseResourcesSupported": B,
    "releaseResourcesSupported_hex": S, "gsm-BearerCapability": GsmBearerCapability,
    "gsm-BearerCapability_hex": S, "routingInfo": RoutingInfo, "routingInfo_hex": S, "raw_hex": S},
    total=False)
UnstructuredSSNotifyResultArguments = TypedDict("UnstructuredSSNotifyResultArguments",
    {"tcap": Tcap2, "raw_hex": S}, total=False)
SuperChargerSupportedInServingNetworkEntity = TypedDict("SuperChargerSupportedInServingNetworkEntity",
    {"sendSubscriberData": B, "sendSubscriberData_hex": S, "subscriberDataStored": S,
    "subscriberDataStored_hex": S}, total=False)
VlrCapability = TypedDict("VlrCapability", {"supportedCamelPhases": S,
    "supportedCamelPhases_hex": S, "extensionContainer": S, "extensionContainer_hex": S,
    "solsaSupportIndicator": B, "solsaSupportIndicator_hex": S, "istSupportIndicator": I,
    "istSupportIndicator_name": S, "istSupportIndicator_hex": S,
    "superChargerSupportedInServingNetworkEntity": SuperChargerSupportedInServingNetworkEntity,
    "superChargerSupportedInServingNetworkEntity_hex": S, "longFTN-Supported": B,
    "longFTN-Supported_hex": S, "supportedLCS-CapabilitySets": S,
    "supportedLCS-CapabilitySets_hex": S, "offeredCamel4CSIs": S, "offeredCamel4CSIs_hex": S,
    "supportedRAT-TypesIndicator": S, "supportedRAT-TypesIndicator_hex": S,
    "longGroupID-Supported": B, "longGroupID-Supported_hex": S, "mtRoamingForwardingSupported": B,
    "mtRoamingForwardingSupported_hex": S, "msisdn-lessOperation-Supported": B,
    "msisdn-lessOperation-Supported_hex": S, "reset-ids-Supported": B,
    "reset-ids-Supported_hex": S}, total=False)
AddInfo = TypedDict("AddInfo", {"imeisv": S, "imeisv_hex": S, "imeisv_digits": S,
    "skipSubscriberDataUpdate": B, "skipSubscriberDataUpdate_hex": S}, total=False)
UpdateLocationArguments = TypedDict("UpdateLocationArguments", {"imsi": S, "imsi_hex": S,
    "imsi_digits": S, "roamingNumber": S, "roamingNumber_hex": S, "roamingNumber_digits": S,
    "roamingNumber_noa": S, "roamingNumber_npi": S, "msc-Number": S, "msc-Number_hex": S,
    "msc-Number_digits": S, "msc-Number_noa": S, "msc-Number_npi": S, "vlr-Number": S,
    "vlr-Number_hex": S, "vlr-Number_digits": S, "vlr-Number_noa": S, "vlr-Number_npi": S,
    "lmsi": S, "lmsi_hex": S, "extensionContainer": S, "extensionContainer_hex": S,
    "vlr-Capability": VlrCapability, "vlr-Capability_hex": S, "informPreviousNetworkEntity": B,
    "informPreviousNetworkEntity_hex": S, "cs-LCS-NotSupportedByUE": B,
    "cs-LCS-NotSupportedByUE_hex": S, "v-gmlc-Address": S, "v-gmlc-Address_hex": S,
    "add-info": AddInfo, "add-info_hex": S, "pagingArea": Sequence[PagingArea],
    "pagingArea_hex": Any, "skipSubscriberDataUpdate": B, "skipSubscriberDataUpdate_hex": S,
    "restorationIndicator": B, "restorationIndicator_hex": S, "eplmn-List": Sequence[S],
    "eplmn-List_hex": Any, "mme-DiameterAddress": SmsGmscDiameterAddress,
    "mme-DiameterAddress_hex": S, "tcap": Tcap, "raw_hex": S}, total=False)
UpdateLocationResultArguments = TypedDict("UpdateLocationResultArguments", {"hlr-Number": S,
    "hlr-Number_hex": S, "hlr-Number_digits": S, "hlr-Number_noa": S, "hlr-Number_npi": S,
    "extensionContainer": S, "extensionContainer_hex": S, "add-Capability": B,
    "add-Capability_hex": S, "pagingArea-Capability": B, "pagingArea-Capability_hex": S,
    "raw_hex": S}, total=False)
RequestArguments3 = TypedDict("RequestArguments3", {"action": S, "wsdl_url": S, "operation": S,
    "parameters": Any, "namespaces": Any, "headers": Any, "raw_hex": S}, total=False)
RequestArguments4 = TypedDict("RequestArguments4", {"command": S, "parameters": Mapping[str, Any],
    "status": S, "info": S, "!status": S, "!info": S, "raw_hex": S}, total=False)
HttpHeaders = TypedDict("HttpHeaders", {"name": S, "value": Any, "append": B}, total=False)
Multipart = TypedDict("Multipart", {"name": S, "value": Any, "content_hex": S, "file": S,
    "filename": S, "content_type": S}, total=False)
RequestArguments5 = TypedDict("RequestArguments5", {"path": S, "query": Any, "method": S,
    "content_type": S, "content": Any, "content_hex": S, "http_headers": Sequence[HttpHeaders],
    "multipart": Sequence[Multipart], "raw_hex": S}, total=False)
RegisterArguments3 = TypedDict("RegisterArguments3", {"pdu": S, "destination_addr": S,
    "raw_hex": S}, total=False)
Parameters = TypedDict("Parameters", {"service_type": S, "source_addr_ton": I,
    "source_addr_npi": I, "source_addr": S, "dest_addr_ton": I, "dest_addr_npi": I,
    "destination_addr": S, "esm_class": I, "protocol_id": I, "priority_flag": I,
    "schedule_delivery_time": S, "validity_period": S, "registered_delivery": I,
    "replace_if_present_flag": I, "data_coding": I, "sm_default_msg_id": I,
    "short_message_text": S, "short_message": S, "short_message_hex": S, "udh_hex": S,
    "dest_addr_subunit": I, "dest_addr_subunit_hex": S, "dest_network_type": I,
    "dest_network_type_hex": S, "dest_bearer_type": I, "dest_bearer_type_hex": S,
    "dest_telematics_id": I, "dest_telematics_id_hex": S, "source_addr_subunit": I,
    "source_addr_subunit_hex": S, "source_network_type": I, "source_network_type_hex": S,
    "source_bearer_type": I, "source_bearer_type_hex": S, "source_telematics_id": I,
    "source_telematics_id_hex": S, "qos_time_to_live": I, "qos_time_to_live_hex": S,
    "payload_type": I, "payload_type_hex": S, "additional_status_info_text": S,
    "additional_status_info_text_hex": S, "receipted_message_id": S, "receipted_message_id_hex": S,
    "ms_msg_wait_facilities": I, "ms_msg_wait_facilities_hex": S, "privacy_indicator": I,
    "privacy_indicator_hex": S, "source_subaddress_hex": S, "dest_subaddress_hex": S,
    "user_message_reference": I, "user_message_reference_hex": S, "user_response_code": I,
    "user_response_code_hex": S, "source_port": I, "source_port_hex": S, "destination_port": I,
    "destination_port_hex": S, "sar_msg_ref_num": I, "sar_msg_ref_num_hex": S,
    "language_indicator": I, "language_indicator_hex": S, "sar_total_segments": I,
    "sar_total_segments_hex": S, "sar_segment_seqnum": I, "sar_segment_seqnum_hex": S,
    "sc_interface_version": I, "sc_interface_version_hex": S, "callback_num_pres_ind": I,
    "callback_num_pres_ind_hex": S, "callback_num_atag_hex": S, "number_of_messages": I,
    "number_of_messages_hex": S, "callback_num_hex": S, "dpf_result": I, "dpf_result_hex": S,
    "set_dpf": I, "set_dpf_hex": S, "ms_availability_status": I, "ms_availability_status_hex": S,
    "network_error_code_hex": S, "message_payload_hex": S, "delivery_failure_reason": I,
    "delivery_failure_reason_hex": S, "more_messages_to_send": I, "more_messages_to_send_hex": S,
    "message_state": I, "message_state_hex": S, "ussd_service_op": I, "ussd_service_op_hex": S,
    "display_time": I, "display_time_hex": S, "sms_signal": I, "sms_signal_hex": S,
    "ms_validity": I, "ms_validity_hex": S, "alert_on_message_delivery_hex": S,
    "its_reply_type": I, "its_reply_type_hex": S, "its_session_info_hex": S, "sm_length": I},
    total=False)
Fields = TypedDict("Fields", {"message_id": S, "dest_addr_subunit": I, "dest_addr_subunit_hex": S,
    "dest_network_type": I, "dest_network_type_hex": S, "dest_bearer_type": I,
    "dest_bearer_type_hex": S, "dest_telematics_id": I, "dest_telematics_id_hex": S,
    "source_addr_subunit": I, "source_addr_subunit_hex": S, "source_network_type": I,
    "source_network_type_hex": S, "source_bearer_type": I, "source_bearer_type_hex": S,
    "source_telematics_id": I, "source_telematics_id_hex": S, "qos_time_to_live": I,
    "qos_time_to_live_hex": S, "payload_type": I, "payload_type_hex": S,
    "additional_status_info_text": S, "additional_status_info_text_hex": S,
    "receipted_message_id": S, "receipted_message_id_hex": S, "ms_msg_wait_facilities": I,
    "ms_msg_wait_facilities_hex": S, "privacy_indicator": I, "privacy_indicator_hex": S,
    "source_subaddress_hex": S, "dest_subaddress_hex": S, "user_message_reference": I,
    "user_message_reference_hex": S, "user_response_code": I, "user_response_code_hex": S,
    "source_port": I, "source_port_hex": S, "destination_port": I, "destination_port_hex": S,
    "sar_msg_ref_num": I, "sar_msg_ref_num_hex": S, "language_indicator": I,
    "language_indicator_hex": S, "sar_total_segments": I, "sar_total_segments_hex": S,
    "sar_segment_seqnum": I, "sar_segment_seqnum_hex": S, "sc_interface_version": I,
    "sc_interface_version_hex": S, "callback_num_pres_ind": I, "callback_num_pres_ind_hex": S,
    "callback_num_atag_hex": S, "number_of_messages": I, "number_of_messages_hex": S,
    "callback_num_hex": S, "dpf_result": I, "dpf_result_hex": S, "set_dpf": I, "set_dpf_hex": S,
    "ms_availability_status": I, "ms_availability_status_hex": S, "network_error_code_hex": S,
    "message_payload_hex": S, "delivery_failure_reason": I, "delivery_failure_reason_hex": S,
    "more_messages_to_send": I, "more_messages_to_send_hex": S, "message_state": I,
    "message_state_hex": S, "ussd_service_op": I, "ussd_service_op_hex": S, "display_time": I,
    "display_time_hex": S, "sms_signal": I, "sms_signal_hex": S, "ms_validity": I,
    "ms_validity_hex": S, "alert_on_message_delivery_hex": S, "its_reply_type": I,
    "its_reply_type_hex": S, "its_session_info_hex": S}, total=False)
Response = TypedDict("Response", {"command_status": Any, "fields": Fields}, total=False)
RequestArguments6 = TypedDict("RequestArguments6", {"pdu": S, "seconds": N,
    "parameters": Parameters, "response": Response, "raw_hex": S}, total=False)
Parameters2 = TypedDict("Parameters2", {"service_type": S, "source_addr_ton": I,
    "source_addr_npi": I, "source_addr": S, "dest_addr_ton": I, "dest_addr_npi": I,
    "destination_addr": S, "esm_class": I, "protocol_id": I, "priority_flag": I,
    "schedule_delivery_time": S, "validity_period": S, "registered_delivery": I,
    "replace_if_present_flag": I, "data_coding": I, "sm_default_msg_id": I,
    "short_message_text": S, "short_message": S, "short_message_hex": S, "udh_hex": S,
    "dest_addr_subunit": I, "dest_addr_subunit_hex": S, "dest_network_type": I,
    "dest_network_type_hex": S, "dest_bearer_type": I, "dest_bearer_type_hex": S,
    "dest_telematics_id": I, "dest_telematics_id_hex": S, "source_addr_subunit": I,
    "source_addr_subunit_hex": S, "source_network_type": I, "source_network_type_hex": S,
    "source_bearer_type": I, "source_bearer_type_hex": S, "source_telematics_id": I,
    "source_telematics_id_hex": S, "qos_time_to_live": I, "qos_time_to_live_hex": S,
    "payload_type": I, "payload_type_hex": S, "additional_status_info_text": S,
    "additional_status_info_text_hex": S, "receipted_message_id": S, "receipted_message_id_hex": S,
    "ms_msg_wait_facilities": I, "ms_msg_wait_facilities_hex": S, "privacy_indicator": I,
    "privacy_indicator_hex": S, "source_subaddress_hex": S, "dest_subaddress_hex": S,
    "user_message_reference": I, "user_message_reference_hex": S, "user_response_code": I,
    "user_response_code_hex": S, "source_port": I, "source_port_hex": S, "destination_port": I,
    "destination_port_hex": S, "sar_msg_ref_num": I, "sar_msg_ref_num_hex": S,
    "language_indicator": I, "language_indicator_hex": S, "sar_total_segments": I,
    "sar_total_segments_hex": S, "sar_segment_seqnum": I, "sar_segment_seqnum_hex": S,
    "sc_interface_version": I, "sc_interface_version_hex": S, "callback_num_pres_ind": I,
    "callback_num_pres_ind_hex": S, "callback_num_atag_hex": S, "number_of_messages": I,
    "number_of_messages_hex": S, "callback_num_hex": S, "dpf_result": I, "dpf_result_hex": S,
    "set_dpf": I, "set_dpf_hex": S, "ms_availability_status": I, "ms_availability_status_hex": S,
    "network_error_code_hex": S, "message_payload_hex": S, "delivery_failure_reason": I,
    "delivery_failure_reason_hex": S, "more_messages_to_send": I, "more_messages_to_send_hex": S,
    "message_state": I, "message_state_hex": S, "ussd_service_op": I, "ussd_service_op_hex": S,
    "display_time": I, "display_time_hex": S, "sms_signal": I, "sms_signal_hex": S,
    "ms_validity": I, "ms_validity_hex": S, "alert_on_message_delivery_hex": S,
    "its_reply_type": I, "its_reply_type_hex": S, "its_session_info_hex": S}, total=False)
RequestArguments7 = TypedDict("RequestArguments7", {"pdu": S, "system_id": S,
    "parameters": Parameters2, "raw_hex": S}, total=False)
AbortArguments2 = TypedDict("AbortArguments2", {"p_cause": I, "u_source": I, "u_info_0_octets": S,
    "u_info_0_octets_hex": S, "p_abort_cause": S, "raw_hex": S}, total=False)
AbortArguments3 = TypedDict("AbortArguments3", {"p_cause": I, "u_source": I, "u_info_0_octets": S,
    "u_info_0_octets_hex": S, "raw_hex": S}, total=False)
EndArguments = TypedDict("EndArguments", {"prearranged": B, "raw_hex": S}, total=False)
RejectArguments = TypedDict("RejectArguments", {"invoke_id": I, "problem_type": S, "problem": I,
    "raw_hex": S}, total=False)
WaitArguments = TypedDict("WaitArguments", {"seconds": N, "raw_hex": S}, total=False)
class _Logic(Protocol[A_contra]):
    def __call__(self, arguments: A_contra = ..., *, label: str = ..., comment: object = ...,
        name: object = ..., description: object = ...) -> Entry: ...
class _Logic2(Protocol):
    def __call__(self, *, expression: str, label: str = ..., on_true: str | None = ...,
        on_false: str | None = ..., comment: object = ..., name: object = ...,
        description: object = ...) -> Entry: ...
class _Outbound(Protocol[A_contra]):
    def __call__(self, arguments: A_contra = ..., *, label: str = ..., tests: Sequence[Test] = ...,
        comment: object = ..., name: object = ..., description: object = ...) -> Entry: ...
class _Outbound2(Protocol[A_contra]):
    def __call__(self, arguments: A_contra, *, label: str = ..., tests: Sequence[Test] = ...,
        seconds: float | str = ..., malformed: Literal["fail", "note", "abort"] = ...,
        check_identity: Literal["fail", "note"] = ..., comment: object = ..., name: object = ...,
        description: object = ...) -> Entry: ...
class _Inbound(Protocol[A_contra]):
    def __call__(self, arguments: A_contra = ..., *, label: str = ..., tests: Sequence[Test] = ...,
        malformed: Literal["fail", "note", "abort"] = ..., comment: object = ...,
        name: object = ..., description: object = ...) -> Entry: ...
class _Logic3(Protocol):
    def __call__(self, *, expression: str, label: str = ..., tests: Sequence[Test] = ...,
        comment: object = ..., name: object = ..., description: object = ...) -> Entry: ...
class _Inbound2(Protocol[A_contra]):
    def __call__(self, arguments: A_contra = ..., *, label: str = ..., tcap_ac: str | None = ...,
        tcap_result: int | str | None = ..., tcap_result_diagnostic_user: int | str | None = ...,
        tcap_result_diagnostic_provider: int | str | None = ..., dialogue: str = ...,
        variant: str | None = ..., last_component: bool | int | str | None = ...,
        tests: Sequence[Test] = ..., arguments_not_used: bool | int | str = ...,
        malformed: Literal["fail", "note", "abort"] = ..., optional: bool | int | str = ...,
        seconds: float | str = ..., comment: object = ..., name: object = ...,
        description: object = ...) -> Entry: ...
class _Outbound3(Protocol[A_contra]):
    def __call__(self, arguments: A_contra = ..., *, label: str = ..., dialogue: str = ...,
        variant: str | None = ..., tcap_ac: str | None = ...,
        send_with_next: bool | int | str = ..., send_and_close: bool | int | str = ...,
        invoke_id: int | str = ..., allow_duplicate: bool | int | str = ...,
        linked_id: int | str = ..., raw_hex: str = ..., allow_invalid: bool | int | str = ...,
        comment: object = ..., name: object = ..., description: object = ...) -> Entry: ...
class _Logic4(Protocol[A_contra]):
    def __call__(self, arguments: A_contra, *, label: str = ..., comment: object = ...,
        name: object = ..., description: object = ...) -> Entry: ...
class _Inbound3(Protocol[A_contra]):
    def __call__(self, arguments: A_contra, *, label: str = ..., dialogue: str = ...,
        tcap_ac: str = ..., comment: object = ..., name: object = ...,
        description: object = ...) -> Entry: ...
class _Outbound4(Protocol[A_contra]):
    def __call__(self, arguments: A_contra, *, label: str = ..., tests: Sequence[Test] = ...,
        malformed: Literal["fail", "note", "abort"] = ..., comment: object = ...,
        name: object = ..., description: object = ...) -> Entry: ...
class _Inbound4(Protocol):
    def __call__(self, *, label: str = ..., tests: Sequence[Test] = ..., malformed: Literal["fail",
        "note", "abort"] = ..., comment: object = ..., name: object = ...,
        description: object = ...) -> Entry: ...
class _Inbound5(Protocol[A_contra]):
    def __call__(self, arguments: A_contra = ..., *, label: str = ..., tcap_ac: str | None = ...,
        tcap_result: int | str | None = ..., tcap_result_diagnostic_user: int | str | None = ...,
        tcap_result_diagnostic_provider: int | str | None = ..., dialogue: str = ...,
        seconds: float | str = ..., comment: object = ..., name: object = ...,
        description: object = ...) -> Entry: ...
class _Outbound5(Protocol[A_contra]):
    def __call__(self, arguments: A_contra = ..., *, label: str = ..., dialogue: str = ...,
        send_with_next: bool | int | str = ..., comment: object = ..., name: object = ...,
        description: object = ...) -> Entry: ...
abort: _Logic[AbortArguments]
branch: _Logic2
class _db:
    def __getattr__(self, name: str) -> _Outbound[Mapping[str, Any]]: ...
    Begin: _Outbound[BeginArguments]
    Commit: _Outbound[dict[str, Any]]
    Query: _Outbound[QueryArguments]
    Rollback: _Outbound[dict[str, Any]]
    def __call__(self, label: str) -> _db: ...
db: _db
class _diameter_from_server:
    Register: _Logic[RegisterArguments]
    Request: _Inbound[RequestArguments2]
class _diameter:
    Request: _Outbound2[RequestArguments]
    from_server: _diameter_from_server
diameter: _diameter
eval: _Logic3
fail: _Logic[AbortArguments]
halt: _Logic[HaltArguments]
class _inap_srf_from_scp:
    ActivateServiceFiltering: _Inbound2[ActivateServiceFilteringArguments]
    ActivityTest: _Inbound2[dict[str, Any]]
    ActivityTestGPRS: _Inbound2[dict[str, Any]]
    AnalyseInformation: _Inbound2[AnalyseInformationArguments]
    ApplyCharging: _Inbound2[ApplyChargingArguments]
    ApplyChargingGPRS: _Inbound2[ApplyChargingGPRSArguments]
    AssistRequestInstructionsError: _Inbound2[AssistRequestInstructionsErrorArguments]
    AuthorizeTermination: _Inbound2[AuthorizeTerminationArguments]
    CallFiltering: _Inbound2[CallFilteringArguments]
    CallGap: _Inbound2[CallGapArguments]
    CallInformationRequest: _Inbound2[CallInformationRequestArguments]
    Cancel: _Inbound2[CancelArguments]
    CancelGPRS: _Inbound2[CancelGPRSArguments]
    CancelStatusReportRequest: _Inbound2[CancelStatusReportRequestArguments]
    CollectInformation: _Inbound2[CollectInformationArguments]
    Connect: _Inbound2[ConnectArguments]
    ConnectGPRS: _Inbound2[ConnectGPRSArguments]
    ConnectSMS: _Inbound2[ConnectSMSArguments]
    ConnectToResource: _Inbound2[ConnectToResourceArguments]
    Continue: _Inbound2[dict[str, Any]]
    ContinueGPRS: _Inbound2[CancelGPRSArguments]
    ContinueSMS: _Inbound2[dict[str, Any]]
    ContinueWithArgument: _Inbound2[ContinueWithArgumentArguments]
    CreateCallSegmentAssociation: _Inbound2[CreateCallSegmentAssociationArguments]
    CreateOrRemoveTriggerData: _Inbound2[CreateOrRemoveTriggerDataArguments]
    DisconnectForwardConnection: _Inbound2[dict[str, Any]]
    DisconnectForwardConnectionWithArgument: _Inbound2[DisconnectForwardConnectionWithArgumentArguments]
    DisconnectLeg: _Inbound2[DisconnectLegArguments]
    EstablishTemporaryConnection: _Inbound2[EstablishTemporaryConnectionArguments]
    FurnishChargingInformation: _Inbound2[FurnishChargingInformationArguments]
    FurnishChargingInformationGPRS: _Inbound2[FurnishChargingInformationGPRSArguments]
    FurnishChargingInformationSMS: _Inbound2[FurnishChargingInformationSMSArguments]
    HoldCallInNetwork: _Inbound2[HoldCallInNetworkArguments]
    InitiateCallAttempt: _Inbound2[InitiateCallAttemptArguments]
    ManageTriggerData: _Inbound2[ManageTriggerDataArguments]
    MergeCallSegments: _Inbound2[MergeCallSegmentsArguments]
    MonitorRouteRequest: _Inbound2[MonitorRouteRequestArguments]
    MoveCallSegments: _Inbound2[MoveCallSegmentsArguments]
    MoveLeg: _Inbound2[MoveLegArguments]
    PlayAnnouncement: _Inbound2[PlayAnnouncementArguments]
    PlayTone: _Inbound2[PlayToneArguments]
    PromptAndCollectUserInformation: _Inbound2[PromptAndCollectUserInformationArguments]
    PromptAndReceiveMessage: _Inbound2[PromptAndReceiveMessageArguments]
    Reconnect: _Inbound2[ReconnectArguments]
    ReleaseCall: _Inbound2[ReleaseCallArguments]
    ReleaseGPRS: _Inbound2[ReleaseGPRSArguments]
    ReleaseSMS: _Inbound2[ReleaseSMSArguments]
    RequestCurrentStatusReport: _Inbound2[RequestCurrentStatusReportArguments]
    RequestEveryStatusChangeReport: _Inbound2[RequestEveryStatusChangeReportArguments]
    RequestFirstStatusMatchReport: _Inbound2[RequestFirstStatusMatchReportArguments]
    RequestNotificationChargingEvent: _Inbound2[RequestNotificationChargingEventArguments]
    RequestReportBCSMEvent: _Inbound2[RequestReportBCSMEventArguments]
    RequestReportFacilityEvent: _Inbound2[RequestReportFacilityEventArguments]
    RequestReportGPRSEvent: _Inbound2[RequestReportGPRSEventArguments]
    RequestReportSMSEvent: _Inbound2[RequestReportSMSEventArguments]
    RequestReportUTSI: _Inbound2[RequestReportUTSIArguments]
    ResetTimer: _Inbound2[ResetTimerArguments]
    ResetTimerGPRS: _Inbound2[ResetTimerGPRSArguments]
    ResetTimerSMS: _Inbound2[ResetTimerSMSArguments]
    ScriptClose: _Inbound2[ScriptCloseArguments]
    ScriptInformation: _Inbound2[ScriptCloseArguments]
    ScriptRun: _Inbound2[ScriptRunArguments]
    SelectFacility: _Inbound2[SelectFacilityArguments]
    SelectRoute: _Inbound2[SelectRouteArguments]
    SendChargingInformation: _Inbound2[SendChargingInformationArguments]
    SendChargingInformationGPRS: _Inbound2[SendChargingInformationGPRSArguments]
    SendFacilityInformation: _Inbound2[SendFacilityInformationArguments]
    SendSTUI: _Inbound2[SendSTUIArguments]
    SetServiceProfile: _Inbound2[SetServiceProfileArguments]
    SplitLeg: _Inbound2[SplitLegArguments]
class _inap_srf_to_scp:
    ActivateServiceFilteringError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ActivateServiceFilteringResult: _Outbound3[dict[str, Any]]
    ActivityTestGPRSResult: _Outbound3[dict[str, Any]]
    ActivityTestResult: _Outbound3[dict[str, Any]]
    AnalyseInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ApplyChargingError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ApplyChargingGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    AssistRequestInstructions: _Outbound3[AssistRequestInstructionsArguments]
    AuthorizeTerminationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CallFilteringError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CallInformationRequestError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CancelError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CancelGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CancelStatusReportRequestError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CollectInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ConnectError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ConnectGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ConnectSMSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ConnectToResourceError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ContinueGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ContinueWithArgumentError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CreateCallSegmentAssociationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CreateCallSegmentAssociationResult: _Outbound3[CreateCallSegmentAssociationResultArguments]
    CreateOrRemoveTriggerDataError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CreateOrRemoveTriggerDataResult: _Outbound3[CreateOrRemoveTriggerDataResultArguments]
    DisconnectForwardConnectionError: _Outbound3[AssistRequestInstructionsErrorArguments]
    DisconnectForwardConnectionWithArgumentError: _Outbound3[AssistRequestInstructionsErrorArguments]
    DisconnectLegError: _Outbound3[AssistRequestInstructionsErrorArguments]
    DisconnectLegResult: _Outbound3[dict[str, Any]]
    EstablishTemporaryConnectionError: _Outbound3[AssistRequestInstructionsErrorArguments]
    FurnishChargingInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    FurnishChargingInformationGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    FurnishChargingInformationSMSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    HoldCallInNetworkError: _Outbound3[AssistRequestInstructionsErrorArguments]
    InitiateCallAttemptError: _Outbound3[AssistRequestInstructionsErrorArguments]
    InitiateCallAttemptResult: _Outbound3[InitiateCallAttemptResultArguments]
    ManageTriggerDataError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ManageTriggerDataResult: _Outbound3[ManageTriggerDataResultArguments]
    MergeCallSegmentsError: _Outbound3[AssistRequestInstructionsErrorArguments]
    MergeCallSegmentsResult: _Outbound3[dict[str, Any]]
    MonitorRouteRequestError: _Outbound3[AssistRequestInstructionsErrorArguments]
    MonitorRouteRequestResult: _Outbound3[dict[str, Any]]
    MoveCallSegmentsError: _Outbound3[AssistRequestInstructionsErrorArguments]
    MoveCallSegmentsResult: _Outbound3[dict[str, Any]]
    MoveLegError: _Outbound3[AssistRequestInstructionsErrorArguments]
    MoveLegResult: _Outbound3[dict[str, Any]]
    PlayAnnouncementError: _Outbound3[AssistRequestInstructionsErrorArguments]
    PlayToneError: _Outbound3[AssistRequestInstructionsErrorArguments]
    PromptAndCollectUserInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    PromptAndCollectUserInformationResult: _Outbound3[PromptAndCollectUserInformationResultArguments]
    PromptAndReceiveMessageError: _Outbound3[AssistRequestInstructionsErrorArguments]
    PromptAndReceiveMessageResult: _Outbound3[PromptAndReceiveMessageResultArguments]
    ReconnectError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ReleaseGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestCurrentStatusReportError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestCurrentStatusReportResult: _Outbound3[RequestCurrentStatusReportResultArguments]
    RequestEveryStatusChangeReportError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestEveryStatusChangeReportResult: _Outbound3[dict[str, Any]]
    RequestFirstStatusMatchReportError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestFirstStatusMatchReportResult: _Outbound3[dict[str, Any]]
    RequestNotificationChargingEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportBCSMEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportFacilityEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportGPRSEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportSMSEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportUTSIError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ResetTimerError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ResetTimerGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ResetTimerSMSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ScriptCloseError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ScriptEvent: _Outbound3[ScriptEventArguments]
    ScriptInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ScriptRunError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SelectFacilityError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SelectRouteError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SendChargingInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SendChargingInformationGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SendFacilityInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SendSTUIError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SetServiceProfileError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SpecializedResourceReport: _Outbound3[SpecializedResourceReportArguments]
    SplitLegError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SplitLegResult: _Outbound3[dict[str, Any]]
    SrfCallGap: _Outbound3[SrfCallGapArguments]
class _inap_ssp_from_scp:
    ActivateServiceFiltering: _Inbound2[ActivateServiceFilteringArguments]
    ActivityTest: _Inbound2[dict[str, Any]]
    ActivityTestGPRS: _Inbound2[dict[str, Any]]
    AnalyseInformation: _Inbound2[AnalyseInformationArguments]
    AnalysedInformationError: _Inbound2[AssistRequestInstructionsErrorArguments]
    ApplyCharging: _Inbound2[ApplyChargingArguments]
    ApplyChargingGPRS: _Inbound2[ApplyChargingGPRSArguments]
    ApplyChargingReportError: _Inbound2[AssistRequestInstructionsErrorArguments]
    ApplyChargingReportGPRSError: _Inbound2[AssistRequestInstructionsErrorArguments]
    ApplyChargingReportGPRSResult: _Inbound2[dict[str, Any]]
    AssistRequestInstructionsError: _Inbound2[AssistRequestInstructionsErrorArguments]
    AuthorizeTermination: _Inbound2[AuthorizeTerminationArguments]
    CallFiltering: _Inbound2[CallFilteringArguments]
    CallGap: _Inbound2[CallGapArguments]
    CallInformationRequest: _Inbound2[CallInformationRequestArguments]
    Cancel: _Inbound2[CancelArguments]
    CancelGPRS: _Inbound2[CancelGPRSArguments]
    CancelStatusReportRequest: _Inbound2[CancelStatusReportRequestArguments]
    CollectInformation: _Inbound2[CollectInformationArguments]
    CollectedInformationError: _Inbound2[AssistRequestInstructionsErrorArguments]
    Connect: _Inbound2[ConnectArguments]
    ConnectGPRS: _Inbound2[ConnectGPRSArguments]
    ConnectSMS: _Inbound2[ConnectSMSArguments]
    ConnectToResource: _Inbound2[ConnectToResourceArguments]
    Continue: _Inbound2[dict[str, Any]]
    ContinueGPRS: _Inbound2[CancelGPRSArguments]
    ContinueSMS: _Inbound2[dict[str, Any]]
    ContinueWithArgument: _Inbound2[ContinueWithArgumentArguments]
    CreateCallSegmentAssociation: _Inbound2[CreateCallSegmentAssociationArguments]
    CreateOrRemoveTriggerData: _Inbound2[CreateOrRemoveTriggerDataArguments]
    DisconnectForwardConnection: _Inbound2[dict[str, Any]]
    DisconnectForwardConnectionWithArgument: _Inbound2[DisconnectForwardConnectionWithArgumentArguments]
    DisconnectLeg: _Inbound2[DisconnectLegArguments]
    EntityReleasedGPRSError: _Inbound2[AssistRequestInstructionsErrorArguments]
    EntityReleasedGPRSResult: _Inbound2[dict[str, Any]]
    EstablishTemporaryConnection: _Inbound2[EstablishTemporaryConnectionArguments]
    EventReportGPRSError: _Inbound2[AssistRequestInstructionsErrorArguments]
    EventReportGPRSResult: _Inbound2[dict[str, Any]]
    FacilitySelectedAndAvailableError: _Inbound2[AssistRequestInstructionsErrorArguments]
    FurnishChargingInformation: _Inbound2[FurnishChargingInformationArguments]
    FurnishChargingInformationGPRS: _Inbound2[FurnishChargingInformationGPRSArguments]
    FurnishChargingInformationSMS: _Inbound2[FurnishChargingInformationSMSArguments]
    HoldCallInNetwork: _Inbound2[HoldCallInNetworkArguments]
    InitialDPError: _Inbound2[AssistRequestInstructionsErrorArguments]
    InitialDPGPRSError: _Inbound2[AssistRequestInstructionsErrorArguments]
    InitialDPSMSError: _Inbound2[AssistRequestInstructionsErrorArguments]
    InitiateCallAttempt: _Inbound2[InitiateCallAttemptArguments]
    ManageTriggerData: _Inbound2[ManageTriggerDataArguments]
    MergeCallSegments: _Inbound2[MergeCallSegmentsArguments]
    MonitorRouteRequest: _Inbound2[MonitorRouteRequestArguments]
    MoveCallSegments: _Inbound2[MoveCallSegmentsArguments]
    MoveLeg: _Inbound2[MoveLegArguments]
    OAbandonError: _Inbound2[AssistRequestInstructionsErrorArguments]
    OAnswerError: _Inbound2[AssistRequestInstructionsErrorArguments]
    OCalledPartyBusyError: _Inbound2[AssistRequestInstructionsErrorArguments]
    ODisconnectError: _Inbound2[AssistRequestInstructionsErrorArguments]
    OMidCallError: _Inbound2[AssistRequestInstructionsErrorArguments]
    ONoAnswerError: _Inbound2[AssistRequestInstructionsErrorArguments]
    OSuspendedError: _Inbound2[AssistRequestInstructionsErrorArguments]
    OriginationAttemptAuthorizedError: _Inbound2[AssistRequestInstructionsErrorArguments]
    OriginationAttemptError: _Inbound2[AssistRequestInstructionsErrorArguments]
    PlayAnnouncement: _Inbound2[PlayAnnouncementArguments]
    PlayTone: _Inbound2[PlayToneArguments]
    PromptAndCollectUserInformation: _Inbound2[PromptAndCollectUserInformationArguments]
    PromptAndReceiveMessage: _Inbound2[PromptAndReceiveMessageArguments]
    Reconnect: _Inbound2[ReconnectArguments]
    ReleaseCall: _Inbound2[ReleaseCallArguments]
    ReleaseGPRS: _Inbound2[ReleaseGPRSArguments]
    ReleaseSMS: _Inbound2[ReleaseSMSArguments]
    RequestCurrentStatusReport: _Inbound2[RequestCurrentStatusReportArguments]
    RequestEveryStatusChangeReport: _Inbound2[RequestEveryStatusChangeReportArguments]
    RequestFirstStatusMatchReport: _Inbound2[RequestFirstStatusMatchReportArguments]
    RequestNotificationChargingEvent: _Inbound2[RequestNotificationChargingEventArguments]
    RequestReportBCSMEvent: _Inbound2[RequestReportBCSMEventArguments]
    RequestReportFacilityEvent: _Inbound2[RequestReportFacilityEventArguments]
    RequestReportGPRSEvent: _Inbound2[RequestReportGPRSEventArguments]
    RequestReportSMSEvent: _Inbound2[RequestReportSMSEventArguments]
    RequestReportUTSI: _Inbound2[RequestReportUTSIArguments]
    ResetTimer: _Inbound2[ResetTimerArguments]
    ResetTimerGPRS: _Inbound2[ResetTimerGPRSArguments]
    ResetTimerSMS: _Inbound2[ResetTimerSMSArguments]
    RouteSelectFailureError: _Inbound2[AssistRequestInstructionsErrorArguments]
    ScriptClose: _Inbound2[ScriptCloseArguments]
    ScriptInformation: _Inbound2[ScriptCloseArguments]
    ScriptRun: _Inbound2[ScriptRunArguments]
    SelectFacility: _Inbound2[SelectFacilityArguments]
    SelectRoute: _Inbound2[SelectRouteArguments]
    SendChargingInformation: _Inbound2[SendChargingInformationArguments]
    SendChargingInformationGPRS: _Inbound2[SendChargingInformationGPRSArguments]
    SendFacilityInformation: _Inbound2[SendFacilityInformationArguments]
    SendSTUI: _Inbound2[SendSTUIArguments]
    SetServiceProfile: _Inbound2[SetServiceProfileArguments]
    SplitLeg: _Inbound2[SplitLegArguments]
    TAnswerError: _Inbound2[AssistRequestInstructionsErrorArguments]
    TBusyError: _Inbound2[AssistRequestInstructionsErrorArguments]
    TDisconnectError: _Inbound2[AssistRequestInstructionsErrorArguments]
    TMidCallError: _Inbound2[AssistRequestInstructionsErrorArguments]
    TNoAnswerError: _Inbound2[AssistRequestInstructionsErrorArguments]
    TSuspendedError: _Inbound2[AssistRequestInstructionsErrorArguments]
    TermAttemptAuthorizedError: _Inbound2[AssistRequestInstructionsErrorArguments]
    TerminationAttemptError: _Inbound2[AssistRequestInstructionsErrorArguments]
class _inap_ssp_to_scp:
    ActivateServiceFilteringError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ActivateServiceFilteringResult: _Outbound3[dict[str, Any]]
    ActivityTestGPRSResult: _Outbound3[dict[str, Any]]
    ActivityTestResult: _Outbound3[dict[str, Any]]
    AnalyseInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    AnalysedInformation: _Outbound3[AnalysedInformationArguments]
    ApplyChargingError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ApplyChargingGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ApplyChargingReport: _Outbound3[ApplyChargingReportArguments]
    ApplyChargingReportGPRS: _Outbound3[ApplyChargingReportGPRSArguments]
    AssistRequestInstructions: _Outbound3[AssistRequestInstructionsArguments]
    AuthorizeTerminationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CallFilteringError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CallInformationReport: _Outbound3[CallInformationReportArguments]
    CallInformationRequestError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CancelError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CancelGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CancelStatusReportRequestError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CollectInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CollectedInformation: _Outbound3[CollectedInformationArguments]
    ConnectError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ConnectGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ConnectSMSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ConnectToResourceError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ContinueGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ContinueWithArgumentError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CreateCallSegmentAssociationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CreateCallSegmentAssociationResult: _Outbound3[CreateCallSegmentAssociationResultArguments]
    CreateOrRemoveTriggerDataError: _Outbound3[AssistRequestInstructionsErrorArguments]
    CreateOrRemoveTriggerDataResult: _Outbound3[CreateOrRemoveTriggerDataResultArguments]
    DisconnectForwardConnectionError: _Outbound3[AssistRequestInstructionsErrorArguments]
    DisconnectForwardConnectionWithArgumentError: _Outbound3[AssistRequestInstructionsErrorArguments]
    DisconnectLegError: _Outbound3[AssistRequestInstructionsErrorArguments]
    DisconnectLegResult: _Outbound3[dict[str, Any]]
    EntityReleased: _Outbound3[EntityReleasedArguments]
    EntityReleasedGPRS: _Outbound3[EntityReleasedGPRSArguments]
    EstablishTemporaryConnectionError: _Outbound3[AssistRequestInstructionsErrorArguments]
    EventNotificationCharging: _Outbound3[EventNotificationChargingArguments]
    EventReportBCSM: _Outbound3[EventReportBCSMArguments]
    EventReportFacility: _Outbound3[EventReportFacilityArguments]
    EventReportGPRS: _Outbound3[EventReportGPRSArguments]
    EventReportSMS: _Outbound3[EventReportSMSArguments]
    FacilitySelectedAndAvailable: _Outbound3[FacilitySelectedAndAvailableArguments]
    FurnishChargingInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    FurnishChargingInformationGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    FurnishChargingInformationSMSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    HoldCallInNetworkError: _Outbound3[AssistRequestInstructionsErrorArguments]
    InitialDP: _Outbound3[InitialDPArguments]
    InitialDPGPRS: _Outbound3[InitialDPGPRSArguments]
    InitialDPSMS: _Outbound3[InitialDPSMSArguments]
    InitiateCallAttemptError: _Outbound3[AssistRequestInstructionsErrorArguments]
    InitiateCallAttemptResult: _Outbound3[InitiateCallAttemptResultArguments]
    ManageTriggerDataError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ManageTriggerDataResult: _Outbound3[ManageTriggerDataResultArguments]
    MergeCallSegmentsError: _Outbound3[AssistRequestInstructionsErrorArguments]
    MergeCallSegmentsResult: _Outbound3[dict[str, Any]]
    MonitorRouteReport: _Outbound3[MonitorRouteReportArguments]
    MonitorRouteRequestError: _Outbound3[AssistRequestInstructionsErrorArguments]
    MonitorRouteRequestResult: _Outbound3[dict[str, Any]]
    MoveCallSegmentsError: _Outbound3[AssistRequestInstructionsErrorArguments]
    MoveCallSegmentsResult: _Outbound3[dict[str, Any]]
    MoveLegError: _Outbound3[AssistRequestInstructionsErrorArguments]
    MoveLegResult: _Outbound3[dict[str, Any]]
    OAbandon: _Outbound3[OAbandonArguments]
    OAnswer: _Outbound3[OAnswerArguments]
    OCalledPartyBusy: _Outbound3[OCalledPartyBusyArguments]
    ODisconnect: _Outbound3[ODisconnectArguments]
    OMidCall: _Outbound3[OMidCallArguments]
    ONoAnswer: _Outbound3[ONoAnswerArguments]
    OSuspended: _Outbound3[OSuspendedArguments]
    OriginationAttempt: _Outbound3[OriginationAttemptArguments]
    OriginationAttemptAuthorized: _Outbound3[OriginationAttemptAuthorizedArguments]
    PlayAnnouncementError: _Outbound3[AssistRequestInstructionsErrorArguments]
    PlayToneError: _Outbound3[AssistRequestInstructionsErrorArguments]
    PromptAndCollectUserInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    PromptAndCollectUserInformationResult: _Outbound3[PromptAndCollectUserInformationResultArguments]
    PromptAndReceiveMessageError: _Outbound3[AssistRequestInstructionsErrorArguments]
    PromptAndReceiveMessageResult: _Outbound3[PromptAndReceiveMessageResultArguments]
    ReconnectError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ReleaseGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ReportUTSI: _Outbound3[SendSTUIArguments]
    RequestCurrentStatusReportError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestCurrentStatusReportResult: _Outbound3[RequestCurrentStatusReportResultArguments]
    RequestEveryStatusChangeReportError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestEveryStatusChangeReportResult: _Outbound3[dict[str, Any]]
    RequestFirstStatusMatchReportError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestFirstStatusMatchReportResult: _Outbound3[dict[str, Any]]
    RequestNotificationChargingEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportBCSMEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportFacilityEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportGPRSEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportSMSEventError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RequestReportUTSIError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ResetTimerError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ResetTimerGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ResetTimerSMSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    RouteSelectFailure: _Outbound3[RouteSelectFailureArguments]
    ScriptCloseError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ScriptEvent: _Outbound3[ScriptEventArguments]
    ScriptInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ScriptRunError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SelectFacilityError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SelectRouteError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SendChargingInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SendChargingInformationGPRSError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SendFacilityInformationError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SendSTUIError: _Outbound3[AssistRequestInstructionsErrorArguments]
    ServiceFilteringResponse: _Outbound3[ServiceFilteringResponseArguments]
    SetServiceProfileError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SpecializedResourceReport: _Outbound3[SpecializedResourceReportArguments]
    SplitLegError: _Outbound3[AssistRequestInstructionsErrorArguments]
    SplitLegResult: _Outbound3[dict[str, Any]]
    StatusReport: _Outbound3[StatusReportArguments]
    TAnswer: _Outbound3[TAnswerArguments]
    TBusy: _Outbound3[TBusyArguments]
    TDisconnect: _Outbound3[TDisconnectArguments]
    TMidCall: _Outbound3[OMidCallArguments]
    TNoAnswer: _Outbound3[TNoAnswerArguments]
    TSuspended: _Outbound3[OSuspendedArguments]
    TermAttemptAuthorized: _Outbound3[TermAttemptAuthorizedArguments]
    TerminationAttempt: _Outbound3[TerminationAttemptArguments]
class _inap:
    srf_from_scp: _inap_srf_from_scp
    srf_to_scp: _inap_srf_to_scp
    ssp_from_scp: _inap_ssp_from_scp
    ssp_to_scp: _inap_ssp_to_scp
inap: _inap
log: _Logic4[AbortArguments]
class _map_hlr_from_scp:
    AnyTimeInterrogation: _Inbound2[AnyTimeInterrogationArguments]
    AnyTimeInterrogationError: _Inbound2[AnyTimeInterrogationErrorArguments]
    AnyTimeInterrogationResult: _Inbound2[AnyTimeInterrogationResultArguments]
    MO_ForwardSM: _Inbound2[MOForwardSMArguments]
    MO_ForwardSMError: _Inbound2[AnyTimeInterrogationErrorArguments]
    MO_ForwardSMResult: _Inbound2[MOForwardSMResultArguments]
    MT_ForwardSM: _Inbound2[MTForwardSMArguments]
    MT_ForwardSMError: _Inbound2[AnyTimeInterrogationErrorArguments]
    MT_ForwardSMResult: _Inbound2[MTForwardSMResultArguments]
    ProcessUnstructuredSSRequest: _Inbound2[ProcessUnstructuredSSRequestArguments]
    ProcessUnstructuredSSRequestError: _Inbound2[AnyTimeInterrogationErrorArguments]
    ProcessUnstructuredSSRequestResult: _Inbound2[ProcessUnstructuredSSRequestResultArguments]
    ProvideRoamingNumber: _Inbound2[ProvideRoamingNumberArguments]
    ProvideRoamingNumberError: _Inbound2[AnyTimeInterrogationErrorArguments]
    ProvideRoamingNumberResult: _Inbound2[ProvideRoamingNumberResultArguments]
    ProvideSubscriberInfo: _Inbound2[ProvideSubscriberInfoArguments]
    ProvideSubscriberInfoError: _Inbound2[AnyTimeInterrogationErrorArguments]
    ProvideSubscriberInfoResult: _Inbound2[AnyTimeInterrogationResultArguments]
    Register: _Inbound3[RegisterArguments2]
    SendRoutingInfo: _Inbound2[SendRoutingInfoArguments]
    SendRoutingInfoError: _Inbound2[AnyTimeInterrogationErrorArguments]
    SendRoutingInfoForSM: _Inbound2[SendRoutingInfoForSMArguments]
    SendRoutingInfoForSMError: _Inbound2[AnyTimeInterrogationErrorArguments]
    SendRoutingInfoForSMResult: _Inbound2[SendRoutingInfoForSMResultArguments]
    SendRoutingInfoResult: _Inbound2[SendRoutingInfoResultArguments]
    UnstructuredSSNotify: _Inbound2[ProcessUnstructuredSSRequestArguments]
    UnstructuredSSNotifyError: _Inbound2[AnyTimeInterrogationErrorArguments]
    UnstructuredSSNotifyResult: _Inbound2[UnstructuredSSNotifyResultArguments]
    UnstructuredSSRequest: _Inbound2[ProcessUnstructuredSSRequestArguments]
    UnstructuredSSRequestError: _Inbound2[AnyTimeInterrogationErrorArguments]
    UnstructuredSSRequestResult: _Inbound2[ProcessUnstructuredSSRequestResultArguments]
    UpdateLocation: _Inbound2[UpdateLocationArguments]
    UpdateLocationError: _Inbound2[AnyTimeInterrogationErrorArguments]
    UpdateLocationResult: _Inbound2[UpdateLocationResultArguments]
class _map_hlr_to_scp:
    AnyTimeInterrogation: _Outbound3[AnyTimeInterrogationArguments]
    AnyTimeInterrogationError: _Outbound3[AnyTimeInterrogationErrorArguments]
    AnyTimeInterrogationResult: _Outbound3[AnyTimeInterrogationResultArguments]
    MO_ForwardSM: _Outbound3[MOForwardSMArguments]
    MO_ForwardSMError: _Outbound3[AnyTimeInterrogationErrorArguments]
    MO_ForwardSMResult: _Outbound3[MOForwardSMResultArguments]
    MT_ForwardSM: _Outbound3[MTForwardSMArguments]
    MT_ForwardSMError: _Outbound3[AnyTimeInterrogationErrorArguments]
    MT_ForwardSMResult: _Outbound3[MTForwardSMResultArguments]
    ProcessUnstructuredSSRequest: _Outbound3[ProcessUnstructuredSSRequestArguments]
    ProcessUnstructuredSSRequestError: _Outbound3[AnyTimeInterrogationErrorArguments]
    ProcessUnstructuredSSRequestResult: _Outbound3[ProcessUnstructuredSSRequestResultArguments]
    ProvideRoamingNumber: _Outbound3[ProvideRoamingNumberArguments]
    ProvideRoamingNumberError: _Outbound3[AnyTimeInterrogationErrorArguments]
    ProvideRoamingNumberResult: _Outbound3[ProvideRoamingNumberResultArguments]
    ProvideSubscriberInfo: _Outbound3[ProvideSubscriberInfoArguments]
    ProvideSubscriberInfoError: _Outbound3[AnyTimeInterrogationErrorArguments]
    ProvideSubscriberInfoResult: _Outbound3[AnyTimeInterrogationResultArguments]
    SendRoutingInfo: _Outbound3[SendRoutingInfoArguments]
    SendRoutingInfoError: _Outbound3[AnyTimeInterrogationErrorArguments]
    SendRoutingInfoForSM: _Outbound3[SendRoutingInfoForSMArguments]
    SendRoutingInfoForSMError: _Outbound3[AnyTimeInterrogationErrorArguments]
    SendRoutingInfoForSMResult: _Outbound3[SendRoutingInfoForSMResultArguments]
    SendRoutingInfoResult: _Outbound3[SendRoutingInfoResultArguments]
    UnstructuredSSNotify: _Outbound3[ProcessUnstructuredSSRequestArguments]
    UnstructuredSSNotifyError: _Outbound3[AnyTimeInterrogationErrorArguments]
    UnstructuredSSNotifyResult: _Outbound3[UnstructuredSSNotifyResultArguments]
    UnstructuredSSRequest: _Outbound3[ProcessUnstructuredSSRequestArguments]
    UnstructuredSSRequestError: _Outbound3[AnyTimeInterrogationErrorArguments]
    UnstructuredSSRequestResult: _Outbound3[ProcessUnstructuredSSRequestResultArguments]
    UpdateLocation: _Outbound3[UpdateLocationArguments]
    UpdateLocationError: _Outbound3[AnyTimeInterrogationErrorArguments]
    UpdateLocationResult: _Outbound3[UpdateLocationResultArguments]
class _map:
    hlr_from_scp: _map_hlr_from_scp
    hlr_to_scp: _map_hlr_to_scp
map: _map
class _ocncc_osd:
    Request: _Outbound4[RequestArguments3]
class _ocncc_pi:
    Request: _Outbound4[RequestArguments4]
class _ocncc:
    osd: _ocncc_osd
    pi: _ocncc_pi
ocncc: _ocncc
pass_: _Logic[AbortArguments]
class _rest:
    ExpectResponse: _Inbound4
    Request: _Outbound4[RequestArguments5]
    SendRequest: _Logic4[RequestArguments5]
    def __call__(self, label: str) -> _rest: ...
rest: _rest
class _smpp_smsc_from_esme:
    Register: _Logic4[RegisterArguments3]
    Request: _Outbound4[RequestArguments6]
class _smpp_smsc_to_esme:
    Request: _Outbound4[RequestArguments7]
class _smpp:
    smsc_from_esme: _smpp_smsc_from_esme
    smsc_to_esme: _smpp_smsc_to_esme
smpp: _smpp
class _tcap_hlr_from_scp:
    Abort: _Inbound5[AbortArguments2]
    End: _Inbound5[dict[str, Any]]
class _tcap_hlr_to_scp:
    Abort: _Outbound5[AbortArguments3]
    End: _Outbound5[EndArguments]
    Reject: _Outbound5[RejectArguments]
class _tcap_srf_from_scp:
    Abort: _Inbound5[AbortArguments2]
    End: _Inbound5[dict[str, Any]]
class _tcap_srf_to_scp:
    Abort: _Outbound5[AbortArguments3]
    End: _Outbound5[EndArguments]
    Reject: _Outbound5[RejectArguments]
class _tcap_ssp_from_scp:
    Abort: _Inbound5[AbortArguments2]
    End: _Inbound5[dict[str, Any]]
class _tcap_ssp_to_scp:
    Abort: _Outbound5[AbortArguments3]
    End: _Outbound5[EndArguments]
    Reject: _Outbound5[RejectArguments]
class _tcap:
    hlr_from_scp: _tcap_hlr_from_scp
    hlr_to_scp: _tcap_hlr_to_scp
    srf_from_scp: _tcap_srf_from_scp
    srf_to_scp: _tcap_srf_to_scp
    ssp_from_scp: _tcap_ssp_from_scp
    ssp_to_scp: _tcap_ssp_to_scp
tcap: _tcap
wait: _Logic4[WaitArguments]
def definition(operations: Iterable[Mapping[str, Any]], *, gateways: Mapping[str,
    str | None] | None = ..., vars: Mapping[str, Any] = ..., locks: Sequence[Locks] = ...,
    strict: bool | int | str = ..., trace_level: int | str = ...,
    trace_messages: bool | int | str = ..., turbo: bool | int | str = ...,
    track: bool | int | str = ..., load_details: bool | int | str = ..., refusals: Literal["note",
    "fail"] = ..., linger_ms: float | str = ..., distribution: Distribution = ...,
    tags: Sequence[str] = ..., thresholds: Sequence[Thresholds] = ..., allow: Allow = ...,
    seed: int | str = ..., start_at: float | str = ..., segment: Segment = ...,
    workers: str | int | Sequence[str] = ..., globals: Literal["shared", "per_worker"] = ...,
    on_lost: Literal["takeover", "shrink", "cancel"] = ..., allow_lost: bool | int | str = ...,
    db: str | None = ..., diameter: str | None = ..., osd: str | None = ..., pi: str | None = ...,
    rest: str | None = ..., sigtran: str | None = ..., smpp: str | None = ..., inap: Inap = ...,
    ssp_ac: str | None = ..., hlr_ac: str | None = ..., scp: Scp = ..., ssp: Ssp = ...,
    hlr: Ssp = ..., flow: Mapping[str, Any] = ..., comment: object = ..., name: str = ...,
    description: object = ...) -> Definition: ...
__all__ = ["Definition", "Entry", "WrongMember", "abort", "branch", "db", "definition", "diameter",
    "eval", "fail", "halt", "inap", "log", "map", "ocncc", "operation", "pass_", "rest", "smpp",
    "tcap", "unchecked", "wait"]
