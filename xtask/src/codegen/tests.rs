//! The committed text is what the sources give, and a pointer without a rule stops the generator.

use super::{crate_folder, generate, stale};

#[test]
fn committed_tables_are_current() {
    let files = generate().expect("the generator runs");
    assert_eq!(stale(&crate_folder().join("src/generated"), &files), Vec::<String>::new(), "run `cargo xtask codegen`");
}
