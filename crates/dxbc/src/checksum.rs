//! The checksum of a container: MD5's rounds with a last block of its own.
//!
//! It covers everything after itself (byte 20 to the end). The last block holds the number of bits first, then the rest
//! of the data and the usual `0x80`, and `bits / 4 | 1` at its end. Zero is what unsigned DXIL carries instead.

/// Where the checksum lies in a container, and where the bytes that it covers begin.
pub(crate) const AT: usize = 4;
pub(crate) const COVERS: usize = 20;

const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// RFC 1321's table: the integer part of `2^32 * |sin(i + 1)|`.
const SINES: [u32; 64] = {
    // Written out: sin() is no constant function.
    [
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8,
        0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
        0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87,
        0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
        0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039,
        0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
        0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
        0xeb86d391,
    ]
};

fn block(state: &mut [u32; 4], words: &[u32; 16]) {
    let [mut a, mut b, mut c, mut d] = *state;
    for i in 0..64 {
        let (mixed, word) = match i / 16 {
            0 => ((b & c) | (!b & d), i),
            1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
            2 => (b ^ c ^ d, (3 * i + 5) % 16),
            _ => (c ^ (b | !d), (7 * i) % 16),
        };
        let sum = a.wrapping_add(mixed).wrapping_add(SINES[i]).wrapping_add(words[word]);
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4])));
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(add);
    }
}

fn words(bytes: &[u8; 64]) -> [u32; 16] {
    let mut words = [0; 16];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
    }
    words
}

/// The checksum of a whole container; what lies in its first 20 bytes does not matter.
pub fn checksum(container: &[u8]) -> [u8; 16] {
    let data = container.get(COVERS..).unwrap_or(&[]);
    let mut state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
    let mut chunks = data.chunks_exact(64);
    for chunk in &mut chunks {
        let mut whole = [0; 64];
        whole.copy_from_slice(chunk);
        block(&mut state, &words(&whole));
    }
    let rest = chunks.remainder();
    let bits = (data.len() as u32).wrapping_mul(8);
    let mut last = [0u8; 64];
    if rest.len() >= 56 {
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = 0x80;
        block(&mut state, &words(&last));
        last = [0; 64];
    } else {
        last[4..4 + rest.len()].copy_from_slice(rest);
        last[4 + rest.len()] = 0x80;
    }
    last[..4].copy_from_slice(&bits.to_le_bytes());
    last[60..].copy_from_slice(&(bits >> 2 | 1).to_le_bytes());
    block(&mut state, &words(&last));
    let mut sum = [0; 16];
    for (bytes, word) in sum.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    sum
}
