"""The pages' API: who may do what, once each, within bounds, and never a 500."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from PIL import Image

from taicam.board import Board
from taicam.facts import Facts
from taicam.house import House
from taicam.ledger import Ledger
from taicam.pictures import PictureStore
from taicam.session import Session
from taicam.web.app import WebOptions, create_app

HERE, THERE = ("127.0.0.1", 50000), ("192.168.1.77", 50000)
HAND = {
    "concealed": ["1m", "2m", "3m", "4m", "5m", "6m", "7p", "8p", "9p", "2s", "3s", "4s", "6s", "7s", "8s", "5p", "5p"],
    "melds": [],
    "flowers": [],
    "win_tile": "8s",
}
MATCH = {
    "title": "週五",
    "people": [{"id": f"p{n}", "name": name} for n, name in enumerate(["阿明", "小華", "Grandma", "老王"])],
    "seating": ["p0", "p1", "p2", "p3"],
    "ruleset": "taiwan",
    "stakes": {"di": 100, "tai": 20},
    "false_win": 150,
}


def win(place: int = 0, loser: int | None = None, **more: Any) -> dict[str, Any]:
    one = {"place": place, "hand": HAND, "self_draw": loser is None}
    return {"outcome": "win", "wins": [one], "loser": loser, **more}


def key(name: str) -> dict[str, str]:
    return {"idempotency-key": f"key-{name:0>8}"}


class Made:
    """One application on one ledger, and clients at several places."""

    def __init__(self, folder: Path, reader: Any, **options: Any) -> None:
        self.ledger = Ledger.open(folder)
        self.session = Session(self.ledger, Board(), House())
        self.pictures = PictureStore(folder / "pictures")
        self.app = create_app(self.session, self.pictures, lambda: reader, WebOptions(**options))

    def client(self, where: tuple[str, int] = HERE) -> TestClient:
        return TestClient(self.app, base_url="http://localhost:8080", client=where)


@pytest.fixture
def make(tmp_path: Path, readings: Any) -> Iterator[Callable[..., Made]]:
    made: list[Made] = []

    class Reader:
        def read(self, _image: Any) -> Any:
            return readings.doubtful()

    def build(**options: Any) -> Made:
        one = Made(tmp_path / f"data{len(made)}", Reader(), **options)
        made.append(one)
        return one

    yield build
    for one in made:
        one.ledger.close()


def photo(size: tuple[int, int] = (320, 240), kind: str = "JPEG") -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.full((size[1], size[0], 3), 80, np.uint8)).save(out, kind)
    return out.getvalue()


# ---- who may do what -------------------------------------------------------------------------------------------------


def write_routes(app: Any) -> list[tuple[str, str]]:
    paths = app.openapi()["paths"]
    free = {"/api/preview", "/api/pair", "/api/photo"}  # these change nothing, or are the way in
    return [
        (method.upper(), path.replace("{offer_id}", "o1").replace("{hand_id}", "h1").replace("{device_id}", "d1"))
        for path, methods in paths.items()
        for method in methods
        if method in {"post", "put", "delete", "patch"} and path not in free
    ]


@pytest.mark.parametrize(("pairing", "where"), [(True, HERE), (True, THERE), (False, THERE)])
def test_a_client_that_is_not_paired_changes_nothing(make: Callable[..., Made], pairing: bool, where: Any) -> None:
    made = make(pairing=pairing)
    client = made.client(where)
    routes = write_routes(made.app)
    assert len(routes) >= 10
    bodies = [win(), MATCH, {"seating": MATCH["seating"]}, {"reason": ""}, None]
    for method, path in routes:
        for body in bodies:
            answer = client.request(method, path, json=body, headers=key("1"))
            assert answer.status_code in {401, 404, 422}, (method, path, answer.status_code)
        answer = client.request(method, path, json=bodies[0], headers={**key("1"), "authorization": "Bearer nonsense"})
        assert answer.status_code in {401, 404, 422}
    assert made.ledger.events() == []


def test_every_write_wants_an_idempotency_key(make: Callable[..., Made]) -> None:
    made = make()
    for method, path in write_routes(made.app):
        answer = made.client().request(method, path, json=win())
        assert answer.status_code in {400, 422}, (method, path)
    assert made.ledger.events() == []


def test_every_route_that_changes_things_depends_on_the_changer(make: Callable[..., Made]) -> None:
    made = make()
    for route in made.app.routes:
        if isinstance(route, APIRoute) and route.methods & {"POST", "PUT", "DELETE", "PATCH"}:
            names = {d.call.__name__ for d in route.dependant.dependencies if d.call is not None}
            assert "_changer" in names or route.path in {"/api/preview", "/api/pair", "/api/photo"}, route.path


def test_pairing_by_the_code_then_changing_then_revoking(make: Callable[..., Made]) -> None:
    made = make(pairing=True, public_url="http://192.168.1.5:8080")
    kiosk, tablet = made.client(), made.client(THERE)
    assert tablet.get("/api/pairing").json() == {"pairing": True, "may_change": False, "code": None}
    assert tablet.get("/api/pairing/qr.svg").status_code == 403
    shown = kiosk.get("/api/pairing").json()
    assert shown["url"] == "http://192.168.1.5:8080"
    assert b"<svg" in kiosk.get("/api/pairing/qr.svg").content
    body = {"code": shown["code"], "name": "客廳平板"}
    paired = tablet.post("/api/pair", json=body, headers=key("p"))
    assert paired.status_code == 200
    cookie = paired.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert tablet.post("/api/hands", json=win(), headers=key("h")).status_code == 201
    assert made.ledger.events()[-1].actor.startswith("客廳平板 (")
    assert kiosk.get("/api/pairing").json()["code"] != shown["code"]  # used once
    assert tablet.post("/api/pair", json=body, headers=key("p")).status_code == 403
    device = tablet.get("/api/devices").json()[0]["id"]
    assert tablet.delete(f"/api/devices/{device}", headers=key("r")).status_code == 200
    assert tablet.post("/api/undo", headers=key("u")).status_code == 401


def test_a_request_through_a_proxy_is_not_taken_for_this_machine(make: Callable[..., Made]) -> None:
    client = make(pairing=True).client()
    assert client.get("/api/pairing", headers={"x-forwarded-for": "203.0.113.9"}).json()["code"] is None


def test_guessing_codes_is_stopped(make: Callable[..., Made]) -> None:
    made = make(pairing=True)
    guesser = made.client(THERE)
    right = made.client().get("/api/pairing").json()["code"]
    wrong = "000000" if right != "000000" else "111111"
    codes = [guesser.post("/api/pair", json={"code": wrong}, headers=key("g")).status_code for _ in range(7)]
    assert codes == [403] * 5 + [429] * 2
    assert "retry-after" in guesser.post("/api/pair", json={"code": right}, headers=key("g")).headers
    assert made.client().get("/api/pairing").json()["code"] != right


def test_viewing_may_be_closed(make: Callable[..., Made]) -> None:
    made = make(pairing=True, viewing="paired")
    stranger = made.client(THERE)
    for path in ("/api/state", "/api/hands", "/api/offers", "/api/matches", "/api/export.csv", "/api/events"):
        assert stranger.get(path).status_code == 401, path
    assert stranger.get("/").status_code == 200  # the page to pair on
    assert stranger.get("/healthz").status_code == 200
    assert made.client().get("/api/state").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://localhost:9999"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_cannot_change_anything_in_the_users_name(
    make: Callable[..., Made], headers: dict[str, str]
) -> None:
    made = make()
    assert made.client().post("/api/hands", json=win(), headers={**key("1"), **headers}).status_code == 403
    assert made.ledger.events() == []


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", ""])
def test_a_strangers_name_for_this_machine_is_refused(make: Callable[..., Made], host: str) -> None:
    assert make().client().get("/api/state", headers={"host": host}).status_code == 421


def test_pages_carry_the_headers_that_keep_strangers_scripts_out(make: Callable[..., Made]) -> None:
    client = make().client()
    for path in ("/", "/display", "/api/state", "/static/base.css", "/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    for name in ("companion.html", "display.html", "base.html"):
        text = (Path(__file__).parents[2] / "taicam" / "web" / "templates" / name).read_text(encoding="utf-8")
        assert "style=" not in text
        assert "http://" not in text
        assert "https://" not in text


# ---- once each -------------------------------------------------------------------------------------------------------


def test_the_same_key_counts_once_and_other_facts_under_it_change_nothing(make: Callable[..., Made]) -> None:
    made = make()
    client = made.client()
    ids = {client.post("/api/hands", json=win(), headers=key("1")).json()["hand_id"] for _ in range(3)}
    assert len(ids) == 1
    again = client.post("/api/hands", json=win(place=2), headers=key("1"))
    assert again.json()["hand_id"] in ids
    assert len(made.ledger.events()) == 1


def test_undo_pressed_twice_takes_one_hand_back(make: Callable[..., Made]) -> None:
    made = make()
    client = made.client()
    for number in range(2):
        client.post("/api/hands", json=win(), headers=key(f"h{number}"))
    for _ in range(2):
        assert client.post("/api/undo", headers=key("undo")).status_code == 200
    assert [hand["voided"] for hand in client.get("/api/hands").json()] == [True, False]


# ---- a match ---------------------------------------------------------------------------------------------------------


def start(client: TestClient) -> str:
    answer = client.post("/api/matches", json=MATCH, headers=key("m"))
    assert answer.status_code == 201, answer.text
    match_id: str = answer.json()["match_id"]
    return match_id


def test_a_match_is_played_corrected_and_settled(make: Callable[..., Made]) -> None:
    made = make()
    client = made.client()
    match_id = start(client)
    assert start(client) == match_id  # the same tap
    second = client.post("/api/matches", json=MATCH, headers=key("m2"))
    assert second.status_code == 422
    first = client.post("/api/hands", json=win(0, 2), headers=key("1")).json()["hand_id"]
    client.post("/api/hands", json=win(1), headers=key("2"))
    third = client.post("/api/hands", json={"outcome": "draw"}, headers=key("3")).json()["hand_id"]
    client.post("/api/hands", json={"outcome": "false_win", "place": 3}, headers=key("4"))
    # An older hand is shown as it was played: the first dealer had won, then the next player.
    assert [seat["wind"] for seat in client.get(f"/api/hands/{first}").json()["seats"]] == ["E", "S", "W", "N"]
    later = client.get(f"/api/hands/{third}").json()
    assert [seat["wind"] for seat in later["seats"]] == ["N", "E", "S", "W"]
    assert later["seats"][0]["name"] == "阿明"
    assert later["rules"]["name"] == "taiwan"

    def totals() -> dict[str, int]:
        return {p["id"]: p["total"] for p in client.get(f"/api/matches/{match_id}").json()["people"]}

    # 門清 1 + 平和 2 off a discard, dealer +1: 100 + 4 x 20. Then 門清 1, 不求 1, 自摸 1 from three; dealer 連1: +3.
    before = totals()
    assert before == {"p0": 180 - 220 + 150, "p1": 160 * 2 + 220 + 150, "p2": -180 - 160 + 150, "p3": -160 - 450}
    assert client.put(f"/api/hands/{first}", json=win(2, 3), headers=key("5")).status_code == 200
    # The older hand now was no dealer's: the deal went on, so that 小華 won the second hand as dealer, from all alike.
    assert totals() == {"p0": -180 + 150, "p1": 180 * 3 + 150, "p2": 160 - 180 + 150, "p3": -160 - 180 - 450}
    client.post(f"/api/hands/{first}/void", json={}, headers=key("6"))
    client.post(f"/api/hands/{first}/restore", headers=key("7"))
    assert totals()["p2"] == 160 - 180 + 150
    assert client.post("/api/match/end", headers=key("8")).status_code == 200
    ended = client.get(f"/api/matches/{match_id}").json()
    assert ended["ended"]
    assert sum(one["amount"] for one in ended["settle_up"]) == sum(max(0, p["total"]) for p in ended["people"])
    assert "老王" in client.get(f"/sheet/{match_id}").text
    replayed = Session(made.ledger, Board(), House())
    assert replayed.account == made.session.account


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (win(0, 0), "deal in to themselves"),
        ({**win(0), "loser": 1}, "self-draw"),
        ({"outcome": "draw", "wins": win()["wins"]}, "no winner"),
        ({"outcome": "false_win"}, "place"),
        ({"outcome": "win", "wins": []}, "winners"),
        ({"outcome": "win", "wins": [{"place": 0, "hand": HAND}]}, "放槍"),
        ({**win(0), "wins": [{"place": 0, "hand": {**HAND, "win_tile": "C"}, "self_draw": True}]}, "winning tile C"),
        (
            {"outcome": "win", "loser": 3, "wins": [{"place": 1, "hand": HAND}, {"place": 0, "hand": HAND}]},
            "only the nearest winner",
        ),
    ],
)
def test_what_contradicts_itself_is_refused_in_words(
    make: Callable[..., Made], body: dict[str, Any], said: str
) -> None:
    made = make()
    client = made.client()
    start(client)
    answer = client.post("/api/hands", json=body, headers=key("1"))
    assert answer.status_code == 422
    assert said in json.dumps(answer.json(), ensure_ascii=False)
    assert len(made.ledger.events()) == 1
    preview = client.post("/api/preview", json=body)
    assert preview.status_code == 200
    assert not preview.json()["ok"]


def test_a_preview_shows_the_score_before_the_discarder_is_named(make: Callable[..., Made]) -> None:
    client = make().client()
    start(client)
    told = client.post("/api/preview", json={"outcome": "win", "wins": [{"place": 0, "hand": HAND}]}).json()
    assert (told["ok"], told["wins"][0]["answer"]["total"], told["changes"]) == (False, 3, None)
    told = client.post("/api/preview", json=win(0, 1)).json()
    assert (told["ok"], told["changes"]) == (True, [180, -180, 0, 0])


# ---- photos and pictures ---------------------------------------------------------------------------------------------


def send_photo(client: TestClient, data: bytes) -> Any:
    return client.post("/api/photo", files={"photo": ("x.jpg", data)}, headers=key("f"))


def test_a_photo_is_read_for_anybody_and_kept_only_with_a_hand(make: Callable[..., Made], tmp_path: Path) -> None:
    made = make(pairing=True)
    answer = send_photo(made.client(THERE), photo())
    assert answer.status_code == 200
    told = answer.json()
    assert told["reading"]["hand"]["win_tile"] == "8s"
    assert made.client(THERE).get(f"/api/pictures/{told['picture_id']}.jpg").headers["content-type"] == "image/jpeg"
    assert list(tmp_path.rglob("*.jpg")) == []
    assert made.ledger.events() == []


def test_strangers_may_not_keep_the_reader_busy(make: Callable[..., Made]) -> None:
    client = make(pairing=True).client(THERE)
    codes = [send_photo(client, photo((32, 32))).status_code for _ in range(12)]
    assert codes == [200] * 10 + [429] * 2


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"I am not a picture", 422),
        (b"", 422),
        (photo()[:200], 422),
        (photo((9000, 9000), "PNG"), 422),
        (b"\xff" * (2 * 1024 * 1024), 413),
    ],
    ids=["text", "empty", "torn", "bomb", "large"],
)
def test_bad_photos_are_refused_in_words(make: Callable[..., Made], data: bytes, status: int) -> None:
    answer = send_photo(make(upload_mb=1).client(), data)
    assert answer.status_code == status
    assert answer.json()["detail"]


@pytest.mark.parametrize("name", ["../../ledger.sqlite3", "..%2f..%2fledger", "x" * 300, "%00", "aux", "a/b"])
def test_no_path_from_a_client_reaches_the_file_system(make: Callable[..., Made], name: str) -> None:
    made = make()
    made.pictures.keep(made.pictures.hold(np.zeros((10, 10, 3), np.uint8)))
    for path in (f"/api/pictures/{name}.jpg", f"/tiles/{name}.svg", f"/static/{name}"):
        assert made.client().get(path).status_code in {404, 405}, path


def test_a_body_beyond_bounds_is_refused_before_it_is_read(make: Callable[..., Made]) -> None:
    client = make().client()
    big = {"outcome": "win", "wins": [{"place": 0, "hand": {"concealed": ["1m"] * 100_000}}]}
    assert client.post("/api/preview", json=big).status_code == 413
    many = {"outcome": "win", "wins": [{"place": 0, "hand": {"concealed": ["1m"] * 1000}}]}
    assert client.post("/api/preview", json=many).status_code == 422

    def endless() -> Iterator[bytes]:
        for _ in range(1000):
            yield b"x" * 1024

    assert client.post("/api/preview", content=endless()).status_code == 413


def test_every_tile_has_a_drawing_and_nothing_else_has(make: Callable[..., Made]) -> None:
    from scoring import ALL_CODES

    client = make().client()
    for code in ALL_CODES:
        answer = client.get(f"/tiles/{code}.svg")
        assert answer.status_code == 200
        assert answer.text.startswith("<svg")
    assert client.get("/tiles/0m.svg").status_code == 404


def test_the_ledger_failing_is_said_and_nothing_is_pretended(make: Callable[..., Made]) -> None:
    made = make()
    made.ledger.close()
    made.ledger.path.unlink()
    made.ledger.path.mkdir()
    answer = made.client().post("/api/hands", json=win(), headers=key("1"))
    assert answer.status_code == 503
    assert "ledger" in answer.json()["detail"]


@pytest.mark.parametrize("language", ["zh-Hant", "en"])
def test_what_is_asked_and_said_comes_in_both_languages_whatever_the_houses(
    make: Callable[..., Any], readings: Any, language: Any
) -> None:
    made = make()
    made.session.house = House(language=language)
    client = made.client()
    made.session.offer(readings.doubtful(), "b.jpg", Facts(self_draw=True), "digest-b")
    state = client.get("/api/state").json()
    (offer,) = client.get("/api/offers").json()
    for told in (state, state["table"]["offers"][0], offer, client.get(f"/api/offers/{offer['offer_id']}").json()):
        assert (told["doubts"], told["doubts_en"]) == (["第 5 張不確定"], ["tile 5 is not certain"])
    assert (state["message"], state["message_en"]) == ("請確認這手牌", "Please confirm this hand")
    made.session.offer(readings.unreadable(), "c.jpg", Facts())
    state = client.get("/api/state").json()
    assert (state["message"], state["message_en"]) == ("照片模糊:請重拍", "blurred: take it again")
    made.session.offer(readings.spoilt(), "d.jpg", Facts(), "digest-d")
    state = client.get("/api/state").json()
    assert state["message"].startswith("未成胡:")
    assert state["message_en"].startswith("Not a winning hand: ") and state["message_en"].isascii()


def test_a_hand_offered_before_both_languages_were_kept_is_asked_about_in_the_houses(
    make: Callable[..., Any], readings: Any
) -> None:
    made = make()
    made.session.offer(readings.doubtful(), "b.jpg", Facts(self_draw=True), "digest-b")
    (event,) = made.session.account.open_offers.values()
    del event.payload["doubts_en"]
    (offer,) = made.client().get("/api/offers").json()
    assert offer["doubts_en"] == offer["doubts"] == ["第 5 張不確定"]
