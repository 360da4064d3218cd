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


def test_where_there_is_room_for_one_line_the_message_goes_before_what_is_asked() -> None:
    asked = (Said("問一", "one"), Said("問二", "two"))
    assert ScoreView(message=Said("說", "told"), doubts=asked).line == Said("說", "told")
    assert ScoreView(doubts=asked).line == asked[0]
    assert ScoreView().line == NOTHING
