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

YEARS = 10


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its key, PEM files."""

    cert: Path
    key: Path


def own_certificate(data_dir: Path, addresses: tuple[str, ...]) -> Certificate:
    """The certificate kept in `data_dir`, made when there is none; `addresses` are those it is to be valid for.

    Raises JobError when it cannot be made.
    """
    folder = data_dir / "tls"
    made = Certificate(folder / "cert.pem", folder / "key.pem")
    if made.cert.is_file() and made.key.is_file():
        return made
    openssl = shutil.which("openssl")
    if openssl is None:
        raise JobError("no openssl to make a certificate with", "apt-get install openssl, or leave out --https")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = socket.gethostname()
    names = [f"DNS:{name}", f"DNS:{name}.local", "DNS:localhost", "IP:127.0.0.1", *(f"IP:{one}" for one in addresses)]
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-sha256"]
    command += ["-days", str(365 * YEARS), "-subj", f"/CN={name}", "-addext", f"subjectAltName={','.join(names)}"]
    command += ["-keyout", str(made.key), "-out", str(made.cert)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise JobError(f"openssl could not make a certificate: {said[-1] if said else '?'}", "leave out --https")
    made.key.chmod(0o600)
    return made
