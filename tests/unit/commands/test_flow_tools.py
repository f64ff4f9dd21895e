"""tsvc flow show, run, match through click's own runner."""

import pytest
from click.testing import CliRunner
from support.daemons import EXAMPLES

from tsvc.commands.flow import command

FLOW = str(EXAMPLES / "flows" / "extension_dialing.json")


def invoke(*args):
    return CliRunner().invoke(command, args)


def test_show_draws_text_and_svg():
    assert "[2] ExtensionDialing" in invoke("show", FLOW).output
    assert invoke("show", FLOW, "--format", "svg").output.startswith("<svg")


def test_run_prints_path_and_ladder():
    done = invoke("run", FLOW, "100", "busy")
    assert done.exit_code == 0
    assert "[2] ExtensionDialing  exit 0 Busy/NoAnswer" in done.output
    assert "BEGIN (camel2)  IDP" in done.output
    assert "Connect  to 4329100" in done.output


def test_run_refuses_a_bad_doing():
    done = invoke("run", FLOW, "rings")
    assert done.exit_code == 2
    assert "'rings' is neither digits nor one of" in done.output


@pytest.mark.parametrize(
    ("args", "status", "shown"),
    [
        (("43291??", "4329100"), 0, "match     4329100"),
        (("43291??", "4329100", "43299"), 1, "no match  43299"),
        (("--syntax", "regex", "4329[0-9]+", "432955"), 0, "match     432955"),
        (("43[", "43"), 2, "column 3"),
    ],
)
def test_match(args, status, shown):
    done = invoke("match", *args)
    assert done.exit_code == status
    assert shown in done.output
