"""[cluster.pools]: a value for each process, put into the texts of its gateways."""

from pathlib import Path

import pytest

from tsvc.config.load import ConfigError, load_config
from tsvc.config.pools import names_in, of_process, values, worker_count
from tsvc.config.tables import Config

TEXT = """
[cluster]
workers = 2
[cluster.pools]
{pools}
[application."SIG"]
module = "sigtran"
opc = "{{opc}}"
[[application."SIG".connections]]
name = "to {{host}}"
type = "m3ua"
remote_host = "127.0.0.1"
[application."PI"]
module = "pi"
remote_host = "{{nobody}}"
"""


def configured(folder: Path, pools: str) -> Config:
    file = folder / "tsvc.toml"
    file.write_text(TEXT.format(pools=pools))
    return load_config(file, {})


def test_what_a_text_lists() -> None:
    assert values("1001-1003") == ["1001", "1002", "1003"]
    assert values("a, b ,c") == ["a", "b", "c"]
    assert values("098-101, x") == ["098", "099", "100", "101", "x"]


@pytest.mark.parametrize(
    ("text", "why"),
    [("a,,b", "empty value"), ("5-1", "no range"), ("1-99999", "no range"), ("1-3, 2", "twice")],
)
def test_what_is_no_list(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        values(text)


def test_each_process_has_its_own(tmp_path: Path) -> None:
    config = configured(tmp_path, 'opc = "11-13"\nhost = "a, b, c"')
    made = [of_process(config, index).applications["SIG"].members for index in range(3)]
    assert [one["opc"] for one in made] == [11, 12, 13]
    assert [one["connections"][0]["name"] for one in made] == ["to a", "to b", "to c"]
    assert of_process(config, 1).applications["PI"] is config.applications["PI"]
    assert names_in(config.applications["SIG"].members, config.cluster.pools) == {"opc", "host"}
    assert names_in(config.applications["PI"].members, config.cluster.pools) == set()


@pytest.mark.parametrize(
    ("pools", "text"),
    [
        ('opc = "11-12"', "cluster.pools.opc: has 2 values for 3 processes"),
        ('opc = "1,1,2"', "cluster.pools.opc: has a value twice"),
    ],
)
def test_a_wrong_pool_is_told_by_its_name(tmp_path: Path, pools: str, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        configured(tmp_path, pools)
    assert text in str(caught.value).replace(f"{tmp_path / 'tsvc.toml'}: ", "")


def test_how_many_workers() -> None:
    assert worker_count(0) == 0
    assert worker_count(7) == 7
    assert worker_count(-1) >= 1


def test_a_lease_is_shorter_than_what_a_loss_takes(tmp_path: Path) -> None:
    file = tmp_path / "tsvc.toml"
    file.write_text("[cluster]\nlease_s = 3\nlost_after_s = 3\n")
    with pytest.raises(ConfigError, match="must be below"):
        load_config(file, {})
