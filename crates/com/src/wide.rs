//! Text of `WCHAR`s, as programs pass and read it: UTF-16, or the system's `wchar_t` of four bytes for programs of
//! [`Convention::Itanium`](reprise_d3d12::abi::Convention::Itanium), and where a text's own bytes say so
//! ([`has_four_bytes`](reprise_d3d12::wide::has_four_bytes)).

use crate::tables::is_itanium;

/// Bytes of a `WCHAR`.
pub fn width() -> usize {
    if is_itanium() { 4 } else { 2 }
}

/// The units of a text without its zero, as UTF-16; `None` where there is no zero among the first `limit` units.
///
/// # Safety
/// `text` is readable up to its zero.
pub unsafe fn units(text: *const u16, limit: usize) -> Option<Vec<u16>> {
    // SAFETY: the caller promises a text that is readable up to its zero.
    let (length, width) = unsafe { (length(text, limit)?, width_of(text)) };
    // SAFETY: so many units are before the zero.
    Some(decode_as(unsafe { core::slice::from_raw_parts(text.cast::<u8>(), length * width) }, width))
}

/// Bytes of a text's characters.
///
/// # Safety
/// As [`units`].
unsafe fn width_of(text: *const u16) -> usize {
    // SAFETY: the caller promises a text that is readable up to its zero.
    if width() == 2 && unsafe { reprise_d3d12::wide::has_four_bytes(text) } { 4 } else { width() }
}

/// Units before a text's zero; `None` where there is none among the first `limit`.
///
/// # Safety
/// As [`units`].
pub unsafe fn length(text: *const u16, limit: usize) -> Option<usize> {
    // SAFETY: the caller promises a text that is readable up to its zero.
    let (at, wide) = (text.cast::<u8>(), unsafe { width_of(text) } == 4);
    (0..limit).find(|&index| {
        // SAFETY: nothing is read behind the zero.
        unsafe {
            match wide {
                true => at.cast::<u32>().add(index).read_unaligned() == 0,
                false => at.cast::<u16>().add(index).read_unaligned() == 0,
            }
        }
    })
}

/// The UTF-16 of a program's bytes. What is no character becomes the replacement character.
pub fn decode(bytes: &[u8]) -> Vec<u16> {
    decode_as(bytes, width())
}

fn decode_as(bytes: &[u8], width: usize) -> Vec<u16> {
    match width {
        4 => {
            let characters = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let characters = characters.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
            characters.flat_map(|character| character.encode_utf16(&mut [0; 2]).to_vec()).collect()
        }
        _ => bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect(),
    }
}

/// A text that programs read through a pointer, with its zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The program's units: one a word, or two.
    words: Box<[u32]>,
    utf_16: Box<[u16]>,
}

impl Text {
    /// Of UTF-16 without a zero.
    pub fn new(utf_16: &[u16]) -> Text {
        let mut words: Vec<u32> = match width() {
            4 => {
                let characters = char::decode_utf16(utf_16.iter().copied());
                characters.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER).into()).collect()
            }
            _ => {
                let pair = |pair: &[u16]| u32::from(pair[0]) | u32::from(pair.get(1).copied().unwrap_or(0)) << 16;
                utf_16.chunks(2).map(pair).collect()
            }
        };
        words.push(0);
        Text { words: words.into(), utf_16: utf_16.into() }
    }

    /// What the program reads.
    pub fn as_ptr(&self) -> *const u16 {
        self.words.as_ptr().cast()
    }

    /// Its bytes, with its zero.
    pub fn bytes(&self) -> &[u8] {
        let units = match width() {
            4 => self.words.len(),
            _ => self.utf_16.len() + 1,
        };
        // SAFETY: the words have so many units: the text's and a zero.
        unsafe { core::slice::from_raw_parts(self.words.as_ptr().cast(), units * width()) }
    }

    /// The same as UTF-16, without a zero.
    pub fn utf_16(&self) -> &[u16] {
        &self.utf_16
    }

    /// The same as text of ours.
    pub fn text(&self) -> String {
        String::from_utf16_lossy(&self.utf_16)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::new(&text.encode_utf16().collect::<Vec<u16>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_was_written() {
        for text in ["", "a", "ab", "näme", "\u{1d11e}!"] {
            let written = Text::from(text);
            // SAFETY: the text ends with zero.
            let read = unsafe { units(written.as_ptr(), 100) }.expect("a zero");
            assert_eq!(String::from_utf16_lossy(&read), text);
            assert_eq!((written.text().as_str(), written.utf_16()), (text, &*read));
            // SAFETY: the text lives here, and ends with zero.
            assert_eq!(unsafe { length(written.as_ptr(), 1) }.is_some(), text.is_empty());
        }
    }
}
