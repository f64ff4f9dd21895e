"""Limits on what runs may have in progress together: memory, instances, clients, locks.

Each module has one limit, and refuses or ends runs by it. Start with `run_limits`.
"""
