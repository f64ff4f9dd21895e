"""The command line: its programs, and what commands share. The commands are in tsvc.commands.

The programs are `main` (tsvc), `tsvcd`, `run_definition` (run_test), `demo` and `demo_cluster`.
Commands share `options` (those that several have), `definition_file` (what they read), `runs` (how
definitions are run), `terminal` (what they say and show) and `embedded` (a daemon of their own).
All of it reaches the engine through tsvc.client only, but for `tsvcd`, which is the daemon. `tsvc
--version` is measured: what `main` imports is little. Start with `main`.
"""
