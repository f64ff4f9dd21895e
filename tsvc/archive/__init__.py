"""Completed runs that survive the daemon: results waiting to be written, and the database.

`archive` queues and retries, `store` speaks SQL through SQLAlchemy. The package handles JSON and
octets, and knows neither runs nor protocols. Start with `archive`.
"""
