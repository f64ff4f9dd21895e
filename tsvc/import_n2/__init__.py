"""The configuration of an N2SVCD daemon, converted to one of tsvc."""
