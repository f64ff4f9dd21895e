"""Command lines as a server reads them, in the default form CMD=ACT:NAME=VALUE,NAME=VALUE."""

from tsvc.protocols.pi.listing import Value, read_listing


def read_command(line: str, separator: str = ",") -> tuple[str, dict[str, Value]]:
    """Return the command and the parameters of a line without its terminator."""
    command, _, parameters = line.partition(":")
    return command.strip(), read_listing(parameters, separator)
