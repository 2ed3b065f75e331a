//! Questions and arguments that are wrong.

use crate::{golden, run};

#[test]
fn wrong_questions_are_told_what_is_near() {
    let trace = golden("compute");
    let trace = trace.to_str().unwrap();
    for (sql, said) in [
        ("SELECT * FROM calss", "did you mean calls?"),
        ("SELECT methd FROM calls", "method"),
        ("SELEC 1", "SELEC"),
        ("SELECT * FROM method('CreateHep')", "did you mean CreateHeap?"),
        ("CREATE TABLE x AS SELECT 1", "DDL"),
    ] {
        let output = run(&[trace, sql]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{sql}: {text}");
        assert!(text.contains(said), "{sql}: {text}");
    }
    assert_eq!(run(&["/no/such.reprise", "SELECT 1"]).status.code(), Some(3));
}
