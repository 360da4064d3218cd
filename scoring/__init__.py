"""The game of mahjong as pure values: tiles, hands, rulesets, scores, settlement. Standard library only."""

from scoring.errors import ContextError, HandError, RulesetError, ScoringError, SettlementError, TileError
from scoring.hand import Hand, Meld, WinContext
from scoring.tiles import ALL_CODES, FLOWERS, KINDS, format_tiles, parse_tiles, tile_name

__all__ = [
    "ALL_CODES",
    "FLOWERS",
    "KINDS",
    "ContextError",
    "Hand",
    "HandError",
    "Meld",
    "RulesetError",
    "ScoringError",
    "SettlementError",
    "TileError",
    "WinContext",
    "format_tiles",
    "parse_tiles",
    "tile_name",
]
