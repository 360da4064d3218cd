"""The machine's own certificate: made once, anew when it ends soon or the machine has got another address."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from taicam.errors import JobError
from taicam.web import certificate
from taicam.web.certificate import own_certificate

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is missing: apt-get install openssl")


def _text(cert: Path) -> str:
    command = ["openssl", "x509", "-in", str(cert), "-noout", "-text"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_it_is_made_once_for_names_and_addresses(tmp_path: Path) -> None:
    made = own_certificate(tmp_path, ("192.168.1.5",))
    text = _text(made.cert)
    assert "IP Address:192.168.1.5" in text and "DNS:localhost" in text
    assert "TLS Web Server Authentication" in text
    assert made.key.stat().st_mode & 0o077 == 0
    before = made.cert.read_bytes()
    assert own_certificate(tmp_path, ("192.168.1.5",)).cert.read_bytes() == before


def test_another_address_or_its_end_makes_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = own_certificate(tmp_path, ("192.168.1.5",)).cert.read_bytes()
    second = own_certificate(tmp_path, ("192.168.1.6",)).cert.read_bytes()
    assert second != first
    monkeypatch.setattr(certificate, "RENEW_DAYS", certificate.DAYS + 1)
    assert own_certificate(tmp_path, ("192.168.1.6",)).cert.read_bytes() != second


def test_what_openssl_says_is_told(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="could not make a certificate"):
        own_certificate(tmp_path, ("no address",))
