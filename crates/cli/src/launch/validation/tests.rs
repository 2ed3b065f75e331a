//! Messages of layers as they write them into a file: 1.3.239 (Debian 12) in one line before the objects, later ones in several.
#![allow(clippy::unwrap_used)]

use super::*;
use std::io::Write;

const OLD: &str = "VUID-vkCmdDraw-None-02699(ERROR / SPEC): msgNum: -1 - Validation Error: [ VUID-vkCmdDraw-None-02699 ] Object 0: \
    handle = 0x1, type = VK_OBJECT_TYPE_BUFFER; | MessageID = 0x18d21d93 | vkCmdDraw: the text\n    Objects: 1\n        [0] 0x1, type: 9, \
    name: NULL\n";
const NEW: &str = "Validation Warning: [ WARNING-x ] | MessageID = 0x2\nvkQueueSubmit(): another\ntext\nObjects: 1\n    [0] VkQueue 0x3\n\n";

#[test]
fn messages_of_old_and_new_layers() {
    let error = (Level::Error, "VUID-vkCmdDraw-None-02699".to_owned(), "vkCmdDraw: the text".to_owned());
    let warning = (Level::Warning, "WARNING-x".to_owned(), "vkQueueSubmit(): another text".to_owned());
    assert_eq!(parse(OLD), Some(error.clone()));
    assert_eq!(parse(NEW), Some(warning.clone()));
    let mut reader = Reader { begun: format!("what another said\n{OLD}{NEW}"), ..Reader::default() };
    assert_eq!(reader.take(false), [error], "the last one may go on");
    assert_eq!(reader.take(false), []);
    assert_eq!(reader.take(true), [warning]);
    assert_eq!(reader.take(true), []);
    for odd in ["", "\n", "Validation Error: [ no end\n", "Validation Error"] {
        reader.begun = odd.to_owned();
        assert_eq!(reader.take(true), [], "{odd:?}");
    }
}

#[test]
fn a_file_that_grows_and_begins_anew() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("validation.txt");
    let mut reader = Reader::default();
    assert!(reader.read(&path, false).is_err());
    assert!(!reader.counts.is_there);
    let (first, rest) = OLD.split_at(40);
    std::fs::write(&path, first).unwrap();
    reader.read(&path, false).unwrap();
    let mut file = File::options().append(true).open(&path).unwrap();
    file.write_all(rest.as_bytes()).unwrap();
    reader.read(&path, false).unwrap();
    file.write_all(OLD.as_bytes()).unwrap();
    reader.read(&path, false).unwrap();
    assert_eq!((reader.counts.errors, reader.counts.warnings), (1, 0));
    // Another process of the program.
    std::fs::write(&path, NEW).unwrap();
    reader.read(&path, true).unwrap();
    assert_eq!((reader.counts.errors, reader.counts.warnings, reader.counts.is_there), (2, 1, true));
}

#[test]
fn messages_about_others_are_excused() {
    let mut counts = Counts::default();
    counts.note(Level::Warning, "Undefined-Value-ShaderOutputNotConsumed", "x");
    counts.note(Level::Warning, "VUID-x", "x");
    assert_eq!((counts.errors, counts.warnings, counts.excused), (0, 1, 1));
}
