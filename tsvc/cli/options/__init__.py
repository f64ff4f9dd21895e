"""Options that several commands have: a decorator adds them, and hands over what they mean.

`connection` says which service, `outputs` which files are written about runs; `completion` is what
shells offer for an argument, `grouped_help` how --help is put in order. None of it knows a
command. Start with `connection`.
"""
