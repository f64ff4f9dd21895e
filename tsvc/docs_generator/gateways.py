"""docs/reference/gateways.md, made from the schemas of the kinds."""

from collections.abc import Iterator

from marshmallow import Schema

from tsvc.docs_generator.markdown import table
from tsvc.gateways.gateway import GATEWAYS
from tsvc.kind import Kind, kinds
from tsvc.kinds.outside import OUTSIDE
from tsvc.kinds.outside.gateway import LegacyConfig
from tsvc.schema.manual import MemberDoc, members_of, tables_of

_HEAD = """\
# Gateways

Made from the declarations of the kinds. An application is a table `[application."NAME"]` of
`tsvc.toml` or of a file in `conf.d`; `module` is its kind, and the other members are those of the
kind. NAME is what `tsvc status` shows and what the parameters of a run select: `sigtran`, `pi`,
`db`, `db_<label>` and so on, else `[tester] default_…`, else the only application of the kind.

* `tsvcd --check` names everything that is wrong with all tables, and guesses what was meant by a
  name that it does not know. A reload restarts the applications whose table has changed.
* A member that ends with `_s` is in seconds, one with `_octets` in octets.
* `password`, `bearer_token` and other secrets may stand in files of their own: `password_file`
  names one. What the configuration shows of itself hides them.
* `TSVC_APPLICATION_<NAME>_<MEMBER>` of the environment goes before the files.
* Members without a default are absent unless they are given; **bold** ones must be given.
"""
_HEADING = ("Member", "Default", "Must be", "Meaning")


def text() -> str:
    """Return the whole file."""
    parts = [_HEAD]
    for class_ in GATEWAYS:
        parts += _section(kinds()[class_.kind], class_.Config.schema())
    parts += _section(OUTSIDE, LegacyConfig.schema())
    parts.append("All other members of such a table go to the class, as they are.")
    return "\n".join(parts) + "\n"


def _section(kind: Kind, schema: Schema) -> Iterator[str]:
    yield f'## module = "{kind.name}"\n'
    yield f"{kind.purpose} See [the guide](../guide/{kind.guide or kind.name}.md).\n"
    yield f"```toml\n{kind.example}```"
    for place, one in tables_of(schema):
        yield f"\n### {kind.name}: `{place}`\n" if place else ""
        yield table(_HEADING, map(_row, members_of(one)))
    yield ""


def _row(member: MemberDoc) -> tuple[str, ...]:
    name = f"**`{member.name}`**" if member.is_required else f"`{member.name}`"
    default = f"`{member.default}`" if member.default else ""
    help = member.help + (", see below" if member.below is not None else "")
    return name, default, member.must_be, help
