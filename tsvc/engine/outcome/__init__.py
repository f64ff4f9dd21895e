"""What came of a run: checks and traces of kept instances, and the result made of them.

Recorded values stay tuples and octets until somebody asks; then `result` and `traces` make JSON,
text and captures of them. `kept_instances` are those that it is done for, `leaks` is the audit of
what a run has left behind. Start with `result`.
"""
