"""What is kept to learn from, how much of it, and how long."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class CaptureSettings(BaseModel):
    """The `capture` section of the settings. Nothing is kept before consent is given (`taicam capture consent`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    confirmed: bool = Field(default=True, description="keep every hand that was confirmed")
    corrected: bool = Field(default=True, description="keep every hand with a corrected tile")
    doubtful: bool = Field(default=True, description="keep readings that had to be asked about")
    button: bool = Field(default=True, description="keep the view when somebody asks for it")
    sample_share: float = Field(default=0.01, ge=0, le=1, description="share of all other views that is kept")
    sample_interval_s: float = Field(default=60, ge=0, description="least time between two views kept by chance")
    crop: Literal["table", "frame"] = Field(
        default="table", description="table: only the table is kept, never faces; frame: the whole view"
    )
    format: Literal["jpg", "png"] = "jpg"
    quality: int = Field(default=95, ge=50, le=100, description="JPEG quality")
    max_mb: int = Field(default=2000, ge=1, description="most megabytes kept; the least useful go first")
    max_days: int = Field(default=365, ge=1, description="nothing older is kept")
    max_samples: int = Field(default=20_000, ge=1, description="most samples kept")
    keep_free_mb: int = Field(default=500, ge=0, description="free space that is left to the rest of the machine")
    duplicate_bits: int = Field(
        default=16, ge=0, le=128, description="views with the same tiles that differ in at most so many bits are one"
    )
    queue: int = Field(default=8, ge=1, le=64, description="views waiting to be written; a full queue never waits")
