"""The flow language: documents, patterns, triggers, node types and the engine that walks them.

`document` checks a document and makes a `flow` of it, `triggers` choose the flow of a call,
`engine` walks it; `node` says what a type of operation is, each a file in `nodes`; `call` has the
actions and events.

Rule 1: nothing here knows of INAP, TCAP or any other wire; nodes yield abstract telephony actions
and get events back, and `tsvc.scp` turns the ones into messages and messages into the others.
Rule 2: nothing here reads a clock, sleeps, draws a random number or does I/O.
Start with `node`.
"""
