"""Refused configurations: no problem is reported twice; readable parts are still checked."""

import pytest

from tsvc.config.load import ConfigError, load_config
from tsvc.config.tables import Config

HOME = {"HOME": "/home/someone"}


@pytest.fixture
def refuse(tmp_path):
    """A function that loads a wrong tsvc.toml, beside other files, and returns the error."""

    def refuse_text(text, mode=0o600, files=None):
        path = tmp_path / "tsvc.toml"
        path.write_text(text)
        path.chmod(mode)
        for name, content in (files or {}).items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(content)
        with pytest.raises(ConfigError) as refused:
            load_config(path, HOME)
        return refused.value

    return refuse_text


def test_the_rest_of_a_refused_configuration_can_be_judged(refuse, tmp_path):
    text = """
        [rpc]
        port = "x"
        prot = 1
        [scp]
        flows = ["tsvc.toml"]
        listen = ["m3ua+tcp://127.0.0.1:2905"]
        [application.A]
        module = "pii"
        [application.B]
        host = "h"
        [application.C]
        module = "pi"
        password_file = "none"
        """
    config = refuse(text).readable
    assert config.rpc == Config().rpc, "wrong keys have their defaults"
    assert (config.scp.flows, len(config.scp.listen)) == ((tmp_path / "tsvc.toml",), 1)
    assert [*config.applications] == ["A"], "B and C are refused already"
    exposed = refuse('[application.D]\nmodule = "pi"\npassword = "p"', 0o644).readable
    assert [*exposed.applications] == ["D"], "all of it was read"


def test_flows_that_are_missing_leave_the_others_to_be_judged(refuse, tmp_path):
    listen = 'listen = ["m3ua+tcp://127.0.0.1:2905"]'
    scp = refuse(f'[scp]\nflows = ["none.json", "tsvc.toml"]\n{listen}').readable.scp
    assert (scp.flows, scp.listen) == ((tmp_path / "tsvc.toml",), ())
    scp = refuse(f"[scp]\nflows = 5\n{listen}").readable.scp
    assert (scp.flows, scp.listen) == ((), ())


def test_a_file_that_is_not_read_leaves_nothing_to_judge(refuse):
    """The unread file may contain the very settings that the other files lack."""
    files = {"conf.d/a.toml": "[rpc"}
    text = '[tester]\ndefault_pi = "P"\n[rpc.tls]\nkey_file = "tsvc.toml"'
    error = refuse(text, files=files)
    (problem,) = error.problems
    assert "TOML syntax" in problem.text
    assert error.readable is None


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('[rpc.tls]\ncert_file = 5\nkey_file = "tsvc.toml"', ["rpc.tls.cert_file"]),
        ('[tester]\ndefault_pi = "P"\n[application.P]\nx = 1', ['application."P".module']),
        (
            '[scp]\nflows = ["one", "two"]\nno_answer_seconds = "x"',
            ["scp.no_answer_seconds", "scp.flows", "scp.flows"],
        ),
    ],
)
def test_what_follows_from_a_problem_is_no_other(refuse, text, keys):
    assert [problem.key for problem in refuse(text).problems] == keys
