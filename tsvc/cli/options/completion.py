"""Shell completion of names that a service knows: operation types, runs, results.

The shell asks while the user types: without an answer in time there are no completions.
"""

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

from tsvc.client import Client, TsvcError, Unreachable

_PATIENCE_S = 2.0
_FEW = 20  # archived runs that are offered

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _offered(find: Callable[[Client, click.Context], Iterable[tuple[str, str]]]) -> Complete:
    """Return a completion function for click: it offers the names of find() that begin with the
    typed text, each with a help text."""

    def complete(
        context: click.Context, _: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        given = context.params
        try:
            client = Client(
                given.get("host"),
                given.get("port"),
                token=given.get("token"),
                timeout_s=_PATIENCE_S,
                tls=bool(given.get("tls")),
            )
            found = dict(find(client, context))
        except (TsvcError, Unreachable, ValueError, OSError):
            return []  # during completion an error can't be reported
        return [
            CompletionItem(name, help=text)
            for name, text in found.items()
            if name.startswith(incomplete)
        ]

    return complete


def _types(client: Client, _: click.Context) -> Iterable[tuple[str, str]]:
    answer = client.call("DescribeOperations", {"summary": True})
    for one in answer.get("operations", []):
        yield str(one.get("type")), str(one.get("summary", ""))


def _runs(client: Client, _: click.Context) -> Iterable[tuple[str, str]]:
    for run in client.query_all():
        yield run.run_id, run.verdict if run.completed else run.state


def _kept(client: Client, context: click.Context) -> Iterable[tuple[str, str]]:
    yield from _runs(client, context)
    for one in client.list_results(_FEW):
        yield one.run_id, one.verdict


def _results(client: Client, _: click.Context) -> Iterable[tuple[str, str]]:
    for one in client.list_results(_FEW):
        yield str(one.result_id), f"{one.run_id} {one.verdict}"


def _names(client: Client, _: click.Context) -> Iterable[tuple[str, str]]:
    for one in client.list_results(_FEW):
        if one.raw.get("name"):
            yield str(one.raw["name"]), one.verdict


def _halted(client: Client, context: click.Context) -> Iterable[tuple[str, str]]:
    run = context.params.get("run")
    for one in client.query(run, collect=False).halted if run else ():
        yield one.instance_id, one.comment


def _workers(client: Client, _: click.Context) -> Iterable[tuple[str, str]]:
    for one in client.call("ListWorkers")["workers"]:
        yield str(one.get("name")), str(one.get("state"))


operation_types = _offered(_types)
"""Types of operations."""
held_runs = _offered(_runs)
"""Runs that the service holds."""
kept_runs = _offered(_kept)
"""Runs that the service holds, and the latest runs of the archive."""
result_ids = _offered(_results)
"""Numbers of the latest results in the archive."""
names = _offered(_names)
"""Names of the definitions of the latest results."""
halted_instances = _offered(_halted)
"""Halted instances of the run that the command line names before."""
workers = _offered(_workers)
"""Workers that execute the runs of the service."""
