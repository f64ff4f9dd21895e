"""Conversion of the configuration of an N2SVCD daemon to a configuration of tsvc.

`source` reads the XML. `kinds` has a table per module of N2SVCD, and `members` has the conversions
that are more than a renaming. `document` puts the parts together and writes TOML. A setting that
can't be converted is noted, never dropped silently. Nothing here connects to a running daemon, and
only the command line imports this package. Start with `document`.
"""
