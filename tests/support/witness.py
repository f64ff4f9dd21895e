"""An HTTP server to which instances report that they run.

As a process it prints its port, then the path of each request.
"""

import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# More members of a REST gateway that reports to a witness: no request times out.
PATIENT_HTTP = """
backlog_timeout_s = 600
connect_timeout_s = 600
server_timeout_s = 600
"""


class Witness(ThreadingHTTPServer):
    """Counts requests by path, in `seen`; `when`: monotonic seconds of the first request of a
    path."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *, host: str = "127.0.0.1", is_printing: bool = False) -> None:
        seen = self.seen = Counter[str]()
        when = self.when = dict[str, float]()
        told = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                with told:  # each request has a thread: neither counts nor lines may mix
                    seen[self.path] += 1
                    when.setdefault(self.path, time.monotonic())
                    if is_printing:
                        print(self.path, flush=True)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        super().__init__((host, 0), Handler)


if __name__ == "__main__":
    with Witness(is_printing=True) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()
