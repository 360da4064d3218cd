"""Files as other tools really write them, and damaged ones: read what can be read, name the rest."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.dataset import DatasetError
from vision.dataset.entries import Entry, ReadOptions
from vision.dataset.formats import guess_format, read_dataset, write_dataset

Maker = Callable[..., list[Entry]]


def picture(path: Path, width: int = 200, height: int = 100) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), np.full((height, width, 3), 90, np.uint8))
    return path


def messages(folder: Path, **options: Any) -> list[str]:
    return [str(issue) for issue in read_dataset(folder, **options).issues]


def ls_region(x: float, code: str, **more: Any) -> dict[str, Any]:
    return {
        "original_width": 200,
        "original_height": 100,
        "image_rotation": 0,
        "value": {"x": x, "y": 20, "width": 10, "height": 40, "rotation": 0, "rectanglelabels": [code]},
        "id": f"id{x}",
        "from_name": "label",
        "to_name": "image",
        "type": "rectanglelabels",
        "origin": "manual",
        **more,
    }


def ls_task(*regions: dict[str, Any], **annotation: Any) -> dict[str, Any]:
    """A task as the server's JSON export writes it."""
    stamp = "2025-04-12T02:37:12.266779Z"
    return {
        "id": 1,
        "annotations": [
            {
                "id": 1,
                "completed_by": 1,
                "result": list(regions),
                "was_cancelled": False,
                "ground_truth": False,
                "created_at": stamp,
                "updated_at": stamp,
                "draft_created_at": None,
                "lead_time": 13.014,
                "prediction": {},
                "result_count": len(regions),
                "unique_id": "39024dba-7ab3-421b-b283-b032ca0720be",
                "import_id": None,
                "last_action": None,
                "bulk_created": False,
                "task": 1,
                "project": 3,
                "updated_by": 1,
                "parent_prediction": None,
                "parent_annotation": None,
                "last_created_by": None,
                **annotation,
            }
        ],
        "file_upload": "cfd61273-table.png",
        "drafts": [],
        "predictions": [7],
        "data": {"image": "/data/upload/3/cfd61273-table.png"},
        "meta": {},
        "created_at": stamp,
        "updated_at": stamp,
        "inner_id": 1,
        "total_annotations": 1,
        "cancelled_annotations": 0,
        "total_predictions": 1,
        "comment_count": 0,
        "unresolved_comment_count": 0,
        "last_comment_updated_at": None,
        "project": 3,
        "updated_by": 1,
        "comment_authors": [],
    }


def save(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


class TestLabelStudio:
    def test_an_export_of_the_server_finds_the_picture_behind_its_upload_name(self, tmp_path: Path) -> None:
        picture(tmp_path / "images/table.png")
        path = save(tmp_path / "project-3-at-2025-04-12.json", [ls_task(ls_region(10, "東"), ls_region(30, "3m"))])
        assert guess_format(path) == "labelstudio"
        dataset = read_dataset(path)
        (entry,) = dataset.entries
        assert not dataset.issues.errors
        assert entry.picture == tmp_path / "images/table.png"
        assert (entry.sample.width, entry.sample.height, entry.sample.state) == (200, 100, "accepted")
        assert [b.code for b in entry.sample.boxes] == ["E", "3m"]
        assert entry.sample.boxes[0].box == (20, 20, 40, 60)
        assert {b.origin for b in entry.sample.boxes} == {"person"}

    def test_a_proposal_corrected_there_comes_back_with_what_it_was(self, make: Maker, tmp_path: Path) -> None:
        (entry,) = make(tmp_path / "in", 1, 4)
        proposed = Entry(entry.sample.model_copy(update={"state": "proposed"}), entry.picture)
        write_dataset([proposed], tmp_path / "out", "labelstudio")
        tasks = json.loads((tmp_path / "out/tasks.json").read_text(encoding="utf-8"))
        regions = copy.deepcopy(tasks[0]["predictions"][0]["result"])
        before = [b.code for b in entry.sample.boxes]
        new_code = "9s" if before[0] != "9s" else "8s"
        regions[0]["value"]["rectanglelabels"] = [new_code]
        for region in regions:
            region["origin"] = "prediction"
        regions[0]["origin"] = "prediction-changed"
        exported = ls_task(*regions)
        exported["data"] = tasks[0]["data"]
        exported["predictions"] = tasks[0]["predictions"]
        save(tmp_path / "out/tasks.json", [exported])
        (back,) = read_dataset(tmp_path / "out").entries
        assert back.sample.state == "accepted"
        assert [b.code for b in back.sample.boxes] == [new_code, *before[1:]]
        first = back.sample.boxes[0]
        assert (first.origin, first.read_as) == ("person", entry.sample.boxes[0].read_as or before[0])
        assert all(b.origin == "confirmed" for b in back.sample.boxes[1:])
        assert back.sample.camera == entry.sample.camera

    def test_skipped_annotations_do_not_count_and_the_truth_wins(self, tmp_path: Path) -> None:
        picture(tmp_path / "images/table.png")
        task = ls_task(ls_region(10, "1m"))
        truth = {**copy.deepcopy(task["annotations"][0]), "ground_truth": True, "result": [ls_region(10, "2m")]}
        later = {**copy.deepcopy(task["annotations"][0]), "updated_at": "2026-01-01", "result": [ls_region(10, "3m")]}
        skipped = {**copy.deepcopy(later), "was_cancelled": True, "ground_truth": True}
        task["annotations"] += [truth, later, skipped]
        (entry,) = read_dataset(save(tmp_path / "t.json", [task])).entries
        assert [b.code for b in entry.sample.boxes] == ["2m"]

    def test_json_min(self, tmp_path: Path) -> None:
        picture(tmp_path / "table.png")
        box = {"x": 5, "y": 5, "width": 5, "height": 5, "rotation": 0, "rectanglelabels": ["f3"]}
        task = {
            "image": "/data/local-files/?d=photos/table.png",
            "id": 1,
            "label": [{**box, "original_width": 200, "original_height": 100}],
            "annotator": 1,
        }
        (entry,) = read_dataset(save(tmp_path / "min.json", [task]), "labelstudio").entries
        assert [b.code for b in entry.sample.boxes] == ["f3"]

    def test_a_turned_box_becomes_its_bounding_box(self, tmp_path: Path) -> None:
        picture(tmp_path / "images/table.png")
        region = ls_region(50, "1m")
        region["value"] |= {"x": 50, "y": 20, "width": 20, "height": 10, "rotation": 90}
        dataset = read_dataset(save(tmp_path / "t.json", [ls_task(region)]))
        assert dataset.entries[0].sample.boxes[0].box == pytest.approx((90, 20, 100, 60))
        assert any("turned box" in str(issue) for issue in dataset.issues)

    def test_bad_regions_are_named_and_the_rest_goes_on(self, tmp_path: Path) -> None:
        picture(tmp_path / "images/table.png")
        regions = [
            ls_region(1, "dog"),
            {**ls_region(2, "1m"), "original_width": None},
            ls_region(95.5, "1m"),
            {**ls_region(4, "1m"), "value": {"points": [[1, 2]], "polygonlabels": ["1m"]}, "type": "polygonlabels"},
            ls_region(5, "1m"),
        ]
        dataset = read_dataset(save(tmp_path / "t.json", ["x", ls_task(*regions)]), "labelstudio")
        assert [b.box[0] for b in dataset.entries[0].sample.boxes] == [10]
        text = "\n".join(map(str, dataset.issues))
        assert "t.json: [0]" in text
        for place in ("result[0]: class 'dog'", "result[1]: original_width", "result[3]: a polygonlabels"):
            assert f"[1].annotations[0].{place}" in text
        assert "reaches beyond the 200x100 picture" in text


class TestYolo:
    def folder(self, tmp_path: Path, labels: str, names: str = "[1m, 2m, dog]") -> Path:
        picture(tmp_path / "images/train/a.png")
        (tmp_path / "labels/train").mkdir(parents=True)
        (tmp_path / "labels/train/a.txt").write_text(labels, encoding="utf-8")
        (tmp_path / "data.yaml").write_text(f"path: .\ntrain: images/train\nnames: {names}\n", encoding="utf-8")
        return tmp_path

    def test_bad_lines_are_named_and_the_rest_is_read(self, tmp_path: Path) -> None:
        lines = [
            "0 0.5 0.5 0.1 0.2",
            "zero 0.5 0.5 0.1 0.2",
            "0 0.5 0.5 0.1",
            "7 0.5 0.5 0.1 0.2",
            "2 0.5 0.5 0.1 0.2",
            "0 50 50 10 20",
            "0 0.5 0.5 0 0.2",
            "0 nan 0.5 0.1 0.2",
            "1 0.1 0.1 0.3 0.1 0.3 0.4 0.1 0.4",
            "1 0.5 0.5 0.1 0.2 0.75",
        ]
        dataset = read_dataset(self.folder(tmp_path, "\n".join(lines) + "\n"))
        (sample,) = dataset.samples
        assert [b.code for b in sample.boxes] == ["1m", "2m", "2m"]
        assert sample.boxes[0].box == pytest.approx((90, 40, 110, 60))
        assert sample.boxes[1].box == pytest.approx((20, 10, 60, 40))
        assert sample.boxes[2].confidence == 0.75
        wrong = {issue.where for issue in dataset.issues.errors}
        assert wrong == {f"line {n}" for n in range(2, 9)}
        assert all(issue.file == "labels/train/a.txt" for issue in dataset.issues)

    def test_unknown_classes_can_be_kept_or_renamed(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, "2 0.5 0.5 0.1 0.2\n")
        assert read_dataset(folder, options=ReadOptions(keep_unknown=True)).samples[0].boxes[0].code == "dog"
        assert read_dataset(folder, options=ReadOptions(renames={"dog": "f1"})).samples[0].boxes[0].code == "f1"

    def test_names_as_mapping_in_another_order(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, "5 0.5 0.5 0.1 0.2\n", "{5: 9s, 0: E}")
        assert read_dataset(folder).samples[0].boxes[0].code == "9s"

    def test_roboflow_layout_with_labels_in_another_folder(self, tmp_path: Path) -> None:
        picture(tmp_path / "valid/images/a.png")
        (tmp_path / "valid/labels").mkdir()
        (tmp_path / "valid/labels/a.txt").write_text("1 0.5 0.5 0.1 0.2\n")
        (tmp_path / "data.yaml").write_text("train: ../train/images\nval: ../valid/images\nnames: ['1m', '東']\n")
        (sample,) = read_dataset(tmp_path).samples
        assert (sample.split, sample.boxes[0].code) == ("val", "E")

    def test_labels_without_a_picture_and_torn_pictures_are_named(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, "0 0.5 0.5 0.1 0.2\n")
        (folder / "labels/train/gone.txt").write_text("0 0.5 0.5 0.1 0.2\n")
        (folder / "images/train/torn.png").write_bytes(b"\x89PNG no")
        text = "\n".join(messages(folder))
        assert "labels/train/gone.txt" in text and "images/train/torn.png: not a readable picture" in text

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("names: [1m\n", "line 2"),
            ("train: images/train\n", "names: is missing"),
            ("names: {a: 1m}\ntrain: images/train\n", "class numbers"),
            ("just words\n", "not the data.yaml"),
        ],
    )
    def test_a_bad_yaml_says_what_and_where(self, tmp_path: Path, content: str, said: str) -> None:
        (tmp_path / "data.yaml").write_text(content)
        with pytest.raises(DatasetError, match=said):
            read_dataset(tmp_path, "yolo")

    def test_a_folder_without_names_is_refused(self, tmp_path: Path) -> None:
        picture(tmp_path / "images/a.png")
        with pytest.raises(DatasetError, match="without class names its numbers mean nothing"):
            read_dataset(tmp_path, "yolo")


class TestCoco:
    def test_foreign_ids_orders_and_faults(self, tmp_path: Path) -> None:
        picture(tmp_path / "a.png")
        data = {
            "images": [{"id": 77, "file_name": "sub\\a.png", "width": 200, "height": 100}, {"id": 78}],
            "categories": [{"id": 9, "name": "2m"}, {"id": 3, "name": "west"}, {"name": "x"}],
            "annotations": [
                {"id": 1, "image_id": 77, "category_id": 3, "bbox": [10, 20, 30, 40], "attributes": {"occluded": True}},
                {"id": 2, "image_id": 5, "category_id": 3, "bbox": [10, 20, 30, 40]},
                {"id": 3, "image_id": 77, "category_id": 1, "bbox": [10, 20, 30, 40]},
                {"id": 4, "image_id": 77, "category_id": 9, "bbox": [10, 20, 0, 40]},
                {"id": 5, "image_id": 77, "category_id": 9, "bbox": "all"},
                {"id": 6, "image_id": 77, "category_id": 9, "bbox": [190, 20, 30, 40]},
            ],
        }
        dataset = read_dataset(save(tmp_path / "_annotations.coco.json", data))
        (entry,) = dataset.entries
        assert entry.picture == tmp_path / "a.png"
        (box,) = entry.sample.boxes
        assert (box.code, box.box, box.occluded) == ("W", (10, 20, 40, 60), True)
        text = "\n".join(map(str, dataset.issues))
        for place in ("annotations[1].image_id", "annotations[2].category_id", "annotations[3].bbox",
                      "annotations[4].bbox", "images[1].file_name", "categories[2]"):  # fmt: skip
            assert place in text

    def test_a_results_list_and_torn_json_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(DatasetError, match="results list"):
            read_dataset(save(tmp_path / "r.json", [{"image_id": 1}]), "coco")
        (tmp_path / "r.json").write_text('{"images": [\n{"id": 1')
        with pytest.raises(DatasetError, match="line 2"):
            read_dataset(tmp_path / "r.json", "coco")


CVAT_EXPORT = """<?xml version="1.0" encoding="utf-8"?>
<annotations>
  <version>1.1</version>
  <meta><task><id>4</id><name>tiles</name><size>1</size><mode>annotation</mode><overlap>0</overlap>
    <labels><label><name>1m</name><color>#ff0000</color><type>any</type><attributes></attributes></label></labels>
  </task><dumped>2025-02-03 10:00:00.000000+00:00</dumped></meta>
  <image id="0" name="a.png" width="200" height="100" subset="Train">
    <box label="1m" source="manual" occluded="1" xtl="10.00" ytl="20.50" xbr="30.00" ybr="60.00" z_order="0">
      <attribute name="worn">yes</attribute>
    </box>
    <polygon label="1m" source="manual" occluded="0" points="1,1;2,2;3,1" z_order="0"></polygon>
    <box label="1m" source="manual" occluded="0" xtl="ten" ytl="20.50" xbr="30.00" ybr="60.00" z_order="0"></box>
    <box label="cat" source="manual" occluded="0" xtl="10" ytl="20.50" xbr="30.00" ybr="60.00" z_order="0"></box>
  </image>
</annotations>
"""


class TestCvat:
    def test_a_server_export(self, tmp_path: Path) -> None:
        picture(tmp_path / "images/a.png")
        (tmp_path / "annotations.xml").write_text(CVAT_EXPORT)
        dataset = read_dataset(tmp_path)
        (entry,) = dataset.entries
        (box,) = entry.sample.boxes
        assert (box.box, box.code, box.occluded, box.origin) == ((10, 20.5, 30, 60), "1m", True, "person")
        assert (box.attributes, entry.sample.split) == ({"worn": "yes"}, "train")
        assert [i.where for i in dataset.issues.errors] == ["line 11", "line 12", "line 13"]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("<annotations>\n<image", "line 2: not XML"),
            ("<annotations><track/></annotations>", "CVAT for video"),
            ('<!DOCTYPE a [<!ENTITY b "c">]><annotations/>', "document type"),
            ("<other/>", "not a CVAT export"),
        ],
    )
    def test_what_is_no_export_is_refused(self, tmp_path: Path, text: str, said: str) -> None:
        (tmp_path / "annotations.xml").write_text(text)
        with pytest.raises(DatasetError, match=said):
            read_dataset(tmp_path, "cvat")


VOC_FILE = """<annotation>
  <folder>x</folder><filename>a.png</filename><path>C:\\tiles\\a.png</path>
  <size><width>200</width><height>100</height><depth>3</depth></size><segmented>0</segmented>
  <object><name>{name}</name><pose>Unspecified</pose><truncated>1</truncated><difficult>0</difficult>
    <bndbox><xmin>10</xmin><ymin>20</ymin><xmax>30</xmax><ymax>60</ymax></bndbox></object>
  <object><name>1m</name><bndbox><xmin>10</xmin></bndbox></object>
</annotation>
"""


def test_voc_as_labelimg_writes_it_with_one_bad_box_and_one_torn_file(tmp_path: Path) -> None:
    picture(tmp_path / "JPEGImages/a.png")
    (tmp_path / "Annotations").mkdir()
    (tmp_path / "Annotations/a.xml").write_text(VOC_FILE.format(name="green dragon"))
    (tmp_path / "Annotations/b.xml").write_text("<annotation>\n<filename>b")
    dataset = read_dataset(tmp_path)
    (entry,) = dataset.entries
    (box,) = entry.sample.boxes
    assert (box.code, box.box, box.attributes) == ("F", (10, 20, 30, 60), {"truncated": "1"})
    assert [(i.file, i.where) for i in dataset.issues.errors] == [
        ("Annotations/a.xml", "line 6"),
        ("Annotations/b.xml", ""),
    ]
    assert "line 2: not XML" in dataset.issues.errors[1].message


def test_sidecars_keep_what_a_newer_tool_added_and_name_the_field_that_is_wrong(make: Maker, tmp_path: Path) -> None:
    write_dataset(make(tmp_path / "in", 2, 1), tmp_path / "out", "taicam")
    one, two = sorted((tmp_path / "out").glob("*.json"))
    record = json.loads(one.read_text(encoding="utf-8"))
    save(one, {**record, "weather": "雨"})
    save(two, {**record, "boxes": [{"box": [1, 2, 3], "code": "1m"}]})
    dataset = read_dataset(tmp_path / "out")
    assert dataset.samples[0].extra["weather"] == "雨"
    assert "boxes.0.box" in str(dataset.issues.errors[0])
    save(two, {**record, "version": 99})
    assert "newer than this taicam" in str(read_dataset(tmp_path / "out").issues.errors[0])


def test_an_unknown_path_and_a_folder_of_nothing_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="does not exist"):
        read_dataset(tmp_path / "nowhere")
    with pytest.raises(DatasetError, match="--format"):
        read_dataset(tmp_path)
    with pytest.raises(DatasetError, match="choose one of"):
        read_dataset(tmp_path, "pickle")
