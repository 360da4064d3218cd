"""What displays show."""

from __future__ import annotations

from scoring.view import NOTHING, Said, ScoreView


def test_a_sentence_is_told_in_the_viewers_language_else_in_the_other() -> None:
    both = Said("請確認", "please check")
    assert (both.text("zh-Hant"), both.text("en")) == ("請確認", "please check")
    assert Said("請確認").text("en") == Said(en="請確認").text("zh-Hant") == "請確認"


def test_nothing_said_is_false() -> None:
    assert not NOTHING and not ScoreView().message
    assert Said("看") and Said(en="look")
