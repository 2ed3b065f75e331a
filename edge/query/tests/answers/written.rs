//! Traces that are written for a question, because no golden one has what it asks for.

use crate::script::Script;
use crate::ask;
use serde_json::{Value as Json, json};

const DEVICE: u32 = 1;

/// Asks a trace that a script makes.
fn ask_script(script: Script, questions: &[&str]) -> Vec<Vec<Json>> {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("written.reprise");
    std::fs::write(&trace, script.bytes()).unwrap();
    questions.iter().map(|sql| ask(&trace, sql)).collect()
}

/// Numbers of calls that are left out are not calls.
#[test]
fn calls_of_a_frame_are_those_in_the_trace() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.leave_out(7);
    script.release(DEVICE, 1);
    script.frame();
    script.release(DEVICE, 0);
    let sql = "SELECT frame, first_call, last_call, calls FROM frames ORDER BY frame";
    assert_eq!(
        ask_script(script, &[sql])[0],
        [
            json!({ "frame": 1, "first_call": 1, "last_call": 9, "calls": 2 }),
            json!({ "frame": 2, "first_call": 10, "last_call": 10, "calls": 1 }),
        ]
    );
}
