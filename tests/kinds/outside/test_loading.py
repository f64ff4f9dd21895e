"""Classes from outside: how they are found, and the errors if they can't be."""

import pytest
from kinds.outside import site

from tsvc.clock import SYSTEM_CLOCK
from tsvc.config.tables import Application
from tsvc.engine.gateway_table import GatewayConfigError, GatewayTable
from tsvc.gateways.gateway import GatewayContext

site = site.site


def problem(module):
    table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.0))
    with pytest.raises(GatewayConfigError) as caught:
        table.build({"OLD": Application("OLD", module, {}, "test.toml")})
    (found,) = caught.value.problems
    assert found.path == 'application."OLD".module'
    return found.text.removeprefix("test.toml: ")


def test_what_can_not_be_loaded_is_said(site):
    known = "db, diameter, osd, pi, rest, sigtran, smpp"
    for module, text in {
        "pie": "no gateway kind is named 'pie'; did you mean \"pi\"?",
        "site_pi.PiClient": "no gateway kind is named 'site_pi.PiClient';"
        ' a class of your own is written "package.module:Class"',
        "a.b:": "'a.b:' is neither a kind nor \"package.module:Class\"",
        "../evil:Class": "'../evil:Class' is neither a kind nor \"package.module:Class\"",
        "tsvc_is_not_this:Class": "no module 'tsvc_is_not_this' on the Python path",
        f"{site}.sub:Class": f"no module '{site}.sub' on the Python path",
        f"{site}_imports:Class": "no module 'tsvc_is_not_this' on the Python path,"
        f" which {site}_imports imports",
        f"{site}_raises:Class": f"{site}_raises: ZeroDivisionError: division by zero",
        f"{site}:Rests": f'module {site} has no class Rests; did you mean "Rest"?',
        f"{site}:not_a_class": f"{site}:not_a_class is no class",
        f"{site}:NoKind": f"{site}:NoKind has no attribute kind, it must be one of {known}",
        f"{site}:WrongKind": f"{site}:WrongKind has kind 'pie', it must be one of {known};"
        ' did you mean "pi"?',
        f"{site}:Sigtran": f"{site}:Sigtran: sigtran takes a subclass of Gateway only;"
        " plain classes: db, osd, pi, rest",
    }.items():
        assert problem(module) == text


def test_a_subclass_of_gateway_is_taken_as_it_is(site, tmp_path):
    (tmp_path / f"{site}_own.py").write_text(
        "from tsvc.kinds.pi.gateway import PiGateway\n\n\nclass Own(PiGateway):\n    pass\n"
    )
    table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.0))
    members = {"remote_host": "127.0.0.1"}
    table.build({"OLD": Application("OLD", f"{site}_own:Own", members, "test.toml")})
    (gateway,) = table.of_kind("pi")
    assert type(gateway).__name__ == "Own"
    with pytest.raises(GatewayConfigError, match="remote_host"):
        table.build({"OLD": Application("OLD", f"{site}_own:Own", {}, "test.toml")})


def test_members_of_the_adapter_are_checked(site):
    table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.0))
    members = {"objects": 0, "call_timeout_s": "x"}
    with pytest.raises(GatewayConfigError) as caught:
        table.build({"OLD": Application("OLD", f"{site}:Pi", members, "test.toml")})
    assert sorted(one.path for one in caught.value.problems) == [
        'application."OLD".call_timeout_s',
        'application."OLD".objects',
    ]
