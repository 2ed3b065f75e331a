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
        ("SELECT * FROM method('Foo::CreateHeap')", "no method is called Foo::CreateHeap; did you mean CreateHeap?"),
        ("SELECT * FROM method('ID3D12Fence::CreateHeap')", "no method is called ID3D12Fence::CreateHeap"),
        ("SELECT * FROM method('ID3D12CommandList::Close')", "no method is called ID3D12CommandList::Close"),
        ("SELECT * FROM method('::Close')", "no method is called ::Close"),
        ("SELECT count(*) FROM calls TABLESAMPLE (10 PERCENT)", "TABLESAMPLE"),
        ("SELECT count(*) FROM (SELECT call FROM draws) AS d TABLESAMPLE (5 ROWS)", "TABLESAMPLE"),
        ("SELECT * FROM method('Close') TABLESAMPLE (5)", "TABLESAMPLE"),
        ("WITH some AS (SELECT * FROM calls TABLESAMPLE BERNOULLI (5)) SELECT 1 FROM some", "TABLESAMPLE"),
        ("CREATE TABLE x AS SELECT 1", "DDL"),
    ] {
        let output = run(&[trace, sql]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{sql}: {text}");
        assert!(text.contains(said), "{sql}: {text}");
    }
    assert_eq!(run(&["/no/such.reprise", "SELECT 1"]).status.code(), Some(3));
}

#[test]
fn no_answer_replaces_a_trace_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("a.reprise");
    std::fs::copy(golden("compute"), &trace).unwrap();
    let other = folder.path().join("b.reprise");
    std::os::unix::fs::symlink(&trace, &other).unwrap();
    let before = std::fs::read(&trace).unwrap();
    for target in [&trace, &other] {
        for option in ["-o", "--arrow"] {
            let output = run(&[option, target.to_str().unwrap(), trace.to_str().unwrap(), "SELECT 1"]);
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{option}: {text}");
            assert!(text.contains("name another file to write"), "{option}: {text}");
            assert_eq!(std::fs::read(&trace).unwrap(), before);
        }
    }
}
