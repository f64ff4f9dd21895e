"""nginx as the server under test: plain HTTP, TLS, TLS with client certificates."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support.daemons import HANG_GUARD_S, require_peer
from support.ports import free_port, listens
from support.waiting import until

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
OPENSSL = shutil.which("openssl")

_CONFIG = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000;
  default_type application/json;
  server {{
    listen 127.0.0.1:{http};
    listen 127.0.0.1:{tls} ssl;
    ssl_certificate {folder}/server.crt;
    ssl_certificate_key {folder}/server.key;
    {locations}
  }}
  server {{
    listen 127.0.0.1:{mutual} ssl;
    ssl_certificate {folder}/server.crt;
    ssl_certificate_key {folder}/server.key;
    ssl_client_certificate {folder}/ca.crt;
    ssl_verify_client on;
    {locations}
  }}
}}
"""
_LOCATIONS = """
    location = /api/balance { return 200 '{"balance": 1450, "method": "$request_method"}'; }
    location = /api/echo {
      add_header X-Authorization $http_authorization;
      add_header X-Query $args;
      add_header X-Given $http_x_given;
      add_header X-Content-Type $content_type;
      add_header X-Client $ssl_client_s_dn;
      return 200 '{}';
    }
    location = /api/broken { return 500 '{"error": "broken"}'; }
    location = /api/text { default_type "text/plain; charset=iso-8859-1"; return 200 "gr\xfcn"; }
    location = /api/moved { return 302 /api/balance; }
    location = /api/closing { keepalive_timeout 0; return 200 '{}'; }
    location = /api/nothing { return 204; }
"""


@dataclass
class Nginx:
    """An nginx: ports for plain HTTP, TLS, and TLS with client certificates; files in folder."""

    folder: Path
    http: int
    tls: int
    mutual: int
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def ca(self) -> str:
        return str(self.folder / "ca.crt")

    @property
    def certificate(self) -> dict[str, str]:
        """The members of an application that has a certificate of this CA."""
        return {
            "ssl_cert_file": str(self.folder / "client.crt"),
            "ssl_key_file": str(self.folder / "client.key"),
        }

    def start(self) -> None:
        assert NGINX is not None
        self.process = subprocess.Popen(
            [NGINX, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(self._listens, what=self._words)

    def _listens(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self._words()
        return all(map(listens, (self.http, self.tls, self.mutual)))

    def _words(self) -> str:
        log = self.folder / "error.log"
        return log.read_text() if log.exists() else "nginx says nothing"

    def kill(self) -> None:
        """Kill nginx, as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(HANG_GUARD_S)
            self.process = None


def _openssl(folder: Path, *arguments: str) -> None:
    assert OPENSSL is not None
    subprocess.run([OPENSSL, *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder: Path) -> None:
    """Make ca, server (for localhost and 127.0.0.1) and client, each as NAME.crt and NAME.key."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    ca = ("-subj", "/CN=CA of a test", "-keyout", "ca.key", "-out", "ca.crt")
    _openssl(folder, "req", "-x509", *key, "-days", "30", *ca)
    for name, extension in (
        ("server", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
        ("client", "extendedKeyUsage=clientAuth"),
    ):
        made = ("-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN=tsvc {name}")
        _openssl(folder, "req", *key, *made)
        (folder / "extensions").write_text(extension)
        issued = ("-in", f"{name}.csr", "-out", f"{name}.crt", "-extfile", "extensions")
        signer = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30")
        _openssl(folder, "x509", "-req", *issued, *signer)


@contextlib.contextmanager
def running_nginx(folder: Path, locations: str = _LOCATIONS) -> Iterator[Nginx]:
    """Run nginx while a block runs; skip without nginx (fail in CI)."""
    require_peer(NGINX, "apt-get install nginx-light")
    require_peer(OPENSSL, "apt-get install openssl")
    folder.mkdir(parents=True, exist_ok=True)
    make_certificates(folder)
    nginx = Nginx(folder, free_port(), free_port(), free_port())
    text = _CONFIG.format(
        folder=folder, http=nginx.http, tls=nginx.tls, mutual=nginx.mutual, locations=locations
    )
    (folder / "nginx.conf").write_bytes(text.encode("latin-1"))
    try:
        nginx.start()
        yield nginx
    finally:
        nginx.kill()
