"""The configuration of an N2SVCD daemon, converted to one of tsvc.

`source` reads the XML, `kinds` has a table per module of N2SVCD, `members` what is more than a
renaming, `document` puts the parts together and writes TOML. What is not taken over is noted,
never dropped silently. Nothing here asks a running daemon, and only the command line imports it.
Start with `document`.
"""
