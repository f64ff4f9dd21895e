"""Test definitions out of captures: octets of a file in, a definition and what it lacks out.

`packets` reads the file, `layers` what links and IP wrap, `tcp` and `sctp` put streams and
messages together, `capture` does it all; `recorder` asks the kinds, in their part recording,
what the messages are as operations; `definition` puts their dialogues in order. No kind is named
here, and nothing does I/O. Start with `capture`.
"""
