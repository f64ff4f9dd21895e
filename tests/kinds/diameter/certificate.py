"""A self-signed certificate."""

import subprocess
from pathlib import Path


def certificate(folder: Path, name: str = "ocs.example.net") -> dict[str, str]:
    """Return cert_file and key_file of a new certificate for a name."""
    key, cert = folder / "key.pem", folder / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]
    command += ["-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    subprocess.run([*command, "-keyout", key, "-out", cert], check=True, capture_output=True)
    return {"cert_file": str(cert), "key_file": str(key)}
