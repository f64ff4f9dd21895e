"""The service control point: INAP dialogues on one side, flows on the other.

Sans-IO like a protocol machine: octets in, octets out, time as an argument.
"""
