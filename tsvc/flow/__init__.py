"""The flow language: documents, patterns, triggers, node types and the engine that runs them.

`document` checks a document and makes a `flow` of it, `triggers` choose the flow of a call, and
`engine` runs it. `node` is the base of operation types, each of which is a file in `nodes`. `call`
has the actions and events.

Rule 1: nothing here knows of INAP, TCAP or any other wire protocol. Nodes yield abstract telephony
actions and get events back; `tsvc.scp` turns actions into messages and messages into events.
Rule 2: nothing here reads a clock, sleeps, draws a random number or does I/O.
Start with `node`.
"""
