"""The command line: its programs, and the code that commands share.

The programs are `main` (tsvc), `tsvcd`, `run_definition` (run_test), `demo` and `demo_cluster`.
The commands are in tsvc.commands. They share `options` (common options), `definition_file` (reads
definitions), `runs` (runs definitions), `terminal` (output and keys) and `embedded` (a private
daemon). All of them reach the engine only through tsvc.client; only `tsvcd` is the daemon itself.
The start time of `tsvc --version` is measured, so `main` imports little. Start with `main`.
"""
