"""The game of mahjong as pure values: tiles, hands, rulesets, scores, settlement. Standard library only."""

from scoring import match_winner
from scoring.errors import ContextError, HandError, RulesetError, ScoringError, SettlementError, TileError
from scoring.errors_zh import error_zh
from scoring.hand import Hand, Meld, WinContext
from scoring.kong_money import Deal, Kong
from scoring.match import (
    DealerDrawn,
    DrawEvent,
    FalseWinEvent,
    MatchError,
    MatchState,
    SeatChange,
    WallBreak,
    WinEvent,
    advance,
    start_match,
)
from scoring.record import score_json, score_record
from scoring.ruleset import Ruleset, load_ruleset, read_ruleset, ruleset_names
from scoring.score import Score, score_hand
from scoring.settlement import Settlement, Stake, settle, settle_events, settle_false_win
from scoring.tiles import ALL_CODES, FLOWERS, KINDS, format_tiles, parse_tiles, tile_name
from scoring.violations import Violation
from scoring.waits import tiles_away, waits_of

__all__ = [
    "ALL_CODES",
    "FLOWERS",
    "KINDS",
    "ContextError",
    "Deal",
    "DealerDrawn",
    "DrawEvent",
    "FalseWinEvent",
    "Hand",
    "HandError",
    "Kong",
    "MatchError",
    "MatchState",
    "Meld",
    "Ruleset",
    "RulesetError",
    "Score",
    "ScoringError",
    "SeatChange",
    "Settlement",
    "SettlementError",
    "Stake",
    "TileError",
    "Violation",
    "WallBreak",
    "WinContext",
    "WinEvent",
    "advance",
    "error_zh",
    "format_tiles",
    "load_ruleset",
    "match_winner",
    "parse_tiles",
    "read_ruleset",
    "ruleset_names",
    "score_hand",
    "score_json",
    "score_record",
    "settle",
    "settle_events",
    "settle_false_win",
    "start_match",
    "tile_name",
    "tiles_away",
    "waits_of",
]
