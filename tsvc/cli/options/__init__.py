"""Options that several commands have. A decorator adds them and passes the resulting object.

`connection` selects the service; `outputs` writes files about runs; `completion` is the shell
completion of arguments; `grouped_help` sorts --help into sections. None of them knows a command.
Start with `connection`.
"""
