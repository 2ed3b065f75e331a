//! The shaders of the benches, written out by hand: a vertex shader that puts every vertex at the origin or where its input
//! says, and a compute shader that does nothing.
//!
//! A container is a header, a checksum over what follows it, and parts; `SHDR` holds tokens of shader model 4, `SHEX` of 5.

/// `vs_4_0`: `dcl_output_siv o0.xyzw, position; mov o0.xyzw, l(0, 0, 0, 1); ret`, in its container. With `input`:
/// `dcl_input v0.xyzw` before, and `v0.xyzw` in place of the numbers.
pub fn vertex_shader(input: bool) -> Vec<u8> {
    vertices(input, 0.0)
}

/// As [`vertex_shader`] without input, at another place for each number: no two are one shader.
pub fn numbered_shader(number: u32) -> Vec<u8> {
    vertices(false, number as f32)
}

fn vertices(input: bool, at: f32) -> Vec<u8> {
    const DECLARATION: [u32; 4] = [
        0x0400_0067, // dcl_output_siv, 4 tokens
        0x0010_20f2, // o0.xyzw
        0,           // register
        1,           // position
    ];
    let body: &[u32] = match input {
        false => &[
            0x0800_0036, // mov, 8 tokens
            0x0010_20f2,
            0,
            0x0000_4002, // four immediate values
            at.to_bits(),
            0,
            0,
            1.0f32.to_bits(),
        ],
        true => &[
            0x0500_0036, // mov, 5 tokens
            0x0010_20f2,
            0,
            0x0010_1e46, // v0.xyzw
            0,
        ],
    };
    let declared: &[u32] = if input { &[0x0300_005f, 0x0010_10f2, 0] } else { &[] };
    let tokens = [declared, &DECLARATION, body, &[RET]].concat();
    let mut shader = vec![0x0001_0040, tokens.len() as u32 + 2]; // vs_4_0, tokens in all
    shader.extend(tokens);
    let mut signature = words(&[input.into(), 8]);
    if input {
        signature.extend(words(&[32, 0, 0, 3, 0, 0x0f0f]));
        signature.extend_from_slice(b"POSITION\0\0\0\0");
    }
    let mut output = words(&[1, 8, 32, 0, 1, 3, 0, 0xf]);
    output.extend_from_slice(b"SV_Position\0");
    container(&[(b"ISGN", signature), (b"OSGN", output), (b"SHDR", words(&shader))])
}

/// `cs_5_0`: `dcl_thread_group 1, 1, 1; ret`, in its container.
pub fn compute_shader() -> Vec<u8> {
    groups([1, 1, 1])
}

/// As [`compute_shader`], with other groups for each number: 1024 different ones, and then again.
pub fn numbered_compute_shader(number: u32) -> Vec<u8> {
    groups([1 + number % 32, 1 + number / 32 % 32, 1])
}

fn groups([x, y, z]: [u32; 3]) -> Vec<u8> {
    let shader = [0x0005_0050, 7, 0x0400_009b, x, y, z, RET];
    container(&[(b"ISGN", words(&[0, 8])), (b"OSGN", words(&[0, 8])), (b"SHEX", words(&shader))])
}

const RET: u32 = 0x0100_003e;

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn container(parts: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut offset = 32 + 4 * parts.len();
    let mut offsets = Vec::new();
    let mut body = Vec::new();
    for (name, bytes) in parts {
        offsets.extend_from_slice(&(offset as u32).to_le_bytes());
        body.extend_from_slice(*name);
        body.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        body.extend_from_slice(bytes);
        offset += 8 + bytes.len();
    }
    let mut out = b"DXBC".to_vec();
    out.extend_from_slice(&[0; 16]);
    out.extend_from_slice(&words(&[1, offset as u32, parts.len() as u32]));
    out.extend_from_slice(&offsets);
    out.extend_from_slice(&body);
    let sum = checksum(&out[20..]);
    out[4..20].copy_from_slice(&sum);
    out
}

/// MD5 with an end of its own: the length in bits begins the last block, and the length in bits / 4 with bit 0 set ends it.
fn checksum(data: &[u8]) -> [u8; 16] {
    let bits = (data.len() as u32).wrapping_mul(8);
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut blocks = data.chunks_exact(64);
    for block in &mut blocks {
        compress(&mut state, block);
    }
    let rest = blocks.remainder();
    let mut last = [0u8; 64];
    if rest.len() >= 56 {
        let mut block = [0u8; 64];
        block[..rest.len()].copy_from_slice(rest);
        block[rest.len()] = 0x80;
        compress(&mut state, &block);
    } else {
        last[4..4 + rest.len()].copy_from_slice(rest);
        last[4 + rest.len()] = 0x80;
    }
    last[..4].copy_from_slice(&bits.to_le_bytes());
    last[60..].copy_from_slice(&((bits >> 2) | 1).to_le_bytes());
    compress(&mut state, &last);
    let mut out = [0; 16];
    for (i, word) in state.iter().enumerate() {
        out[i * 4..i * 4 + 4].copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// One block of MD5 (RFC 1321).
fn compress(state: &mut [u32; 4], block: &[u8]) {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let word = |i: usize| {
        let b = &block[i * 4..i * 4 + 4];
        u32::from_le_bytes([b[0], b[1], b[2], b[3]])
    };
    let [mut a, mut b, mut c, mut d] = *state;
    for i in 0..64usize {
        let (mix, at) = match i / 16 {
            0 => ((b & c) | (!b & d), i),
            1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
            2 => (b ^ c ^ d, (3 * i + 5) % 16),
            _ => (c ^ (b | !d), (7 * i) % 16),
        };
        let constant = (((i + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
        let sum = a.wrapping_add(mix).wrapping_add(constant).wrapping_add(word(at));
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
    }
    for (into, add) in state.iter_mut().zip([a, b, c, d]) {
        *into = into.wrapping_add(add);
    }
}

#[cfg(test)]
mod tests {
    use super::compress;

    /// RFC 1321 states the digest of the empty message.
    #[test]
    fn md5_of_nothing() {
        let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
        let mut block = [0u8; 64];
        block[0] = 0x80;
        compress(&mut state, &block);
        let bytes: Vec<u8> = state.iter().flat_map(|w| w.to_le_bytes()).collect();
        let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, "d41d8cd98f00b204e9800998ecf8427e");
    }
}
