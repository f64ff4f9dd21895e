"""The flow language: documents, patterns, triggers, node types and the engine that walks them.

Rule 1: nothing here knows of INAP, TCAP or any other wire; nodes yield abstract telephony actions
and get events back, and `tsvc.scp` turns the ones into messages and messages into the others.
Rule 2: nothing here reads a clock, sleeps, draws a random number or does I/O.
"""
