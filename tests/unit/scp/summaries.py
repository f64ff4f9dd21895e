"""Short summaries of the operations of the service control point."""

MODES = {0: "interrupted", 1: "notify", 2: "transparent"}


def _events(tree):
    return [
        (
            event["eventTypeBCSM_name"],
            MODES[event["monitorMode"]],
            int(event["legID"]["sendingSideID_hex"], 16),
            event.get("dpSpecificCriteria", {}).get("applicationTimer"),
        )
        for event in tree["bcsmEvents"]
    ]


def _inband(tree):
    inband = tree["informationToSend"]["inbandInfo"]
    return inband["messageID"]["elementaryMessageID"], inband["numberOfRepetitions"]


def _prompt(tree):
    digits = dict(tree["collectedInfo"]["collectedDigits"])
    digits = {
        key: value
        for key, value in digits.items()
        if key.endswith("_hex") or key + "_hex" not in digits
    }
    digits.pop("errorTreatment_name")
    return {
        **digits,
        "forbidden": tree["disconnectFromIPForbidden"],
        "message": _inband(tree),
    }


def _grant(tree):
    """Return (characteristics of CAP, or octets of INAP; the charged party)."""
    name = "aChBillingChargingCharacteristics"
    shown = tree[name] if isinstance(tree[name], dict) else tree[name + "_hex"]
    return shown, int(tree["partyToCharge"]["sendingSideID_hex"], 16)


def _data(tree):
    """Return the contents of the charging data, in CAP as (octets, leg, append)."""
    sequence = tree.get("fCIBCCCAMELsequence1")
    if sequence is None:
        return tree["fCIBillingChargingCharacteristics_hex"]
    leg = int(sequence["partyToCharge"]["sendingSideID_hex"], 16)
    return sequence["freeFormatData_hex"], leg, sequence.get("appendFreeFormatData")


SUMMARIES = {
    "ApplyCharging": _grant,
    "FurnishChargingInformation": _data,
    "RequestReportBCSMEvent": _events,
    "PromptAndCollectUserInformation": _prompt,
    "PlayAnnouncement": lambda tree: (
        *_inband(tree),
        tree["disconnectFromIPForbidden"],
        tree["requestAnnouncementComplete"],
    ),
    "Connect": lambda tree: (
        tree["destinationRoutingAddress_digits"],
        tree["destinationRoutingAddress_noa"],
        tree["destinationRoutingAddress_npi"],
    ),
    "ReleaseCall": lambda tree: tree["initialCallSegment_cause"],
    "ConnectToResource": lambda tree: list(tree["resourceAddress"]),
    "EstablishTemporaryConnection": lambda tree: {
        key: tree.get(key)
        for key in (
            "assistingSSPIPRoutingAddress_digits",
            "correlationID_digits",
            "scfID_hex",
        )
    },
    "ResetTimer": lambda tree: (tree["timerID"], tree["timervalue"]),
}
