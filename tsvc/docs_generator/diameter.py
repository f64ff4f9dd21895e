"""docs/reference/diameter.md: the content of the standard dictionary, from its data files."""

from collections.abc import Iterable, Iterator

from tsvc.docs_generator.markdown import table
from tsvc.protocols.diameter.dictionary import (
    AvpDefinition,
    Dictionary,
    public_text,
    sections_of,
    standard,
)

_OPENING = """\
# The Diameter dictionary

Made from the data files of the dictionary: change those, not this file.

Whatever an operation names must be here or in `[[application.NAME.avps]]` of the configuration. An
AVP may be named with `_hex` behind it, to give its octets. What has names for its numbers takes
either; the names are also told in traces. Groups take any AVP, and what stands in them in the
standard is listed for readers only.

## Applications

{applications}

## Commands

A command is named in full with `-Request` or `-Answer` behind it, by its abbreviation with `R` or
`A`, or by its code.

{commands}

## AVPs

By vendor, {count} in all. M: the flag that is sent by default.
"""


def text() -> str:
    """Return the whole page, ending with a newline."""
    dictionary = standard()
    sections = sections_of(public_text())
    vendors = {0: "IETF", 10415: "3GPP"}
    for line in sections["vendors"].splitlines():
        number, name = line.split()
        vendors.setdefault(int(number), name)
    members = {name: inner for name, *inner in map(str.split, sections["members"].splitlines())}
    opening = _OPENING.format(
        applications=table(("Id", "Name"), _applications(dictionary)),
        commands=table(("Code", "Name", "Short", "Application"), _commands(dictionary)),
        count=len(dictionary.avps),
    )
    found = sorted({one.vendor_id for one in dictionary.avps.values()})
    order = sorted(found, key=lambda number: (number not in (0, 10415), number))
    parts = [
        f"### {_vendor(number, vendors)}\n\n{_avps(dictionary, number, members)}\n"
        for number in order
    ]
    return "\n".join([opening, *parts])


def _vendor(number: int, names: dict[int, str]) -> str:
    if number == 0:
        return names[0]
    return f"{names[number]}, vendor {number}" if number in names else f"Vendor {number}"


def _applications(dictionary: Dictionary) -> Iterator[tuple[str, str]]:
    for number, name in sorted(dictionary.applications.items()):
        yield str(number), f"`{name}`"


def _commands(dictionary: Dictionary) -> Iterator[tuple[str, ...]]:
    for code, one in sorted(dictionary.commands.items()):
        name = dictionary.applications.get(one.application_id, "")
        yield str(code), f"`{one.name}`", one.abbreviation, f"{one.application_id} {name}".rstrip()


def _avps(dictionary: Dictionary, vendor: int, members: dict[str, list[str]]) -> str:
    found = [one for one in dictionary.avps.values() if one.vendor_id == vendor]
    rows = (
        (
            str(one.code),
            f"`{one.name}`",
            one.type.name,
            "M" if one.is_mandatory else "",
            _holds(one, members.get(one.name, ())),
        )
        for one in sorted(found, key=lambda one: one.code)
    )
    return table(("Code", "Name", "Format", "M", "Values, members"), rows)


def _holds(one: AvpDefinition, members: Iterable[str]) -> str:
    named = [f"{number} `{name}`" for number, name in sorted(one.names.items())]
    return ", ".join(named or [f"`{name}`" for name in members])
