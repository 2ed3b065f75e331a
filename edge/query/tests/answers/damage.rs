//! Damaged traces: an answer or an error, and never a panic.

use crate::{golden, run};

/// Flips bytes and cuts the file: an answer or an error, and never a panic.
#[test]
fn damaged_traces_are_answered_or_refused() {
    let bytes = std::fs::read(golden("bundles")).unwrap();
    let file = std::env::temp_dir().join(format!("reprise-query-damaged-{}.reprise", std::process::id()));
    let counts = [
        "objects", "args", "barriers", "lists", "blobs", "shaders", "findings", "uses", "gaps", "bindings", "draws",
        "markers", "fences",
    ];
    let counts = counts.map(|table| format!("SELECT count(*) AS n FROM {table}"));
    let sql = format!(
        "SELECT sum(duration_ns) AS n FROM calls UNION ALL SELECT sum(written) FROM frames UNION ALL {}",
        counts.join(" UNION ALL ")
    );
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let mut named = 0;
    for round in 0..24 {
        let mut damaged = bytes.clone();
        match round % 4 {
            0 => damaged.truncate(next(bytes.len())),
            _ => (0..=next(4)).for_each(|_| {
                let at = next(bytes.len());
                damaged[at] ^= 1 << next(8);
            }),
        }
        std::fs::write(&file, &damaged).unwrap();
        let output = run(&["--format", "json", file.to_str().unwrap(), &sql]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 3)), "round {round}: {:?} {text}", output.status);
        assert!(!text.contains("panicked"), "round {round}: {text}");
        if output.status.code() == Some(3) {
            assert!(!text.is_empty());
            named += 1;
        }
    }
    assert!(named > 10, "damage was named only {named} times");
    std::fs::remove_file(&file).unwrap();
}

/// Counts of a recording without its end are of a part: standard error says so, and the answer is still one.
#[test]
fn counts_of_a_part_say_so() {
    for (name, times) in [("unfinished", 1), ("bundles", 0)] {
        let trace = golden(name);
        let output = run(&["--format", "json", trace.to_str().unwrap(), "SELECT count(*) AS n FROM calls"]);
        let said = String::from_utf8_lossy(&output.stderr);
        let part =
            format!("{}: not complete: its writer did not finish it; only what is there is counted: ", trace.display());
        assert!(output.status.success(), "{name}: {said}");
        assert_eq!(said.matches(&part).count(), times, "{name}: {said}");
    }
}
