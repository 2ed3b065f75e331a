//! A golden trace as a build of long ago dumped it: the lines that lie beside it, and what can be counted in them. Nothing of this is the
//! program's own reading.

use crate::golden;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// A call of the dump.
pub(crate) struct Call {
    pub(crate) number: u64,
    pub(crate) frame: u64,
    pub(crate) time_ns: u64,
    pub(crate) interface: Option<String>,
    pub(crate) method: String,
    /// Id of the object that it was made on.
    pub(crate) this: Option<u64>,
    pub(crate) args: Json,
    pub(crate) result: Json,
}

impl Call {
    pub(crate) fn is(&self, methods: &[&str]) -> bool {
        methods.contains(&self.method.as_str())
    }

    /// Whether it was made on a command list.
    pub(crate) fn is_of_list(&self) -> bool {
        self.interface.as_ref().is_some_and(|name| name.starts_with("ID3D12GraphicsCommandList"))
    }

    /// Objects that it gave out, with their classes: what comes through a pointer to an object.
    pub(crate) fn given(&self) -> impl Iterator<Item = (u64, String)> + '_ {
        let arguments = self.args.as_object().into_iter().flatten();
        // Only this function has another spelling.
        let image = |name: &str| self.is(&["vkd3d_create_image_resource"]) && name == "resource";
        let pointers = arguments.filter(move |(name, _)| name.starts_with("pp") || image(name));
        pointers.filter_map(|(_, value)| Some((value["id"].as_u64()?, value["class"].as_str()?.to_owned())))
    }

    /// Objects that its arguments mention, also by an address or a descriptor.
    pub(crate) fn mentions(&self) -> BTreeSet<u64> {
        let mut found = BTreeSet::new();
        mentions(&self.args, &mut found);
        found
    }
}

fn mentions(value: &Json, found: &mut BTreeSet<u64>) {
    match value {
        Json::Object(members) => {
            let owner = match () {
                () if members.contains_key("class") => "id",
                () if members.contains_key("address") => "object",
                () if members.contains_key("handle") => "heap",
                () => "",
            };
            let id = |owner: &Json| owner.as_u64().or_else(|| owner["id"].as_u64());
            match members.get(owner).and_then(id) {
                Some(id) => _ = found.insert(id),
                None => members.values().for_each(|value| mentions(value, found)),
            }
        }
        Json::Array(values) => values.iter().for_each(|value| mentions(value, found)),
        _ => {}
    }
}

/// The calls of a golden trace.
pub(crate) fn calls(name: &str) -> Vec<Call> {
    let file = std::fs::File::open(golden(name).with_extension("dump.zst")).unwrap();
    let text = String::from_utf8(zstd::decode_all(file).unwrap()).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let (mut calls, mut recorded) = (Vec::new(), false);
    for line in lines {
        recorded |= line["event"] == "frame";
        if line.get("call").is_some() && line.get("event").is_none() {
            calls.push(call(line));
        }
    }
    if !recorded {
        // Nothing had ended a frame: submissions do today.
        let mut frame = 1;
        for call in &mut calls {
            call.frame = frame;
            frame += u64::from(call.is(&["ExecuteCommandLists"]));
        }
    }
    calls
}

/// The numbers of the calls that draw, and of those that dispatch: with mesh shaders it is a draw, and `ExecuteIndirect` is what its command signature ends
/// with.
pub(crate) fn draws_and_dispatches(calls: &[Call]) -> [BTreeSet<u64>; 2] {
    let (mut signatures, mut found) = (BTreeMap::new(), [BTreeSet::new(), BTreeSet::new()]);
    for call in calls {
        if call.is(&["CreateCommandSignature"]) {
            let last = call.args["pDesc"]["pArgumentDescs"].as_array().and_then(|all| all.last());
            let last = last.and_then(|last| last["Type"].as_str()).unwrap_or_default().to_owned();
            signatures.extend(call.args["ppvCommandSignature"]["id"].as_u64().map(|made| (made, last)));
        }
        let indirect = call.args["pCommandSignature"]["id"].as_u64().filter(|_| call.is(&["ExecuteIndirect"]));
        let runs = indirect.and_then(|id| signatures.get(&id)).map_or("", |last| last);
        let runs = runs.trim_start_matches("D3D12_INDIRECT_ARGUMENT_TYPE_");
        let draws = call.is(&["DrawInstanced", "DrawIndexedInstanced", "DispatchMesh"]);
        let dispatches = call.is(&["Dispatch", "DispatchRays", "DispatchGraph"]);
        if draws || ["DRAW", "DRAW_INDEXED", "DISPATCH_MESH"].contains(&runs) {
            found[0].insert(call.number);
        } else if dispatches || ["DISPATCH", "DISPATCH_RAYS"].contains(&runs) {
            found[1].insert(call.number);
        }
    }
    found
}

fn call(mut line: Json) -> Call {
    let name = line["method"].as_str().unwrap().to_owned();
    let (interface, method) = match name.split_once("::") {
        Some((interface, method)) => (Some(interface.to_owned()), method.to_owned()),
        None => (None, name),
    };
    Call {
        number: line["call"].as_u64().unwrap(),
        frame: line["frame"].as_u64().unwrap(),
        time_ns: line["time_ns"].as_u64().unwrap(),
        interface,
        method,
        this: line["this"]["id"].as_u64(),
        args: line["args"].take(),
        result: line["result"].take(),
    }
}

/// The recording of a command list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recording {
    pub(crate) list: u64,
    /// The call with which it began.
    pub(crate) begun: u64,
    pub(crate) closed: Option<u64>,
    /// Calls that record, by number.
    pub(crate) calls: Vec<u64>,
    /// Calls that gave it to a queue, with the queue.
    pub(crate) submissions: Vec<(u64, u64)>,
}

/// All recordings that something was recorded into, in the order in which they began.
pub(crate) fn recordings(calls: &[Call]) -> Vec<Recording> {
    let (mut all, mut made, mut last) = (Vec::<Recording>::new(), BTreeMap::new(), BTreeMap::<u64, usize>::new());
    for call in calls {
        for (id, class) in call.given().filter(|_| call.is(&["CreateCommandList"])) {
            assert!(class.starts_with("ID3D12GraphicsCommandList"));
            made.insert(id, call.number);
        }
        if call.is_of_list()
            && let Some(list) = call.this
        {
            if call.is(&["Reset"]) || !last.contains_key(&list) {
                let begun = if call.is(&["Reset"]) { call.number } else { made.get(&list).copied().unwrap_or(0) };
                last.insert(list, all.len());
                all.push(Recording { list, begun, ..Recording::default() });
            }
            let recording = &mut all[last[&list]];
            match call.method.as_str() {
                "Reset" => {}
                "Close" => recording.closed = Some(call.number),
                _ => recording.calls.push(call.number),
            }
        }
        if call.is(&["ExecuteCommandLists"]) {
            for list in call.args["ppCommandLists"].as_array().into_iter().flatten() {
                if let Some(at) = list["id"].as_u64().and_then(|list| last.get(&list)) {
                    all[*at].submissions.push((call.number, call.this.unwrap()));
                }
            }
        }
    }
    all
}

/// A transition of a resource: call, frame, list, place in the call, resource, subresource, state before and after.
pub(crate) type Transition = (u64, u64, u64, u64, u64, u64, String, String);

/// All transitions, and how many barriers each frame has.
pub(crate) fn barriers(calls: &[Call]) -> (Vec<Transition>, BTreeMap<u64, u64>) {
    let (mut transitions, mut counts) = (Vec::new(), BTreeMap::new());
    for call in calls.iter().filter(|call| call.is(&["ResourceBarrier", "Barrier"])) {
        for (index, barrier) in (0..).zip(call.args["pBarriers"].as_array().into_iter().flatten()) {
            *counts.entry(call.frame).or_default() += 1;
            if barrier["Type"] == "D3D12_RESOURCE_BARRIER_TYPE_TRANSITION" {
                let of = &barrier["Transition"];
                let text = |name: &str| of[name].as_str().unwrap().to_owned();
                transitions.push((
                    call.number,
                    call.frame,
                    call.this.unwrap(),
                    index,
                    of["pResource"]["id"].as_u64().unwrap(),
                    of["Subresource"].as_u64().unwrap(),
                    text("StateBefore"),
                    text("StateAfter"),
                ));
            }
        }
        for group in call.args["pBarrierGroups"].as_array().into_iter().flatten() {
            for kind in ["pGlobalBarriers", "pTextureBarriers", "pBufferBarriers"] {
                *counts.entry(call.frame).or_default() += group[kind].as_array().map_or(0, |all| all.len() as u64);
            }
        }
    }
    counts.retain(|_, count| *count > 0);
    (transitions, counts)
}
