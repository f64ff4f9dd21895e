"""A table with a route of each kind, and addresses to look up in it."""

from tsvc.protocols.sccp.address import Address, GlobalTitle
from tsvc.ss7.routes import Route


def by_pc(pc, **more):
    return Address(ri=1, ssn=146, pc=pc, **more)


def by_gt(digits, pc=None, tt=0):
    return Address(ri=0, ssn=146, pc=pc, gt=GlobalTitle(4, digits, tt=tt, np=1, noa=4))


def prefix(connection, digits, **more):
    return Route(connection, gt_from=digits, gt_to=digits, is_prefix=True, **more)


ROUTES = [
    Route("exact", pc=2),
    Route("range", pc=0, mask=3),
    Route("whole net", pc=0, mask=14),
    prefix("all numbers", ""),
    prefix("country", "64"),
    prefix("city", "6421"),
    Route("block", gt_from="642150", gt_to="642159"),
    prefix("translation type", "64", tt=9),
]
