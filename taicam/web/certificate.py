"""A certificate of this machine's own, for pages over https on the local network (wake lock, camera access).

Browsers warn of it once on every device, since nobody else vouches for it; accept it there, or install `cert.pem`.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from taicam.errors import JobError

DAYS = 825  # Apple's devices take no server certificate that is good for longer
RENEW_DAYS = 30


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its key, PEM files."""

    cert: Path
    key: Path


def own_certificate(data_dir: Path, addresses: tuple[str, ...]) -> Certificate:
    """The certificate kept in `data_dir`; `addresses` are those it is to be valid for.

    Made when there is none, when it ends soon, and when the machine has got another address. Raises JobError when it
    cannot be made.
    """
    folder = data_dir / "tls"
    made = Certificate(folder / "cert.pem", folder / "key.pem")
    there = made.cert.is_file() and made.key.is_file()
    openssl = shutil.which("openssl")
    if there and (openssl is None or _serves(openssl, made.cert, addresses)):
        return made
    if openssl is None:
        raise JobError("no openssl to make a certificate with", "apt-get install openssl, or leave out --https")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = socket.gethostname()
    names = [f"DNS:{name}", f"DNS:{name}.local", "DNS:localhost", "IP:127.0.0.1", *(f"IP:{one}" for one in addresses)]
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-sha256"]
    command += ["-days", str(DAYS), "-subj", f"/CN={name}", "-addext", f"subjectAltName={','.join(names)}"]
    command += ["-addext", "extendedKeyUsage=serverAuth"]
    command += ["-keyout", str(made.key), "-out", str(made.cert)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise JobError(f"openssl could not make a certificate: {said[-1] if said else '?'}", "leave out --https")
    made.key.chmod(0o600)
    return made


def _serves(openssl: str, cert: Path, addresses: tuple[str, ...]) -> bool:
    """Whether the certificate is good for a while yet, for every address."""
    asked = [["-checkend", str(RENEW_DAYS * 86400)], *(["-checkip", one] for one in addresses)]
    for question in asked:
        command = [openssl, "x509", "-in", str(cert), "-noout", *question]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 or "NOT match" in done.stdout:
            return False
    return True
