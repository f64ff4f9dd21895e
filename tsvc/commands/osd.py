"""tsvc osd: shows the contents of a WSDL, as a help to write definitions."""

import click

from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say, say_json
from tsvc.kinds.osd.wsdl import Node, Port, WsdlProblem, entry_of, find, read

PLACE = Place(Heading.WRITE, 7)


@click.group(name="osd")
def command() -> None:
    """Tools for operations of Open Services Development, and other SOAP."""


@command.command(name="describe")
@click.argument("wsdl")
@click.option("--operation", metavar="NAME", help="Print an entry of a definition that calls it.")
@click.option("--port", metavar="NAME", help="Of this port only.")
@click.option("--all", "with_optional", is_flag=True, help="In the entry also what is optional.")
@click.option("--fetch", is_flag=True, help="Fetch by http what WSDL names or is.")
def describe(
    wsdl: str, operation: str | None, port: str | None, with_optional: bool, fetch: bool
) -> None:
    """List services, ports and operations of WSDL, with their parameters and types.

    WSDL is a file, or with --fetch a URL. Needs the extra wsdl.
    """
    try:
        ports = read(wsdl, may_fetch=fetch, tell=lambda text: say(f"left out: {text}", err=True))
        if operation is None:
            for one in ports:
                if port in (None, one.name):
                    _list(one)
            return
        found, its = find(ports, operation, port)
    except WsdlProblem as problem:
        raise FileProblem(str(problem)) from None
    say_json(entry_of(its, with_optional=with_optional))
    say(*_keys(found), err=True)


def _keys(port: Port) -> list[str]:
    """Return the keys that a gateway needs for a port."""
    keys = [f'soap_version = "{port.version}"'] if port.version != "1.1" else []
    if port.address:
        keys.append(f'base_uri = "{port.address}"')
    return ["keys of the gateway:", *(f"  {key}" for key in keys)] if keys else []


def _list(port: Port) -> None:
    where = f" at {port.address}" if port.address else ""
    say(f"service {port.service}, port {port.name}: SOAP {port.version}{where}")
    for one in port.operations:
        say(f"  {one.name}: action {one.action!r}, {one.style}, {_space(one.input)}")
        for block in one.headers:
            _show("header", block, 4)
        for member in one.input.members:
            _show("", member, 4)
        if one.output is not None:
            _show("answers", one.output, 4)
        for fault in one.faults:
            say(f"    fault {fault}")


def _space(node: Node) -> str:
    return f"namespace {node.namespace}" if node.namespace else "no namespace"


def _show(word: str, node: Node, indent: int) -> None:
    name = f"@{node.name}" if node.is_attribute else node.name
    facts = [
        node.type,
        "optional" if node.is_optional else "",
        "repeated" if node.is_repeated else "",
        "may be nil" if node.is_nillable else "",
        f"one of {', '.join(node.values)}" if node.values else "",
        _space(node) if node.namespace else "",
    ]
    text = ", ".join(fact for fact in facts if fact)
    say(f"{' ' * indent}{word + ' ' if word else ''}{name}{': ' + text if text else ''}")
    for member in node.members:
        _show("", member, indent + 2)
