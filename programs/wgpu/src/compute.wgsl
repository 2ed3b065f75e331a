@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(1) var<uniform> salt: vec4<u32>;

@compute @workgroup_size(64)
fn mix_all(@builtin(global_invocation_id) id: vec3<u32>) {
    var value = numbers[id.x];
    let rounds = value & 31u;
    for (var round = 0u; round < rounds; round++) {
        value = (value ^ (value >> 15u)) * 0x2c1b3c6du + (salt.x ^ round);
    }
    numbers[id.x] = value;
}
