//! What the programs are expected to print.

use std::collections::BTreeMap;
use std::path::Path;

/// What a line of `expected.txt` says.
pub(crate) struct Expected {
    pub(crate) hash: String,
    /// `LIBRARY/FORM=cannot` or `=wrong`.
    pub(crate) known: Vec<String>,
}

pub(crate) fn expected() -> BTreeMap<String, Expected> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("expected.txt")).unwrap();
    let mut expected = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace().map(str::to_owned);
        let (name, hash) = (words.next().unwrap(), words.next().unwrap());
        let before = expected.insert(name, Expected { hash, known: words.collect() });
        assert!(before.is_none(), "a second line: {line}");
    }
    expected
}
