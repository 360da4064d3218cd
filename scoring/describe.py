"""Rulesets laid out for people and programs: what one holds, and how two differ."""

from __future__ import annotations

from typing import Any

from scoring.ruleset import ItemSpec, Ruleset

Row = dict[str, Any]


def summary(rules: Ruleset) -> Row:
    """One line about a ruleset."""
    return {
        "name": rules.name,
        "title_zh": rules.titles["zh-Hant"],
        "title_en": rules.titles["en"],
        "source": rules.source,
        "sources": [dict(source) for source in rules.sources],
        "tiles": rules.hand_size,
        "unit": rules.unit,
        "cap": rules.cap,
        "items": len(rules.items),
        "options": len(rules.options),
    }


def describe(rules: Ruleset) -> Row:
    """Everything a ruleset says: items as written, exclusions, options with what they may be, shapes, payments."""
    items = sorted(rules.items, key=lambda item: item.order)
    return summary(rules) | {
        "shapes": (["standard"] if rules.standard else []) + [use.shape.name for use in rules.shapes],
        "items": [_item_row(item) for item in items],
        "exclusions": [{"item": row.item, "drops": list(row.drops), "quote": row.quote} for row in rules.exclusions],
        "options": [
            {
                "key": key,
                "value": _plain(value),
                "default": _plain(rules.specs[key].default),
                "valid": rules.specs[key].valid(),
                "zh": rules.specs[key].zh,
                "en": rules.specs[key].en,
                "not_from_text": rules.specs[key].not_from_text,
            }
            for key, value in rules.options.items()
        ],
        "flags": list(rules.play.get("flags", [])),
        "refusals": list(rules.play["refusals"]),
        "notices": list(rules.play.get("notices", [])),
        "consequences": dict(rules.play.get("consequences", {})),
        "settlement": dict(rules.settlement),
        "match": dict(rules.match),
    }


def _item_row(item: ItemSpec) -> Row:
    return {
        "key": item.key,
        "name_zh": item.names[0],
        "name_hans": item.names[1],
        "name_en": item.names[2],
        "value": item.value,
        "outside_cap": item.outside_cap,
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def differences(left: Ruleset, right: Ruleset) -> list[Row]:
    """What differs between two rulesets, a row each: `what`, `key`, and the two sides (None where one has it not)."""
    rows: list[Row] = []
    for what in ("tiles", "unit", "cap"):
        first, second = summary(left)[what], summary(right)[what]
        if first != second:
            rows.append({"what": "ruleset", "key": what, "left": first, "right": second})
    rows += _compared("item", {i.key: i.value for i in left.items}, {i.key: i.value for i in right.items})
    rows += _compared("exclusion", _exclusions(left), _exclusions(right))
    rows += _compared("option", left.options, right.options)
    return rows


def _exclusions(rules: Ruleset) -> dict[str, list[str]]:
    drops: dict[str, set[str]] = {}
    for row in rules.exclusions:
        drops.setdefault(row.item, set()).update(row.drops)
    return {item: sorted(keys) for item, keys in drops.items()}


def _compared(what: str, left: Any, right: Any) -> list[Row]:
    keys = dict.fromkeys([*left, *right])
    return [
        {"what": what, "key": key, "left": _plain(left.get(key)), "right": _plain(right.get(key))}
        for key in keys
        if left.get(key) != right.get(key)
    ]
