"""Makes runs comparable: with all memories (caches) off, with `track: 0`, and as they are."""

import json
import re
from collections import Counter

from support.scripted_scp import ScriptedScp
from support.without_memories import Recorder, compare

from tsvc.clock import SYSTEM_CLOCK
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.tcap.states import DialogueState
from tsvc.ss7 import scp_host
from tsvc.ss7.scp_node import ScpNode

_TRANSACTION = re.compile("000001[0-9a-f]{2}|005000[0-9a-f]{2}")


class Bench:
    """One daemon; each run has a new SCP, and its transaction ids begin at the same number."""

    def __init__(self, daemon, monkeypatch):
        self.daemon = daemon
        self._recorder = Recorder(monkeypatch)
        monkeypatch.setattr(scp_host.random, "getrandbits", lambda bits: 0x600000)

    def start(self, scripts, *definitions):
        """Run definitions at once against an SCP whose n-th dialogue follows the n-th script."""
        self.daemon.scp = scp = Varying(scripts)
        self.daemon.service.scp.node = ScpNode(scp, SYSTEM_CLOCK)
        self.daemon.gateway.endpoint._next_tid = 0x100
        run_ids = [self.daemon.execute(*steps, **params) for steps, params in definitions]
        told = [self._recorder.told(run_id, self.daemon.finish(run_id)) for run_id in run_ids]
        if len(told) == 1:
            return told
        # The order in which two runs take transaction ids is not defined.
        return json.loads(_TRANSACTION.sub("00000000", json.dumps(told)))

    def compare(self, scripts, *definitions):
        """Return the results, which must be the same with all memories off."""

        def run(**way):
            return self.start(
                scripts, *((steps, {**params, **way}) for steps, params in definitions)
            )

        return compare(run)


class Varying(ScriptedScp):
    """The n-th dialogue of a service key follows the n-th script, then the first again."""

    def __init__(self, scripts):
        super().__init__()
        self._scripts = scripts
        self._begun = Counter()

    def take(self, indication):
        dialogue = indication.dialogue
        if dialogue not in self._taken:
            key = _service_key(indication.components[0])
            self.reactions = self._scripts[self._begun[key] % len(self._scripts)]
            self._begun[key] += 1
            super().take(indication)
        elif dialogue.state is not DialogueState.CLOSED:
            dialogue.end()


def _service_key(invoke):
    begin = OPERATIONS.get("InitialDP")
    tree = begin.decode_argument(invoke.parameter, "camel2", []) if invoke.code == 0 else {}
    return tree.get("serviceKey")
