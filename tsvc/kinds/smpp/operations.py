"""`smpp.*` types: the tester plays the SMSC.

It delivers messages to ESMEs that are bound to it, and expects what they submit.
"""

from tsvc.kinds.smpp import expect, send
from tsvc.operations.operation import declare

declare(send.Request())
declare(expect.Register())
declare(expect.Request())
