"""The output of the command line, and the keys that it accepts.

All text goes to a terminal through `lines`. `refusal` and `report` make the texts for errors and
results, with the exit status of each. `progress` shows a run in progress, on a terminal with
`live_view`, `keyboard` and `keys`. Nothing here reads files. Start with `lines`.
"""
