//! Edits that are undone: the records of the trace before, with their bytes and times.

use super::*;
use reprise_trace::record::{ORDERED, SEQUENCE};

/// All of a record that a trace has.
type Whole = (u32, Kind, u16, u32, u32, u8, u64, Vec<u8>, Vec<(u32, Vec<u8>)>);

fn whole(bench: &Bench, name: &str) -> Vec<Whole> {
    let trace = Trace::open(&bench.path(name)).unwrap();
    let mut events = trace.events_as_recorded();
    let mut all = Vec::new();
    while let Some(event) = events.next().unwrap() {
        let blobs = event.blobs.iter().map(|(number, id)| (*number, trace.blob_by_id(*id).unwrap().to_vec())).collect();
        let flags = event.flags & (SEQUENCE | ORDERED);
        let (method, payload) = (event.method, event.payload.to_vec());
        let head = (event.thread, event.kind, method, event.object, event.ordinal, flags, event.ticks);
        all.push((head.0, head.1, head.2, head.3, head.4, head.5, head.6, payload, blobs));
    }
    all
}

fn meta(bench: &Bench, name: &str) -> Json {
    Trace::open(&bench.path(name)).unwrap().meta().clone()
}

/// Undoes the last edit of a trace: every record and the meta of `before` are there again.
pub(super) fn undo(bench: &Bench, edited: &str, before: &str) {
    bench.output(&["edit", "--quiet", "--force", "--undo", edited, "-o", "undone.reprise"]);
    let (first, again) = (whole(bench, before), whole(bench, "undone.reprise"));
    let at = first.iter().zip(&again).position(|(first, again)| first != again);
    assert_eq!(
        (again.len(), at),
        (first.len(), None),
        "{edited} undone is not {before}: {:?}",
        at.map(|at| (&first[at], &again[at]))
    );
    assert_ne!(first, whole(bench, edited));
    assert_eq!(meta(bench, before), meta(bench, "undone.reprise"));
}

#[test]
fn edits_of_an_edited_trace_are_undone_one_after_the_other() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let (viewport, draw) = (calls(lines, "RSSetViewports")[0], Scene::of(lines).draws[1].call);
    let refused = bench.run(&["edit", "--undo", "trace.reprise"]);
    assert_eq!(refused.status.code(), Some(1), "{}", refused.errors());
    assert!(refused.errors().contains("it was not edited"), "{}", refused.errors());
    // A trace that this program wrote comes back as the same file.
    let change = format!("call {viewport}: pViewports[0].Width = 16");
    edit(bench, "trace.reprise", &[&change], "0.reprise");
    undo(bench, "0.reprise", "trace.reprise");
    std::fs::rename(bench.path("undone.reprise"), bench.path("base.reprise")).unwrap();

    // The second edit inserts before a call that the first changed, and drops, changes and repeats what the first inserted.
    let insert = format!("insert after call {draw}: DrawInstanced(4, 1, 0, 0)");
    let insert_two = format!("insert before call {draw}: RSSetScissorRects(1, [{{right = 9, bottom = 9}}])");
    edit(bench, "base.reprise", &[&change, &insert, &insert_two], "1.reprise");
    let before = format!("insert before call {viewport}: RSSetScissorRects(1, [{{right = 7, bottom = 7}}])");
    let more = [
        before,
        format!("call {viewport}: pViewports[0].Width = 8"),
        format!("call {}: repeat", draw + 2),
        format!("call {draw}: drop"),
        "every SetName: drop".to_owned(),
    ];
    let named = !calls(lines, "SetName").is_empty();
    let more: Vec<&str> = more.iter().take(if named { 5 } else { 4 }).map(String::as_str).collect();
    edit(bench, "1.reprise", &more, "2.reprise");
    let history = Trace::open(&bench.path("2.reprise")).unwrap().meta()["edited"].clone();
    assert_eq!(history["before"]["edits"].as_array().map(Vec::len), Some(3), "{history}");
    let undone = bench.output(&["edit", "--json", "--undo", "2.reprise", "-o", "1 again.reprise"]);
    let told: Json = serde_json::from_str(&undone).unwrap();
    assert_eq!(told["undone"], history["edits"], "{told}");
    let bytes = |name: &str| std::fs::read(bench.path(name)).unwrap();
    assert_eq!(whole(bench, "1 again.reprise"), whole(bench, "1.reprise"));
    assert_eq!(meta(bench, "1 again.reprise"), meta(bench, "1.reprise"));
    bench.output(&["edit", "--quiet", "--undo", "1 again.reprise", "-o", "base again.reprise"]);
    assert!(bytes("base again.reprise") == bytes("base.reprise"));
    assert!(bytes("1.reprise") != bytes("base.reprise"));
    bench.output(&["replay", "-q", "base again.reprise"]);
}

#[test]
fn a_part_of_an_edited_trace_is_not_undone() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let viewport = calls(lines, "RSSetViewports")[0];
    edit(bench, "trace.reprise", &[&format!("call {viewport}: pViewports[0].Width = 16")], "edited.reprise");
    bench.output(&["trim", "-q", "--frames", "1", "-o", "part.reprise", "edited.reprise"]);
    let refused = bench.run(&["edit", "--undo", "part.reprise", "-o", "no.reprise"]);
    assert_eq!(refused.status.code(), Some(1), "{}", refused.errors());
    assert!(refused.errors().contains("cut out cannot be undone"), "{}", refused.errors());
    assert!(!bench.path("no.reprise").exists());
}
