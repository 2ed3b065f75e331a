//! How wide a program's characters are, by what its bytes say.
//!
//! `WCHAR` has two bytes in the API and in most Linux libraries of it. Programs that are made with Microsoft's headers for Linux pass texts
//! of the system's `wchar_t`, of four bytes, whatever library they use; such a text read as UTF-16 ends behind its first character.

/// Characters that are looked at.
#[cfg(unix)]
const LOOK: usize = 64;
/// Memory is readable, or not, in whole pages.
#[cfg(unix)]
const PAGE: usize = 4096;

/// Whether a text is of characters of four bytes, of which there are two at least, where the other convention is of two bytes. One
/// character is the same text either way.
///
/// # Safety
/// `text` is readable up to its zero, of either width.
#[cfg(unix)]
pub unsafe fn has_four_bytes(text: *const u16) -> bool {
    // An interpreter sees that what is looked at may lie beyond the text.
    if cfg!(miri) || !text.addr().is_multiple_of(4) {
        return false;
    }
    let text = text.cast::<u32>();
    // SAFETY: an aligned text of one character or more has four bytes in either width, and one of none lies in the same page as
    // the bytes behind it.
    let character = |at: usize| unsafe { text.add(at).read_volatile() };
    for at in 0..LOOK {
        if at != 0 && text.wrapping_add(at).addr().is_multiple_of(PAGE) {
            // Whether the page is there is not known.
            return at >= 4;
        }
        match character(at) {
            0 => return at > 2 || at == 2 && is_name(character(0), character(1)),
            one if !is_written(one) => return false,
            one if at == 1 && is_half(one) && !is_eastern(character(0)) => return false,
            _ => {}
        }
    }
    true
}

/// Windows has one width.
///
/// # Safety
/// None is needed.
#[cfg(not(unix))]
pub unsafe fn has_four_bytes(_text: *const u16) -> bool {
    false
}

/// Whether names are made of such characters.
#[cfg(unix)]
fn is_written(character: u32) -> bool {
    char::from_u32(character)
        .is_some_and(|it| it.is_ascii_graphic() || it == ' ' || !it.is_ascii() && it.is_alphanumeric())
}

/// Whether two characters are a text rather than one of two bytes and what lay behind it: letters, digits or underscores of one script.
#[cfg(unix)]
fn is_name(first: u32, second: u32) -> bool {
    let letter = |one: u32| char::from_u32(one).is_some_and(|it| it.is_alphanumeric() || it == '_');
    letter(first) && letter(second) && !is_half(second) && is_eastern(first) == is_eastern(second)
}

/// Whether a character is what the upper half of an address of x86-64 looks like, where Linux puts programs, heaps, libraries and stacks.
/// Measured: `L"*"` in memory that had held a pointer.
#[cfg(unix)]
fn is_half(character: u32) -> bool {
    matches!(character, 0x5500..=0x56ff | 0x7e00..=0x7fff)
}

/// Whether it is of the scripts of East Asia, as Unicode orders them.
#[cfg(unix)]
fn is_eastern(character: u32) -> bool {
    character >= 0x2e80
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;

    #[repr(C, align(4))]
    struct Aligned<T>(T);

    fn short<const N: usize>(units: [u16; N]) -> bool {
        let text = Aligned(units);
        // SAFETY: the test's arrays have a zero.
        unsafe { has_four_bytes(text.0.as_ptr()) }
    }

    fn long(text: &str) -> bool {
        let text: Vec<u32> = text.chars().map(u32::from).chain([0]).collect();
        // SAFETY: the text has a zero.
        unsafe { has_four_bytes(text.as_ptr().cast()) }
    }

    #[test]
    fn widths_are_told_apart() {
        for text in ["ab", "T0", "_x", "né", "abc", "Main buffer #1", "Puffer für Schatten", "影響"] {
            assert!(long(text), "{text}");
        }
        let units = |text: &str| text.encode_utf16().chain([0; 4]).collect::<Vec<u16>>();
        for text in ["", "ab", "abc", "Main buffer #1", "Puffer für Schatten", "影響", "\u{1d11e}"] {
            let mut all = [0; 64];
            let units = units(text);
            all[..units.len()].copy_from_slice(&units);
            assert!(!short(all), "{text}");
        }
        // One character, before another text of two bytes, a number, and a pointer.
        assert!(!short([u16::from(b'a'), 0, u16::from(b'b'), u16::from(b'c'), 0, 0]));
        assert!(!short([u16::from(b'a'), 0, 7, 0, 0, 0]));
        assert!(!short([u16::from(b'a'), 0, 0x6000, 0x5555, 0x7fff, 0]));
        // Before the upper half of an address that lay there once, which is a character of its own, and before a number that is one.
        for half in [0x55e1, 0x5655, 0x7f3a, 0x7fff] {
            for first in ['*', 'a', '影'] {
                assert!(!short([first as u16, 0, half, 0, 0, 0]), "{first} {half:x}");
            }
        }
        assert!(!short([u16::from(b'*'), 0, u16::from(b'@'), 0, 0, 0]));
        assert!(!long("a") && !long(""), "the same either way");
    }
}
