//! The identity of a presented picture, and the text file that lists one per frame.
//!
//! Invariant: the same pixels give the same hash wherever they were read back: at capture, at replay, on any runtime.
//! The hash is XXH3-128 (seed 0) over width, height and DXGI format (each u32, little-endian), then the rows, top first,
//! tightly packed in the format's own byte order. The padding between rows of a readback buffer is no part of it.

use std::fmt;

use xxhash_rust::xxh3::Xxh3;

/// Hash of one frame; its text form is 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameHash(pub u128);

/// Takes the rows of one frame.
pub struct FrameHasher {
    state: Box<Xxh3>,
}

/// A line of a frame hash file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameLine {
    /// Frames count from 1.
    pub frame: u64,
    /// Of the presented picture.
    pub hash: FrameHash,
}

/// A frame hash file that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameLineError {
    /// Lines count from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl FrameHasher {
    /// `format` is the number of the `DXGI_FORMAT`.
    pub fn new(width: u32, height: u32, format: u32) -> Self {
        let mut state = Box::new(Xxh3::new());
        state.update(&width.to_le_bytes());
        state.update(&height.to_le_bytes());
        state.update(&format.to_le_bytes());
        Self { state }
    }

    /// The next row, without padding.
    pub fn row(&mut self, row: &[u8]) {
        self.state.update(row);
    }

    /// The hash of all rows given.
    pub fn finish(self) -> FrameHash {
        FrameHash(self.state.digest128())
    }
}

/// Hashes a picture whose rows start every `pitch` bytes and hold `row_bytes` bytes each; `None` if `bytes` is too short.
pub fn hash_rows(
    (width, height, format): (u32, u32, u32),
    bytes: &[u8],
    pitch: usize,
    row_bytes: usize,
) -> Option<FrameHash> {
    let mut hasher = FrameHasher::new(width, height, format);
    for row in 0..height as usize {
        let start = row.checked_mul(pitch)?;
        hasher.row(bytes.get(start..start.checked_add(row_bytes)?)?);
    }
    Some(hasher.finish())
}

/// Reads a file of `frame hash` lines. Empty lines and lines that begin with `#` count as comments.
///
/// # Errors
/// A line is no frame number and 32 hexadecimal digits; the error has the line's number.
pub fn parse_lines(text: &str) -> Result<Vec<FrameLine>, FrameLineError> {
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let error = |reason| FrameLineError { line: index + 1, reason };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split_whitespace();
        let (Some(frame), Some(hash), None) = (words.next(), words.next(), words.next()) else {
            return Err(error("expected two words: frame number and hash"));
        };
        let frame = frame.parse().map_err(|_| error("the frame number is not a decimal number"))?;
        if hash.len() != 32 || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(error("the hash is not 32 hexadecimal digits"));
        }
        let hash = u128::from_str_radix(hash, 16).map_err(|_| error("the hash is not hexadecimal"))?;
        lines.push(FrameLine { frame, hash: FrameHash(hash) });
    }
    Ok(lines)
}

impl fmt::Display for FrameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for FrameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for FrameLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.frame, self.hash)
    }
}

impl fmt::Display for FrameLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame hash file, line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for FrameLineError {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The definition, written down a second time: one flat buffer through the one-shot function.
    fn expectation(width: u32, height: u32, format: u32, pixels: &[u8]) -> FrameHash {
        let mut all = Vec::new();
        for word in [width, height, format] {
            all.extend(word.to_le_bytes());
        }
        all.extend(pixels);
        FrameHash(xxhash_rust::xxh3::xxh3_128(&all))
    }

    #[test]
    fn padding_does_not_reach_the_hash() {
        let pixels: Vec<u8> = (0..3 * 8).collect();
        let mut padded = vec![0xee; 2 * 16 + 8];
        for row in 0..3 {
            padded[row * 16..row * 16 + 8].copy_from_slice(&pixels[row * 8..row * 8 + 8]);
        }
        let expected = expectation(2, 3, 28, &pixels);
        assert_eq!(hash_rows((2, 3, 28), &padded, 16, 8), Some(expected));
        assert_eq!(hash_rows((2, 3, 28), &pixels, 8, 8), Some(expected));
        assert_ne!(hash_rows((2, 3, 87), &pixels, 8, 8), Some(expected));
        assert_eq!(hash_rows((2, 4, 28), &pixels, 8, 8), None);
    }

    #[test]
    fn lines_come_back_as_written() {
        let line = FrameLine { frame: 12, hash: FrameHash(0x00ab_cdef) };
        assert_eq!(line.to_string(), "12 00000000000000000000000000abcdef");
        assert_eq!(parse_lines(&format!("# frames\n{line}\n\n")).unwrap(), [line]);
        assert_eq!(parse_lines("1 abc").unwrap_err().line, 1);
        assert_eq!(parse_lines("\nx 00000000000000000000000000abcdef").unwrap_err().line, 2);
        assert!(parse_lines("1 +0000000000000000000000000abcdef").is_err());
    }
}
