"""TLS of the interface, with certificates made by openssl: who is accepted and who is refused."""

import json
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, require_peer, running

from tsvc.client import Client, Unreachable
from tsvc.config.load import ConfigError, load_config

pytestmark = pytest.mark.e2e

BODY = b'{"jsonrpc":"2.0","method":"DescribeService","id":1}'
REQUEST = len(BODY).to_bytes(4, "big") + BODY
EXTENSIONS = "subjectAltName = DNS:tsvc.example\n"


class Authority:
    """A certificate authority made by openssl."""

    def __init__(self, folder: Path, name: str) -> None:
        self.openssl = require_peer(shutil.which("openssl"), "apt-get install openssl")
        self.folder = folder
        self.name = name
        self.file = folder / f"{name}.pem"
        self.run(
            f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30"
            f" -subj /CN={name} -keyout {name}.key -out {name}.pem"
        )

    def run(self, arguments: str) -> None:
        command = [self.openssl, *arguments.split()]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)

    def issue(self, name: str, days: int = 30) -> Path:
        """Return a file with a certificate and its key; negative days: it has already expired."""
        (self.folder / "ext").write_text(EXTENSIONS)
        self.run(
            f"req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name}"
            f" -keyout {name}.key -out {name}.csr"
        )
        self.run(
            f"x509 -req -in {name}.csr -CA {self.name}.pem -CAkey {self.name}.key"
            f" -CAcreateserial -days {days} -extfile ext -out {name}.crt"
        )
        file = self.folder / f"{name}.both.pem"
        parts = [(self.folder / f"{name}.{end}").read_text() for end in ("crt", "key")]
        file.write_text("".join(parts))
        file.chmod(0o600)
        return file


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ca"), "ours")


@pytest.fixture(scope="module")
def daemon(
    authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DaemonProcess]:
    local = (
        f'[rpc.tls]\ncert_file = "{authority.issue("server")}"\n'
        f'client_ca_file = "{authority.file}"\n'
    )
    with running(tmp_path_factory.mktemp("tls"), local, answers=False) as one:
        yield one


def call(daemon: DaemonProcess, ca: Path, client: Path | None) -> dict[str, object]:
    """Return the response, or raise the error that a client gets."""
    context = ssl.create_default_context(cafile=ca)
    if client is not None:
        context.load_cert_chain(client)
    plain = daemon.connect()
    with context.wrap_socket(plain, server_hostname="tsvc.example") as sock:
        sock.sendall(REQUEST)
        octets = b""
        while portion := sock.recv(65536):
            octets += portion
    if not octets:
        raise ConnectionError("closed without an answer")
    response = json.loads(octets[4:])
    assert isinstance(response, dict)
    return response


def test_our_own_client_is_served(daemon: DaemonProcess, authority: Authority) -> None:
    response = call(daemon, authority.file, authority.issue("client"))
    assert response["result"]


def test_no_certificate(daemon: DaemonProcess, authority: Authority) -> None:
    with pytest.raises((ssl.SSLError, ConnectionError)):
        call(daemon, authority.file, None)


def test_an_expired_certificate(daemon: DaemonProcess, authority: Authority) -> None:
    with pytest.raises((ssl.SSLError, ConnectionError)):
        call(daemon, authority.file, authority.issue("old", days=-1))


def test_a_certificate_of_another_authority(
    daemon: DaemonProcess, authority: Authority, tmp_path: Path
) -> None:
    wrong = Authority(tmp_path, "theirs").issue("client")
    with pytest.raises((ssl.SSLError, ConnectionError)):
        call(daemon, authority.file, wrong)
    signed_by_itself = Authority(tmp_path, "self")
    both = tmp_path / "self.both.pem"
    both.write_text(signed_by_itself.file.read_text() + (tmp_path / "self.key").read_text())
    with pytest.raises((ssl.SSLError, ConnectionError)):
        call(daemon, authority.file, both)


def test_a_client_that_speaks_no_tls(daemon: DaemonProcess) -> None:
    with daemon.connect() as sock:
        sock.sendall(REQUEST)
        answer = b""
        try:
            while portion := sock.recv(65536):
                answer += portion
        except ConnectionResetError:
            pass
    assert b"jsonrpc" not in answer


def test_our_client_without_tls_is_told_what_may_be_missing(daemon: DaemonProcess) -> None:
    with pytest.raises(Unreachable, match="does the port want TLS"):
        Client("127.0.0.1", daemon.port).describe_service()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_old_versions(
    daemon: DaemonProcess, authority: Authority, version: ssl.TLSVersion
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.load_verify_locations(authority.file)
    context.load_cert_chain(authority.issue("client"))
    with pytest.warns(DeprecationWarning, match="deprecated"):
        context.minimum_version = context.maximum_version = version
    with daemon.connect() as plain, pytest.raises((ssl.SSLError, ConnectionError)):
        context.wrap_socket(plain, server_hostname="tsvc.example")


def test_everybody_else_is_still_served(daemon: DaemonProcess, authority: Authority) -> None:
    """It comes last: the earlier clients have left nothing behind."""
    response = call(daemon, authority.file, authority.issue("client"))
    result = response["result"]
    assert isinstance(result, dict)
    assert result["state"] == "up"


def test_a_renewed_certificate_needs_no_restart(authority: Authority, tmp_path: Path) -> None:
    server = tmp_path / "server.pem"
    shutil.copy(authority.issue("first"), server)
    client = authority.issue("client")
    with running(tmp_path, f'[rpc.tls]\ncert_file = "{server}"\n', answers=False) as daemon:
        other = Authority(tmp_path, "next")
        assert call(daemon, authority.file, client)["result"]
        shutil.copy(other.issue("second"), server)
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration reloaded")
        assert call(daemon, other.file, client)["result"]
        server.write_text("no certificate\n")
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration not reloaded")
        assert call(daemon, other.file, client)["result"]


def test_the_allow_list_comes_before_the_handshake(authority: Authority, tmp_path: Path) -> None:
    local = (
        f'[rpc]\nallow = ["192.0.2.0/24"]\n[rpc.tls]\ncert_file = "{authority.issue("server")}"\n'
    )
    with running(tmp_path, local, answers=False) as daemon:
        with daemon.connect() as sock:  # sends nothing, and is closed
            sock.settimeout(HANG_GUARD_S)
            assert sock.recv(100) == b""
        daemon.wait_for("connection denied by rpc.allow")


def test_a_check_finds_a_key_that_does_not_fit(authority: Authority, tmp_path: Path) -> None:
    for name in ("one", "two"):
        authority.issue(name)
    folder = authority.folder
    encrypted = tmp_path / "encrypted.key"
    authority.run(f"ec -in one.key -aes256 -passout pass:secret -out {encrypted}")
    encrypted.chmod(0o600)
    (tmp_path / "alone.pem").write_text((folder / "one.crt").read_text())
    config = tmp_path / "tsvc.toml"
    for given, text in {
        f'cert_file = "{folder}/one.crt"\nkey_file = "{folder}/one.key"': "",
        f'cert_file = "{folder}/one.both.pem"': "",
        f'cert_file = "{folder}/one.crt"\nkey_file = "{folder}/two.key"': "KEY_VALUES_MISMATCH",
        f'cert_file = "{tmp_path}/alone.pem"': "alone.pem: has no private key",
        f'cert_file = "{folder}/one.crt"\nkey_file = "{encrypted}"': "encrypted.key",
    }.items():
        config.write_text(f"[rpc.tls]\n{given}\n")
        done = subprocess.run(
            [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", config, "--check"],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=HANG_GUARD_S,
            cwd=ROOT,
        )
        assert bool(text) == (done.returncode != 0), (given, done.stderr)
        assert text in done.stderr
    (folder / "one.both.pem").chmod(0o644)
    config.write_text(f'[rpc.tls]\ncert_file = "{folder}/one.both.pem"\n')
    with pytest.raises(ConfigError, match="everyone can read it"):
        load_config(config, {})


def test_unusable_files_are_an_exit_status(tmp_path: Path) -> None:
    (tmp_path / "server.pem").write_text("no certificate\n")
    with (
        pytest.raises(AssertionError) as refused,
        running(tmp_path, f'[rpc.tls]\ncert_file = "{tmp_path}/server.pem"\n', answers=False),
    ):
        pass
    assert "tsvcd: " in str(refused.value)
    assert "Traceback" not in str(refused.value)
