"""When to start how many instances, and what was started: pure, time is an argument.

`grid` plans the starts, `token_bucket` joins them to bursts, `starter` decides at each look;
`counters`, `histogram`, `generator` and `traffic` count. Start with `starter`.
"""
