"""`smpp.*` types: the tester plays the SMSC.

It delivers messages to ESMEs that are bound to it, and expects what they submit.
"""

from tsvc.operations import _smpp_expect, _smpp_send
from tsvc.operations._base import declare

declare(_smpp_send.Request())
declare(_smpp_expect.Register())
declare(_smpp_expect.Request())
