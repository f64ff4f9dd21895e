"""[cluster] of daemons on several machines: keys, and which settings fit together."""

from pathlib import Path

import pytest

from tsvc.config.load import ConfigError, load_config
from tsvc.config.tables import Config

KEY = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"  # the example in ZeroMQ's manual
OTHER = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"


@pytest.fixture
def load(tmp_path: Path):
    """A function that loads [cluster] beside key files: `good`, `open`, `torn`, `binary`."""
    for name, octets in {
        "good": f"{OTHER}\n".encode(),
        "open": OTHER.encode(),
        "torn": OTHER[:-1].encode(),
        "binary": bytes(range(128, 168)),
    }.items():
        (tmp_path / name).write_bytes(octets)
        (tmp_path / name).chmod(0o644 if name == "open" else 0o600)

    def load_table(text: str, **environ: str) -> Config:
        (tmp_path / "tsvc.toml").write_text(f"[cluster]\n{text}\n")
        return load_config(tmp_path / "tsvc.toml", {"HOME": str(tmp_path), **environ})

    return load_table


def test_a_coordinator(load, tmp_path: Path) -> None:
    text = f'listen = "*:5557"\nkey_file = "good"\nallow = ["{KEY}", "{OTHER}"]'
    cluster = load(text).cluster
    assert (cluster.listen, cluster.allow) == ("*:5557", (KEY, OTHER))
    assert cluster.key_file == tmp_path / "good"
    assert load(text, TSVC_CLUSTER_ALLOW=KEY).cluster.allow == (KEY,)


def test_an_agent(load) -> None:
    text = f'workers = 2\ncoordinator = "c:5557"\ncoordinator_key = "{KEY}"\nkey_file = "good"'
    cluster = load(text + '\nmachine = "rack-1.m_2"').cluster
    assert (cluster.coordinator, cluster.coordinator_key) == ("c:5557", KEY)
    assert cluster.machine == "rack-1.m_2"


AGENT = f'coordinator = "c:1"\ncoordinator_key = "{KEY}"\nworkers = 1\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('listen = "*:1"', "cluster.key_file: is missing: cluster.listen needs it"),
        (AGENT, "cluster.key_file: is missing: cluster.coordinator needs it"),
        (AGENT + 'key_file = "none"', "none: No such file or directory"),
        (AGENT + 'key_file = "open"', "open: everyone can read it"),
        (AGENT + 'key_file = "torn"', "torn: what is in it is no key: those are 40"),
        (AGENT + 'key_file = "binary"', "binary: what is in it is no key"),
        (
            AGENT + 'key_file = "good"\nlisten = "*:2"',
            "cluster.coordinator: cluster.listen is set too: choose one",
        ),
        (
            'coordinator = "c:1"\nworkers = 1\nkey_file = "good"',
            "cluster.coordinator_key: is missing: cluster.coordinator needs it",
        ),
        (
            f'coordinator = "c:1"\ncoordinator_key = "{KEY}"\nkey_file = "good"',
            "cluster.workers: is 0: an agent is there for its workers",
        ),
        (f'coordinator_key = "{KEY[:-1]}"', "it must be a public key, as `tsvc cluster key`"),
        (f'coordinator_key = "{"#" * 40}"', "it must be a public key, as `tsvc cluster key`"),
        (f'allow = ["{KEY}", ""]', "it must be a list of public keys"),
        ('listen = "5557"', "it must be HOST:PORT, or empty"),
        ('machine = "a/b"', "it must be 1 to 40 of A-Z a-z 0-9 . _ -, or empty"),
        (f'machine = "{"m" * 41}"', "it must be 1 to 40"),
        ("max_clock_error_ms = 0", "cluster.max_clock_error_ms: 0 is not allowed"),
    ],
)
def test_what_is_refused(load, text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(text)
    (found,) = refused.value.problems
    assert problem in str(found)
    assert OTHER not in str(found), "a secret"
