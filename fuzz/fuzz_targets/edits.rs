//! Arbitrary text as edits: refused with a place in it, or read.
#![no_main]

use reprise_edit::Edits;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match Edits::parse(&text, "fuzz", &mut |_| Ok(vec![0; 4])) {
        Ok(edits) => assert_eq!(edits.texts().count(), edits.len()),
        Err(error) => assert!(error.place.line <= text.lines().count() && error.column > 0),
    }
});
