"""The catalogue, and with it the contract that every operation type has to keep."""

from tsvc.flow.catalogue import describe_types
from tsvc.flow.node import NODES

TYPES = {entry.type: entry for entry in describe_types()}


def test_types_are_found():
    assert {
        "AttemptTerminate",
        "ExtensionDialing",
        "PlayAnnouncement",
        "ReleaseCall",
        "Start",
    } <= set(TYPES)
    assert NODES.names() == list(TYPES)


def test_every_type_and_member_is_documented():
    for entry in TYPES.values():
        assert entry.summary.endswith("."), entry.type
        assert entry.exit_rule
        for member in entry.members:
            assert member.help, (entry.type, member.name)
            assert not (member.is_required and member.default is not None)


def test_exit_rules():
    assert TYPES["Start"].exit_rule == "exactly 1 exit (0 Next)"
    assert TYPES["ReleaseCall"].exit_rule == "no exits"
    assert TYPES["AttemptTerminate"].exit_rule == "1 or 2 or 3 exits"


def test_members_of_extension_dialing():
    members = {member.name: member for member in TYPES["ExtensionDialing"].members}
    assert list(members) == [
        "main_announcement",
        "reprompt_announcement",
        "max_iterations",
        "prefix",
        "min_digits",
        "max_digits",
        "timeout_seconds",
        "end_character",
        "cancel_character",
        "destination_patterns",
        "no_match",
    ]
    required = [name for name, member in members.items() if member.is_required]
    assert required == [
        "main_announcement",
        "reprompt_announcement",
        "prefix",
        "min_digits",
        "max_digits",
    ]
    assert (members["max_iterations"].default, members["timeout_seconds"].unit) == (3, "s")
