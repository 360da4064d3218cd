"""What the pages say when something cannot be done, in Traditional Chinese beside the English of the exceptions.

One table, as in `scoring.errors_zh`: the sentence as the code raises it, with `{}` for what is filled in, and its
translation with `{0}`, `{1}` … in the order of the English one. A test walks over every exception that can come to a
page and finds those without a row here.
"""

from __future__ import annotations

from scoring.errors import ScoringError
from scoring.errors_zh import FIELD_NAMES, error_zh, patterns_of, sentence_zh, translated
from scoring.view import Said
from taicam.errors import TaicamError

_ROWS: tuple[tuple[str, str], ...] = (
    # pairing and who may do what
    ("pair this device first: open /pair and give the code shown on the display",
     "請先配對這台裝置:在配對頁輸入顯示器上的六位數字"),
    ("viewing is for paired devices: open /pair and give the code shown on the display",
     "只有配對過的裝置可以看:請在配對頁輸入顯示器上的六位數字"),
    ("send an Idempotency-Key header: 8 to 120 letters, digits or . _ : -",
     "缺少 Idempotency-Key 標頭:8 到 120 個英數字或 . _ : -"),
    ("pairing is off: start taicam with web.pairing = true", "配對已關閉:請以 web.pairing = true 啟動 taicam"),
    ("the code is shown on the display at the table", "配對碼顯示在牌桌的顯示器上"),
    ("too many wrong codes", "輸入錯誤太多次,請過幾分鐘再試"),
    ("that is not the code shown now", "這不是顯示器上現在的配對碼,請再看一次"),
    ("no device {} is paired", "沒有配對過的裝置 {0}"),
    ("see `taicam devices list`", "請看設定頁的裝置列表"),
    ("this host name is not this machine's: use its address or localhost",
     "這個主機名稱不是這台機器的:請用它的網址(IP)或 localhost"),
    ("changes are accepted from this server's own pages only", "只接受這台機器自己的頁面送出的更改"),
    ("at most {} KiB may be sent here", "檔案或資料太大:這裡最多 {0} KiB"),
    ("too many pages are open: close one", "開啟的頁面太多了,請關掉一個"),
    ("Not Found", "沒有這個頁面"),
    ("Method Not Allowed", "這裡不能這樣做"),
    ("There was an error parsing the body", "送來的資料讀不懂,請再試一次"),
    ("Could not parse upload body: {}", "上傳的資料不完整,請再傳一次"),
    ("Invalid boundary {}", "上傳的資料不完整,請再傳一次"),
    ("Missing boundary in multipart.", "上傳的資料不完整,請再傳一次"),
    ("Too many {}", "送來的項目太多"),
    ("something went wrong here: try again, and look into the log if it stays so",
     "這裡出了問題:請再試一次,若一直如此請查看記錄檔"),
    # hands
    ("this hand is no longer waiting", "這手牌已經處理過了"),
    ("there is no such hand", "沒有這手牌"),
    ("there is no such picture", "沒有這張照片"),
    ("there is no hand {} in the ledger", "帳本裡沒有這手牌({0})"),
    ("see `taicam ledger list`", "請看紀錄頁"),
    ("no hand {} waits to be confirmed", "這手牌({0})已經處理過了"),
    ("see `taicam ledger offers`", "請看牌桌頁上還待確認的"),
    ("this hand is voided", "這手牌已作廢"),
    ("restore it first", "請先恢復"),
    ("there is no hand to take back", "沒有可以復原的一手"),
    ("record one first", "請先記錄一手"),
    ("outside a match only single wins are recorded", "沒有牌局時只能記一家胡牌"),
    ("start a match for draws and false wins", "流局、詐胡、多家胡請先開始牌局"),
    ("correct that and confirm again, or dismiss it", "請改正後再確認,或略過"),
    ("correct that and confirm again", "請改正後再確認"),
    ("only the nearest winner, {}, wins", "攔和:只有離放槍最近的 {0} 胡"),
    ("take the other winners out, or start a match with the option multi_ron = all",
     "請去掉其他家,或開始牌局時選「一炮多響:全部胡」"),
    ("a match is being played", "正在打一場牌局"),
    ("confirm on the tablet, where the winner is named", "請在平板上確認,並說明誰胡"),
    ("a false win, and only a false win, names the place that made it", "詐胡須指明是誰,其他情況不能"),
    ("mend that and try again", "請改正後再試"),
    ("give place 0 to 3", "請選是誰詐胡"),
    ("a {} has no winner and no discarder", "流局和詐胡沒有胡的人,也沒有放槍的人"),
    ("leave wins and loser out", "請去掉胡的人和放槍的人"),
    ("a win has {} to {} different winners", "胡牌須有 {0} 到 {1} 家不同的人"),
    ("choose who won", "請選誰胡"),
    ("a seat wind is none of E S W N", "門風不對"),
    ("choose one of them", "請選東、南、西、北"),
    ("only one player can win by self-draw", "自摸只有一家"),
    ("take the other winners out, or say that all of them won on the tiles as dealt",
     "請去掉其他家,或每一家都選「起手胡」"),
    ("nobody deals in on a self-draw", "自摸沒有人放槍"),
    ("take the discarder out, or say it was no self-draw", "請去掉放槍的人,或改為放槍"),
    ("a winner cannot deal in to themselves", "胡的人不能自己放槍"),
    ("choose another discarder", "請另選放槍的人"),
    ("the idempotency key {} was already used for something else", "這個動作的編號已經用在別的動作上"),
    ("send a new key with every new action", "請重新整理頁面再試"),
    # the match
    ("no match is being played", "目前沒有牌局"),
    ("start one first", "請先開始牌局"),
    ("end it first", "請先結束牌局"),
    ("there is no such match", "沒有這場牌局"),
    ("nobody in this match has the id {}", "這場牌局裡沒有這個人({0})"),
    ("see the people of the match", "請看牌局頁的玩家"),
    ("the match cannot be understood: {}", "牌局的資料不對:{0}"),
    ("see the fields of POST /api/matches", "請看 POST /api/matches 的欄位"),
    ("a match has {} to {} different people", "牌局須有 {0} 到 {1} 個不同的人"),
    ("add or take away names", "請增減名字"),
    ("person {}: id or colour cannot be used", "玩家 {0}:編號或顏色不能用"),
    ("colours are like #6fd6a0", "顏色須像 #6fd6a0"),
    ("the name {} is empty or too long", "名字 {0} 是空的或太長"),
    ("1 to {} letters", "1 到 {0} 個字"),
    ("two people have the same name", "有兩個人同名"),
    ("give everybody a name of their own", "請給每個人不同的名字"),
    ("{} cannot come to {}", "「{0}」不能是 {1}"),
    ("give a number from 0 to 10000000", "請給 0 到 10000000 的數"),
    ("four different people must sit at the table", "桌上須坐四個不同的人"),
    ("give every seat one person", "請每個座位各選一個人"),
    # photos and the camera's view
    ("too many photos: wait a minute, or pair this device", "照片太多了:請等一分鐘,或先配對這台裝置"),
    ("the reader is busy with other photos", "正在讀別的照片"),
    ("try again in a moment", "請稍後再試"),
    ("no camera has given a picture yet", "還沒有鏡頭畫面"),
    ("there is no tile set {}", "沒有牌組 {0}"),
    ("there is no tile {}: use {}", "沒有 {0} 這張牌:可用 {1}"),
    ("there is no tile {}", "沒有 {0} 這張牌"),
    ("a box is too small, or outside the picture: draw it over the tile", "框太小或超出照片:請框住整張牌"),
    ("seats are 0, 1, 2, 3", "座位是 0、1、2、3"),
    ("this appliance keeps no views", "這台機器不留照片"),
    ("the picture of this sample is gone", "這張照片已經不在了"),
    ("there is no sample {}", "沒有這張留下的照片({0})"),
    ("list them with: taicam capture list", "請重新整理檢查頁"),
    ("the files of sample {} are gone", "照片 {0} 的檔案不在了"),
    ("restart taicam to read the folder again", "請重新啟動 taicam"),
    ("samples cannot be written ({}): free some space or check {}", "照片無法寫入({0}):請清出空間,或檢查 {1}"),
    # calibration
    ("{} corners are given: a table has four", "給了 {0} 個角:桌子有四個"),
    ("a corner is not a number: give pixels such as 120,80", "角的位置須是數字"),
    ("a corner lies far outside the {} picture: give pixels of that picture", "有一個角遠在畫面({0})之外:請拖回桌角"),
    ("the corners run the wrong way round: give top left, top right, bottom right, bottom left",
     "四個角的順序反了:請依遠左、遠右、近右、近左"),
    ("the corners make no four-sided table: give top left, top right, bottom right, bottom left",
     "四個角圍不成桌子:請依遠左、遠右、近右、近左"),
    ("the table covers under 2 % of the picture: move the camera closer or check the corners",
     "桌子不到畫面的 2%:請把鏡頭移近,或檢查四個角"),
    ("the table was calibrated in a {} picture and this one is {}: calibrate again with 'taicam calibrate'",
     "校準時的畫面是 {0},現在是 {1}:請重新校準"),
    ("camera {} is not calibrated{}: run 'taicam calibrate PICTURE --find --camera {}'", "鏡頭 {0} 還沒校準"),
    ("camera name {}: use letters, digits, '-' and '_'", "鏡頭名稱 {0} 不能用:請用英數字、- 和 _"),
    ("{} cannot be read ({}): calibrate again with 'taicam calibrate'", "{0} 讀不出來({1}):請重新校準"),
    ("not a calibration ({}): make one with 'taicam calibrate'", "校準檔不對({0}):請重新校準"),
    ("no table is seen: {}", "看不到桌子:請讓整張桌子入鏡、桌上少放東西,或自己拖四個角"),
    ("markers are seen, but not clockwise from the far left: {}",
     "看到標記,但順序不對:0 遠左、1 遠右、2 近右、3 近左(以近側玩家來看)"),
    # camera settings
    ("there is no live camera to set", "沒有可以設定的鏡頭"),
    ("{} cannot be set here", "{0} 不能在這裡設定"),
    ("these can: {}", "可以設定的有:{0}"),
    ("the old settings are used again: {}", "鏡頭不接受,已改回原來的設定:{0}"),
    ("Camera {}: {}.", "鏡頭 {0}:{1}"),
    ("Check the cable and run `taicam find-cameras`.", "請檢查接線"),
    ("Check that the address, user and password open in VLC, and that the camera is switched on.",
     "請檢查網址、帳號、密碼,以及鏡頭有沒有開"),
    ("Check the ribbon cable with `rpicam-hello --list-cameras`.", "請檢查排線"),
    ("{} has no setting {}.", "{0} 沒有設定 {1}"),
    ("{}: setting {} is wrong: {}.", "{0}:設定 {1} 不對({2})"),
    ("Settings of {}: {}.", "{0} 的設定有:{1}"),
    ("There is no {} driver named {}", "沒有 {0} 驅動程式 {1}"),
    ("The {} driver {} cannot be loaded: {}.", "{0} 驅動程式 {1} 無法載入:{2}"),
    ("Install the library it names, then try again.", "請安裝缺少的套件再試"),
    ("Known: {}.", "可用:{0}"),
    ("{} is not open.", "{0} 還沒開啟"),
    ("Call open() first.", "請先開啟"),
    # what a camera's state says
    ("no frame came", "沒有畫面"),
    ("no frame came in time", "畫面沒有及時來"),
    ("no frame for {} s", "{0} 秒沒有畫面"),
    ("it did not open within {} s", "{0} 秒內打不開"),
    ("only black for {} s: is the lens covered, or the light off?", "全黑 {0} 秒:鏡頭被遮住,或燈沒開?"),
    ("the same picture for {} s", "{0} 秒都是同一個畫面"),
    ("the capture process ended", "擷取程式停了"),
    ("a frame could not be decoded", "有一個畫面無法解碼"),
    ("{} is not there: the camera is unplugged", "找不到 {0}:鏡頭沒插上"),
    ("{} cannot be opened: in use by another program, or no rights to it", "{0} 打不開:別的程式在用,或沒有權限"),
    ("the camera was unplugged", "鏡頭被拔掉了"),
    ("the camera stopped sending", "鏡頭不再送出畫面"),
    ("the stream does not answer, or refuses the address or password", "串流沒有回應,或網址、密碼不對"),
    ("the stream stopped", "串流停了"),
    ("the address is not one FFmpeg can open", "這個網址 FFmpeg 打不開"),
    ("the frame maker has no more frames", "畫面產生器沒有畫面了"),
    ("the frame maker {} cannot be found ({})", "找不到畫面產生器 {0}({1})"),
    ("the frame maker gave an array of shape {}, not height x width x 3", "畫面產生器給的形狀不對:{0}"),
    ("there is no camera number {}; libcamera sees {}", "沒有 {0} 號鏡頭;libcamera 看到 {1} 個"),
    # tile sets
    ("no tiles were found", "照片裡找不到牌"),
    ("lay them face up, nearer, in even light, and try again", "請把牌面朝上攤開、靠近一點、光線均勻,再試一次"),
    ("no tiles were found in {}: lay them face up, nearer, in even light, and try again",
     "{0} 裡找不到牌:請把牌面朝上攤開、靠近一點、光線均勻,再試一次"),
    ("{} photos are enough", "{0} 張照片就夠了"),
    ("take one out before adding another", "請先去掉一張再加"),
    ("this photo has no tile {}", "這張照片沒有第 {0} 張牌"),
    ("there is no such photo", "沒有這張照片"),
    ("no enrolment is under way: begin one first", "還沒開始學牌:請先按開始"),
    ("the set is being learnt: wait until that is done", "正在學這副牌:請等它學完"),
    ("{} cannot name a tile set: it means something else", "{0} 有別的意思,不能當牌組的名字"),
    ("give another name", "請換一個名字"),
    ("{} cannot name a tile set: use up to 60 letters, digits, spaces and hyphens",
     "{0} 不能當牌組的名字:最多 60 個字母、數字、空格和連字號"),
    ("{}: no tile the network knows; valid are {}", "{0}:辨識網路不認得;可用 {1}"),
    ("{} is no tile: valid are {}", "{0} 不是牌:可用 {1}"),
    ("at least two different faces are needed to tell tiles apart: add photos of more tiles",
     "至少要兩種不同的牌才能分辨:請多拍幾種"),
    ("there is no photo {}: there are {}", "沒有第 {0} 張照片:共有 {1} 張"),
    ("photo {} has no tile {}: it has {}", "照片 {0} 沒有第 {1} 張牌:共有 {2} 張"),
    ("the set {} was learnt with another network ({}, now {}): enrol it again from its photos",
     "牌組 {0} 是用另一個辨識網路學的:請重新學一次"),
    ("{} is damaged (wrong checksum): delete this version, or enrol the set again",
     "{0} 損壞了:請刪掉這一版,或重新學這副牌"),
    ("{} is damaged ({}): delete this version, or enrol the set again", "{0} 損壞了:請刪掉這一版,或重新學這副牌"),
    ("{} cannot be read ({}): enrol the set again", "{0} 讀不出來({1}):請重新學這副牌"),
    ("{} is of a newer taicam: update this one", "{0} 是較新的 taicam 做的:請更新這台"),
    ("choose one of {}", "可選:{0}"),
    ("there is no {}; stored are: {}", "沒有 {0};存著的有:{1}"),
    ("learning failed ({}): see the log", "沒學成({0}):請看記錄檔"),
    # networks and the ledger
    ("no network {}.onnx in {}", "找不到辨識網路 {0}.onnx:請重新安裝 taicam"),
    ("no network at {}: give the path of an .onnx file", "找不到辨識網路 {0}:請重新安裝 taicam"),
    ("{} cannot be opened as an ONNX network ({}): restore the file", "辨識網路 {0} 打不開:請重新安裝 taicam"),
    ("{} does not match its checksum", "{0} 損壞了"),
    ("add it again, or delete the folder", "請重新加入,或刪掉那個資料夾"),
    ("{} is not an ONNX file", "{0} 不是 ONNX 檔"),
    ("export one with: taicam train", "請用 taicam train 匯出"),
    ("there is no version {} of {}", "{1} 沒有 {0} 這一版"),
    ("there is no kind of network {}", "沒有 {0} 這種辨識網路"),
    ("no other version of {} was in use before", "{0} 之前沒有用過別的版本"),
    ("list them with: taicam models list", "請看 taicam models list"),
    ("choose one: taicam models list", "請選一個:taicam models list"),
    ("{} is not a taicam {}: export one with {}", "{0} 不是 taicam 的辨識網路:請重新安裝 taicam"),
    ("{} does not tell stacked tiles: train a network with 'taicam train stacks'",
     "{0} 不是 taicam 分辨疊牌的網路:請重新安裝 taicam"),
    ("{} was exported by an older taicam: export it anew with {}",
     "辨識網路 {0} 是較舊的 taicam 匯出的:請重新安裝 taicam"),
    ("{} does not match the sha256 in {}: {}", "辨識網路 {0} 損壞了:請重新安裝 taicam"),
    ("{} is not valid JSON ({}): restore it from the repository", "{0} 損壞了:請重新安裝 taicam"),
    ("see `taicam enroll`, or set reading.tile_set = \"auto\"", "請重新學這副牌,或把 reading.tile_set 設為 auto"),
    ("there is no ledger in {}", "{0} 裡沒有帳本"),
    ("run `taicam run` first, or point --data at the right folder", "請先執行 taicam run,或用 --data 指定資料夾"),
    ("cannot make the folder {}: {}", "無法建立資料夾 {0}:{1}"),
    ("choose another with --data DIR", "請用 --data 另選資料夾"),
    ("the ledger {} was made by a newer taicam (revision {})", "帳本 {0} 是較新的 taicam 做的"),
    ("update taicam", "請更新 taicam"),
    ("the ledger {} cannot be read: {}", "帳本 {0} 讀不出來:{1}"),
    ("check its owner", "請檢查檔案的擁有者"),
)  # fmt: skip
_PATTERNS = patterns_of(_ROWS)
OWN_FIELDS = FIELD_NAMES | {
    "di": "底", "tai": "每台", "false_win": "詐胡賠每家", "start_score": "起始分", "name": "名字", "title": "名稱",
    "people": "玩家", "seating": "座位", "code": "配對碼", "place": "座位", "wins": "胡牌", "hand": "牌",
    "fields": "規則要問的", "outcome": "結果", "facts": "情況", "colour": "顏色", "corners": "四個角",
    "values": "設定", "stakes": "底台", "photo": "照片", "kind": "種類", "boxes": "框", "state": "狀態",
    "choice": "選擇", "idempotency-key": "動作編號",
}  # fmt: skip
"""What people call the fields that pages send."""

# pydantic's kinds of error, with what its context fills in.
_KINDS = {
    "missing": "沒有填", "extra_forbidden": "這裡沒有這一欄", "greater_than_equal": "不能小於 {ge}",
    "less_than_equal": "不能大於 {le}", "string_too_long": "最多 {max_length} 個字",
    "string_too_short": "至少 {min_length} 個字", "too_long": "最多 {max_length} 項",
    "too_short": "至少 {min_length} 項", "string_pattern_mismatch": "格式不對", "literal_error": "只能是 {expected}",
    "int_type": "須是整數", "int_parsing": "須是整數", "int_from_float": "須是整數", "float_type": "須是數字",
    "float_parsing": "須是數字", "finite_number": "須是數字", "bool_type": "須是是或否", "string_type": "須是文字",
    "list_type": "須是列表", "dict_type": "須是物件", "model_attributes_type": "須是物件", "json_invalid": "不是 JSON",
}  # fmt: skip


def text_zh(text: str) -> str:
    """The translation of a sentence the code raises, its filled-in parts too; empty where it has none."""
    return translated(text, _PATTERNS, lambda part: text_zh(part) or OWN_FIELDS.get(part, part)) or sentence_zh(text)


def refusal_zh(text: str) -> str:
    """As text_zh; a sentence without a translation is kept behind words that say so much."""
    return text_zh(text) or f"做不到:{text}"


def problem_of(error: Exception) -> Said:
    """What an exception says to people: what is wrong, and what to do next."""
    if isinstance(error, TaicamError):
        english = f"{error.message} — {error.advice}" if error.advice else error.message
        advice = text_zh(error.advice) or error.advice
        chinese = error.message_zh or refusal_zh(error.message)
        return Said(f"{chinese}。{advice}" if advice else chinese, english)
    if isinstance(error, ScoringError):
        return Said(error_zh(error), str(error))
    zh, en = getattr(error, "zh", ""), getattr(error, "en", "")  # a picture's error carries both
    return Said(zh, en) if zh and en else Said(refusal_zh(str(error)), str(error))


def field_problem_zh(where: str, kind: str, context: dict[str, object]) -> str:
    """What is wrong with one field that a page sent; `kind` and `context` are pydantic's."""
    name = where.rpartition(".")[2]
    said = _KINDS.get(kind, "不能這樣填")
    return f"{OWN_FIELDS.get(name, where)}:{said.format_map(context) if '{' in said else said}"
