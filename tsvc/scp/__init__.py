"""The service control point: INAP dialogues on one side, flows on the other.

Sans-IO like a protocol machine: octets in, octets out, time as an argument. `service` has all
dialogues and finds the flow of each; `call` and `ussd` carry out what a flow asks for, by
`telephony` (which operations a variant has) and `line` (what is open to the caller); `usual`
answers by a look what was met before. It knows no socket, no SS7 and no Test Run. Start with
`service`, then `call`.
"""
