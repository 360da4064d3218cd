"""From a reading and its score to what players see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.view import HandView, ItemView, MeldView, Said


def hand_view(hand: Mapping[str, Any]) -> HandView:
    """The tiles of a hand record, the winning tile taken out of the concealed ones."""
    concealed = list(hand.get("concealed", ()))
    win_tile = hand.get("win_tile")
    if win_tile in concealed:
        last = len(concealed) - 1 - concealed[::-1].index(win_tile)
        del concealed[last]
    return HandView(
        concealed=tuple(concealed),
        melds=tuple(MeldView(str(meld["kind"]), tuple(meld["tiles"])) for meld in hand.get("melds", ())),
        flowers=tuple(hand.get("flowers", ())),
        win_tile=win_tile,
    )


def item_views(answer: Mapping[str, Any]) -> tuple[ItemView, ...]:
    """The scored items of an answer of `scoring.score_record`, for display."""
    return tuple(
        ItemView(
            key=str(item.get("key", item["name"])),
            name_zh=str(item.get("name_zh", item["name"])),
            name_en=str(item.get("name_en", "")),
            value=int(item["value"]),
            tiles=tuple(item.get("tiles", ())),
        )
        for item in answer.get("items", ())
    )


def payment_lines(answer: Mapping[str, Any], names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Who gets (+) and who pays (-), by name, in turn order; empty when it is not known."""
    payments = answer.get("payments") or {}
    return tuple((names[player], amount) for player, amount in sorted(payment_changes(payments).items()))


def payment_transfers(answers: Iterable[Mapping[str, Any]]) -> tuple[tuple[int, int, int], ...]:
    """Who pays whom how much over the answers of one hand: (payer, payee, amount), places in turn order."""
    sums: dict[tuple[int, int], int] = {}
    for answer in answers:
        for line in answer.get("payment_lines") or ():
            pair = int(line["payer"]), int(line["payee"])
            sums[pair] = sums.get(pair, 0) + int(line["amount"])
    return tuple((payer, payee, amount) for (payer, payee), amount in sorted(sums.items()) if amount)


def payment_changes(payments: Mapping[Any, Any]) -> dict[int, int]:
    """Player -> net change, from an answer's payments (whose keys are text in JSON)."""
    return {int(player): int(amount) for player, amount in payments.items()}


def asked(offer: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked about a waiting hand; one offered before both languages were kept has the house's only."""
    return {"doubts": offer["doubts"], "doubts_en": offer.get("doubts_en", offer["doubts"])}


def refusal(answer: Mapping[str, Any]) -> Said:
    """Why an answer of `scoring.score_record` is no win: malformed, or not complete."""
    if answer.get("error"):
        return Said(str(answer.get("error_zh") or answer["error"]), str(answer["error"]))
    chinese = str(answer.get("reason") or "這手牌沒有胡")
    return Said(chinese, str(answer.get("reason_en") or "this hand does not win"))
