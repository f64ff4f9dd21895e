"""The HTML report: one file that fetches nothing, made from results of the client.

`report` puts the sections together; `load` and `instance` write them, `curves` and
`charts` draw. Only `elements` escapes foreign text. Start with `report`.
"""
