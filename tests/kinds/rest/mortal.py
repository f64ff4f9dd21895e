"""rest: nginx that can be killed and come back on its port."""

import socket
from typing import ClassVar

from support.mortal import NEVER_S, Mortal, Operations
from support.nginx import running_nginx


class Peer(Mortal):
    """nginx; requests that it hands on to a server without accept() get no answer."""

    reason = r"PEER: GET /silent: connection lost: "
    quick: ClassVar[Operations] = [
        {
            "type": "rest.Request",
            "arguments": {"path": "/quick", "method": "GET"},
            "tests": [{"kpath": "rest.code", "type": "integer", "value": 200}],
        }
    ]
    wait: ClassVar[Operations] = [
        {"type": "rest.Request", "arguments": {"path": "/silent", "method": "GET"}}
    ]

    def prepare(self) -> None:
        deaf = self.life.enter_context(socket.create_server(("127.0.0.1", 0)))
        locations = f"""
            location = /quick {{ return 200 '{{}}'; }}
            location = /silent {{
              proxy_pass http://127.0.0.1:{deaf.getsockname()[1]};
              proxy_read_timeout {NEVER_S};
            }}
        """
        self.nginx = self.life.enter_context(running_nginx(self.folder / "nginx", locations))
        self.port = self.nginx.http
        self.nginx.kill()

    @property
    def table(self) -> str:
        return (
            f'module = "rest"\nbase_uri = "http://127.0.0.1:{self.port}"\n'
            "reconnect_interval_s = 0.2\nserver_timeout_s = 60\n"
        )

    def start(self, *, is_silent: bool) -> None:
        self.nginx.start()

    def kill(self) -> None:
        self.nginx.kill()
