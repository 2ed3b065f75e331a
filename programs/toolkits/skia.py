"""Slint, whose Skia draws through its Direct3D 12 backend. Arguments: the renderer, how many frames, the folder with fonts.

Nothing is read back: the frames that the window shows are the result.
"""

import array
import datetime
import os
import pathlib
import shutil
import sys
import tempfile

renderer, frames, fonts = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
os.environ.update(SLINT_BACKEND=f"winit-{renderer}", SLINT_STYLE="fluent-light", SLINT_SCALE_FACTOR="1")

import slint

SIDE = 32


class Texels:
    """Rows of columns of four bytes, as Slint takes pictures."""

    def __init__(self):
        texels = ((x * 8, y * 8, (x ^ y) * 8, 255) for y in range(SIDE) for x in range(SIDE))
        self.bytes = array.array("B", (byte for texel in texels for byte in texel))

    def __buffer__(self, flags):
        return memoryview(self.bytes).cast("B", (SIDE, SIDE, 4))


# Wine's prefix has no fonts, and a scene takes those that lie beside it.
with tempfile.TemporaryDirectory() as folder:
    names = [f"Roboto-{face}.ttf" for face in ("Regular", "Bold", "Italic")]
    for name in names:
        shutil.copy(next(fonts.rglob(name)), folder)
    text = pathlib.Path(__file__).with_name("slint.slint").read_text(encoding="utf-8")
    file = pathlib.Path(folder, "scene.slint")
    file.write_text("".join(f'import "{name}";\n' for name in names) + text, encoding="utf-8")
    scene = slint.load_file(file).Scene()
scene.picture = slint.Image.load_from_array(Texels())
count = 0


def step():
    global count
    count += 1
    if count > frames:
        timer.stop()
        slint.quit_event_loop()
    else:
        scene.frame = count


timer = slint.Timer()
timer.start(slint.TimerMode.Repeated, datetime.timedelta(milliseconds=200), step)
scene.run()
print("skia", renderer, count - 1, "frames", flush=True)
