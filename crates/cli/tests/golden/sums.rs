//! Sums that several tools tell, each from its own reading of the trace. What is expected is counted here, from the lines of `dump --json`; names of
//! methods are told apart by hand.

use crate::place::Place;
use crate::set::Golden;
use crate::{each, lines};
use reprise_timeline::Index;
use reprise_view::open;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// What calls of lists are, by the names of their methods.
const OPERATIONS: [(&str, &[&str]); 15] = [
    ("draw", &["DrawInstanced", "DrawIndexedInstanced", "DispatchMesh"]),
    ("dispatch", &["Dispatch"]),
    ("rays", &["DispatchRays"]),
    ("graph", &["DispatchGraph"]),
    ("bundle", &["ExecuteBundle"]),
    (
        "copy",
        &[
            "CopyBufferRegion",
            "CopyTextureRegion",
            "CopyResource",
            "CopyTiles",
            "AtomicCopyBufferUINT",
            "AtomicCopyBufferUINT64",
        ],
    ),
    ("resolve", &["ResolveSubresource", "ResolveSubresourceRegion"]),
    (
        "clear",
        &[
            "ClearRenderTargetView",
            "ClearDepthStencilView",
            "ClearUnorderedAccessViewUint",
            "ClearUnorderedAccessViewFloat",
        ],
    ),
    ("query", &["ResolveQueryData"]),
    (
        "build",
        &[
            "BuildRaytracingAccelerationStructure",
            "CopyRaytracingAccelerationStructure",
            "EmitRaytracingAccelerationStructurePostbuildInfo",
        ],
    ),
    ("meta", &["InitializeMetaCommand", "ExecuteMetaCommand"]),
    ("write", &["WriteBufferImmediate"]),
    ("discard", &["DiscardResource"]),
    ("barrier", &["ResourceBarrier", "Barrier"]),
    ("pass_end", &["EndRenderPass"]),
];
/// What may change a picture: what `reprise draws` looks at.
const SHOWN: [&str; 11] =
    ["draw", "dispatch", "rays", "graph", "indirect", "bundle", "copy", "resolve", "clear", "query", "meta"];

/// What a dump adds up to.
#[derive(Default)]
struct Sums {
    calls: u64,
    frames: u64,
    gaps: u64,
    methods: BTreeMap<String, u64>,
    operations: BTreeMap<String, u64>,
    stored: (u64, u64),
    observed: u64,
    submissions: u64,
    /// The pass that began last resolves as it ends.
    resolves: bool,
    /// By frame: the commands of the lists that it submits.
    shown: BTreeMap<u64, BTreeSet<u64>>,
}

impl Sums {
    fn of(dump: &[Json]) -> Sums {
        let mut sums = Sums::default();
        // What each command signature ends with; the commands of each list.
        let (mut signatures, mut lists) = (BTreeMap::new(), BTreeMap::<u64, Vec<u64>>::new());
        for line in dump {
            match line["event"].as_str() {
                Some("memory") => {
                    let bytes = line["bytes"].as_u64().unwrap();
                    match line["observed"] == json!(true) {
                        true => sums.observed += bytes,
                        false => sums.stored = (sums.stored.0 + 1, sums.stored.1 + bytes),
                    }
                }
                Some("frame") => sums.frames += 1,
                Some("gap") => sums.gaps += 1,
                Some(_) => {}
                None => sums.call(line, &mut signatures, &mut lists),
            }
        }
        sums
    }

    fn call(&mut self, line: &Json, signatures: &mut BTreeMap<u64, String>, lists: &mut BTreeMap<u64, Vec<u64>>) {
        let Some(number) = line["call"].as_u64() else { return };
        self.calls += 1;
        let method = line["method"].as_str().unwrap();
        *self.methods.entry(method.to_owned()).or_default() += 1;
        let (interface, name) = method.split_once("::").unwrap_or(("", method));
        let (this, args) = (&line["this"]["id"], &line["args"]);
        if name == "CreateCommandSignature" {
            let last = args["pDesc"]["pArgumentDescs"].as_array().and_then(|all| all.last());
            let last = last.and_then(|last| last["Type"].as_str()).unwrap_or_default();
            let made = args["ppvCommandSignature"]["id"].as_u64();
            made.and_then(|made| signatures.insert(made, last.replace("D3D12_INDIRECT_ARGUMENT_TYPE_", "")));
        }
        if name == "ExecuteCommandLists" {
            let given = args["ppCommandLists"].as_array().cloned().unwrap_or_default();
            self.submissions += u64::from(!given.is_empty());
            let shown = self.shown.entry(line["frame"].as_u64().unwrap()).or_default();
            let commands = given.iter().filter_map(|list| lists.get(&list["id"].as_u64()?));
            shown.extend(commands.flatten());
        }
        if !interface.starts_with("ID3D12GraphicsCommandList") {
            return;
        }
        let list = lists.entry(this.as_u64().unwrap_or(0)).or_default();
        if name == "Reset" {
            list.clear();
        }
        let indirect = || match signatures.get(&args["pCommandSignature"]["id"].as_u64()?).map(String::as_str) {
            Some("DRAW" | "DRAW_INDEXED" | "DISPATCH_MESH") => Some("draw"),
            Some("DISPATCH") => Some("dispatch"),
            Some("DISPATCH_RAYS") => Some("rays"),
            _ => Some("indirect"),
        };
        let stated = OPERATIONS.iter().find(|(_, methods)| methods.contains(&name)).map(|(operation, _)| *operation);
        let operation = if name == "ExecuteIndirect" { Some(indirect().unwrap_or("indirect")) } else { stated };
        // A pass clears as it begins, unless it goes on with another one, and resolves as it ends, unless another one goes on with it.
        let access = |which: &str, kind: &str, unless: &str| {
            let targets = args["pRenderTargets"].as_array().into_iter().flatten();
            let depth = ["Depth", "Stencil"].map(|aspect| &args["pDepthStencil"][format!("{aspect}{which}")]["Type"]);
            let mut types = targets.map(|target| &target[which]["Type"]).chain(depth);
            let does = types.any(|access| access.as_str().is_some_and(|access| access.ends_with(kind)));
            does && !args["Flags"].as_str().is_some_and(|flags| flags.contains(unless))
        };
        let shown = match name {
            "BeginRenderPass" => {
                self.resolves = access("EndingAccess", "_RESOLVE", "SUSPENDING");
                access("BeginningAccess", "_CLEAR", "RESUMING")
            }
            "EndRenderPass" => self.resolves,
            _ => operation.is_some_and(|operation| SHOWN.contains(&operation)),
        };
        if shown {
            list.push(number);
        }
        let Some(operation) = operation else { return };
        *self.operations.entry(operation.to_owned()).or_default() += 1;
    }
}

/// Whether a trace is whole: what is damaged or lies in rings is told otherwise by tools that need no whole trace.
fn is_whole(golden: &Golden) -> bool {
    golden.exit == 0 && !golden.rings
}

#[test]
fn every_tool_comes_to_the_same_sums() {
    each(|golden| {
        let place = Place::with(golden);
        let (dump, code) = place.said(&["dump", "--json", "trace.reprise"]);
        assert_eq!(code, golden.exit, "{golden}: dump");
        let sums = Sums::of(&lines(&dump));
        let said = |command: &str| -> Json {
            let (text, code) = place.said(&[command, "--json", "trace.reprise"]);
            assert_eq!(code, golden.exit, "{golden}: {command}");
            serde_json::from_str(&text).unwrap()
        };
        let (info, stat) = (said("info"), said("stat"));
        let methods: BTreeMap<String, u64> = serde_json::from_value(info["methods"].clone()).unwrap();
        assert_eq!(methods, sums.methods, "{golden}: info, methods");
        let kept = [&info["calls_kept"], &info["frames"], &info["gap_count"]];
        // Submissions stand for frames where the day of the recording knew none.
        let recorded = if golden.info()["frames"] == 0 { 0 } else { sums.frames };
        assert_eq!(kept, [&json!(sums.calls), &json!(recorded), &json!(sums.gaps)], "{golden}: info");
        let bytes = [&info["memory_bytes"], &info["observed_bytes"]];
        assert_eq!(bytes, [&json!(sums.stored.1 + sums.observed), &json!(sums.observed)], "{golden}: info");

        let methods = stat["methods"].as_object().unwrap().iter();
        let methods: BTreeMap<String, u64> =
            methods.map(|(name, of)| (name.clone(), of["calls"].as_u64().unwrap())).collect();
        assert_eq!(methods, sums.methods, "{golden}: stat, methods");
        assert_eq!(
            [&stat["calls"], &stat["frames"]["count"]],
            [&json!(sums.calls), &json!(sums.frames)],
            "{golden}: stat"
        );
        let stored = [&stat["memory"]["writes"], &stat["memory"]["bytes"]];
        assert_eq!(stored, [&json!(sums.stored.0), &json!(sums.stored.1)], "{golden}: stat, memory");
        assert_eq!(stat["operations"], json!(sums.operations), "{golden}: stat, operations");

        if is_whole(golden) {
            let (trace, _) = open::open(&place.path("trace.reprise"), None).unwrap();
            let index = Index::open(&trace, None, &mut |_| {}).unwrap();
            let counts = (index.chronicle().calls, index.chronicle().submissions.len() as u64);
            assert_eq!(counts, (info["calls"].as_u64().unwrap(), sums.submissions), "{golden}: the timeline's index");
            let last = sums.frames.max(1);
            for frame in [1, last.min(2), last].into_iter().collect::<BTreeSet<u64>>() {
                // With a resource to look at, also those are given that have no target.
                let shown = reprise_replay::draws_of_frame(&trace, frame, Some(1)).unwrap();
                let shown: BTreeSet<u64> = shown.iter().map(|draw| draw.shot.call).collect();
                let expected = sums.shown.get(&frame).cloned().unwrap_or_default();
                assert_eq!(shown, expected, "{golden}: draws of frame {frame}");
            }
        }
    });
}

/// The sets have what the sums are about: mesh draws, indirect commands of each kind, rays, graphs, atomic copies, meta commands.
#[test]
fn the_sets_have_operations_of_all_kinds() {
    let dumps =
        crate::set::sets().into_iter().flat_map(|set| set.traces).map(|golden| Sums::of(&lines(&golden.dump())));
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for (operation, calls) in dumps.flat_map(|sums| sums.operations) {
        *all.entry(operation).or_default() += calls;
    }
    let missing: Vec<&str> =
        OPERATIONS.map(|(name, _)| name).into_iter().filter(|name| !all.contains_key(*name)).collect();
    assert!(missing.is_empty() && all.contains_key("indirect"), "{missing:?} of {all:?}");
}
