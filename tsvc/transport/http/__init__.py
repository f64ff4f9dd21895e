"""An HTTP/1.1 client with pools and deadlines, and the settings that its users share."""
