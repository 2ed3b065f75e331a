//! Events of PIX: the text of `BeginEvent` and `SetMarker`.
//!
//! `Metadata` says how the data is written (pix3.h): 0 is UTF-16 text, 1 is text in bytes, 2 is a block as `PIXBeginEvent`
//! makes it: words of 64 bits, first the event's type and time, then its colour, then the text, then what is put into the
//! text. Invariant: data that cannot be read becomes a text that says so; no text is longer than [`MOST_TEXT`] bytes.

/// `PIX_EVENT_UNICODE_VERSION`.
const UNICODE: u32 = 0;
/// `PIX_EVENT_ANSI_VERSION`.
const ANSI: u32 = 1;
/// `PIX_EVENT_PIX3BLOB_VERSION`.
const BLOCK: u32 = 2;

/// Longest text that is kept, in bytes.
pub const MOST_TEXT: usize = 4096;

/// The text, and `0xAARRGGBB` where the program gave a colour.
#[must_use]
pub fn text(metadata: u32, data: &[u8]) -> (String, Option<u32>) {
    let (mut text, colour) = match metadata {
        UNICODE => (utf16(data), None),
        ANSI => (narrow(data), None),
        BLOCK => match block(data) {
            Some((text, colour)) => (text, colour),
            None => (format!("(a damaged PIX block of {} bytes)", data.len()), None),
        },
        other => (format!("(encoding {other}, {} bytes)", data.len()), None),
    };
    if text.len() > MOST_TEXT {
        let cut = (0..=MOST_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(cut);
    }
    (text, colour)
}

/// Text up to a terminator.
fn narrow(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// UTF-16 text up to a terminator.
fn utf16(bytes: &[u8]) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).take_while(|unit| *unit != 0);
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Text and colour of a block.
fn block(data: &[u8]) -> Option<(String, Option<u32>)> {
    let mut words = Words(data);
    // Bits 10 to 19 are the type: 1 and 7 are followed by arguments, 2 and 8 are not; 0x10 more where a context is named.
    let kind = words.next()? >> 10 & 0x3ff;
    let arguments = match kind & !0x10 {
        1 | 7 => true,
        2 | 8 => false,
        _ => return None,
    };
    let colour = words.next()? as u32;
    let format = words.text()?;
    let text = if arguments { fill(&format, &mut words) } else { format };
    Some((text, Some(colour)))
}

/// The rest of a block.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn next(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// A text: a word that says how it is written (bit 54: in bytes), then its units in whole words, up to a terminator.
    fn text(&mut self) -> Option<String> {
        let bytes = self.next()? >> 54 & 1 != 0;
        let text = self.0;
        let end = match bytes {
            true => text.iter().position(|byte| *byte == 0)? + 1,
            false => 2 * text.as_chunks::<2>().0.iter().position(|unit| *unit == [0, 0])? + 2,
        };
        self.0 = text.get(end.next_multiple_of(8)..).unwrap_or(&[]);
        Some(if bytes { narrow(text) } else { utf16(text) })
    }
}

/// Puts arguments into a format as C's `printf` has it: a word each, floats in the form of 64 bits, texts as texts.
fn fill(format: &str, words: &mut Words<'_>) -> String {
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if text.len() > MOST_TEXT {
            break;
        }
        if c != '%' {
            text.push(c);
            continue;
        }
        if rest.peek() == Some(&'%') {
            rest.next();
            text.push('%');
            continue;
        }
        let mut specification = String::from('%');
        let conversion = loop {
            match rest.next() {
                Some(c @ ('-' | '+' | ' ' | '#' | '.' | '*' | 'h' | 'l' | 'j' | 'z' | 't' | 'L' | 'I' | '0'..='9')) => {
                    specification.push(c);
                }
                other => break other,
            }
        };
        let filled = conversion.and_then(|conversion| argument(&specification, conversion, words));
        match (filled, conversion) {
            (Some(filled), _) => text.push_str(&filled),
            // What cannot be filled in stays as it is.
            (None, conversion) => {
                text.push_str(&specification);
                text.extend(conversion);
            }
        }
    }
    text
}

/// One argument, as far as its precision and width tell.
fn argument(specification: &str, conversion: char, words: &mut Words<'_>) -> Option<String> {
    let (width, precision) = specification.split_once('.').unwrap_or((specification, ""));
    let zeros = width.trim_start_matches(['%', '-', '+', ' ', '#']).starts_with('0');
    let digits: String = width.chars().filter(char::is_ascii_digit).collect();
    let width = digits.parse().unwrap_or(0usize).min(MOST_TEXT);
    let number = |text: String| match zeros {
        true => format!("{text:0>width$}"),
        false => format!("{text:>width$}"),
    };
    let long = ["ll", "I64", "j", "z", "t"].iter().any(|long| specification.contains(long));
    let narrow = |word: u64| if long { word } else { u64::from(word as u32) };
    Some(match conversion {
        'd' | 'i' if long => number((words.next()? as i64).to_string()),
        'd' | 'i' => number((words.next()? as i32).to_string()),
        'u' => number(narrow(words.next()?).to_string()),
        'x' => number(format!("{:x}", narrow(words.next()?))),
        'X' => number(format!("{:X}", narrow(words.next()?))),
        'p' => format!("{:#x}", words.next()?),
        'c' => char::from_u32(words.next()? as u32)?.to_string(),
        'f' | 'F' | 'g' | 'G' | 'e' | 'E' => {
            let value = f64::from_bits(words.next()?);
            let precision = precision.parse().unwrap_or(6usize).min(64);
            number(format!("{value:.precision$}"))
        }
        's' | 'S' => words.text()?,
        _ => return None,
    })
}
