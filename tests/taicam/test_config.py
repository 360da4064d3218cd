"""Settings: layers, refusal of unknown keys with the nearest valid one, secrets by reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from taicam.config import default_config_path, load_settings, resolve_references
from taicam.errors import UsageError


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_stay_on_loopback_and_in_the_users_data_folder(tmp_path: Path) -> None:
    settings = load_settings()
    assert settings.web.address == "127.0.0.1"
    assert not settings.web.pairs
    assert settings.data_dir == tmp_path / "data" / "taicam"


def test_other_machines_may_only_come_in_when_pairing_is_on() -> None:
    assert load_settings(None, {"web": {"pairing": True}}).web.address == "0.0.0.0"
    assert load_settings(None, {"web": {"host": "0.0.0.0"}}).web.pairs
    assert load_settings(None, {"web": {"host": "192.168.1.5"}}).web.pairs
    assert not load_settings(None, {"web": {"host": "localhost"}}).web.pairs


def test_command_line_beats_environment_beats_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "t.toml", 'ruleset = "from-file"\n[web]\nport = 1001\nhost = "127.0.0.2"\n')
    assert load_settings(file).web.port == 1001
    monkeypatch.setenv("TAICAM_WEB__PORT", "1002")
    assert load_settings(file).web.port == 1002
    settings = load_settings(file, {"web": {"port": 1003, "host": None}, "ruleset": None})
    assert (settings.web.port, settings.web.host, settings.ruleset) == (1003, "127.0.0.2", "from-file")


def test_the_users_own_file_is_read_when_it_is_there() -> None:
    write(default_config_path(), "[stakes]\ndi = 300\n")
    assert load_settings().stakes.di == 300


def test_the_file_may_be_named_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAICAM_CONFIG", str(write(tmp_path / "e.toml", "[stakes]\ntai = 50\n")))
    assert load_settings().stakes.tai == 50


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ("[web]\nprot = 3\n", "'web.prot'", "did you mean 'port'?"),
        ('rulset = "taiwan"\n', "'rulset'", "did you mean 'ruleset'?"),
        ("[web]\nport = 70000\n", "'web.port'", "65535"),
        ('[web]\nviewing = "all"\n', "'web.viewing'", "'open' or 'paired'"),
        ("[reading]\ninterval_s = 0\n", "'reading.interval_s'", "greater than or equal to 0.05"),
    ],
)
def test_a_wrong_setting_names_key_file_and_what_is_valid(tmp_path: Path, text: str, key: str, hint: str) -> None:
    file = write(tmp_path / "bad.toml", text)
    with pytest.raises(UsageError) as caught:
        load_settings(file)
    assert key in str(caught.value)
    assert str(file) in str(caught.value)
    assert hint in str(caught.value)


def test_a_wrong_variable_names_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAICAM_WEB__PORT", "many")
    with pytest.raises(UsageError, match="TAICAM_WEB__PORT"):
        load_settings()


def test_a_missing_or_torn_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no settings file"):
        load_settings(tmp_path / "none.toml")
    with pytest.raises(UsageError, match="not valid TOML"):
        load_settings(write(tmp_path / "torn.toml", "[web\nport"))


def test_secrets_are_looked_up_only_by_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAM_PASSWORD", "s3cret")
    secret = write(tmp_path / "pin", "1234\n")
    text = f"rtsp://cam:${{env:CAM_PASSWORD}}@host/?pin=${{file:{secret}}}"
    assert resolve_references(text) == "rtsp://cam:s3cret@host/?pin=1234"
    with pytest.raises(UsageError, match="NOT_THERE"):
        resolve_references("${env:NOT_THERE}")
    with pytest.raises(UsageError, match="cannot be read"):
        resolve_references(f"${{file:{tmp_path}/nothing}}")
