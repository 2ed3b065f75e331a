//! Marks and events: names that debuggers of Vulkan show.
//!
//! What programs give is a string or a blob of PIX; neither is trusted. Invariant: a list ends the events that it began, and no
//! others.

use core::ffi::c_void;
use std::ffi::CString;

use ash::vk;
use reprise_com::Slots;

use crate::list::array::array;
use crate::list::recording::Recording;

/// Methods about marks.
pub(super) const LIST_METHODS: &Slots = &[
    ("SetMarker", set_marker as *const c_void),
    ("BeginEvent", begin_event as *const c_void),
    ("EndEvent", end_event as *const c_void),
];

/// Values of the metadata argument.
const UTF16: u32 = 0;
const ANSI: u32 = 1;
const BLOB: u32 = 2;

/// Longest name that is passed on, in bytes of the program's data; the rest is cut off.
const LONGEST: usize = 1024;

/// A name and the colour that the program wants for it, as `0xaarrggbb`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Mark {
    name: String,
    colour: u32,
}

impl Mark {
    /// What a program says. Pure.
    fn read(metadata: u32, bytes: &[u8]) -> Mark {
        match metadata {
            UTF16 => Mark { name: utf16(bytes), colour: 0 },
            ANSI => Mark { name: ansi(bytes), colour: 0 },
            BLOB => blob(bytes).unwrap_or_default(),
            _ => Mark::default(),
        }
    }

    /// The colour as numbers from 0 to 1: red, green, blue, alpha.
    fn numbers(&self) -> [f32; 4] {
        let part = |shift: u32| (self.colour >> shift & 0xff) as f32 / 255.0;
        [part(16), part(8), part(0), part(24)]
    }
}

fn ansi(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()).min(LONGEST);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn utf16(bytes: &[u8]) -> String {
    let pairs = bytes.chunks_exact(2).take(LONGEST / 2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    char::decode_utf16(pairs.take_while(|unit| *unit != 0))
        .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// PIX's blob: a word with kind and time, a colour, a word about the string that follows, and what is to be put into it.
fn blob(bytes: &[u8]) -> Option<Mark> {
    const IS_ANSI: u64 = 1 << 54;
    let word = |at: usize| bytes.get(at * 8..at * 8 + 8)?.try_into().ok().map(u64::from_le_bytes);
    let (colour, about) = (word(1)? as u32, word(2)?);
    let text = &bytes[24..];
    let name = if about & IS_ANSI != 0 { ansi(text) } else { utf16(text) };
    Some(Mark { name, colour })
}

/// What a marker or an event says.
///
/// # Safety
/// `data` is null or has as many bytes as it says.
pub(super) unsafe fn text(metadata: u32, data: *const c_void, size: u32) -> String {
    // SAFETY: as the caller promises.
    Mark::read(metadata, unsafe { array(data.cast(), size) }).name
}

impl Recording {
    fn mark(&mut self, mark: &Mark, begins: bool) {
        let Ok(name) = CString::new(mark.name.as_str()) else { return };
        match begins {
            true => self.encoder.begin_label(&name, mark.numbers()),
            false => self.encoder.insert_label(&name, mark.numbers()),
        }
    }
}

/// # Safety
/// A list of ours, the program's bytes.
unsafe fn mark(this: *mut c_void, metadata: u32, data: *const c_void, size: u32, begins: bool) {
    // SAFETY: the caller promises: a list of ours, the program's bytes.
    unsafe {
        Recording::on_any(this, |list| {
            // Bundles keep no marks: they change nothing.
            if list.encoder.buffer != vk::CommandBuffer::null() && list.encoder.device.ext.debug_utils.is_some() {
                list.mark(&Mark::read(metadata, array(data.cast(), size)), begins);
            }
            Ok(())
        });
    }
}

unsafe extern "C" fn set_marker(this: *mut c_void, metadata: u32, data: *const c_void, size: u32) {
    // SAFETY: a list of ours, the program's bytes.
    unsafe { mark(this, metadata, data, size, false) };
}

unsafe extern "C" fn begin_event(this: *mut c_void, metadata: u32, data: *const c_void, size: u32) {
    // SAFETY: a list of ours, the program's bytes.
    unsafe { mark(this, metadata, data, size, true) };
}

unsafe extern "C" fn end_event(this: *mut c_void) {
    // SAFETY: a list of ours.
    unsafe {
        Recording::on_any(this, |list| {
            list.encoder.end_label();
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_read_in_all_three_encodings() {
        let wide: Vec<u8> = "näme\0rest".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let named = |colour| Mark { name: "näme".into(), colour };
        assert_eq!(Mark::read(0, &wide), named(0));
        assert_eq!(Mark::read(1, "näme\0rest".as_bytes()), named(0));
        let blob = |about: u64, text: &[u8]| {
            let words = [0x1234_0401u64, 0xff10_2030, about];
            words.into_iter().flat_map(u64::to_le_bytes).chain(text.iter().copied()).collect::<Vec<u8>>()
        };
        assert_eq!(Mark::read(2, &blob(8 << 55, &wide)), named(0xff10_2030));
        assert_eq!(Mark::read(2, &blob(8 << 55 | 1 << 54, "näme\0".as_bytes())), named(0xff10_2030));
        assert_eq!(Mark::read(2, &[0; 23]), Mark::default());
        assert_eq!(Mark::read(77, b"name"), Mark::default());
        let label = named(0xff10_2030).numbers();
        assert_eq!(label, [16.0 / 255.0, 32.0 / 255.0, 48.0 / 255.0, 1.0]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_some_name(metadata in 0u32..4, bytes: Vec<u8>) {
            prop_assert!(Mark::read(metadata, &bytes).name.len() <= 3 * LONGEST);
        }
    }
}
