"""The service control point: INAP dialogues on one side, flows on the other.

Sans-IO like a protocol machine: octets in, octets out, time as an argument. `service` has all
dialogues and chooses the flow of each. `call` and `ussd` perform the actions of a flow.
`telephony` has the operations of a variant, and `line` the state of the dialogues of a call.
`usual` is a fast path: it answers known messages by a look-up. The package knows no socket, no SS7
and no Test Run. Start with `service`, then `call`.
"""
