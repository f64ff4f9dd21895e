import operator
import re
import shutil
import tomllib
from pathlib import Path

import pytest

import tsvc
from tsvc.config.load import (
    ConfigError,
    default_state_dir,
    describe,
    load_config,
    to_dict,
    toml_text,
)
from tsvc.config.sources import inner_tables, keys_of
from tsvc.config.tables import TABLES, Config
from tsvc.schema.table import frozen

HOME = {"HOME": "/home/someone"}
SHIPPED = Path(tsvc.__file__).parent.parent / "etc/tsvc.toml"


@pytest.fixture
def load(tmp_path):
    """A function that loads a text as tsvc.toml, with other files and variables."""

    def load_text(text="", mode=0o600, files=None, files_mode=0o640, **environ):
        path = tmp_path / "tsvc.toml"
        path.write_text(text)
        path.chmod(mode)
        for name, content in (files or {}).items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(content)
            (tmp_path / name).chmod(files_mode)
        return load_config(path, {**HOME, **environ})

    return load_text


def problems_of(load, *args, **kwargs):
    with pytest.raises(ConfigError) as refused:
        load(*args, **kwargs)
    assert str(refused.value) == "\n".join(map(str, refused.value.problems))
    return refused.value.problems


def test_everything_has_a_default(load):
    config = load()
    assert config.rpc == Config().rpc
    assert (config.rpc.host, config.rpc.port) == ("127.0.0.1", 9009)
    assert config.engine.max_backlog == 100_000
    assert config.scp.srf.first_digit_timeout_s == 10
    assert dict(config.applications) == {}


def test_values_of_all_kinds(load, tmp_path):
    config = load(
        """
        [service]
        state_dir = "state"
        [rpc]
        port = 9010
        request_timeout_s = 5
        id_as_string = 1
        allow = ["10.0.0.0/8", "::1"]
        [scp]
        no_match = "reprompt"
        listen = ["m3ua+tcp://127.0.0.1:2905", "sua+sctp://[::1]:14001"]
        [scp.announcements.tones]
        busy = 7
        [scp.srf]
        end_digit = ""
        """
    )
    assert config.service.state_dir == tmp_path / "state"
    assert config.rpc.port == 9010
    assert (config.rpc.request_timeout_s, config.rpc.id_as_string) == (5.0, True)
    assert config.rpc.allow == ("10.0.0.0/8", "::1/128")
    assert config.scp.no_match == "reprompt"
    assert config.scp.announcements["tones"]["busy"] == 7
    assert config.scp.srf.end_digit == ""


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ("[rpc]\nport = 70000", "rpc.port", "70000 is not allowed, it must be an integer from 0"),
        ('[rpc]\nport = "9009"', "rpc.port", '"9009" is not allowed, it must be an integer'),
        ("[rpc]\nport = true", "rpc.port", "true is not allowed, it must be an integer"),
        ("[rpc]\nport = 9009.0", "rpc.port", "9009 is not allowed"),
        ("[rpc]\nrequest_timeout_s = nan", "rpc.request_timeout_s", "nan is not allowed"),
        ('[rpc]\nhost = ""', "rpc.host", "a string that is not empty"),
        ('[rpc]\nid_as_string = "yes"', "rpc.id_as_string", "must be true or false"),
        ('[rpc]\nunknown_params = "ignore"', "rpc.unknown_params", "one of refuse, warn"),
        ('[rpc]\nallow = ["10.0.0.1/8"]', "rpc.allow", "no host bits set"),
        ('[rpc]\nallow = "10.0.0.0/8"', "rpc.allow", "a list of networks"),
        ("[rpc]\nallow = [1]", "rpc.allow", "a list of networks"),
        ("[rpc]\nprot = 1", "rpc.prot", 'unknown key; did you mean "port"?'),
        ("[engin]\nx = 1", "engin", 'unknown table; did you mean "engine"?'),
        ("rpc = 1", "rpc", "must be a table"),
        ("[rpc]\ntls = 1", "rpc.tls", "must be a table"),
        ('[rpc.tls]\nkey_file = "tsvc.toml"', "rpc.tls.cert_file", "is missing"),
        ('[rpc.tls]\ncert_file = "k"', "rpc.tls.cert_file", "is not a file"),
        ("[rpc.tls]\ncert = 1", "rpc.tls.cert", 'did you mean "cert_file"?'),
        ("[scp.srf]\nend_digit = 5", "scp.srf.end_digit", "one of 0-9 A-F * #"),
        ('[scp.srf]\nend_digit = "12"', "scp.srf.end_digit", "one of 0-9 A-F * #"),
        ("[scp.srf]\nrouting_address = 64", "scp.srf.routing_address", "a string of digits"),
        ('[scp.srf]\nscf_id = "abc"', "scp.srf.scf_id", "octets in hex"),
        ('[scp]\nflows = ["none.json"]', "scp.flows", "none.json is not a file"),
        ("[scp]\nno_answer_seconds = 301", "scp.no_answer_seconds", "is above"),
        ('[scp]\nlisten = ["tcp://h:1"]', "scp.listen", "SCHEME one of m3ua+sctp"),
        ('[scp]\nlisten = ["m3ua+tcp://h"]', "scp.listen", "SCHEME://HOST:PORT"),
        ('[scp]\nlisten = ["m3ua+tcp://h:x"]', "scp.listen", "SCHEME://HOST:PORT"),
        ("[scp.announcements]\na = 1", "scp.announcements", "tables of integers"),
        ('[scp.announcements.a]\nb = "1"', "scp.announcements", "tables of integers"),
        ('[http]\nlisten = "9100"', "http.listen", "HOST:PORT"),
        ('[log]\nlevel = "loud"', "log.level", "one of debug, info, warning, error"),
        ('[tester]\ndefault_pi = "P"', "tester.default_pi", 'no application is named "P"'),
        ("[tester]\ndefault_db_hlr = 1", "tester.default_db_hlr", "must be a string"),
        ("[tester]\ndefault_pi_x = 1", "tester.default_pi_x", 'did you mean "default_pi"?'),
        ('[application."A"]\nx = 1', 'application."A".module', "is missing"),
        ('[application."A"]\nmodule = 1', 'application."A".module', "must be a string"),
        ("[application]\nA = 1", 'application."A"', "must be a table"),
        ("[rpc\nport = 1", "", "TOML syntax"),
        ("[rpc]\nport = 1\nport = 2", "", "TOML syntax"),
    ],
)
def test_refused(load, tmp_path, text, key, message):
    (problem,) = problems_of(load, text)
    assert problem.source == str(tmp_path / "tsvc.toml") or problem.key == "rpc.tls.cert_file"
    assert problem.key == key
    assert message in problem.text


def test_all_problems_at_once(load):
    text = "[rpc]\nport = -1\nprot = 1\n[engine]\nmax_steps = 0\n[what]\n"
    keys = [problem.key for problem in problems_of(load, text)]
    assert sorted(keys) == ["engine.max_steps", "rpc.port", "rpc.prot", "what"]


def test_parts_are_read_in_name_order_and_a_key_stands_once(load, tmp_path):
    files = {
        "conf.d/10-a.toml": '[application."A"]\nmodule = "pi"\n[rpc]\nport = 1',
        "conf.d/20-b.toml": '[application."B"]\nmodule = "pi"\n[rpc]\nport = 2',
        "conf.d/notes.txt": "not read",
    }
    (problem,) = problems_of(load, "", files=files)
    assert problem.source == str(tmp_path / "conf.d/20-b.toml")
    assert problem.key == "rpc.port"
    assert problem.text == f"is set in {tmp_path / 'conf.d/10-a.toml'} already"
    files["conf.d/20-b.toml"] = '[application."B"]\nmodule = "pi"\n[application."A"]\nport = 1'
    config = load("", files=files)
    assert sorted(config.applications) == ["A", "B"]
    assert config.applications["A"].members == {"port": 1}


def test_environment_wins(load):
    config = load(
        "[rpc]\nport = 1",
        TSVC_RPC_PORT="2",
        TSVC_RPC_ALLOW="10.0.0.0/8, 192.0.2.1",
        TSVC_RPC_ID_AS_STRING="1",
        TSVC_SCP_SRF_USE_ETC="true",
        TSVC_ENGINE_LATE_MS="2.5",
        TSVC_SERVICE_STATE_DIR="/s",
        TSVC_LOG_LEVEL="debug",
    )
    assert config.rpc.port == 2
    assert config.rpc.allow == ("10.0.0.0/8", "192.0.2.1/32")
    assert config.rpc.id_as_string
    assert config.scp.srf.use_etc
    assert config.engine.late_ms == 2.5
    assert config.service.state_dir == Path("/s")
    assert config.log.level == "debug"


def test_names_of_no_table_are_left_alone(load):
    assert (
        load(TSVC_PORT="x", TSVC_HOST="h", TSVC_VECTORS="v", TSVC_RPC="x", RPC_PORT="7") == load()
    )


@pytest.mark.parametrize(
    ("variable", "value", "key", "message"),
    [
        ("TSVC_RPC_PORT", "x", "rpc.port", '"x" is not allowed, it must be an integer'),
        ("TSVC_RPC_PORT", "", "rpc.port", "must be an integer"),
        ("TSVC_RPC_PROT", "1", "TSVC_RPC_PROT", 'did you mean "TSVC_RPC_PORT"?'),
        ("TSVC_RPC_ID_AS_STRING", "maybe", "rpc.id_as_string", "true or false"),
        ("TSVC_APPLICATION_X_PORT", "1", "TSVC_APPLICATION_X_PORT", "no such application"),
    ],
)
def test_environment_refused(load, variable, value, key, message):
    (problem,) = problems_of(load, **{variable: value})
    assert (problem.source, problem.key) == ("environment", key)
    assert message in problem.text


def test_labels(load):
    config = load(
        '[tester]\ndefault_db_hlr = "D"\n[application."D"]\nmodule = "db"',
        TSVC_TESTER_DEFAULT_REST_BSS="D",
    )
    given = {name: value for name, value in config.tester.defaults.items() if value}
    assert given == {"db_hlr": "D", "rest_bss": "D"}


APPLICATION = '[application."PI-1"]\nmodule = "pi"\n'


def test_secrets_from_files_and_environment(load):
    text = f'[rpc]\nauth_tokens_file = "tokens"\n{APPLICATION}password_file = "pw"'
    files = {"tokens": "token-of-gui\n\n token-of-ci \n", "pw": "s,ecret\n"}
    config = load(text, 0o644, files=files)
    assert config.rpc.auth_tokens == ("token-of-gui", "token-of-ci")
    assert config.applications["PI-1"].members == {"password": "s,ecret"}
    config = load(text, 0o644, files=files, TSVC_APPLICATION_PI_1_PASSWORD="other")
    assert config.applications["PI-1"].members == {"password": "other"}
    config = load(text, 0o644, files=files, TSVC_RPC_AUTH_TOKENS="from-the-environment")
    assert config.rpc.auth_tokens == ("from-the-environment",)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[rpc]\nauth_tokens = ["long-token"]', "rpc.auth_tokens"),
        ('[results]\nurl = "postgresql://u:pw@h/d"', "results.url"),
        (f'{APPLICATION}password = "p"', 'application."PI-1".password'),
        (f'{APPLICATION}url = "http://u:pw@h/"', 'application."PI-1".url'),
        (f'{APPLICATION}hosts = [{{api_token = "p"}}]', 'application."PI-1".hosts'),
        (f'{APPLICATION}url = "postgresql://h/d?user=u&password=p"', 'application."PI-1".url'),
        (f'{APPLICATION}http_headers.X-Api-Key = "p"', 'application."PI-1".http_headers'),
        (f'{APPLICATION}http_headers.Authorization = "p"', 'application."PI-1".http_headers'),
    ],
)
def test_a_secret_that_everyone_can_read(load, text, key):
    (problem,) = problems_of(load, text, 0o644)
    assert problem.key == key
    assert "everyone can read" in problem.text
    load(text, 0o640)


@pytest.mark.parametrize(
    "text",
    [
        '[results]\nurl = "sqlite:///x.db"',
        f'{APPLICATION}password = ""',
        f'{APPLICATION}key_file = "k"\nuser = "u"',
        "[rpc]\nauth_tokens = []",
    ],
)
def test_what_is_no_secret_may_be_read(load, text):
    load(text, 0o644)


def test_a_secret_twice(load):
    text = f'{APPLICATION}password = "a"\npassword_file = "pw"'
    (problem,) = problems_of(load, text, files={"pw": "b"})
    assert problem.key == 'application."PI-1".password_file'


@pytest.mark.parametrize(
    ("text", "held", "problem"),
    [
        ('[rpc]\nauth_tokens_file = "x"', "", "is empty"),
        ('[rpc]\nauth_tokens_file = "x"', " \n\n", "is empty"),
        ('[rpc]\nauth_tokens_file = "x"', "# nobody yet\n", "is empty"),
        ('[rpc]\nauth_tokens_file = "x"', "a-secret,b-secret\n", "a comma in a line"),
        (f'{APPLICATION}password_file = "x"', "", "is empty"),
        (f'{APPLICATION}password_file = "x"', "a-secret\nb-secret\n", "has 2 lines"),
        ('[results]\nurl_file = "x"', "\n", "is empty"),
    ],
)
def test_a_secret_file_without_a_secret_is_refused(load, text, held, problem):
    """An empty file of tokens would let everybody in."""
    (found,) = problems_of(load, text, files={"x": held})
    assert found.key.endswith("_file")
    assert problem in str(found)
    assert "-secret" not in found.text, "it is part of no message"


def test_an_empty_variable_takes_an_optional_key_away(load):
    text = '[rpc]\nallow = ["10.0.0.0/8"]\n[rpc.tls]\ncert_file = "k"\nclient_ca_file = "c"\n'
    names = ("RPC_ALLOW", "RPC_TLS_CERT_FILE", "RPC_TLS_CLIENT_CA_FILE")
    rpc = load(text, **{f"TSVC_{name}": "" for name in names}).rpc
    assert (rpc.allow, rpc.tls.cert_file, rpc.tls.client_ca_file) == ((), None, None)


def test_comments_between_tokens(load):
    text = '[rpc]\nauth_tokens_file = "x"'
    config = load(text, files={"x": "# ann\nabcdefgh\n\n# bob\nijklmnop\n"})
    assert config.rpc.auth_tokens == ("abcdefgh", "ijklmnop")


def test_a_secret_file_that_is_not_there(load):
    (problem,) = problems_of(load, '[rpc]\nauth_tokens_file = "tokens"')
    assert problem.key == "rpc.auth_tokens_file"
    assert "No such file" in problem.text


def test_secrets_are_never_shown(load):
    (problem,) = problems_of(load, '[rpc]\nauth_tokens = ["hush"]')
    assert "hush" not in str(problem)
    text = (
        '[rpc]\nauth_tokens = ["hush-hush"]\n[results]\nurl = "postgresql://u:hush@h/d"\n'
        f'{APPLICATION}password = "hush"\nport = 3\n'
        '[application.R]\nmodule = "rest"\nbase_uri = "http://h:80/?a=1"\n'
        'http_headers = {Cookie = "hush", X-Auth-Token = "hush", Accept = "x"}\n'
    )
    shown = to_dict(load(text))
    assert "hush" not in str(shown)
    assert shown["application"]["PI-1"] == {"module": "pi", "password": "(hidden)", "port": 3}
    assert shown["application"]["R"]["base_uri"] == "http://h:80/?a=1"
    assert shown["application"]["R"]["http_headers"]["Accept"] == "x"
    assert shown["rpc"]["tls"]["cert_file"] is None


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml: No such file"):
        load_config(tmp_path / "none.toml", HOME)


@pytest.mark.parametrize("octets", [b"\xff", b'a = "\x00"'])
def test_a_file_that_is_no_toml(tmp_path, octets):
    (tmp_path / "tsvc.toml").write_bytes(octets)
    with pytest.raises(ConfigError, match=r"tsvc\.toml: (invalid UTF-8|TOML syntax)"):
        load_config(tmp_path / "tsvc.toml", HOME)


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"STATE_DIRECTORY": "/s/a:/s/b", "XDG_STATE_HOME": "/x"}, "/s/a"),
        ({"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/tsvc"),
    ],
)
def test_state_dir_of_the_environment(environ, folder):
    assert default_state_dir(environ) == Path(folder)


@pytest.mark.parametrize(
    ("user", "folder"), [(0, "/var/lib/tsvc"), (1000, "/home/someone/.local/state/tsvc")]
)
def test_state_dir_of_the_user(monkeypatch, user, folder):
    monkeypatch.setattr("os.geteuid", lambda: user)
    assert default_state_dir(HOME) == Path(folder)


def test_the_shipped_file_is_a_working_configuration(tmp_path):
    config = load_config(SHIPPED, HOME)
    assert config.applications["SIGTRAN"].module == "sigtran"
    assert config.applications["SIGTRAN"].members == {
        "connections": [{"name": "loopback", "type": "loopback"}]
    }
    names = [path.relative_to(SHIPPED.parent).as_posix() for path in config.scp.flows]
    served = ("extension_dialing", "prepaid", "ussd", "assist")
    assert names == [f"examples/flows/{name}.json" for name in served]


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o666])
@pytest.mark.parametrize(
    ("text", "name", "key"),
    [
        ('[rpc]\nauth_tokens_file = "x"', "x", "rpc.auth_tokens_file"),
        (f'{APPLICATION}password_file = "x"', "x", 'application."PI-1".password_file'),
        ('[results]\nurl_file = "x"', "x", "results.url_file"),
        (f'{APPLICATION}ssl_key_file = "x"', "x", 'application."PI-1".ssl_key_file'),
        ('[rpc.tls]\ncert_file = "x"\nkey_file = "x"', "x", "rpc.tls.key_file"),
    ],
)
def test_secret_files_that_everyone_can_read_are_refused(load, text, name, key, mode):
    (problem,) = problems_of(load, text, files={name: "a-secret-of-ours"}, files_mode=mode)
    assert problem.key == key
    assert "everyone can read it" in str(problem)
    assert "a-secret" not in str(problem)


def test_the_shipped_file_documents_every_key_with_its_default():
    """Each key is under its table as `key = value`, commented out or not."""
    shown: dict[tuple[str, str], str] = {}
    table = ""
    for line in SHIPPED.read_text().splitlines():
        if header := re.fullmatch(r"\[(.+)\]", line):
            table = header[1].replace('"SIGTRAN"', '"NAME"')
        elif key := re.fullmatch(r"(?:# )?(\w+) = (.+)", line):
            shown[table, key[1]] = key[2]
    for doc in describe():
        name = doc.key.replace("db_<label>", "db_hlr").replace("rest_<label>", "rest_bss")
        found = shown.get((doc.table, name))
        assert found is not None, f"{doc.table}.{doc.key} is not in {SHIPPED}"
        is_live = (doc.table, doc.key) == ("scp", "flows")
        if doc.default and not is_live:
            assert found == doc.default, f"default of {doc.table}.{doc.key}"
    documented = {(doc.table, doc.key) for doc in describe()}
    extra = {place for place in shown if place not in documented}
    assert extra == {
        ("tester", "default_db_hlr"),
        ("tester", "default_rest_bss"),
        ('application."NAME"', "connections"),
    }


def test_the_shipped_file_still_loads_with_every_example_taken_in(tmp_path):
    text = re.sub(r"^# (\w+ = )", r"\1", SHIPPED.read_text(), flags=re.MULTILINE)
    # These examples name files and instances, or are beside the key that they replace.
    absent = "(cert_|key_|client_ca_|ca_|auth_tokens_|token_|url_|)file|default_(db|rest)_\\w+"
    text = re.sub(rf"^({absent}) = .*\n", "", text, flags=re.MULTILINE)
    shutil.copytree(SHIPPED.parent / "examples", tmp_path / "examples")
    (tmp_path / "tsvc.toml").write_text(text)
    config, plain = load_config(tmp_path / "tsvc.toml", HOME), load_config(SHIPPED, HOME)
    for table in ("rpc", "results", "tester", "log", "http"):
        assert getattr(config, table) == getattr(plain, table)
    assert config.scp.srf == plain.scp.srf


# The effect of each setting is tested in tests/unit/scp, with this same object.
@pytest.mark.parametrize(
    ("key", "given", "wrong"),
    [
        ("max_dialogues", 7, 0),
        ("ring_margin_s", 2.5, -1),
        ("call_guard_s", 60.0, 0),
        ("connect_noa", 4, 128),
        ("connect_npi", 3, 8),
        ("srf.correlation_id_timeout_s", 30.0, 0),
    ],
)
def test_keys_of_the_scp_that_once_were_constants(key, given, wrong, tmp_path):
    path = tmp_path / "tsvc.toml"
    path.write_text(f"[scp]\n{key} = {given}")
    config = load_config(path, HOME)
    assert operator.attrgetter(key)(config.scp) == given
    path.write_text(f"[scp]\n{key} = {wrong}")
    with pytest.raises(ConfigError, match=f"scp.{key}: {wrong} is not allowed, it must be a"):
        load_config(path, HOME)


def test_every_default_obeys_its_own_rule():
    tables = [*TABLES.values()]
    for cls in tables:
        tables += inner_tables(cls).values()
        made = cls()
        for name, key in keys_of(cls).items():
            default = getattr(made, name)
            if default not in (None, Path()):
                plain = tomllib.loads(f"x = {toml_text(default)}")["x"]
                assert frozen(key.deserialize(plain)) == default, name


def test_defaults_keep_their_own_rules():
    for doc in describe():
        if doc.default:
            assert tomllib.loads(f"x = {doc.default}") is not None
        assert doc.help
        assert doc.type


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        ('a"\\', '"a\\"\\\\"'),
        ((1, "b"), '[1, "b"]'),
        (2.5, "2.5"),
        (None, ""),
        ({"a": 1}, "{a = 1}"),
    ],
)
def test_toml_text(value, text):
    assert toml_text(value) == text
