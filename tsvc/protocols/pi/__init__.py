"""Provisioning Interface (PI): lines of a man-machine language over TCP."""
