"""The operations that the SCP invokes, with arguments encoded once per variant and not per call.

Repeated arguments (arms, prompts, causes, destinations) are cached in encoded form.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar

from tsvc.config.scp_tables import Scp
from tsvc.flow.announcements import Announcement
from tsvc.flow.call import Charge, Collect, ControlKey, EnteredDigits, Furnish, Play
from tsvc.memo import Memo
from tsvc.protocols.asn1 import Tree
from tsvc.protocols.inap.operation import OPERATIONS, Operation
from tsvc.protocols.tcap.dialogue import Dialogue
from tsvc.scp import charging
from tsvc.scp.detection_points import Arm

# In both forms code 11 is the key * and code 12 the key #.
_KEY_CODES = {"*": 11, "#": 12}
_KEYS = str.maketrans({"a": "A", "b": "*", "c": "#", "d": "D", "e": "E", "f": "F"})


def key_octets_hex(key: str) -> str:
    """Return endOfReplyDigit, cancelDigit or startDigit of one key (0-9 A-F * #) in hex."""
    code = _KEY_CODES[key] if key in _KEY_CODES else int(key, 16)
    return f"{code:02x}"


def entered_digits(result: Tree, start_key: str, end_key: str) -> EnteredDigits:
    """Return the caller's digits in a result of PromptAndCollectUserInformation.

    A resource may report the start and the end digit with the others: they are removed. A key
    given as "" is not used.
    """
    reported = result.get("digitsResponse_digits")
    if isinstance(reported, str):
        text = reported.translate(_KEYS)
    else:
        text = str(result.get("iA5Response", ""))
    if start_key:
        text = text.removeprefix(start_key)
    if end_key:
        text = text.removesuffix(end_key)
    return EnteredDigits(text)


_KEPT = 4096  # encoded arguments of a variant
_TSSF = 0
K = TypeVar("K", bound=Hashable)


RRBE = OPERATIONS.required("RequestReportBCSMEvent")
CONNECT = OPERATIONS.required("Connect")
CONTINUE = OPERATIONS.required("Continue")
RELEASE_CALL = OPERATIONS.required("ReleaseCall")
CTR = OPERATIONS.required("ConnectToResource")
DFC = OPERATIONS.required("DisconnectForwardConnection")
ETC = OPERATIONS.required("EstablishTemporaryConnection")
PROMPT = OPERATIONS.required("PromptAndCollectUserInformation")
PLAY = OPERATIONS.required("PlayAnnouncement")
RESET_TIMER = OPERATIONS.required("ResetTimer")
ACTIVITY_TEST = OPERATIONS.required("ActivityTest")
INITIAL_DP = OPERATIONS.required("InitialDP")
ARI = OPERATIONS.required("AssistRequestInstructions")
ERB = OPERATIONS.required("EventReportBCSM")
SRR = OPERATIONS.required("SpecializedResourceReport")
ENTITY_RELEASED = OPERATIONS.required("EntityReleased")
APPLY_CHARGING = OPERATIONS.required("ApplyCharging")
ACR = OPERATIONS.required("ApplyChargingReport")
FURNISH = OPERATIONS.required("FurnishChargingInformation")


class Telephony:
    """The operations of the service control point in one variant."""

    __slots__ = (
        "_connect_to_resource",
        "_kept",
        "_reset_timer",
        "_settings",
        "has_charging",
        "has_resources",
        "variant",
    )

    def __init__(self, variant: str, settings: Scp) -> None:
        self.variant = variant
        self.has_resources = variant in CTR.variants
        self.has_charging = variant in APPLY_CHARGING.variants
        self._settings = settings
        self._kept: Memo[Hashable, bytes | None] = Memo("what the SCP says, encoded", _KEPT)
        self._connect_to_resource: bytes | None = None
        self._reset_timer: bytes | None = None
        if self.has_resources:
            self._connect_to_resource = CTR.encode_argument(
                {"resourceAddress": {"none": 1}}, variant
            )
            # The SSP's timer must be longer than the SCP's interval: a late reset must not lose
            # the call.
            seconds = max(1, round(settings.reset_timer_interval * 2))
            self._reset_timer = RESET_TIMER.encode_argument(
                {"timerID": _TSSF, "timervalue": seconds}, variant
            )

    # -- the call ---------------------------------------------------------------------------

    def arm(self, dialogue: Dialogue, arms: tuple[Arm, ...], now: float) -> None:
        """Queue RequestReportBCSMEvent."""
        self._invoke(dialogue, RRBE, self._encoded(arms, self._arms), now)

    def connect(self, dialogue: Dialogue, destination: str, now: float) -> None:
        """Queue Connect to a destination, digits 0-9 A-F."""
        self._invoke(dialogue, CONNECT, self._encoded(destination, self._destination), now)

    def continue_(self, dialogue: Dialogue, now: float) -> None:
        """Queue Continue: the call goes to the destination that the caller dialled."""
        self._invoke(dialogue, CONTINUE, None, now)

    def release(self, dialogue: Dialogue, cause: int, now: float) -> None:
        """Queue ReleaseCall."""
        self._invoke(dialogue, RELEASE_CALL, self._encoded(cause, self._cause), now)

    def reset_timer(self, dialogue: Dialogue, now: float) -> None:
        """Queue ResetTimer."""
        self._invoke(dialogue, RESET_TIMER, self._reset_timer, now)

    def activity_test(self, dialogue: Dialogue, now: float) -> None:
        """Queue ActivityTest; no answer within its timer is a cancel of the invocation."""
        self._invoke(dialogue, ACTIVITY_TEST, None, now)

    # -- charging ---------------------------------------------------------------------------

    def grant(self, dialogue: Dialogue, charge: Charge, now: float) -> None:
        """Queue ApplyCharging."""
        self._invoke(dialogue, APPLY_CHARGING, self._encoded(charge, self._grant), now)

    def furnish(self, dialogue: Dialogue, furnish: Furnish, now: float) -> None:
        """Queue FurnishChargingInformation."""
        argument = charging.data_argument(furnish, self.variant)
        self._invoke(dialogue, FURNISH, FURNISH.encode_argument(argument, self.variant), now)

    # -- resources --------------------------------------------------------------------------

    def connect_to_resource(self, dialogue: Dialogue, now: float) -> None:
        """Queue ConnectToResource, the resource being the SSP's own."""
        self._invoke(dialogue, CTR, self._connect_to_resource, now)

    def establish_temporary_connection(
        self, dialogue: Dialogue, correlation_id: str, now: float
    ) -> None:
        """Queue EstablishTemporaryConnection to the external resource."""
        srf = self._settings.srf
        argument: Tree = {"assistingSSPIPRoutingAddress_digits": srf.routing_address}
        if srf.correlation_id_location == "embedded":
            argument["assistingSSPIPRoutingAddress_digits"] += correlation_id
        else:
            argument["correlationID_digits"] = correlation_id
        if srf.scf_id:
            argument["scfID_hex"] = srf.scf_id
        self._invoke(dialogue, ETC, ETC.encode_argument(argument, self.variant), now)

    def disconnect_forward_connection(self, dialogue: Dialogue, now: float) -> None:
        """Queue DisconnectForwardConnection."""
        self._invoke(dialogue, DFC, None, now)

    def ask(self, dialogue: Dialogue, action: Collect | Play, now: float) -> int:
        """Queue a prompt or announcement. Return the invoke id that the resource will answer."""
        if isinstance(action, Collect):
            return self._invoke(dialogue, PROMPT, self._encoded(action, self._prompt), now)
        return self._invoke(dialogue, PLAY, self._encoded(action, self._play), now)

    # -- encoding ---------------------------------------------------------------------------

    def _invoke(
        self, dialogue: Dialogue, operation: Operation, parameter: bytes | None, now: float
    ) -> int:
        return dialogue.invoke(
            operation.code,
            operation.operation_class,
            parameter,
            now=now,
            timer_s=operation.timer_s,
        )

    def _encoded(self, key: K, encode: Callable[[K], bytes | None]) -> bytes | None:
        try:
            return self._kept[key]
        except KeyError:
            parameter = self._kept[key] = encode(key)
            return parameter

    def _arms(self, arms: tuple[Arm, ...]) -> bytes | None:
        return RRBE.encode_argument({"bcsmEvents": [_arm(one) for one in arms]}, self.variant)

    def _destination(self, destination: str) -> bytes | None:
        argument = {
            "destinationRoutingAddress_digits": destination,
            "destinationRoutingAddress_noa": self._settings.connect_noa,
            "destinationRoutingAddress_npi": self._settings.connect_npi,
        }
        return CONNECT.encode_argument(argument, self.variant)

    def _cause(self, cause: int) -> bytes | None:
        return RELEASE_CALL.encode_argument({"initialCallSegment_cause": cause}, self.variant)

    def _grant(self, charge: Charge) -> bytes | None:
        argument = charging.grant_argument(charge, self.variant)
        return APPLY_CHARGING.encode_argument(argument, self.variant)

    def _prompt(self, action: Collect) -> bytes | None:
        srf = self._settings.srf
        digits: Tree = {
            "minimumNbOfDigits": action.min_digits,
            "maximumNbOfDigits": action.max_digits,
            "firstDigitTimeOut": action.first_digit_timeout_s or srf.first_digit_timeout_s,
            "interDigitTimeOut": srf.inter_digit_timeout_s,
            "errorTreatment": 0,
            "interruptableAnnInd": srf.interruptable,
        }
        keys = {
            "endOfReplyDigit": key_in_use(action.end_character, srf.end_digit),
            "cancelDigit": key_in_use(action.cancel_character, srf.cancel_digit),
            "startDigit": srf.start_digit,
        }
        digits |= {f"{name}_hex": key_octets_hex(key) for name, key in keys.items() if key}
        argument = {
            "collectedInfo": {"collectedDigits": digits},
            "disconnectFromIPForbidden": True,
            "informationToSend": _announcement(action.announcement),
        }
        return PROMPT.encode_argument(argument, self.variant)

    def _play(self, action: Play) -> bytes | None:
        argument = {
            "informationToSend": _announcement(action.announcement),
            "disconnectFromIPForbidden": True,
            "requestAnnouncementComplete": True,
        }
        return PLAY.encode_argument(argument, self.variant)


def key_in_use(wanted: ControlKey, site_key: str) -> str:
    """Return the key that a flow's `default` or `none` means, "" = no such key."""
    return site_key if wanted == "default" else ""


def _arm(arm: Arm) -> Tree:
    event: Tree = {
        "eventTypeBCSM": int(arm.event),
        "monitorMode": int(arm.mode),
        "legID": {"sendingSideID_hex": f"{arm.leg:02x}"},
    }
    if arm.timer_s is not None:
        event["dpSpecificCriteria"] = {"applicationTimer": arm.timer_s}
    return event


# A part of a variable message -> its argument.
_VARIABLE_PARTS: dict[str, Callable[[int | str], Tree]] = {
    "integer": lambda value: {"integer": value},
    "number": lambda value: {"number_digits": value},
}


def _announcement(announcement: Announcement) -> Tree:
    message: Tree = {"elementaryMessageID": announcement.message_id}
    if announcement.parts:
        parts = [_VARIABLE_PARTS[kind](value) for kind, value in announcement.parts]
        message = {"variableMessage": {**message, "variableParts": parts}}
    return {"inbandInfo": {"messageID": message, "numberOfRepetitions": announcement.repetition}}
