"""Running definitions from the command line: for tsvc run, run_test and the demos.

`load_options` turns options into params; `suite` selects and orders definitions; `session` runs
them; `baseline` compares with an earlier result; `accept` writes received values into the files.
Start with `session`.
"""
