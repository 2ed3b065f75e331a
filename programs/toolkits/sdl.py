"""SDL 3's 2D renderer: textures of every kind, targets, geometry, blend modes, clips, text. Arguments: SDL3.dll, a renderer, a picture to write.

Prints the hash of three of its frames.
"""

import ctypes
import hashlib
import math
import sys

import png

WIDTH, HEIGHT, SIDE, FRAMES, OFTEN = 320, 240, 64, 30, 10
RGBA, NV12, IYUV = 0x16762004, 0x3231564E, 0x56555949
STATIC, STREAMING, TARGET = 0, 1, 2
BLEND, MODES = 1, (0, 1, 2, 4)
POINTER = ctypes.c_void_p


class Place(ctypes.Structure):
    _fields_ = [(name, ctypes.c_float) for name in "xywh"]


class Clip(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in "xywh"]


class Vertex(ctypes.Structure):
    _fields_ = [(name, ctypes.c_float) for name in ("x", "y", "red", "green", "blue", "alpha", "u", "v")]


class Surface(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint32), ("format", ctypes.c_uint32)]
    _fields_ += [(name, ctypes.c_int) for name in ("width", "height", "pitch")] + [("pixels", POINTER)]


library = ctypes.CDLL(sys.argv[1])
library.SDL_GetError.restype = ctypes.c_char_p


def sdl(name, *arguments):
    """Calls a function whose floats are given as floats; ends the program where it fails."""
    function = getattr(library, "SDL_" + name)
    function.restype = POINTER if name.startswith(("Create", "Convert", "RenderRead")) else ctypes.c_bool

    def plain(value):
        if isinstance(value, float):
            return ctypes.c_float(value)
        if isinstance(value, ctypes.Structure):
            return ctypes.byref(value)
        # Handles are wider than the int that ctypes would make of them.
        return POINTER(value) if isinstance(value, int) and value > 0xFFFFFFFF else value

    result = function(*map(plain, arguments))
    if not result:
        sys.exit(f"SDL_{name}: {library.SDL_GetError().decode()}")
    return result


def pixels():
    """What the renderer's target holds."""
    surface = sdl("ConvertSurface", sdl("RenderReadPixels", renderer, None), RGBA)
    found = Surface.from_address(surface)
    rows = range(found.height)
    return b"".join(ctypes.string_at(found.pixels + row * found.pitch, found.width * 4) for row in rows)


def texture(kind, format_=RGBA, side=SIDE):
    return sdl("CreateTexture", renderer, format_, kind, side, side)


sdl("Init", 0x20)
window = sdl("CreateWindow", b"sdl", WIDTH, HEIGHT, ctypes.c_uint64(0))
renderer = sdl("CreateRenderer", window, sys.argv[2].encode())
still, moving, target, nv12, iyuv = (
    texture(STATIC),
    texture(STREAMING),
    texture(TARGET, side=128),
    texture(STREAMING, NV12),
    texture(STREAMING, IYUV),
)
board = b"".join(
    bytes((4 * x, 4 * y, 128, 255 if (x // 8 + y // 8) % 2 else 90)) for y in range(SIDE) for x in range(SIDE)
)
sdl("UpdateTexture", still, None, board, SIDE * 4)
sdl("SetTextureBlendMode", still, BLEND)
luma = bytes((x * 4 + y) % 256 for y in range(SIDE) for x in range(SIDE))
blue = bytes(4 * x for y in range(SIDE // 2) for x in range(SIDE // 2))
red = bytes(8 * y % 256 for y in range(SIDE // 2) for x in range(SIDE // 2))
both = bytes(part for pair in zip(blue, red) for part in pair)
sdl("UpdateNVTexture", nv12, None, luma, SIDE, both, SIDE)
sdl("UpdateYUVTexture", iyuv, None, luma, SIDE, blue, SIDE // 2, red, SIDE // 2)
triangle = (Vertex * 3)((20, 150, 1, 0, 0, 1, 0, 0), (120, 150, 0, 1, 0, 1, 1, 0), (70, 230, 0, 0, 1, 0.3, 0.5, 1))
quad = (Vertex * 4)(
    (130, 150, 1, 1, 1, 1, 0, 0),
    (200, 160, 1, 0.5, 1, 1, 1, 0),
    (210, 230, 1, 1, 1, 1, 1, 1),
    (125, 225, 1, 1, 0, 0.5, 0, 1),
)
corners = (ctypes.c_int * 6)(0, 1, 2, 0, 2, 3)
found = hashlib.sha256()
for frame in range(FRAMES):
    place, pitch = POINTER(), ctypes.c_int()
    sdl("LockTexture", moving, None, ctypes.byref(place), ctypes.byref(pitch))
    for row in range(SIDE):
        line = bytes(((frame * 8 + row) % 256, row * 4, 255 - frame * 8, 255)) * SIDE
        ctypes.memmove(place.value + row * pitch.value, line, len(line))
    # It returns nothing.
    library.SDL_UnlockTexture(POINTER(moving))
    sdl("SetRenderTarget", renderer, target)
    sdl("SetRenderDrawColor", renderer, 20, frame * 8, 60, 255)
    sdl("RenderClear", renderer)
    sdl("SetRenderDrawColor", renderer, 250, 250, 0, 255)
    sdl("RenderLine", renderer, 0.0, 0.0, 127.0, 4.0 * frame)
    sdl("RenderTexture", renderer, moving, None, Place(30, 30, 60, 60))
    sdl("SetRenderTarget", renderer, None)
    sdl("SetRenderDrawColor", renderer, 30, 40, 50, 255)
    sdl("RenderClear", renderer)
    sdl("RenderTexture", renderer, target, None, Place(10, 10, 128, 128))
    sdl("SetTextureColorMod", still, 255, 255 - frame * 4, 255)
    turned = ctypes.c_double(7.0 * frame)
    sdl("RenderTextureRotated", renderer, still, None, Place(150, 30, 90, 90), turned, None, frame % 3)
    sdl("RenderTexture", renderer, nv12, None, Place(250, 10, SIDE, SIDE))
    sdl("RenderTexture", renderer, iyuv, None, Place(250, 80, SIDE, SIDE))
    sdl("RenderGeometry", renderer, None, triangle, 3, None, 0)
    sdl("RenderGeometry", renderer, still, quad, 4, corners, 6)
    sdl("SetRenderDrawBlendMode", renderer, MODES[frame % len(MODES)])
    sdl("SetRenderDrawColor", renderer, 200, 120, 10, 100)
    sdl("RenderFillRect", renderer, Place(60, 60, 200, 60))
    sdl("SetRenderDrawBlendMode", renderer, BLEND)
    sdl("SetRenderClipRect", renderer, Clip(220, 160, 60, 50))
    sdl("SetTextureScaleMode", still, frame % 2)
    sdl("RenderTextureTiled", renderer, still, None, 0.4, Place(215, 150, 90, 80))
    sdl("SetRenderClipRect", renderer, None)
    sdl("RenderTexture9Grid", renderer, still, None, 8.0, 8.0, 8.0, 8.0, 1.0, Place(285, 160, 30, 70))
    curve = [(160 + 60 * math.cos(0.3 * k + 0.1 * frame), 120 + 60 * math.sin(0.5 * k)) for k in range(40)]
    sdl("SetRenderDrawColor", renderer, 255, 255, 255, 255)
    sdl("RenderPoints", renderer, (ctypes.c_float * 80)(*(part for point in curve for part in point)), len(curve))
    sdl("RenderDebugText", renderer, 8.0, 226.0, b"frame %d" % frame)
    if (frame + 1) % OFTEN == 0:
        last = pixels()
        found.update(last)
    sdl("RenderPresent", renderer)
png.write(sys.argv[3], WIDTH, HEIGHT, last)
print("sdl", sys.argv[2], found.hexdigest()[:16])
