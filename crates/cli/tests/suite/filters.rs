//! What `dump` leaves out, compared with leaving it out of the whole dump.

use crate::bench::Bench;
use crate::programs;
use serde_json::Value as Json;

/// Every line of a JSON dump.
fn dump(bench: &Bench, filter: &[&str]) -> Vec<Json> {
    let text = bench.output(&[&["dump", "--json"], filter, &["trace.reprise"]].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(line: &Json, name: &str) -> u64 {
    line[name].as_u64().unwrap()
}

/// The number of the call, or of the last call before.
fn call(line: &Json) -> u64 {
    line["call"].as_u64().unwrap_or_else(|| number(line, "after_call"))
}

/// Whether a value names an object: itself, an address in it, a descriptor of it.
fn names(value: &Json, object: u64) -> bool {
    let is = |name: &str, beside: &str| value[name].as_u64() == Some(object) && !value[beside].is_null();
    match value {
        Json::Object(members) => {
            is("id", "class")
                || is("heap", "index")
                || is("object", "address")
                || members.values().any(|value| names(value, object))
        }
        Json::Array(values) => values.iter().any(|value| names(value, object)),
        _ => false,
    }
}

#[test]
fn a_filtered_dump_is_the_whole_dump_filtered() {
    let bench = Bench::new();
    programs::capture(&bench, "threads", &programs::ours());
    let whole = dump(&bench, &[]);
    let check = |filter: &[&str], wanted: &dyn Fn(&Json) -> bool| {
        let expected: Vec<&Json> = whole.iter().filter(|line| wanted(line)).collect();
        assert!(!expected.is_empty() && expected.len() < whole.len(), "{filter:?} tells nothing apart");
        let found = dump(&bench, filter);
        let different = expected.iter().zip(&found).find(|(expected, found)| **expected != *found);
        assert!(different.is_none() && found.len() == expected.len(), "{filter:?}: {different:?}");
    };
    check(&["--calls", "5-9"], &|line| (5..=9).contains(&call(line)));
    check(&["--calls", "7"], &|line| call(line) == 7);
    check(&["--calls", "30-"], &|line| call(line) >= 30);
    check(&["--threads", "1,2"], &|line| [1, 2].contains(&number(line, "thread")));
    let method = |line: &Json| line["method"].as_str().unwrap_or_default().to_owned();
    check(&["--methods", "*close"], &|line| method(line).ends_with("::Close"));
    check(&["--methods", "id3d12graphicscommandlist::*", "--methods", "CreateFence"], &|line| {
        method(line).starts_with("ID3D12GraphicsCommandList::") || method(line) == "ID3D12Device::CreateFence"
    });
    let classes = ["Device", "Resource", "DescriptorHeap", "CommandList", "PipelineState", "Fence", "CommandQueue"];
    let about = |line: &Json, object: u64| match line.get("event") {
        Some(_) => line["object"]["id"] == object,
        None => names(&line["this"], object) || names(&line["args"], object) || names(&line["result"], object),
    };
    for class in classes {
        let this = whole.iter().find(|line| line["this"]["class"].as_str().is_some_and(|name| name.contains(class)));
        let Some(object) = this.map(|line| number(&line["this"], "id")) else { continue };
        check(&["--objects", &object.to_string()], &|line| about(line, object));
        let both = ["--objects", &object.to_string(), "--calls", "1-60", "--threads", "0"];
        check(&both, &|line| about(line, object) && call(line) <= 60 && number(line, "thread") == 0);
    }
    assert!(dump(&bench, &["--methods", "Present*", "--calls", "1-3"]).is_empty());
    let finished = bench.run(&["dump", "--methods", "CraeteFence", "trace.reprise"]);
    assert_eq!((finished.status.code(), finished.errors().contains("CraeteFence")), (Some(2), true));
}
