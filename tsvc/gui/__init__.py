"""The web GUI's server: a program of its own that shows daemons to browsers.

A pure client of one or more daemons: it knows the interface through tsvc.client and the files
that the command line reads, nothing of engine, methods or operations. tsvc.commands.gui has the
options, `serve` the sockets, `app` what goes for every request, `routes` the table of all of them;
behind that stand `sessions`, `roles` and `users` (who may do what), `daemons` (calls), `feed` with
`topics` and `viewer` (what is live), `workspace`, `files` and `git` (the folder of tests),
`definition` and `reports` (what the command line would send and write).
Start with docs/gui.md, then `routes`.
"""
