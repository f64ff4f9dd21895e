"""docs/interop.md agrees with the tests, and with the versions of the peers."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from house.source import ROOT
from support.interop import SOFTWARE, TESTS, USES

# A module of tests that meets a peer, recognised by the helpers and packages that it imports.
_MEETS = re.compile(
    r"^\s*(?:from|import) (support\.(?:nginx|lighttpd|node|databases|tshark|esme)"
    r"|support import (?:token_server|soap_server)|peers\.|smpplib|pycrate|diameter)\b",
    re.MULTILINE,
)
# Modules that have such an import but no part on the page, with the reason.
LEFT_OUT = {
    "peers/test_sctp_guest.py": "runs others in a guest",
    "kinds/db/test_walk.py": "a walk over what test_servers.py has",
    "kinds/rest/test_guide.py": "the guide, beside test_content.py",
    "kinds/rest/test_fast_path.py": "nothing of nginx but its certificates",
    "kinds/rest/test_fast_path_nginx.py": "both ways of what is beside it",
    "kinds/smpp/test_expect.py": "the ESME there is ours",
    "kinds/smpp/test_life.py": "the ESME there is ours",
    "kinds/smpp/test_operations.py": "the ESME there is ours",
    "kinds/smpp/test_requests.py": "the ESME there is ours",
    "e2e/test_archive_trouble.py": "trouble of the archive, beside test_archive_postgresql.py",
    "e2e/test_hostile_peers.py": "one of its peers is a PostgreSQL that stops",
    "unit/results/test_spans.py": "places of values, by tshark's",
}


def test_the_page_is_what_the_tests_have(tmp_path: Path) -> None:
    # Also those of make test-order: the page has the cases in their order.
    others = {name for name in os.environ if "PYTEST" in name or name == "TSVC_ORDER"}
    environ = {name: value for name, value in os.environ.items() if name not in others}
    page = tmp_path / "interop.md"
    done = subprocess.run(
        [sys.executable, "-m", "support.interop", str(page)],
        cwd=ROOT,
        env={**environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert page.read_text() == (ROOT / "docs/interop.md").read_text(), "make docs"


@pytest.mark.parametrize("name", SOFTWARE)
def test_a_peer_that_is_here_has_the_version_of_the_page(name: str) -> None:
    asked = SOFTWARE[name].asked()
    assert not asked or f"{asked}.".startswith(f"{SOFTWARE[name].version}."), asked


def test_every_module_that_meets_a_peer_is_on_the_page() -> None:
    named = {use.module for use in USES}
    found = {
        str(path.relative_to(TESTS))
        for path in TESTS.rglob("test_*.py")
        if _MEETS.search(path.read_text())
    }
    assert sorted(found - named - LEFT_OUT.keys()) == []
    assert sorted(LEFT_OUT.keys() - found) == []


def test_every_peer_is_used() -> None:
    assert {use.peer for use in USES} == SOFTWARE.keys()
