"""What a person must look at before a reading counts, in words they understand."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.tiles import KINDS, tile_name
from vision.decode import MISREAD_ELSEWHERE, SURE_ELSEWHERE, Arrangement, Decoded
from vision.decode_known import contradicted, settled, sure_of_size
from vision.decode_melds import MeldGuess, MeldSlot
from vision.decode_odds import Calibration, TileOdds
from vision.observation import Doubt, Known, QualityNote, Suggestion

#: The rules protect neither flowers nor the winning tile: each must be sure by itself.
SURE_FLOWER = 0.97
SURE_WIN_TILE = 0.93
#: A kind whose tiles may all be another kind, and the hand win still, must be this sure in each of its tiles.
SURE_KIND = 0.99
#: Nor do they tell a pung from a kong stacked on it; groups lying flat are surer than this.
SURE_PUNG = 0.98
#: Odds of a tile's name below which it is asked, whatever the rules make of it.
TOSS_UP = 0.6
#: Doubts that say nothing of how probable the tiles and groups read are.
_ASIDE = frozenset(["win_tile", "meld_kind", "hidden_kong"])
_SHOWN = 3
_HONOURS = frozenset("ESWNCFP")


def doubts_of(
    odds: Sequence[TileOdds],
    decoded: Decoded,
    hand_size: int,
    agreement: dict[int, float],
    win: tuple[int | None, float],
    calibration: Calibration,
    known: Known = None,
    seen: Sequence[str] = (),
) -> tuple[Doubt, ...]:
    """Everything not sure about the best hand, most telling first. Tile indices are those of the observations. What the
    sets `known` from before settle is not asked, nor whether a fourth tile lies hidden that was `seen` elsewhere."""
    best = decoded.hands[0]
    doubts = [
        *_count_doubts(best.arrangement, hand_size),
        *_shape_doubts(decoded),
        *_tile_doubts(odds, decoded, agreement, calibration, known),
        *_meld_doubts(decoded, calibration, known, _fourth(odds, decoded, seen)),
        *_flower_doubts(odds, decoded),
        *_win_doubts(decoded, win),
    ]
    if best.probability < calibration.accept and all(doubt.kind in _ASIDE for doubt in doubts):
        index = min(agreement, key=lambda i: agreement[i])
        doubts.append(_tile_doubt(index, best.codes[index], odds[index]))
    return tuple(doubts)


def _count_doubts(arrangement: Arrangement, hand_size: int) -> list[Doubt]:
    if arrangement.complete:
        return []
    count = len(arrangement.concealed) + 3 * len(arrangement.melds)
    wanted = hand_size + 1
    if count == hand_size:
        return [
            Doubt(
                "waiting",
                f"看到 {count} 張(花牌不計,槓算三張),和牌應有 {wanted} 張:請補上和的那張,或有一張沒拍到。",
                f"{count} tiles are seen (flowers aside, a kong counts three); a won hand has {wanted}: "
                "add the winning tile, or one was not seen.",
            )
        ]
    word_zh, word_en = ("多", "too many") if count > wanted else ("少", "missing")
    return [
        Doubt(
            "count",
            f"看到 {count} 張(花牌不計,槓算三張),應為 {wanted} 張,{word_zh}了 {abs(count - wanted)} 張。",
            f"{count} tiles are seen (flowers aside, a kong counts three) instead of {wanted}: "
            f"{abs(count - wanted)} {word_en}.",
        )
    ]


def _shape_doubts(decoded: Decoded) -> list[Doubt]:
    best = decoded.hands[0]
    if best.wins or not best.arrangement.complete:
        return []
    return [
        Doubt(
            "not_winning",
            "照這樣看,這手牌沒有和。請檢查有沒有看錯的牌。",
            "As read, this hand does not win. Check whether a tile was misread.",
        )
    ]


def _tile_doubts(
    odds: Sequence[TileOdds],
    decoded: Decoded,
    agreement: dict[int, float],
    calibration: Calibration,
    known: Known,
) -> list[Doubt]:
    best = decoded.hands[0]
    flowers = set(best.arrangement.flowers)
    playing = {i: p for i, p in agreement.items() if i not in flowers}
    if best.probability >= calibration.accept:
        # The rules may settle what the picture leaves open, but not by a tile that is nearly a toss-up: a set whose
        # faces are that unlike those learnt has others misread for sure. One seen better before is none.
        clear = {
            i
            for slot, guess in zip(best.arrangement.melds, best.melds, strict=True)
            if settled(guess, known)
            for i in slot.all_indices
        }
        doubtful = [i for i in playing if odds[i].back < 0.5 and odds[i].of(best.codes[i]) < TOSS_UP and i not in clear]
        doubtful = doubtful or _unprotected(odds, decoded)
    else:
        doubtful = [
            i for i, p in playing.items() if p < calibration.accept or _unsure_alone(odds[i], best.codes[i], best.wins)
        ]
    doubtful.sort(key=lambda i: agreement[i])
    return [_tile_doubt(i, best.codes[i], odds[i]) for i in doubtful]


def _unprotected(odds: Sequence[TileOdds], decoded: Decoded) -> list[int]:
    """Tiles of a kind that may all be misread alike: the hand would win with another kind in their place as well, so
    the rules do not protect them, and it is the least sure of them that tells."""
    best = decoded.hands[0]
    named = set(best.codes.values())
    # An honour makes no sequence: another one that the hand has not does as well in all its places.
    found = {
        i
        for i, code in best.codes.items()
        if code in _HONOURS and any(p > 1.0 - SURE_KIND for c, p in odds[i].odds if c in _HONOURS - named)
    }
    for guess in decoded.hands[1:]:
        changed = [i for i, code in best.codes.items() if guess.codes.get(i, code) != code]
        ways = {(best.codes[i], guess.codes[i]) for i in changed}
        if not guess.wins or len(ways) != 1:
            continue
        ((code, other),) = ways
        alike = len(changed) == sum(c == code for c in best.codes.values())
        least = max(changed, key=lambda i: odds[i].of(other))
        if alike and odds[least].of(other) > 1.0 - SURE_KIND:
            found.add(least)
    return sorted(found)


def _unsure_alone(odds: TileOdds, code: str, wins: bool) -> bool:
    """Without a winning shape to protect it, a tile must be sure by itself."""
    return not wins and odds.back < 0.5 and odds.of(code) < 0.9


def _tile_doubt(index: int, code: str, odds: TileOdds) -> Doubt:
    others = [c for c, _ in odds.odds if c != code][:_SHOWN]
    zh, en = tile_name(code), tile_name(code, "en")
    maybe_zh = "、".join(tile_name(c) for c in others)
    maybe_en = ", ".join(tile_name(c, "en") for c in others)
    return Doubt(
        "tile",
        f"這張看作{zh},請確認" + (f"(也可能是 {maybe_zh})。" if others else "。"),
        f"This one is read as {en}: please check" + (f" (it may be {maybe_en})." if others else "."),
        index,
    )


def faint_doubt(index: int, code: str) -> Doubt:
    """The question whether a tile is there at all."""
    return Doubt(
        "tile",
        f"這裡真的有一張{tile_name(code)}嗎?看得不太清楚,請確認。",
        f"Is there a {tile_name(code, 'en')} here? It is hardly seen: please check.",
        index,
    )


def _fourth(odds: Sequence[TileOdds], decoded: Decoded, seen: Sequence[str]) -> frozenset[str]:
    """The codes of which one is surely seen apart from the melds."""
    best = decoded.hands[0]
    own = {best.codes[i] for i in best.arrangement.concealed if odds[i].of(best.codes[i]) > SURE_ELSEWHERE}
    return frozenset(own.union(seen))


def _meld_doubts(decoded: Decoded, calibration: Calibration, known: Known, fourth: frozenset[str]) -> list[Doubt]:
    best = decoded.hands[0]
    doubts = []
    for slot, guess in zip(best.arrangement.melds, best.melds, strict=True):
        first = slot.indices[0] if slot.indices else None
        sure = settled(guess, known)
        if "back" in guess.codes:
            doubts.append(
                Doubt(
                    "hidden_kong",
                    "這組暗槓四張都蓋著,看不出是什麼牌,請告訴我。",
                    "All four tiles of this concealed kong lie face down: say what they are.",
                    first,
                )
            )
        elif slot.known is not None and slot.unseen and (sure is None or first is None or guess.kind == "pung"):
            # A pung's third tile may be hidden by a fourth, added just now.
            names_zh = "".join(tile_name(code) for code in sorted(guess.codes))
            names_en = ", ".join(tile_name(code, "en") for code in sorted(guess.codes))
            doubts.append(
                Doubt(
                    "hidden_set",
                    f"這裡之前有{names_zh},現在被擋住了,請確認。",
                    f"{names_en} lay here before and cannot be seen now: please check.",
                    first,
                )
            )
        elif slot.unseen and guess.kind == "kong_concealed" and sure is None:
            name_zh, name_en = tile_name(guess.codes[0]), tile_name(guess.codes[0], "en")
            doubts.append(
                Doubt(
                    "unseen_backs",
                    f"{name_zh}看起來是暗槓,但沒看到蓋著的兩張,請確認。",
                    f"{name_en} looks like a concealed kong, but its two face-down tiles were not seen: please check.",
                    first,
                )
            )
        elif not guess.sure_kind:
            name_zh, name_en = tile_name(guess.codes[0]), tile_name(guess.codes[0], "en")
            doubts.append(
                Doubt(
                    "meld_kind",
                    f"{name_zh}的槓是明槓還是暗槓?照片看不出來。",
                    f"Is the kong of {name_en} exposed or concealed? The picture does not say.",
                    first,
                )
            )
        elif contradicted(guess, known) or (
            _may_be_stacked(slot, guess, fourth)
            and not (sure is not None and sure_of_size(sure) and _of_one_size(decoded, guess))
        ):
            name_zh, name_en = tile_name(guess.codes[0]), tile_name(guess.codes[0], "en")
            doubts.append(
                Doubt(
                    "stacked",
                    f"{name_zh}這組好像有第四張疊著,是槓嗎?",
                    f"A fourth {name_en} seems to lie stacked in this group: is it a kong?",
                    first,
                )
            )
    if best.arrangement.complete and _rival_grouping(decoded, calibration):
        doubts.append(
            Doubt(
                "melds",
                "分不清哪些是吃碰的、哪些是手牌,請確認。",
                "It is not clear which groups are melds and which belong to the hand: please check.",
            )
        )
    return doubts


def _may_be_stacked(slot: MeldSlot, guess: MeldGuess, fourth: frozenset[str]) -> bool:
    if len(guess.codes) > len(slot.all_indices):
        return True
    raised = slot.raised * (MISREAD_ELSEWHERE if guess.codes[0] in fourth else 1.0)
    return guess.kind == "pung" and raised > (1.0 - SURE_PUNG) * (raised + 1.0 - slot.raised)


def _of_one_size(decoded: Decoded, guess: MeldGuess) -> bool:
    """Whether hardly a hand has the same meld with a tile more or less."""
    shares = {3: 0.0, 4: 0.0}
    for hand in decoded.hands:
        for meld in hand.melds:
            if set(meld.codes) == set(guess.codes):
                shares[len(meld.codes)] += hand.probability
    return shares[len(guess.codes)] >= SURE_PUNG * sum(shares.values())


def _rival_grouping(decoded: Decoded, calibration: Calibration) -> bool:
    best = decoded.hands[0]
    total = sum(g.probability for g in decoded.hands)
    shape = sorted(slot.all_indices for slot in best.arrangement.melds)
    rival = sum(
        g.probability
        for g in decoded.hands
        if sorted(slot.all_indices for slot in g.arrangement.melds) != shape
        or len(g.arrangement.concealed) != len(best.arrangement.concealed)
    )
    return total > 0 and rival / total > 1.0 - calibration.accept


def _flower_doubts(odds: Sequence[TileOdds], decoded: Decoded) -> list[Doubt]:
    best = decoded.hands[0]
    doubts = []
    for index in best.arrangement.flowers:
        code = best.codes[index]
        if odds[index].of(code) < SURE_FLOWER:
            plain = _tile_doubt(index, code, odds[index])
            doubts.append(Doubt("flower", plain.message_zh, plain.message_en, index))
    key = best.key()
    total = sum(g.probability for g in decoded.hands) or 1.0
    others = sum(g.probability for g in decoded.hands if g.key()[:2] == key[:2] and g.key()[2] != key[2])
    if not doubts and others / total > 1.0 - SURE_FLOWER:
        doubts.append(
            Doubt("flower", "花牌有幾張不確定,請確認。", "How many flowers there are is not sure: please check.")
        )
    # A tile that may be a flower but is not taken for one changes the count of flowers.
    for index in best.arrangement.concealed:
        if odds[index].flower > 1.0 - SURE_FLOWER:
            plain = _tile_doubt(index, best.codes[index], odds[index])
            doubts.append(Doubt("flower", plain.message_zh, plain.message_en, index))
    return doubts


def _win_doubts(decoded: Decoded, win: tuple[int | None, float]) -> list[Doubt]:
    index, confidence = win
    if not decoded.hands[0].arrangement.complete or (index is not None and confidence >= SURE_WIN_TILE):
        return []
    if index is None:
        return [Doubt("win_tile", "請指出和的是哪一張。", "Say which tile won.")]
    code = decoded.hands[0].codes[index]
    return [
        Doubt(
            "win_tile",
            f"和的是{tile_name(code)}嗎?照片看不出來(和牌請分開放或橫放)。",
            f"Did {tile_name(code, 'en')} win? The picture does not say (lay the winning tile apart or sideways).",
            index,
        )
    ]


def suggestions_of(
    odds: Sequence[TileOdds], decoded: Decoded, agreement: dict[int, float], most: int = 6
) -> tuple[Suggestion, ...]:
    """ "Did you mean": single tiles whose change gives another likely hand, likeliest first; then, where the hand is
    doubtful, each doubtful tile's own runners-up."""
    best = decoded.hands[0]
    found: dict[tuple[int, str], Suggestion] = {}
    for guess in decoded.hands[1:]:
        if guess.arrangement != best.arrangement:
            continue
        changed = [i for i in best.codes if guess.codes.get(i) != best.codes[i]]
        if len(changed) == 1:
            i = changed[0]
            found.setdefault((i, guess.codes[i]), Suggestion(i, best.codes[i], guess.codes[i], guess.probability))
    for i in sorted(agreement, key=lambda i: agreement[i])[:_SHOWN]:
        for code, p in odds[i].odds[:_SHOWN]:
            if code != best.codes[i] and (code in KINDS) == (best.codes[i] in KINDS) and p > 0.01:
                found.setdefault((i, code), Suggestion(i, best.codes[i], code, 0.0))
    return tuple(sorted(found.values(), key=lambda s: -s.probability)[:most])


def left_out_note(arrangement: Arrangement) -> tuple[QualityNote, ...]:
    """Says how many tiles were seen but not taken for part of the hand, and why."""
    if not arrangement.left_out:
        return ()
    reasons = {
        "stray": ("離手牌較遠", "apart from the hand"),
        "off_size": ("大小不同", "of another size"),
        "face_down": ("蓋著", "face down"),
        "wall": ("牌牆", "the wall"),
        "no_tile": ("可能不是牌", "perhaps no tiles"),
    }
    words = list(dict.fromkeys(reason for _, reason in arrangement.left_out))
    count = len(arrangement.left_out)
    return (
        QualityNote(
            "left_out",
            f"有 {count} 張沒有算進手牌({'、'.join(reasons[w][0] for w in words)})。",
            f"{count} tiles were left out of the hand ({', '.join(reasons[w][1] for w in words)}).",
            float(count),
        ),
    )
