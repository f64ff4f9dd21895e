"""One language of declared members: params, configuration, gateway tables, arguments, flows.

`fields` is the place to start: what may be declared, and how a place reads and words it (`Style`).
`table` makes typed objects of declared members, `load` turns params into values and refusals into
paths, `describe` and `json_schema` say what is declared. Knows marshmallow, and nothing of any
kind, method or operation.
"""
