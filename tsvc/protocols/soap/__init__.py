"""SOAP 1.1 and 1.2 envelopes: builds requests, reads responses and faults as trees. Pure.

The parser is lxml without entities, network and document types (SOAP 1.1 §3 forbids these), and
with its limits on depth and length. Start with `requests` and `answers`.
"""

from tsvc.protocols.soap.answers import SoapAnswer as SoapAnswer
from tsvc.protocols.soap.answers import parse as parse
from tsvc.protocols.soap.answers import parse_request as parse_request
from tsvc.protocols.soap.answers import read as read
from tsvc.protocols.soap.elements import MAX_DEPTH as MAX_DEPTH
from tsvc.protocols.soap.elements import SOAP_1_1 as SOAP_1_1
from tsvc.protocols.soap.elements import SOAP_1_2 as SOAP_1_2
from tsvc.protocols.soap.faults import Fault as Fault
from tsvc.protocols.soap.requests import Style as Style
from tsvc.protocols.soap.requests import build as build
from tsvc.protocols.soap.requests import filled as filled
from tsvc.protocols.soap.requests import header_problem as header_problem
