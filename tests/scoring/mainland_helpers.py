"""Records of mainland hands written as text, and what their answers say."""

from __future__ import annotations

from typing import Any

from scoring import score_record


def answer(ruleset: str, text: str, facts: str = "", **fields: Any) -> dict[str, Any]:
    """`123m 55p | chow:456s | 5p`, `draw dealer seat=E round=E` with flags: the answer of score_record."""
    concealed, melds, win = (part.strip() for part in text.split("|"))
    record: dict[str, Any] = {
        "ruleset": ruleset,
        "concealed": concealed,
        "melds": [dict(zip(("kind", "tiles"), meld.split(":"), strict=True)) for meld in melds.split()],
        "win_tile": win or None,
        "flags": [],
        "seat_wind": "S",
        "round_wind": "E",
    }
    for word in facts.split():
        name, equals, value = word.partition("=")
        if equals:
            record[f"{name}_wind"] = value
        elif word in ("draw", "dealer"):
            record["self_draw" if word == "draw" else word] = True
        else:
            record["flags"].append(word)
    return score_record(record | fields)


def items(found: dict[str, Any]) -> str:
    """`小胡 1 自摸 1`, as the answer has them."""
    assert "error" not in found, found
    return " ".join(f"{item['name']} {item['value']}" for item in found["items"])


def paid(found: dict[str, Any]) -> list[int]:
    """The net changes of players 0 to 3."""
    assert "error" not in found, found
    changes = [found["payments"][player] for player in "0123"]
    assert sum(changes) == 0
    return changes


def unmet(found: dict[str, Any]) -> dict[str, str]:
    """What was within reach, by item, and why it is not there."""
    return {row["key"]: row["because_en"] for row in found["unmet"]}
