//! The committed text is what the sources give, and what the sources leave open stops the generator.

use super::{crate_folder, generate, overlay_text, stale};

#[test]
fn committed_tables_are_current() {
    let files = generate(&overlay_text().expect("the overlay")).expect("the generator runs");
    assert_eq!(stale(&crate_folder().join("src/generated"), &files), Vec::<String>::new(), "run `cargo xtask codegen`");
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    assert!(bytes < 1_000_000, "{bytes} bytes of generated text: its size is a metric");
}

/// Runs the generator with one line of the overlay changed; gives the error.
fn broken(line: &str, instead: &str) -> String {
    let text = overlay_text().expect("the overlay");
    assert_eq!(text.matches(line).count(), 1, "{line}");
    format!("{:#}", generate(&text.replace(line, instead)).expect_err(line))
}

#[test]
fn a_pointer_without_a_rule_stops_the_generator() {
    let error = broken("D3D12_STATE_OBJECT_DESC.pSubobjects = \"count NumSubobjects\"\n", "");
    assert!(error.contains("D3D12_STATE_OBJECT_DESC.pSubobjects: pointer without a rule"), "{error}");
    // A parameter that the metadata describe as an untyped pointer.
    let error = broken("ID3D12Resource.Map.ppData = \"opt; as Word; rule Mapping; role CpuAddress\"\n", "");
    assert!(error.contains("ID3D12Resource.Map.ppData: pointer"), "{error}");
    // A result.
    let error = broken("ID3D10Blob.GetBufferPointer.result = \"rule CalleeOwned\"\n", "");
    assert!(error.contains("ID3D10Blob.GetBufferPointer.result: pointer without a rule"), "{error}");
}

#[test]
fn what_is_left_open_stops_the_generator() {
    let error = broken("D3D12_RESOURCE_BARRIER.UAV = \"when Type = UAV\"\n", "");
    assert!(error.contains("D3D12_RESOURCE_BARRIER.UAV: member of a union without"), "{error}");
    let error = broken("ppvAdapter = \"class IDXGIAdapter\"\n", "");
    assert!(error.contains("IDXGIFactory4.EnumWarpAdapter.ppvAdapter: output object without `class`"), "{error}");
}

#[test]
fn mistakes_in_the_overlay_are_named() {
    let error =
        broken("D3D12_DISCARD_REGION.pRects = \"count NumRects\"", "D3D12_DISCARD_REGION.pRects = \"count NumRect\"");
    assert!(error.contains("D3D12_DISCARD_REGION.pRects: no sibling named `NumRect`"), "{error}");
    let error = broken("[rules]\n", "[rules]\nID3D12Nothing.Method.pData = \"one\"\n");
    assert!(error.contains("`ID3D12Nothing.Method.pData` is used by nothing"), "{error}");
    let error = broken("when Type = UAV\"", "when Type = NOTHING\"");
    assert!(error.contains("D3D12_RESOURCE_BARRIER_TYPE has no single member NOTHING"), "{error}");
    let error = broken(
        "D3D12_NODE_CPU_INPUT.pRecords = \"named NodeRecords\"",
        "D3D12_NODE_CPU_INPUT.pRecords = \"named Unheard\"",
    );
    assert!(error.contains("Unheard"), "{error}");
}
