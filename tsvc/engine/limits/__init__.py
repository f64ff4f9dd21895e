"""What runs may have in progress together: memory, instances, clients, locks.

Each module holds one bound and says who is refused or ended by it. Start with `run_limits`.
"""
