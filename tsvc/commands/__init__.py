"""The commands of tsvc, one file each: the name of the file is the name of the command.

A file has a command(), made by click, and PLACE, where it stands in `tsvc --help`; nothing lists
them, tsvc.cli.main finds them. Each is an ordinary client of the interface: it reaches the
engine through tsvc.client only. No command imports another: what two share is in tsvc.cli. Imports
that cost time stand inside the functions that need them. Start with `status`, then `run`.
"""
