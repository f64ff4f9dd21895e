"""PromptAndCollectUserInformation according to the texts, and the digits in its answer."""

from typing import Any

from model.configurations import Announcement, Configuration
from model.heard import Part

DIGIT_OF_KEY = {"*": "b", "#": "c"}
COLLECTED = "collectedInfo.collectedDigits."
INBAND = "informationToSend.inbandInfo."


def prompt(configuration: Configuration, announcement: Announcement) -> Part:
    """Return the operation that plays an announcement and collects digits."""
    site = configuration.site
    facts: list[tuple[str, Any]] = [
        (COLLECTED + "minimumNbOfDigits", configuration.min_digits),
        (COLLECTED + "maximumNbOfDigits", configuration.max_digits),
        (COLLECTED + "firstDigitTimeOut", site.first_digit_timeout_s),
        (COLLECTED + "interDigitTimeOut", site.inter_digit_timeout_s),
        (COLLECTED + "errorTreatment", 0),
        (COLLECTED + "interruptableAnnInd", int(site.interruptable)),
        ("disconnectFromIPForbidden", 1),
        (INBAND + "messageID.elementaryMessageID", _message_id(configuration, announcement)),
        (INBAND + "numberOfRepetitions", announcement.repetition or 1),
    ]
    cancel_digit = _digit(configuration.cancel_character, site.cancel_digit)
    for name, digit in (
        ("endOfReplyDigit", _end_digit(configuration)),
        ("cancelDigit", cancel_digit),
        ("startDigit", _start_digit(configuration)),
    ):
        if digit:
            facts.append((COLLECTED + name, f"0{digit}"))
    return Part("PromptAndCollectUserInformation", tuple(sorted(facts)))


def stripped(configuration: Configuration, keyed: str) -> str:
    """Return the digits of an answer without its start and end digit."""
    start, end = _start_digit(configuration), _end_digit(configuration)
    if start:
        keyed = keyed.removeprefix(start)
    return keyed.removesuffix(end) if end else keyed


def _message_id(configuration: Configuration, announcement: Announcement) -> int:
    for number in (announcement.flow_id, announcement.site_id):
        if number is not None:
            return number
    return configuration.site.default_message_id


def _end_digit(configuration: Configuration) -> str:
    return _digit(configuration.end_character, configuration.site.end_digit)


def _start_digit(configuration: Configuration) -> str:
    return _digit(None, configuration.site.start_digit)


def _digit(said: str | None, of_site: str) -> str:
    """Return the digit of the site as it is encoded, "" for none."""
    return "" if said == "none" else DIGIT_OF_KEY.get(of_site, of_site)
