"""SCCP connectionless (Q.713, Q.714): addresses, messages, segmentation and reassembly.

`messages` is the codec of UDT, XUDT, LUDT and of the messages that return them, `address` the
codec of party addresses, ITU and ANSI. `reassembly` is a machine with `now` for its timer. The
package knows neither what carries its messages (M3UA, a loopback) nor what they carry (TCAP).
Start with `messages`.
"""
