"""The HTML report: one file that fetches nothing, made from results of the client.

`report` puts the sections together; `load` and `instance` write them, `curves` and
`charts` draw. `elements` escapes foreign text; `charts` and `load` escape what they put into SVG
and attributes themselves. Start with `report`.
"""
