"""`taicam calibrate`: where the table lies in a camera's view."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import cv2
import typer
from rich.console import Console

from device.cameras import open_camera
from taicam.config import load_settings
from taicam.errors import UsageError
from vision.picture import Picture, load_picture
from vision.table import Lens, TableCalibration, load_calibration, save_calibration
from vision.table_bump import BumpWatch, keep_reference
from vision.table_find import FoundTable, corners_from_text, find_table, print_markers
from vision.table_picture import calibration_picture


def command(
    picture: Annotated[
        Path | None, typer.Argument(metavar="[PICTURE]", help="A picture from the camera, all of the table in it.")
    ] = None,
    source: Annotated[str | None, typer.Option(help="Take the picture from this camera instead.")] = None,
    camera: Annotated[str, typer.Option(help="Name to keep it under, one for each camera.")] = "default",
    find: Annotated[bool, typer.Option("--find", help="Find the table by its markers or its edge.")] = False,
    corners: Annotated[
        str | None,
        typer.Option(
            metavar='"X,Y X,Y X,Y X,Y"', help="Corners in pixels: top left, top right, bottom right, bottom left."
        ),
    ] = None,
    lens: Annotated[
        float | None, typer.Option(min=-0.6, max=0.6, help="Lens distortion k1; found with --find.")
    ] = None,
    markers: Annotated[
        Path | None, typer.Option("--print-markers", metavar="OUT", help="Write a sheet of markers (.pdf or .png).")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only say whether the camera was moved since.")] = False,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder the calibration is kept in.")] = None,
    debug: Annotated[
        Path | None, typer.Option("--debug-picture", metavar="OUT", help="Draw the table and the seats' zones.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the calibration as JSON.")] = False,
) -> None:
    """Tell taicam where the table is in a camera's view. Seat 0 is at the bottom of the picture.

    taicam calibrate --print-markers markers.pdf       four markers for the table's corners

    taicam calibrate table.jpg --find                  by the markers, else by the table's edge

    taicam calibrate table.jpg --corners "410,120 1510,130 1720,980 190,960"

    taicam calibrate table.jpg --check                 was the camera moved?
    """
    if markers is not None:
        print_markers(markers)
        _say(
            f"標記已寫入 {markers}:剪下後放在桌角:0 遠側左、1 遠側右、2 近側右、3 近側左。\n"
            f"Markers written to {markers}: cut them out and lay them on the table's corners."
        )
        if picture is None and source is None:
            return
    image = _take(picture, source)
    folder = load_settings(None, {"data_dir": data}).data_dir
    if check:
        _check(folder, camera, image, as_json)
        return
    calibration = _calibrate(image, camera, find, corners, lens)
    if debug is not None:
        _write(debug, calibration_picture(image, calibration))
    path = save_calibration(calibration, folder)
    keep_reference(folder, calibration, image)
    if as_json:
        sys.stdout.write(json.dumps({"file": str(path), **calibration.to_json()}) + "\n")
    else:
        places = "  ".join(f"{x:.0f},{y:.0f}" for x, y in calibration.corners)
        _say(f"桌角 corners ({calibration.how}): {places}\n鏡頭 lens k1: {calibration.lens.k1:g}\n已存 kept in {path}")


def _take(picture: Path | None, source: str | None) -> Picture:
    if (picture is None) == (source is None):
        raise UsageError("one picture is needed", "name a PICTURE file, or a camera with --source")
    if picture is not None:
        return load_picture(picture)
    with open_camera(str(source)) as opened:
        return opened.read(max_age_s=5.0).image


def _calibrate(image: Picture, camera: str, find: bool, corners: str | None, lens: float | None) -> TableCalibration:
    if find == (corners is not None):
        raise UsageError("how to find the table is not said", "use either --find or --corners")
    size = (image.shape[1], image.shape[0])
    if corners is not None:
        return TableCalibration(camera, size, corners_from_text(corners), Lens(lens or 0.0), "given")
    found: FoundTable = find_table(image)
    shape = found.lens if lens is None else Lens(lens)
    return TableCalibration(camera, size, found.corners, shape, found.how)


def _check(folder: Path, camera: str, image: Picture, as_json: bool) -> None:
    calibration = load_calibration(folder, camera)
    watch = BumpWatch.load(folder, calibration)
    if watch is None:
        raise UsageError(f"camera {camera!r} has no reference picture", "calibrate again")
    result = watch.check(image)
    if as_json:
        sys.stdout.write(json.dumps({"moved": result.moved, "shift": round(result.shift, 5)}) + "\n")
    elif result.moved is None:
        _say("看不出來,畫面差太多。Too little of the picture agrees to tell.")
    else:
        note = result.note()
        _say(f"{note.message_zh} {note.message_en}" if note else "沒有移動。The camera was not moved.")
    raise typer.Exit(1 if result.moved else 0)


def _write(path: Path, picture: Picture) -> None:
    try:
        _, encoded = cv2.imencode(path.suffix or ".png", picture)
    except cv2.error:
        raise UsageError(f"--debug-picture {path} is not a kind of picture", "end the name in .png or .jpg") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded.tobytes())


def _say(text: str) -> None:
    Console().print(text, highlight=False, markup=False)
