"""bgfx by its C interface: instances, indirect draws and dispatches, four samples, transient buffers, a resize, read-backs.

    python bgfx.py FOLDER RENDERER PICTURE

FOLDER has bgfx-python's library and its shader compiler; RENDERER is bgfx's number (3: Direct3D 11, 4: Direct3D 12, 10: Vulkan).
Prints the hash of the frames that it reads back.
"""

import ctypes
import hashlib
import math
import os
import re
import struct
import subprocess
import sys

import png

FOLDER, RENDERER, PICTURE = sys.argv[1], int(sys.argv[2]), sys.argv[3]
WIDTH, HEIGHT, TARGET, FRAMES, OFTEN, RESIZED = 320, 240, 128, 24, 6, 12
ALL, POINTER = 0xFFFFFFFF, ctypes.c_void_p
U8, U16, U32, U64, FLOAT = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_float
RENDER_TARGET, SAMPLES_4, WRITE_ONLY = 1 << 36, 3 << 36, 1 << 39
COMPUTE_WRITE, BLIT_TARGET, READ_BACK = 1 << 44, 1 << 46, 1 << 47
SOLID = 0xF | 1 << 38 | 1 << 4 | 1 << 36
MULTISAMPLED, BLENDED = 1 << 56, 0xF | 0x65 << 12 | 0x65 << 20
VARYINGS = """vec4 v_color0 : COLOR0 = vec4(1,0,0,1);
vec2 v_texcoord0 : TEXCOORD0 = vec2(0,0);
vec3 a_position : POSITION;
vec4 a_color0 : COLOR0;
vec2 a_texcoord0 : TEXCOORD0;
""" + "".join(f"vec4 i_data{k} : TEXCOORD{7 - k};\n" for k in range(5))
INPUTS = "$input a_position, a_color0, a_texcoord0"
OUTPUTS = "\n$output v_color0, v_texcoord0\n#include <bgfx_shader.sh>\n"
SHADERS = {
    "vs_many": INPUTS
    + ", i_data0, i_data1, i_data2, i_data3, i_data4"
    + OUTPUTS
    + """
void main() {
    mat4 model = mtxFromCols(i_data0, i_data1, i_data2, i_data3);
    gl_Position = mul(u_viewProj, instMul(model, vec4(a_position, 1.0)));
    v_color0 = a_color0 * i_data4;
    v_texcoord0 = a_texcoord0;
}""",
    "vs_one": INPUTS
    + OUTPUTS
    + """
void main() {
    gl_Position = mul(u_modelViewProj, vec4(a_position, 1.0));
    v_color0 = a_color0;
    v_texcoord0 = a_texcoord0;
}""",
    "ps": """$input v_color0, v_texcoord0
#include <bgfx_shader.sh>
SAMPLER2D(s_texture, 0);
uniform vec4 u_tint;
void main() { gl_FragColor = texture2D(s_texture, v_texcoord0) * v_color0 * u_tint; }""",
    "cs_image": """#include <bgfx_compute.sh>
IMAGE2D_WR(s_out, rgba8, 0);
BUFFER_RW(shaded, vec4, 1);
uniform vec4 u_tint;
SHARED float shades[64];
NUM_THREADS(8, 8, 1)
void main() {
    uint own = gl_LocalInvocationID.y * 8 + gl_LocalInvocationID.x;
    shades[own] = float(own) / 64.0;
    barrier();
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(s_out, at, vec4(shades[63u - own], float(at.x) / 64.0, u_tint.x, 1.0));
    if (at.y == 0) shaded[at.x] = vec4(float(at.x), shades[own], u_tint.x, 1.0);
}""",
    "cs_arguments": """#include <bgfx_compute.sh>
BUFFER_WR(arguments, uvec4, 0);
NUM_THREADS(1, 1, 1)
void main() {
    drawIndexedIndirect(arguments, 0u, 36u, 3u, 0u, 0u, 0u);
    dispatchIndirect(arguments, 1u, 8u, 8u, 1u);
}""",
}


class Start(ctypes.Structure):
    """bgfx_init_t."""

    _fields_ = [("kind", ctypes.c_int), ("vendor", U16), ("device", U16), ("abilities", U64)]
    _fields_ += [("debug", ctypes.c_bool), ("profile", ctypes.c_bool), ("display", POINTER), ("window", POINTER)]
    _fields_ += [("given", POINTER * 3), ("format", ctypes.c_int), ("width", U32), ("height", U32), ("reset", U32)]
    _fields_ += [("buffers", U8), ("latency", U8), ("encoders", U16), ("limits", U32 * 3), ("hooks", POINTER * 2)]


class Layout(ctypes.Structure):
    _fields_ = [("hash", U32), ("stride", U16), ("offsets", U16 * 18), ("attributes", U16 * 18)]


class Instances(ctypes.Structure):
    _fields_ = [("data", POINTER), ("size", U32), ("offset", U32), ("count", U32), ("stride", U16), ("handle", U16)]


class Transient(ctypes.Structure):
    _fields_ = [("data", POINTER), ("size", U32), ("first", U32), ("stride", U16), ("handle", U16), ("layout", U16)]


os.add_dll_directory(FOLDER)
library = ctypes.CDLL(os.path.join(FOLDER, "bgfx_pythonCppyy.dll"))


def bgfx(name, *arguments, result=U16):
    """Calls a function; structures are passed by reference, wide numbers whole."""
    function = getattr(library, "bgfx_" + name)
    function.restype = result

    def plain(value):
        if isinstance(value, (Layout, Instances, Transient, Start)):
            return ctypes.byref(value)
        if isinstance(value, float):
            return FLOAT(value)
        return U64(value) if isinstance(value, int) and value > 0x7FFFFFFF else value

    return function(*map(plain, arguments))


def memory(data):
    return POINTER(bgfx("copy", data, len(data), result=POINTER))


def shader(name):
    """Compiled by bgfx's compiler."""
    profile = {"vs": "vs_5_0", "ps": "ps_5_0", "cs": "cs_5_0"}[name[:2]]
    kind = {"vs": "vertex", "ps": "fragment", "cs": "compute"}[name[:2]]
    for path, text in ((name + ".sc", SHADERS[name]), ("varying.def.sc", VARYINGS)):
        with open(path, "w") as file:
            file.write(text)
    compiler = os.path.join(FOLDER, "bin", "shadercRelease.exe")
    words = [compiler, "-f", name + ".sc", "-o", name + ".bin", "--type", kind, "--platform", "windows"]
    words += [
        "-p",
        profile,
        "-O",
        "1",
        "-i",
        os.path.join(FOLDER, "include", "shaders"),
        "--varyingdef",
        "varying.def.sc",
    ]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    with open(name + ".bin", "rb") as file:
        return bgfx("create_shader", memory(file.read()))


def layout(*attributes):
    made = Layout()
    bgfx("vertex_layout_begin", made, 0, result=POINTER)
    for attribute, count, kind, normalised in attributes:
        bgfx("vertex_layout_add", made, attribute, count, kind, normalised, False, result=POINTER)
    bgfx("vertex_layout_end", made, result=None)
    return made


def texture(side, flags, format_="RGBA8", height=None, levels=None):
    data = memory(levels) if levels else None
    return bgfx("create_texture_2d", side, height or side, bool(levels), 1, FORMATS[format_], U64(flags), data)


def frame_buffer(*textures):
    return bgfx("create_frame_buffer_from_handles", len(textures), (U16 * len(textures))(*textures), False)


def vertex(x, y, z, color, u, v):
    return struct.pack("<3f4B2f", x, y, z, *color, u, v)


def cube():
    vertices, indices = b"", []
    for axis in range(3):
        for side in (-1, 1):
            first = len(vertices) // 24
            for q, w in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                at = [0, 0, 0]
                at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3] = side, q, w
                color = (127 + 32 * (side + q), 127 + 60 * w, 127 + 127 * side if axis else 60, 255)
                vertices += vertex(*at, color, (q + 1) / 2, (w + 1) / 2)
            order = (0, 1, 2, 0, 2, 3) if side > 0 else (0, 2, 1, 0, 3, 2)
            indices += [first + corner for corner in order]
    return vertices, struct.pack("<36H", *indices)


def matrix(*numbers):
    return (FLOAT * 16)(*numbers)


def perspective(aspect):
    near, far, scale = 0.1, 100, 1 / math.tan(0.45)
    return matrix(
        scale / aspect, 0, 0, 0, 0, scale, 0, 0, 0, 0, far / (far - near), 1, 0, 0, -near * far / (far - near), 0
    )


def turned(a, b, x, y, size):
    """A rotation about two axes, a size and a place, as columns."""
    ca, sa, cb, sb = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
    first = [size * cb, size * sa * sb, -size * ca * sb, 0, 0, size * ca, size * sa, 0]
    return first + [size * sb, -size * sa * cb, size * ca * cb, 0, x, y, 0, 1]


STILL = matrix(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def tint(*color):
    bgfx("set_uniform", tint_uniform, (FLOAT * 4)(*color), 1, result=None)


def draw(view, program, source, state, *, indirect=None, query=None):
    """Submits what is set, with a texture."""
    bgfx("set_texture", 0, sampler, source, U32(ALL), result=None)
    bgfx("set_state", U64(state), 0, result=None)
    if indirect is not None:
        bgfx("submit_indirect", view, program, indirect, 0, 1, 0, ALL & 0xFF, result=None)
    elif query is not None:
        bgfx("submit_occlusion_query", view, program, query, 0, ALL & 0xFF, result=None)
    else:
        bgfx("submit", view, program, 0, ALL & 0xFF, result=None)


def set_cube():
    bgfx("set_vertex_buffer", 0, cube_vertices, 0, 24, result=None)
    bgfx("set_index_buffer", cube_indices, 0, 36, result=None)


def set_instances(count, size, apart, frame):
    made = Instances()
    bgfx("alloc_instance_data_buffer", made, count, 80, result=None)
    numbers = (FLOAT * (20 * count)).from_address(made.data)
    for k in range(count):
        at = apart * (k - (count - 1) / 2), math.sin(k + 0.1 * frame) * apart * 0.4
        numbers[20 * k : 20 * k + 20] = turned(0.07 * frame + k, 0.05 * frame + 0.3 * k, *at, size) + [
            1,
            0.6 + 0.4 * math.sin(k),
            0.7,
            1,
        ]
    bgfx("set_instance_data_buffer", made, 0, count, result=None)


def set_rectangle(left, top, right, bottom, alpha, v):
    """A transient buffer; v are the texture's rows at the top and the bottom."""
    corners = ((left, top, 0, v[0]), (right, top, 1, v[0]), (right, bottom, 1, v[1]))
    corners += ((left, top, 0, v[0]), (right, bottom, 1, v[1]), (left, bottom, 0, v[1]))
    made = Transient()
    bgfx("alloc_transient_vertex_buffer", made, 6, drawn, result=None)
    data = b"".join(vertex(x, y, 0, (255, 255, 255, alpha), s, t) for x, y, s, t in corners)
    ctypes.memmove(made.data, data, len(data))
    bgfx("set_transform", STILL, 1, result=U32)
    bgfx("set_transient_vertex_buffer", 0, made, 0, 6, result=None)


def compute(level, frame, indirect=None):
    tint(level, 0, 0, 0)
    bgfx("set_image", 0, image, 0, 1, FORMATS["RGBA8"], result=None)
    bgfx("set_compute_dynamic_vertex_buffer", 1, line, 2, result=None)
    if indirect is None:
        bgfx("dispatch", 0, image_program, 4 + 4 * (frame % 2), 8, 1, ALL & 0xFF, result=None)
    else:
        bgfx("dispatch_indirect", 0, image_program, indirect, 1, 1, ALL & 0xFF, result=None)


user = ctypes.windll.user32
user.CreateWindowExW.restype = POINTER
window = user.CreateWindowExW(0, "STATIC", "bgfx", 0x10CF0000, 20, 20, 340, 280, None, None, None, None)
# Before the start, so that bgfx makes no thread of its own.
bgfx("render_frame", -1, result=ctypes.c_int)
start = Start()
bgfx("init_ctor", start, result=None)
start.kind, start.window, start.width, start.height, start.reset = RENDERER, window, WIDTH, HEIGHT, 0
if not bgfx("init", start, result=ctypes.c_bool):
    sys.exit("bgfx does not start")
print(bgfx("get_renderer_name", bgfx("get_renderer_type", result=ctypes.c_int), result=ctypes.c_char_p).decode())
with open(os.path.join(FOLDER, "include", "bgfx", "bgfx.h")) as header:
    listed = header.read().split("struct TextureFormat")[1].split("Count")[0]
FORMATS = {name: number for number, name in enumerate(re.findall(r"^\s*([A-Z]\w*),", listed, re.MULTILINE))}

pixel_shader = shader("ps")
many = bgfx("create_program", shader("vs_many"), pixel_shader, False)
one = bgfx("create_program", shader("vs_one"), pixel_shader, False)
image_program = bgfx("create_compute_program", shader("cs_image"), True)
arguments_program = bgfx("create_compute_program", shader("cs_arguments"), True)
drawn = layout((0, 3, 4, False), (4, 4, 0, True), (10, 2, 4, False))
vertices, indices = cube()
cube_vertices = bgfx("create_vertex_buffer", memory(vertices), drawn, 0)
cube_indices = bgfx("create_index_buffer", memory(indices), 0)
line = bgfx("create_dynamic_vertex_buffer", 64, layout((10, 4, 4, False)), 0x300)
board = b"".join(
    bytes((255, 255, 255, 255) if (x // 2 + y // 2) % 2 else (40 << level & 255, 90, 200, 255))
    for level, side in enumerate((16, 8, 4, 2, 1))
    for y in range(side)
    for x in range(side)
)
checks, image = texture(16, 0, levels=board), texture(64, COMPUTE_WRITE)
plain, smooth = texture(TARGET, RENDER_TARGET), texture(TARGET, SAMPLES_4)
screen = texture(WIDTH, RENDER_TARGET, height=HEIGHT)
kept = texture(WIDTH, BLIT_TARGET | READ_BACK, height=HEIGHT)
buffers = (
    frame_buffer(plain, texture(TARGET, RENDER_TARGET, "D24S8")),
    frame_buffer(smooth, texture(TARGET, SAMPLES_4 | WRITE_ONLY, "D24S8")),
    frame_buffer(screen, texture(WIDTH, RENDER_TARGET, "D24S8", HEIGHT)),
)
sampler, tint_uniform = bgfx("create_uniform", b"s_texture", 0, 1), bgfx("create_uniform", b"u_tint", 2, 1)
arguments, query = bgfx("create_indirect_buffer", 2), bgfx("create_occlusion_query")
bgfx("set_debug", 8, result=None)
flat = matrix(2 / WIDTH, 0, 0, 0, 0, -2 / HEIGHT, 0, 0, 0, 0, 1, 0, -1, 1, 0, 1)
pixels, found = (U8 * (WIDTH * HEIGHT * 4))(), hashlib.sha256()
views = ((TARGET, TARGET, 0x203040FF, 6), (TARGET, TARGET, 0x402010FF, 5), (WIDTH, HEIGHT, 0x101820FF, 8))
for frame in range(FRAMES):
    for view, (width, height, color, away) in enumerate(views):
        bgfx("set_view_frame_buffer", view, buffers[view], result=None)
        bgfx("set_view_clear", view, 7, U32(color), 1.0, 0, result=None)
        bgfx("set_view_rect", view, 0, 0, width, height, result=None)
        eye = matrix(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, away, 1)
        bgfx("set_view_transform", view, eye, perspective(width / height), result=None)
    bgfx("set_view_clear", 3, 7, U32(0x335533FF), 1.0, 0, result=None)
    bgfx("set_view_rect", 3, 0, 0, WIDTH, HEIGHT, result=None)
    bgfx("set_view_transform", 3, None, flat, result=None)
    compute(frame / FRAMES, frame)
    bgfx("set_compute_indirect_buffer", 0, arguments, 1, result=None)
    bgfx("dispatch", 0, arguments_program, 1, 1, 1, ALL & 0xFF, result=None)
    compute(1 - frame / FRAMES, frame, arguments if frame % 2 else None)
    set_instances(5, 0.7, 1.1, frame)
    set_cube()
    tint(1, 1, 1, 1)
    draw(0, many, checks, SOLID)
    set_instances(3, 0.8, 1.2, frame)
    set_cube()
    tint(1, 1, 0.5, 1)
    draw(1, many, image, SOLID | MULTISAMPLED, indirect=arguments)
    for k, source in enumerate((plain, smooth, checks)):
        bgfx("set_transform", matrix(*turned(0.05 * frame, 0.08 * frame + k, 2.2 * (k - 1), 0.6, 0.9)), 1, result=U32)
        set_cube()
        tint(1, 1, 1, 1)
        draw(2, one, source, SOLID, query=query if k == 0 else None)
    set_rectangle(-3, -2.2, 3, -0.8, 160, (1, 0))
    tint(1, 1, 1, 0.6)
    bgfx("set_scissor", 10, 10, 290, 225)
    draw(2, one, image, BLENDED)
    wanted = None
    if frame % OFTEN == OFTEN - 1:
        bgfx("blit", 3, kept, 0, 0, 0, 0, screen, 0, 0, 0, 0, WIDTH, HEIGHT, 0, result=None)
        wanted = bgfx("read_texture", kept, pixels, 0, result=U32)
    set_rectangle(0, 0, WIDTH, HEIGHT, 255, (0, 1))
    tint(1, 1, 1, 1)
    draw(3, one, screen, 0xF)
    bgfx("dbg_text_clear", 0, False, result=None)
    bgfx("dbg_text_printf", 1, 1, 0x4F, b"frame %d", frame, result=None)
    if frame == RESIZED:
        bgfx("reset", WIDTH, HEIGHT, 0x80, FORMATS["RGBA8"], result=None)
    shown = bgfx("frame", False, result=U32)
    if wanted is not None:
        while shown < wanted:
            shown = bgfx("frame", False, result=U32)
        found.update(bytes(pixels))
png.write(PICTURE, WIDTH, HEIGHT, bytes(pixels))
bgfx("shutdown", result=None)
print("bgfx", found.hexdigest()[:16])
