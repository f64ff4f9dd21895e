"""An HTTP/1.1 and HTTP/2 client with pools and deadlines, and the settings that its users share.

`client` sends a request over a pooled connection and follows redirections. `message` holds
requests and responses. `settings` holds the table of the configuration, the server that it names,
and TLS. The client does not interpret content, and an HTTP code of refusal is an answer, no error.
Start with `client`.
"""
