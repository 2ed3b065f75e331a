"""Two pictures of a frame: how many pixels differ, and by how much."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

THUMBNAIL = 320
"""Pixels of a thumbnail's longer side at most."""


@dataclass(frozen=True)
class Difference:
    pixels: int
    of: int
    max_step: int
    """The largest difference of a channel, of which 8 bits have 255 steps."""


def load(path: Path) -> Image.Image | None:
    try:
        with Image.open(path) as image:
            image.load()
            return image.convert("RGBA")
    except (OSError, ValueError, Image.DecompressionBombError):
        return None


def compare(a: Image.Image, b: Image.Image) -> tuple[Difference, Image.Image] | None:
    """The difference and its picture; None where the sizes differ. 16-bit pictures are compared by their upper 8 bits."""
    if a.size != b.size:
        return None
    steps = np.abs(np.asarray(a).astype(np.int16) - np.asarray(b).astype(np.int16)).max(axis=2)
    shown = np.where(steps > 0, np.clip(steps * 8, 64, 255), 0).astype(np.uint8)
    return Difference(int((steps > 0).sum()), steps.size, int(steps.max(initial=0))), Image.fromarray(shown)


def data_url(image: Image.Image) -> str:
    small = image.copy()
    small.thumbnail((THUMBNAIL, THUMBNAIL))
    out = io.BytesIO()
    small.save(out, "PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()
