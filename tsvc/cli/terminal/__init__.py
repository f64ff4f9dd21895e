"""What the command line says and shows, and the keys that it takes.

`lines` is the one way of text to a terminal; `refusal` and `report` are what is said of errors and
of results, with the exit status of each; `progress` shows a run as it goes, with `live_view`,
`keyboard` and `keys` where somebody looks. Nothing here reads files. Start with `lines`.
"""
