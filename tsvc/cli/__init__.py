"""The commands: one module a command, each an ordinary client of the interface.

They reach the engine through tsvc.client only, but for `tsvcd`, which is the daemon. `main` lists
them; imports that cost time stand inside the functions that need them, for `tsvc --version` is
measured. Start with `run`.
"""
