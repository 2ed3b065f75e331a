"""Squares of numbers, computed through wgpu-py on Direct3D 12; prints `wgpu-py HASH`."""
import hashlib, struct, wgpu
from wgpu.backends.wgpu_native.extras import set_instance_extras
from wgpu.utils.compute import compute_with_buffers
set_instance_extras(backends=["DX12"])
SHADER = """@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> squares: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { squares[id.x] = numbers[id.x] * numbers[id.x] + id.x; }"""
squares = compute_with_buffers({0: struct.pack("256I", *range(256))}, {1: (256, "I")}, SHADER)[1].tolist()
assert squares == [number * number + number for number in range(256)], squares
assert wgpu.utils.device.get_default_device().adapter.info["backend_type"] == "D3D12"
print("wgpu-py", hashlib.sha256(struct.pack("256I", *squares)).hexdigest()[:32])
