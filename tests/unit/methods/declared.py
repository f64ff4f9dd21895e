"""Compares answers with the declaration of a method: strictly, unlike requests, at any depth."""

from marshmallow import Schema

from tsvc.engine.result.member import Possibly
from tsvc.schema import fields

TYPES = (
    (fields.Boolean, bool),
    (fields.String, str),
    (fields.Object, dict),
)


class Answers:
    """The problems of all answers so far, and the declared members that the answers had."""

    def __init__(self):
        self.problems = []
        self.seen = set()

    def hold(self, declared, value, path):
        """Compare an answer with the Result of a method, which is a schema or a field."""
        if isinstance(declared, type):
            self.members(declared(), value, path)
        else:
            self.value(declared, value, path)

    def members(self, schema, value, path):
        if not isinstance(value, dict):
            self.problems.append(f"{path}: {value!r} is no object")
            return
        for name in value.keys() - schema.fields.keys():
            self.problems.append(f"{path}.{name}: is not declared")
        for name, field in schema.fields.items():
            if name in value:
                self.seen.add(place(schema, name))
                self.value(field, value[name], f"{path}.{name}")
            elif field.required:
                self.problems.append(f"{path}.{name}: is missing")

    def value(self, field, value, path):
        if value is None:
            if not field.allow_none:
                self.problems.append(f"{path}: is null")
        elif isinstance(field, fields.Nested):
            if not (isinstance(field, Possibly) and value == {}):
                self.members(field.schema, value, path)
        elif isinstance(field, fields.List):
            if not isinstance(value, list):
                self.problems.append(f"{path}: {value!r} is no array")
                return
            for position, item in enumerate(value):
                self.value(field.inner, item, f"{path}[{position}]")
        elif isinstance(field, fields.Named):
            for name, item in value.items():
                self.value(field.inner_field, item, f"{path}[{name!r}]")
        else:
            self.leaf(field, value, path)

    def leaf(self, field, value, path):
        if isinstance(field, fields.Choice) and value not in field.choices:
            self.problems.append(f"{path}: {value!r} is none of {field.choices}")
        if isinstance(field, fields.Integer | fields.Number):
            kinds = int if isinstance(field, fields.Integer) else int | float
            if isinstance(value, bool) or not isinstance(value, kinds):
                self.problems.append(f"{path}: {value!r} is no number of that type")
            elif not _is_within(value, field):
                self.problems.append(f"{path}: {value!r} is out of its bounds")
        for class_, type_ in TYPES:
            if isinstance(field, class_) and not isinstance(value, type_):
                self.problems.append(f"{path}: {value!r} is no {type_.__name__}")


def _is_within(value, field):
    low = value if field.low is None else field.low
    return low <= value <= (value if field.high is None else field.high)


def place(schema, name):
    """Return (class that declares a member, its name); a class that inherits it does not count."""
    owners = [one for one in type(schema).__mro__ if issubclass(one, Schema)]
    declaring = [one for one in owners if name in getattr(one, "_declared_fields", {})]
    return declaring[-1].__name__, name


def places(declared):
    """Return the place, as place() gives it, of each member of a Result, at any depth."""
    if isinstance(declared, type):
        return _of_schema(declared())
    return _of_field(declared)


def _of_schema(schema):
    found = {place(schema, name) for name in schema.fields}
    for field in schema.fields.values():
        found |= _of_field(field)
    return found


def _of_field(field):
    if isinstance(field, fields.Nested):
        return _of_schema(field.schema)
    return set() if field.inner_field is None else _of_field(field.inner_field)
