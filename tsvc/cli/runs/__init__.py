"""How the command line runs definitions: for tsvc run, run_test and the demos.

`load_options` turns options into params, `suite` says which definitions are run and in what
order, `session` runs them, `baseline` compares with an earlier result, `accept` writes what came
into the files. Start with `session`.
"""
