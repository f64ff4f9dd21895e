"""Diameter operations: requests to the server, and those that it sends by itself."""

from tsvc.kinds.diameter.inbound import ExpectRequest, Register
from tsvc.kinds.diameter.request import DiameterRequest
from tsvc.operations.operation import declare

for _type in (DiameterRequest(), Register(), ExpectRequest()):
    declare(_type)
