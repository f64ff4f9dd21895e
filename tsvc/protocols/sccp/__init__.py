"""SCCP connectionless: addresses, messages, segmentation and reassembly."""
