"""The contract that every operation type must fulfil."""

from marshmallow import missing

from tsvc.flow.node import NODES

TYPES = {node.type: node for node in NODES}


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
    for node in TYPES.values():
        assert node.summary.endswith("."), node.type
        assert node.exit_rule()
        for name, member in node.Config().fields.items():
            assert member.help, (node.type, name)
            assert not (member.required and member.load_default is not missing)


def test_exit_rules():
    assert TYPES["Start"].exit_rule() == "exactly 1 exit (0 Next)"
    assert TYPES["ReleaseCall"].exit_rule() == "no exits"
    assert TYPES["AttemptTerminate"].exit_rule() == "1 or 2 or 3 exits"


def test_members_of_extension_dialing():
    members = TYPES["ExtensionDialing"].Config().fields
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
    required = [name for name, member in members.items() if member.required]
    assert required == [
        "main_announcement",
        "reprompt_announcement",
        "prefix",
        "min_digits",
        "max_digits",
    ]
    assert members["max_iterations"].load_default == 3
    assert members["timeout_seconds"].metadata["unit"] == "s"
