"""The client needs ujson and the standard library only, as ADR 0030 says."""

import subprocess
import sys

PROGRAM = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {"tsvc", "ujson", *sys.stdlib_module_names}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Nothing())
from tsvc.client import Client, TsvcError, Unreachable

try:
    Client("127.0.0.1", 1).describe_service()
except Unreachable as error:
    print("unreachable:", error)
"""


def test_the_client_imports_nothing_else() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path = {sys.path!r}\n{PROGRAM}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.startswith("unreachable: 127.0.0.1"), done.stderr
