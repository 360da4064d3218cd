"""Patterns: one small predicate each, found by key. A ruleset's items name them; values live in the ruleset files."""

from scoring.patterns import hongkong, hongkong_sets, hongkong_unmet, taiwan
from scoring.patterns.registry import PATTERNS, Pattern

__all__ = ["PATTERNS", "Pattern", "hongkong", "hongkong_sets", "hongkong_unmet", "taiwan"]
