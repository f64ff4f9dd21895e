"""Test definitions from captures: turns the octets of a file into a definition and its problems.

`packets` reads the file, `layers` the headers of links and IP, `tcp` and `sctp` reassemble streams
and messages, and `capture` calls them all. `recorder` is the interface to the kinds, whose part
recording turns messages into operations. `definition` puts their dialogues in order. No kind is
named here, and nothing does I/O. Start with `capture`.
"""
