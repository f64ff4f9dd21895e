"""The configuration from the guide's page about both ends, with free ports for a test."""

import json
import re

from support.daemons import EXAMPLES, FLOW, ROOT
from support.ports import free_port

PAGE = ROOT / "docs/guide/both-ends.md"
_BLOCKS = re.compile(r"^```toml\n(.*?)^```", re.DOTALL | re.MULTILINE)


def configuration() -> str:
    """Return the configuration. Its flows are those of the source tree, wherever the file lies."""
    text = "\n".join(_BLOCKS.findall(PAGE.read_text()))
    for port in ("2906", "2907"):
        assert text.count(port) == 2
        text = text.replace(port, str(free_port()))
    flows = 'flows = ["extension_dialing.json"]'
    assert flows in text
    shipped = [str(FLOW), str(EXAMPLES / "flows/prepaid.json")]
    return text.replace(flows, f"flows = {json.dumps(shipped)}")
