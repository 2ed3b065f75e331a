//! A shader that the compiler gave debug information, against its text.

use super::*;

const SHADER: &[u8] = include_bytes!("../../tests/lines.dxil");
const TEXT: &str = include_str!("../../tests/lines.hlsl");

#[test]
fn instructions_are_of_the_lines_that_the_text_has() {
    let source = source(SHADER).unwrap().unwrap();
    let lines: Vec<&str> = TEXT.lines().collect();
    // Each place is a line of the function's body.
    let first = lines.iter().position(|line| line.contains("void main")).unwrap() as u32 + 1;
    assert!(source.places.len() > 5);
    for place in source.places.values() {
        assert!(place.file.ends_with("lines.hlsl"), "{place:?}");
        assert!((first..=lines.len() as u32).contains(&place.line), "{place:?}");
    }
    let of = |text: &str| lines.iter().position(|line| line.contains(text)).unwrap() as u32 + 1;
    for text in ["float2 uv", "float scaled", "results["] {
        assert!(source.places.values().any(|place| place.line == of(text)), "{text}: {:?}", source.places);
    }
    let names: Vec<&str> = source.variables.values().flatten().map(String::as_str).collect();
    assert!(names.contains(&"scaled") && names.contains(&"thread.x"), "{names:?}");
    assert!(source.files.values().any(|text| text.replace("\r\n", "\n").contains("float scaled")));
}

#[test]
fn what_is_cut_is_refused() {
    // The container says how long it is.
    for length in 0..SHADER.len() {
        assert!(source(&SHADER[..length]).is_err(), "{length}");
    }
}

/// Bytes are anybody's: what they say does not matter here, only that reading them ends.
#[test]
fn what_is_damaged_ends() {
    let mut bytes = SHADER.to_vec();
    for at in (0..bytes.len()).step_by(7) {
        bytes[at] ^= 0x55;
        let _ = source(&bytes);
        bytes[at] ^= 0x55;
    }
}
