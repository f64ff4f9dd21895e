"""Completed runs that survive the daemon: what is waiting to be written, and the database.

`archive` queues and retries, `store` speaks SQL by SQLAlchemy. It takes JSON and octets and
knows neither runs nor protocols. Start with `archive`.
"""
