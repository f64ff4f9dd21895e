"""The HTML report: one file that fetches nothing, from results of the client.

`report` puts the sections together; `load` and `instance` write them, `curves` and
`charts` draw. Text of others is escaped in `elements` and nowhere else. Start with `report`.
"""
