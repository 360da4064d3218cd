"""What tests of more than one package share."""

from __future__ import annotations

import pytest

from vision.weights import WeightsError, model_path


@pytest.fixture
def networks() -> None:
    """Skips the test where the shipped networks are not there."""
    try:
        model_path("tiles")
        model_path("rereader")
    except WeightsError as error:
        pytest.skip(f"the networks are not here: {error}")
