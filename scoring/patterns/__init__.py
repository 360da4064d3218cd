"""Patterns: one small predicate each, found by key. A ruleset's items name them; values live in the ruleset files."""

from scoring.patterns import (
    changsha,
    hongkong,
    hongkong_sets,
    hongkong_unmet,
    mainland,
    mainland_unmet,
    ningbo,
    platforms,
    shanghai,
    sichuan,
    taiwan,
)
from scoring.patterns.registry import PATTERNS, Pattern

__all__ = [
    "PATTERNS",
    "Pattern",
    "changsha",
    "hongkong",
    "hongkong_sets",
    "hongkong_unmet",
    "mainland",
    "mainland_unmet",
    "ningbo",
    "platforms",
    "shanghai",
    "sichuan",
    "taiwan",
]
