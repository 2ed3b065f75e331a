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

/// Errors say where in the container: a cut record, a header, and what the whole module lacks.
#[test]
fn errors_are_at_their_places() {
    let container = Container::parse(SHADER).unwrap();
    let part = container.part(Tag::DXIL).unwrap();
    let begin = part.offset + 8 + 16;
    assert_eq!(SHADER[begin..][..4], *b"BC\xc0\xde");
    let refused = |at: usize, bytes: [u8; 4]| {
        let mut all = SHADER.to_vec();
        all[at..at + 4].copy_from_slice(&bytes);
        source(&all).unwrap_err()
    };
    let magic = refused(begin, *b"BCxx");
    assert_eq!((magic.offset, magic.what.as_str()), (begin, "this is no bitcode of LLVM"));
    let beyond = refused(part.offset + 20, u32::MAX.to_le_bytes());
    assert_eq!((beyond.offset, beyond.what.as_str()), (part.offset + 8, "a program beyond its part"));
    // It ends within its first block.
    let cut = refused(part.offset + 20, 40u32.to_le_bytes());
    assert!((begin + 4..=begin + 40).contains(&cut.offset), "{cut}");
    // No block at all, so no module.
    let empty = refused(part.offset + 20, 4u32.to_le_bytes());
    assert_eq!((empty.offset, empty.what.as_str()), (begin, "the bitcode has no module"));
    let short = crate::container::build(&[(Tag::DXIL, &part.data[..8]), (ILDB, container.part(ILDB).unwrap().data)]);
    let at = Container::parse(&short).unwrap().part(Tag::DXIL).unwrap().offset;
    assert_eq!(source(&short).unwrap_err(), Malformed::new(at, "a part without a header"));
    // The parts are of other shaders.
    let without = |module: Module| Module { block: Block { items: Vec::new(), ..module.block }, ..module };
    let error = without(Module::of(&part).unwrap()).body().unwrap_err();
    assert_eq!((error.offset, error.what.as_str()), (begin, "the shader has no function"));
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
