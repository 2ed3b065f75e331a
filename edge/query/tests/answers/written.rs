//! Traces that are written for a question, because no golden one has what it asks for.

use crate::dump;
use crate::script::{INCREMENT, Script};
use crate::{ask, golden};
use reprise_d3d12::method;
use reprise_d3d12::types::D3D12_DESCRIPTOR_HEAP_TYPE;
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

/// Each range that is written is a row, also where nothing but their number is asked for.
#[test]
fn copied_ranges_are_rows() {
    let mut script = Script::new(1);
    let kind = D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV;
    script.device(DEVICE);
    script.descriptors(DEVICE, kind, 8, 0x9000, 2);
    script.descriptors(DEVICE, kind, 8, 0xa000, 3);
    let (to, from) = ([0x9000 + 5 * INCREMENT, 0xa000, 0x9000], [0xa000 + 2 * INCREMENT, 0xa000 + 6 * INCREMENT]);
    let (to_sizes, from_sizes) = ([2u32, 1, 1], [3u32, 1]);
    let words = [
        3,
        to.as_ptr() as u64,
        to_sizes.as_ptr() as u64,
        2,
        from.as_ptr() as u64,
        from_sizes.as_ptr() as u64,
        kind.0 as u64,
    ];
    let copied = script.call(DEVICE, method("ID3D12Device", "CopyDescriptors"), &words, 0);
    let simple = [1, 0x9000 + INCREMENT, 0xa000, kind.0 as u64];
    let last = script.call(DEVICE, method("ID3D12Device", "CopyDescriptorsSimple"), &simple, 0);
    let rows = ask_script(
        script,
        &[
            "SELECT call, heap, slot FROM descriptors",
            "SELECT call FROM descriptors",
            "SELECT count(*) AS n FROM descriptors",
        ],
    );
    let places = [(copied, 2, 5), (copied, 3, 0), (copied, 2, 0), (last, 2, 1)];
    assert_eq!(rows[0], places.map(|(call, heap, slot)| json!({ "call": call, "heap": heap, "slot": slot })));
    assert_eq!(rows[1], places.map(|(call, ..)| json!({ "call": call })));
    assert_eq!(rows[2], [json!({ "n": 4 })]);
}

/// The root signature of a pipeline is among its subobjects.
#[test]
fn pipelines_of_streams_have_root_signatures() {
    let name = "pipeline-streams";
    let calls = dump::calls(name);
    let streams = calls.iter().filter(|call| call.is(&["CreatePipelineState"]));
    let rows = streams.map(|call| {
        let subobjects = call.args["pDesc"]["pPipelineStateSubobjectStream"].as_array().unwrap();
        let of = |subobject: &&Json| subobject["Type"] == "D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE";
        let signature = subobjects.iter().find(of).map(|subobject| subobject["Value"]["id"].clone()).unwrap();
        json!({ "call": call.number, "root_signature": signature })
    });
    let sql = "SELECT call, root_signature FROM pipelines WHERE method = 'CreatePipelineState' ORDER BY call";
    assert_eq!(ask(&golden(name), sql), rows.collect::<Vec<_>>());
}
