"""Squares of numbers, computed through SDL's GPU interface on Direct3D 12; prints `sdl HASH`. Its argument is SDL3.dll."""
import ctypes, hashlib, struct, sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_void_p

COUNT = 1024
SHADER = b"""RWByteAddressBuffer squares : register(u0, space1);
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { squares.Store(4 * id.x, id.x * id.x + id.x); }"""
SHADERS_DXBC, STORAGE_WRITE, DOWNLOAD, VIDEO = 1 << 2, 1 << 5, 1, 0x20


class Pipeline(Structure):
    _fields_ = [("code_size", c_size_t), ("code", c_void_p), ("entry", c_char_p), ("format", c_uint32),
                ("samplers", c_uint32), ("read_textures", c_uint32), ("read_buffers", c_uint32),
                ("write_textures", c_uint32), ("write_buffers", c_uint32), ("uniforms", c_uint32),
                ("threads", c_uint32 * 3), ("properties", c_uint32)]


class Description(Structure):
    _fields_ = [("usage", c_uint32), ("size", c_uint32), ("properties", c_uint32)]


class Binding(Structure):
    _fields_ = [("buffer", c_void_p), ("cycle", c_uint8 * 8)]


class Region(Structure):
    _fields_ = [("buffer", c_void_p), ("offset", c_uint32), ("size", c_uint32)]


def compiled():
    """The shader's DXBC, by the compiler of Windows."""
    compiler = ctypes.WinDLL("d3dcompiler_47.dll")
    code, errors = c_void_p(), c_void_p()
    compiler.D3DCompile.argtypes = [c_char_p, c_size_t] + [c_void_p] * 3 + [c_char_p] * 2 + [c_uint32] * 2 + [c_void_p] * 2
    assert compiler.D3DCompile(SHADER, len(SHADER), None, None, None, b"main", b"cs_5_1", 0, 0, byref(code), byref(errors)) == 0
    slots = ctypes.cast(ctypes.cast(code, POINTER(c_void_p))[0], POINTER(c_void_p))
    pointer = ctypes.WINFUNCTYPE(c_void_p, c_void_p)(slots[3])(code)
    size = ctypes.WINFUNCTYPE(c_size_t, c_void_p)(slots[4])(code)
    return ctypes.string_at(pointer, size)


def main():
    sdl = ctypes.CDLL(sys.argv[1])
    sdl.SDL_GetError.restype = c_char_p

    def call(name, *arguments, result=c_void_p):
        function = getattr(sdl, "SDL_" + name)
        function.restype = result
        return function(*arguments)

    def made(name, *arguments):
        thing = call(name, *arguments)
        assert thing, (name, sdl.SDL_GetError())
        return c_void_p(thing)

    assert call("Init", c_uint32(VIDEO), result=c_int) & 0xFF, sdl.SDL_GetError()
    device = made("CreateGPUDevice", c_uint32(SHADERS_DXBC), c_int(0), c_char_p(b"direct3d12"))
    assert call("GetGPUDeviceDriver", device, result=c_char_p) == b"direct3d12"
    code = compiled()
    wanted = Pipeline(code_size=len(code), code=ctypes.cast(c_char_p(code), c_void_p), entry=b"main", format=SHADERS_DXBC,
                      write_buffers=1, threads=(c_uint32 * 3)(64, 1, 1))
    pipeline = made("CreateGPUComputePipeline", device, byref(wanted))
    buffer = made("CreateGPUBuffer", device, byref(Description(STORAGE_WRITE, 4 * COUNT, 0)))
    results = made("CreateGPUTransferBuffer", device, byref(Description(DOWNLOAD, 4 * COUNT, 0)))
    commands = made("AcquireGPUCommandBuffer", device)
    compute = made("BeginGPUComputePass", commands, None, c_uint32(0), byref(Binding(buffer)), c_uint32(1))
    call("BindGPUComputePipeline", compute, pipeline)
    call("DispatchGPUCompute", compute, c_uint32(COUNT // 64), c_uint32(1), c_uint32(1))
    call("EndGPUComputePass", compute)
    copy = made("BeginGPUCopyPass", commands)
    call("DownloadFromGPUBuffer", copy, byref(Region(buffer, 0, 4 * COUNT)), byref(Region(results, 0, 0)))
    call("EndGPUCopyPass", copy)
    fence = made("SubmitGPUCommandBufferAndAcquireFence", commands)
    assert call("WaitForGPUFences", device, c_int(1), byref(fence), c_uint32(1), result=c_int) & 0xFF
    words = ctypes.string_at(made("MapGPUTransferBuffer", device, results, c_int(0)), 4 * COUNT)
    squares = list(struct.unpack(f"{COUNT}I", words))
    assert squares == [number * number + number for number in range(COUNT)], squares
    print("sdl", hashlib.sha256(words).hexdigest()[:32])
    call("DestroyGPUDevice", device)


main()
