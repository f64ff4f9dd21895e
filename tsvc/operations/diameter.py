"""Diameter operations: requests to the server, and those that it sends by itself."""

from tsvc.operations._base import declare
from tsvc.operations._diameter_inbound import ExpectRequest, Register
from tsvc.operations._diameter_request import DiameterRequest

for _type in (DiameterRequest(), Register(), ExpectRequest()):
    declare(_type)
