"""Sentences for players, in Traditional Chinese and English."""

from __future__ import annotations

from typing import Literal

from scoring.view import Said

Language = Literal["zh-Hant", "en"]

WIND_NAMES: dict[Language, tuple[str, ...]] = {
    "zh-Hant": ("東", "南", "西", "北"),
    "en": ("East", "South", "West", "North"),
}

_TEXT: dict[str, tuple[str, str]] = {
    "idle": ("請把胡牌攤開,放到鏡頭下", "Lay the winning hand face up under the camera"),
    "reading": ("辨識中…", "Reading…"),
    "recorded": ("已記錄", "Recorded"),
    "drawn": ("流局", "Drawn hand"),
    "false_win": ("詐胡", "False win"),
    "already": ("這手牌已經記錄過", "This hand is already recorded"),
    "confirm": ("請確認這手牌", "Please confirm this hand"),
    "unclear": ("這張照片看不清楚,請重拍或手動輸入", "This picture cannot be read: take it again or enter the hand"),
    "not_winning": ("未成胡", "Not a winning hand"),
    "camera_lost": ("鏡頭沒有畫面", "The camera gives no picture"),
    "events_lost": ("麻將機漏報了一些事件,請核對紀錄", "The machine forgot some events: check the history"),
    "how_won": ("沒看清楚:自摸,還是誰放槍?", "Not seen: self-drawn, or who dealt in?"),
    "who_dealt_in": ("還沒選誰放槍", "It is not said who dealt in"),
    "win_not_certain": ("系統不確定這手牌讀得對", "taicam is not certain that this hand was read right"),
    "assumed": ("未告知:按{what}計算", "Not told: {what} assumed"),
}


def say(key: str, **values: str) -> Said:
    """The sentence `key`."""
    return Said(*(text.format(**values) for text in _TEXT[key]))
