"""What replays have in resources: texels and vertices, as they are in memory and as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from ._reprise import Error, decode

if TYPE_CHECKING:
    import numpy


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as missing:
        raise Error("arrays need NumPy: pip install numpy; `data` has the bytes without it") from missing
    return numpy


@dataclass(frozen=True)
class Texture:
    """Texels of one level, slice, plane and sample."""

    about: Mapping[str, Any]
    """What `reprise show --json` says of it: `resource`, `width`, `height`, `format`, `minimum`, `maximum`, `nan`,
    `notes` and more."""
    data: bytes
    """The texels as they are in memory, row by row without gaps."""

    @property
    def width(self) -> int:
        return int(self.about["width"])

    @property
    def height(self) -> int:
        return int(self.about["height"])

    @property
    def format(self) -> str:
        """As DXGI names it, without `DXGI_FORMAT_`."""
        return str(self.about["format"])

    @property
    def resource(self) -> int:
        return int(self.about["resource"])

    @property
    def channels(self) -> str:
        """Names of the last axis of `values`: some of `rgba`."""
        return self._decoded()[2]

    @property
    def values(self) -> numpy.ndarray[Any, Any]:
        """Rows, columns, channels: 32-bit floats, or 32-bit integers where the format has integers."""
        data, kind, channels = self._decoded()
        flat: numpy.ndarray[Any, Any] = _numpy().frombuffer(data, dtype=kind)
        return flat.reshape(self.height, self.width, len(channels))

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> numpy.ndarray[Any, Any]:
        values = self.values
        return values if dtype is None else values.astype(dtype)

    def _decoded(self) -> tuple[bytes, str, str]:
        size = (self.width, self.height)
        return decode(self.data, int(self.about["dxgi_format"]), int(self.about["plane"]), size)


@dataclass(frozen=True)
class Mesh:
    """Vertices of a draw after the last stage before rasterisation, strips as lists."""

    about: Mapping[str, Any]
    """What `reprise mesh --json` says of it: `vertices`, `instances`, `stride`, `columns`, `least` and `greatest`
    place, `notes` and more."""
    data: bytes
    """The vertices as they are in memory: `stride` bytes each."""

    @property
    def columns(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """Each output of the stage by its semantic, with its index where that is not 0: vertices, components."""
        numpy = _numpy()
        words = numpy.frombuffer(self.data, dtype="<u4").reshape(-1, int(self.about["stride"]) // 4)
        columns = {}
        for column in self.about["columns"]:
            first = int(column["offset"]) // 4
            kind = {"f32": "<f4", "i32": "<i4", "u32": "<u4"}[column["type"]]
            own = words[:, first : first + int(column["components"])]
            name = column["semantic"] + (str(column["index"]) if column["index"] else "")
            columns[name] = numpy.ascontiguousarray(own).view(kind)
        return columns

    @property
    def position(self) -> numpy.ndarray[Any, Any]:
        """The places of the vertices in clip space."""
        at = self.about["position"]
        if at is None:
            raise Error("the stage gives no SV_Position")
        columns = list(self.columns.values())
        return columns[int(at)]
