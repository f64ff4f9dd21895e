"""The fast path: repeats the messages of an instance that passed, without its operations.

An instance of a load that sends and receives the same octets, except for its own data, need not be
judged again: it needs no decoding, no dialogue and no greenlet. docs/adr/0028 explains why this is
correct and which designs were rejected. Start with `recording`, or read in this order:

1. `../eligibility`: which operations may be replayed; they declare it when they are compiled.
2. `recording`: the steps that a passed instance took, one after the other, over all its gateways;
   and the interface that a kind of gateway implements (GatewayPath).
3. `template`: a message with slots of any length. `slots`: the values of an instance for them.
4. `frame`: the instances that go from step to step, and branches.
5. `replay`: makes an ordinary instance when an unknown message comes: the past is replayed to the
   ordinary instance, then it is live.
6. `waits`: when instances act. `request_response`: the common base of Diameter and REST.
   `contract`: the interfaces between the engine and the kinds.

The run's side is tsvc/engine/fast_path.py, the adapters are tsvc/kinds/<kind>/fast_path/.
"""
