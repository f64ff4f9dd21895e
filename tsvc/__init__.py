"""tsvc: an Intelligent Network test service. Importing it does nothing."""

__version__ = "0.2.0"
