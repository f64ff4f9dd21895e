"""The fast path: repeats the messages of an instance that passed, without its operations.

An instance of a load that sends and receives the same octets, except for its own data, need not be
judged again: it needs no decoding, no dialogue and no greenlet. docs/adr/0028 explains why this is
correct and which designs were rejected. Start with `recording`, or read in this order:

1. `../eligibility`: which operations may be replayed; they declare it when they are compiled.
2. `recording`: what is kept of an instance that has passed: the steps that it took, one after the
   other, over all its gateways; and what a kind of gateway has to know (GatewayPath).
3. `template`: a message with slots of any length. `slots`: the values of an instance for them.
4. `frame`: the instances that go from step to step, and branches.
5. `replay`: how the ordinary instance is made where something unknown comes: its past is replayed
   to it, then it is live.
6. `waits`: when instances act. `request_response`: what Diameter and REST have in common.
   `contract`: what the engine and the kinds agree on.

The run's side is tsvc/engine/fast_path.py, the adapters are tsvc/kinds/<kind>/fast_path/.
"""
