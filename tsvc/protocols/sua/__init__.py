"""SUA, connectionless (RFC 3868): SCCP addresses and TCAP straight over an association."""
