"""Two runs of a definition, one of them with all memories off, made comparable."""

import json
import re
from collections import Counter

from unit.engine.in_process import ScriptedScp

from tsvc import memo
from tsvc.clock import SYSTEM_CLOCK
from tsvc.engine import scp_host
from tsvc.engine.outcome.result import detail
from tsvc.engine.run import Run
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.tcap.dialogue import State
from tsvc.ss7.scp_node import ScpNode

_TIMES = ("t", "time_start", "time_finish", "duration", "ladder")
_TRANSACTION = re.compile("000001[0-9a-f]{2}|005000[0-9a-f]{2}")


class Bench:
    """One daemon; each run meets a new SCP, and numbers its transactions from the same one."""

    def __init__(self, daemon, monkeypatch):
        self.daemon = daemon
        self._seen = {}
        monkeypatch.setattr(scp_host.random, "getrandbits", lambda bits: 0x600000)
        finish = Run._finish

        def keep(run, instance, state):
            finish(run, instance, state)
            self._seen.setdefault(run.run_id, {})[instance.idx] = (run, instance)

        monkeypatch.setattr(Run, "_finish", keep)

    def start(self, scripts, *definitions):
        """Run definitions at once against an SCP whose n-th dialogue follows the n-th script."""
        self.daemon.scp = scp = Varying(scripts)
        self.daemon.service.scp.node = ScpNode(scp, SYSTEM_CLOCK)
        self.daemon.gateway.endpoint._next_tid = 0x100
        run_ids = [self.daemon.execute(*steps, **params) for steps, params in definitions]
        told = [self._told(self.daemon.finish(run_id), run_id) for run_id in run_ids]
        if len(told) == 1:
            return told
        # Who of two runs is first to take a transaction id is nobody's promise.
        return json.loads(_TRANSACTION.sub("00000000", json.dumps(told)))

    def _told(self, result, run_id):
        """All that a result says of a run, but for its moments: every instance in detail."""
        instances = self._seen.pop(run_id)
        assert sorted(instances) == list(range(result["counts"]["started"]))
        told = {name: result[name] for name in ("counts", "verdict", "globals", "seed")}
        told["closed"] = result["dialogues_closed"]
        told["waited"] = [(one["op"], one["name"], one["count"]) for one in result["operations"]]
        told["first"] = result["first_call_summary"]
        told["causes"] = [one["cause"] for one in result["first_fails"] + result["first_aborts"]]
        told["instances"] = [detail(*instances[idx]) for idx in sorted(instances)]
        return _timeless(told)

    def compare(self, scripts, *definitions):
        """Return the results as they are, which must be those with all memories switched off."""
        with memo.off():
            plain = self.start(scripts, *definitions)
        first = self.start(scripts, *definitions)
        assert first == plain
        # What the process remembers is warm now.
        assert self.start(scripts, *definitions) == plain
        return plain


def _timeless(value):
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in _TIMES}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


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
        elif dialogue.state is not State.CLOSED:
            dialogue.end()


def _service_key(invoke):
    begin = OPERATIONS.get("InitialDP")
    tree = begin.decode_argument(invoke.parameter, "camel2", []) if invoke.code == 0 else {}
    return tree.get("serviceKey")
