"""Flows to run at the service control point."""

EXTENSION_CONFIG = {
    "main_announcement": {"set": "S", "entry": "main"},
    "reprompt_announcement": {"set": "S", "entry": "again", "repetition": 2},
    "prefix": "4329",
    "min_digits": 3,
    "max_digits": 4,
    "timeout_seconds": 20,
    "destination_patterns": ["43291?%"],
}


def release(cause):
    """Return a ReleaseCall operation."""
    return {"type": "ReleaseCall", "config": {"cause": cause}, "exits": []}


def document(*operations, triggers=({"service_key": 45},), name="tested"):
    """Return a flow whose Start leads to the first of the operations, numbered from 2."""
    chain = [{"type": "Start", "exits": [2]}, *operations]
    return {
        "name": name,
        "triggers": list(triggers),
        "announcements": {"S": {"main": 101, "again": 102}},
        "operations": {
            str(number): {"id": number, **operation}
            for number, operation in enumerate(chain, start=1)
        },
    }


def extension_flow(exits=(3, 4, 5), **changes):
    """Return ExtensionDialing (2) whose exits release with causes 101, 102, 103."""
    config = {**EXTENSION_CONFIG, **changes}
    config = {member: value for member, value in config.items() if value is not None}
    dialing = {"type": "ExtensionDialing", "config": config, "exits": list(exits)}
    causes = [101 + number - 3 for number in exits if number is not None]
    return document(dialing, *[release(cause) for cause in causes])


def terminate_flow(*numbers, exits=(3,), **config):
    """Return AttemptTerminate (2) whose exit releases with cause 101."""
    attempt = {
        "type": "AttemptTerminate",
        "config": {"destinations": [{"address": one} for one in numbers], **config},
        "exits": list(exits),
    }
    return document(attempt, *[release(101) for exit_ in exits if exit_ is not None])


def play_flow():
    """Return PlayAnnouncement (2), then a release with cause 101."""
    play = {
        "type": "PlayAnnouncement",
        "config": {"announcement": {"set": "S", "entry": "main"}},
        "exits": [3],
    }
    return document(play, release(101))
