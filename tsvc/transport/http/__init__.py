"""An HTTP/1.1 client with pools and deadlines, and the settings that its users share.

`client` sends a request over a pooled connection and follows redirections, `message` is what goes
out and comes back, `settings` the table of the configuration, the server that it means, and TLS.
It does not know what the content says, and a code of refusal is an answer, no error. Start with
`client`.
"""
