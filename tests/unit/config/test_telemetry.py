"""[telemetry]: where traces are sent, and which settings that needs."""

from pathlib import Path

import pytest

from tsvc.config import load
from tsvc.config.load import ConfigError, load_config, to_dict


def written(folder: Path, text: str) -> Path:
    path = folder / "tsvc.toml"
    path.write_text(f"[telemetry]\n{text}\n")
    path.chmod(0o600)
    return path


def test_it_is_off_unless_a_receiver_is_named(tmp_path: Path) -> None:
    assert load_config(written(tmp_path, ""), {}).telemetry.traces == ""


def test_the_token_is_shown_to_nobody(tmp_path: Path) -> None:
    text = 'traces = "https://c.example:4318/v1/traces"\ntoken = "of-ours"'
    config = load_config(written(tmp_path, text), {})
    assert config.telemetry.token == "of-ours"
    assert "of-ours" not in str(to_dict(config))


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:4318",
        "grpc://c:4317",
        "http://",
        "http://c:x/v1",
        "http://c:0/v1",
        "http://me:secret@c/v1",
        "http://c/a b",
        "http://c/#x",
        "http://c/é",
    ],
)
def test_what_is_no_receiver_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match=r"telemetry\.traces: .* must be http://HOST"):
        load_config(written(tmp_path, f'traces = "{url}"'), {})


def test_a_missing_file_of_authorities_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"telemetry\.ca_file: .*none\.pem is not a file"):
        load_config(written(tmp_path, 'ca_file = "none.pem"'), {})


@pytest.mark.parametrize("is_parent_there", [True, False])
def test_without_the_package_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_parent_there: bool
) -> None:
    def find_nothing(name: str) -> None:
        if not is_parent_there:
            raise ModuleNotFoundError(name)

    monkeypatch.setattr(load, "find_spec", find_nothing)
    url = 'traces = "http://127.0.0.1:4318/v1/traces"'
    with pytest.raises(ConfigError, match=r"telemetry\.traces: needs opentelemetry-proto: .* pip"):
        load_config(written(tmp_path, url), {})
    load_config(written(tmp_path, ""), {})
