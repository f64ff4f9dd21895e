"""The commands of tsvc, one file each: the name of the file is the name of the command.

A file has a command(), made by click, and PLACE, its position in `tsvc --help`. There is no list
of commands: tsvc.cli.main finds the files. A command is an ordinary client of the interface: it
reaches the engine only through tsvc.client. No command imports another; tsvc.cli has the shared
code. Slow imports are inside the functions that need them. Start with `status`, then `run`.
"""
