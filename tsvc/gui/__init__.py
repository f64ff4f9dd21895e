"""The web GUI's server: a separate program that shows daemons to browsers.

It is only a client of one or more daemons: it uses the interface through tsvc.client and the files
that the command line reads, and knows nothing of engine, methods or operations. tsvc.commands.gui
has the options, `serve` the sockets, `app` the common handling of requests, and `routes` the table
of routes. Their handlers use `sessions`, `roles` and `users` (permissions), `daemons` (calls), and
`feed` with `topics` and `viewer` (live data). Others use `workspace`, `files` and `git` (the test
folder), and `definition` and `reports`, which do the same as the command line.
Start with docs/gui.md, then `routes`.
"""
