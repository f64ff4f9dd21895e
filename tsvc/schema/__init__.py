"""Declared members, in one way for params, configuration, gateway tables, arguments and flows.

`fields` is the place to start: the fields that may be declared. A `Style` decides how values are
read and how messages read. `table` makes typed objects of declared members, `load` turns params
into values and refusals into paths, `describe` and `json_schema` describe declarations. The
package depends on marshmallow, and on no kind, method or operation.
"""
