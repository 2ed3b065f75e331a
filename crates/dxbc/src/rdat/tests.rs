#![allow(clippy::unwrap_used)]
//! A library written here by hand, in the layout that compilers write. crates/shader compares what is read from compilers' libraries with
//! what the translator reads.

use proptest::prelude::*;

use super::*;
use crate::container::build;

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn records<const N: usize>(all: &[[u32; N]]) -> Vec<u8> {
    [words(&[all.len() as u32, N as u32 * 4]), all.iter().flat_map(|record| words(record)).collect()].concat()
}

fn function(mangled: u32, plain: u32, kind: u32) -> [u32; 13] {
    let mut record = [u32::MAX; 13];
    (record[0], record[1], record[4]) = (mangled, plain, kind);
    record
}

/// Places of names: begin 1, its mangled one 7, hit 21, all 25, group 29, local 35.
const STRINGS_OF_SAMPLE: &[u8] = b"\0begin\0?begin@@YAXXZ\0hit\0all\0group\0local\0";

fn sample() -> Vec<u8> {
    let subobjects = [
        [0, 25, 5, 0, 0, 0],
        [2, 35, 1, 3, 0, 0],
        [8, 25, 35, 1, 0, 0],
        [9, 25, 16, 8, 0, 0],
        [10, 25, 3, 0, 0, 0],
        [12, 25, 4, 0x100, 0, 0],
        [11, 29, 0, 0, 21, 0],
        [8, 25, 35, 0, 0, 0],
    ];
    let functions = [function(7, 1, 7), function(21, 21, 10), function(25, 25, 6)];
    let tables = [
        (STRINGS, STRINGS_OF_SAMPLE.to_vec()),
        (INDICES, words(&[0, 2, 1, 21])),
        (FUNCTIONS, records(&functions)),
        (RAW, b"_abc".to_vec()),
        (SUBOBJECTS, records(&subobjects)),
    ];
    let (mut offsets, mut bytes) = (Vec::new(), Vec::new());
    for (kind, contents) in &tables {
        offsets.push((8 + tables.len() * 4 + bytes.len()) as u32);
        bytes.extend(words(&[*kind, contents.len() as u32]));
        bytes.extend(contents);
    }
    build(&[(Tag::RDAT, &[words(&[0x10, tables.len() as u32]), words(&offsets), bytes].concat())])
}

#[test]
fn everything_of_a_library_is_read() {
    let found = library(&sample()).unwrap();
    let export = |name: &str, plain: &str, stage| Export { name: name.to_owned(), plain: plain.to_owned(), stage };
    let exports = [
        export("?begin@@YAXXZ", "begin", Some(Stage::RayGeneration)),
        export("hit", "hit", Some(Stage::ClosestHit)),
        export("all", "all", None),
    ];
    assert_eq!(found.exports, exports);
    let whats = [
        ("all", Declared::StateObjectConfig { flags: 5 }),
        ("local", Declared::LocalRootSignature(b"abc".to_vec())),
        ("all", Declared::Association { subobject: "local".into(), exports: vec!["begin".into(), "hit".into()] }),
        ("all", Declared::ShaderConfig { payload: 16, attributes: 8 }),
        ("all", Declared::PipelineConfig { depth: 3, flags: 0 }),
        ("all", Declared::PipelineConfig { depth: 4, flags: 0x100 }),
        (
            "group",
            Declared::HitGroup {
                procedural: false,
                any_hit: String::new(),
                closest_hit: "hit".into(),
                intersection: String::new(),
            },
        ),
        ("all", Declared::Association { subobject: "local".into(), exports: Vec::new() }),
    ];
    let expected = whats.map(|(name, what)| Subobject { name: name.to_owned(), what });
    assert_eq!(found.subobjects, expected);
    assert_eq!(library(&build(&[(Tag::DXIL, b"code")])), Ok(Library::default()));
}

#[test]
fn kinds_that_nobody_knows_are_named() {
    let mut blob = sample();
    let at = blob.windows(8).position(|it| it == words(&[0, 25])).unwrap();
    blob[at] = 77;
    assert!(library(&blob).unwrap_err().what.contains("kind 77"));
}

/// A small library cannot become a large one by naming one place again and again.
#[test]
fn what_is_read_is_bounded_by_the_bytes() {
    let strings = [b"\0".as_slice(), &[b'a'; 40_000], b"\0"].concat();
    // Records that lie over each other: one word apart.
    let count = 4000;
    let functions = [words(&[count, 4]), words(&vec![1; count as usize + 12])].concat();
    let tables = [(STRINGS, strings), (FUNCTIONS, functions)];
    let (mut offsets, mut bytes) = (Vec::new(), Vec::new());
    for (kind, contents) in &tables {
        offsets.push((8 + tables.len() * 4 + bytes.len()) as u32);
        bytes.extend(words(&[*kind, contents.len() as u32]));
        bytes.extend(contents);
    }
    let blob = build(&[(Tag::RDAT, &[words(&[0x10, tables.len() as u32]), words(&offsets), bytes].concat())]);
    assert!(library(&blob).unwrap_err().what.contains("too often"));
}

proptest! {
    /// Whatever is cut or changed, there is an answer, and what is answered is no larger than the bytes allow.
    #[test]
    fn nothing_that_is_cut_or_changed_is_more_than_an_error(
        cut in 0usize..2000,
        flips in proptest::collection::vec((0usize..2000, any::<u8>()), 0..6),
    ) {
        let mut blob = sample();
        for (at, mask) in flips {
            let at = at % blob.len();
            blob[at] ^= mask;
        }
        blob.truncate(cut.max(1));
        let _ = library(&blob);
    }
}
