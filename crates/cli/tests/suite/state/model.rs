//! A little model of what command lists bind, folded out of the null runtime's log.
//!
//! It shares nothing with `crates/timeline` but the specification. Bundles are played command by command where they run, which
//! `crates/timeline` does not do. What a draw finds is a map of plain values, with objects by their numbers in the log.

use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};

/// What a draw or dispatch finds.
pub(super) type Found = BTreeMap<String, Json>;

#[derive(Clone, Default)]
struct List {
    bundle: bool,
    /// Of a bundle: what it records.
    commands: Vec<Json>,
    pipeline: Json,
    /// By side: `graphics`, `compute`.
    signatures: BTreeMap<&'static str, u64>,
    arguments: BTreeMap<(&'static str, u64), Json>,
    /// Everything else, by name.
    rest: Found,
    /// Draws so far, by number in this list.
    draws: u64,
}

#[derive(Clone, Copy)]
struct Heap {
    cpu: u64,
    gpu: u64,
    step: u64,
    count: u64,
}

/// The fold.
#[derive(Default)]
pub(super) struct Model {
    lists: HashMap<u64, List>,
    heaps: HashMap<u64, Heap>,
    steps: HashMap<u64, u64>,
    kinds: HashMap<u64, u64>,
    /// Sizes of buffers, and first addresses.
    widths: HashMap<u64, u64>,
    addresses: BTreeMap<u64, u64>,
    signatures: HashMap<u64, Json>,
    commands: HashMap<u64, Vec<Json>>,
    /// What descriptors hold: by heap and slot.
    pub(super) views: HashMap<(u64, u64), Json>,
    /// By list and number of its draw: for bundles, as its first run finds them.
    pub(super) found: BTreeMap<(u64, u64), Found>,
}

fn number(value: &Json) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// The serial number of an object; 0 for null.
fn object(value: &Json) -> u64 {
    number(&value["object"])
}

fn list(value: &Json) -> &[Json] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn bits(value: &Json) -> Json {
    value["f32"].clone()
}

/// Handles are written as numbers or as structures of one.
fn handle(value: &Json) -> u64 {
    value.as_u64().or(value["ptr"].as_u64()).unwrap_or(0)
}

impl Model {
    /// The heap and slot of a handle; `gpu` says of which kind.
    fn slot(&self, handle: u64, gpu: bool) -> Option<(u64, u64)> {
        self.heaps.iter().find_map(|(id, heap)| {
            let start = if gpu { heap.gpu } else { heap.cpu };
            let inside = start != 0 && handle >= start && handle < start + heap.count * heap.step;
            inside.then(|| (*id, (handle - start) / heap.step))
        })
    }

    /// Buffer and offset of an address.
    fn place(&self, address: u64) -> Json {
        let Some((first, buffer)) = self.addresses.range(..=address).next_back() else { return Json::Null };
        match address - first <= self.widths.get(buffer).copied().unwrap_or(0) {
            true => json!([buffer, address - first]),
            false => Json::Null,
        }
    }

    fn table(&self, handle: u64) -> Json {
        self.slot(handle, true).map_or(Json::Null, |(heap, slot)| json!([heap, slot]))
    }

    /// The resource that a target's handle leads to now.
    fn target(&self, handle: u64) -> Json {
        let held = self.slot(handle, false).and_then(|slot| self.views.get(&slot));
        held.map_or(Json::Null, |held| held["resource"].clone())
    }

    /// Takes the next entry of the log.
    pub(super) fn take(&mut self, entry: &Json) {
        let (method, this, args, outputs) =
            (&entry["method"], number(&entry["this"]), &entry["args"], &entry["outputs"]);
        let method = method.as_str().unwrap().rsplit("::").next().unwrap().to_owned();
        let made = |name: &str| object(&outputs[name][0]);
        match method.as_str() {
            "CreateCommandList" => {
                let bundle = number(&args["type"]) == 1;
                self.lists.insert(made("ppCommandList"), List { bundle, ..List::started(&args["pInitialState"]) });
            }
            "CreateCommandList1" => {
                let bundle = number(&args["type"]) == 1;
                self.lists.insert(made("ppCommandList"), List { bundle, ..List::default() });
            }
            "CreateDescriptorHeap" => {
                let description = &args["pDescriptorHeapDesc"][0];
                let (kind, count) = (number(&description["Type"]), number(&description["NumDescriptors"]));
                self.kinds.insert(made("ppvHeap"), kind);
                let step = self.steps.get(&kind).copied().unwrap_or(32);
                self.heaps.insert(made("ppvHeap"), Heap { cpu: 0, gpu: 0, step, count });
            }
            "GetDescriptorHandleIncrementSize" => {
                let (kind, step) = (number(&args["DescriptorHeapType"]), number(&entry["result"]));
                self.steps.insert(kind, step);
                for (id, heap) in &mut self.heaps {
                    if self.kinds.get(id) == Some(&kind) {
                        heap.step = step;
                    }
                }
            }
            "GetCPUDescriptorHandleForHeapStart" => {
                self.heaps.entry(this).and_modify(|heap| heap.cpu = handle(&outputs["result"][0]));
            }
            "GetGPUDescriptorHandleForHeapStart" => {
                self.heaps.entry(this).and_modify(|heap| heap.gpu = handle(&outputs["result"][0]));
            }
            "GetGPUVirtualAddress" => _ = self.addresses.insert(number(&entry["result"]), this),
            "CreateRootSignature" => {
                self.signatures.insert(made("ppvRootSignature"), args["pBlobWithRootSignature"].clone());
            }
            "CreateCommandSignature" => {
                let all = list(&args["pDesc"][0]["pArgumentDescs"]).to_vec();
                self.commands.insert(made("ppvCommandSignature"), all);
            }
            name if name.starts_with("Create") && name.contains("Resource") && !name.contains("View") => {
                for output in outputs.as_object().unwrap().values() {
                    self.widths.insert(object(&output[0]), number(&args["pDesc"][0]["Width"]));
                }
            }
            "CreateConstantBufferView" => {
                let address = number(&args["pDesc"][0]["BufferLocation"]);
                let at = if address == 0 { Json::Null } else { self.place(address) };
                self.write(&args["DestDescriptor"], json!({ "view": "cbv", "at": at }));
            }
            "CreateSampler" => self.write(&args["DestDescriptor"], json!({ "view": "sampler" })),
            name @ ("CreateShaderResourceView"
            | "CreateUnorderedAccessView"
            | "CreateRenderTargetView"
            | "CreateDepthStencilView") => {
                let view = match name.as_bytes()[6] {
                    b'S' => "srv",
                    b'U' => "uav",
                    b'R' => "rtv",
                    _ => "dsv",
                };
                self.write(&args["DestDescriptor"], json!({ "view": view, "resource": args["pResource"]["object"] }));
            }
            "CopyDescriptorsSimple" => {
                let count = number(&args["NumDescriptors"]);
                let (to, from) = (handle(&args["DestDescriptorRangeStart"]), handle(&args["SrcDescriptorRangeStart"]));
                self.copy(&[(to, count)], &[(from, count)]);
            }
            "CopyDescriptors" => {
                let ranges = |starts: &str, sizes: &str| -> Vec<(u64, u64)> {
                    let size = |at: usize| args[sizes].get(at).map_or(1, number);
                    list(&args[starts]).iter().enumerate().map(|(at, start)| (handle(start), size(at))).collect()
                };
                let to = ranges("pDestDescriptorRangeStarts", "pDestDescriptorRangeSizes");
                let from = ranges("pSrcDescriptorRangeStarts", "pSrcDescriptorRangeSizes");
                self.copy(&to, &from);
            }
            "ExecuteBundle" => {
                let id = object(&args["pCommandList"]);
                let commands = self.lists.get(&id).map(|bundle| bundle.commands.clone()).unwrap_or_default();
                let of = |model: &mut Model| std::mem::take(model.lists.get_mut(&this).unwrap());
                let mut list = of(self);
                let before = (list.pipeline.take(), list.rest.remove("topology"));
                for (at, command) in commands.iter().enumerate() {
                    let draws = commands[..at].iter().filter(|command| is_action(command)).count() as u64;
                    self.command(&mut list, command, Some((id, draws)));
                }
                if list.pipeline.is_null() {
                    list.pipeline = before.0;
                }
                if let (false, Some(topology)) = (list.rest.contains_key("topology"), before.1) {
                    list.rest.insert("topology".into(), topology);
                }
                self.lists.insert(this, list);
            }
            "Reset" if self.lists.contains_key(&this) => {
                let (bundle, draws) = (self.lists[&this].bundle, self.lists[&this].draws);
                self.lists.insert(this, List { bundle, draws, ..List::started(&args["pInitialState"]) });
            }
            _ if self.lists.contains_key(&this) => {
                let mut list = std::mem::take(self.lists.get_mut(&this).unwrap());
                if list.bundle {
                    list.commands.push(entry.clone());
                } else {
                    let place = (this, list.draws);
                    list.draws += u64::from(is_action(entry));
                    self.command(&mut list, entry, Some(place));
                }
                self.lists.insert(this, list);
            }
            _ => {}
        }
    }

    fn write(&mut self, to: &Json, view: Json) {
        if let Some(slot) = self.slot(handle(to), false) {
            self.views.insert(slot, view);
        }
    }

    fn copy(&mut self, to: &[(u64, u64)], from: &[(u64, u64)]) {
        let each = |model: &Model, ranges: &[(u64, u64)]| -> Vec<Option<(u64, u64)>> {
            let slots = |(start, count): &(u64, u64)| {
                let first = model.slot(*start, false);
                (0..*count).map(move |at| first.map(|(heap, slot)| (heap, slot + at)))
            };
            ranges.iter().flat_map(slots).collect()
        };
        for (to, from) in each(self, to).into_iter().zip(each(self, from)) {
            let held = from.and_then(|from| self.views.get(&from).cloned());
            match (to, held) {
                (Some(to), Some(held)) => _ = self.views.insert(to, held),
                (Some(to), None) => _ = self.views.remove(&to),
                _ => {}
            }
        }
    }

    /// A command of a list; `place` is where a draw's findings go, unless they are there.
    fn command(&mut self, list: &mut List, entry: &Json, place: Option<(u64, u64)>) {
        let (method, args) = (entry["method"].as_str().unwrap().rsplit("::").next().unwrap(), &entry["args"]);
        let side = if method.starts_with("SetCompute") { "compute" } else { "graphics" };
        let parameter = number(&args["RootParameterIndex"]);
        let mut put = |name: &str, value: Json| _ = list.rest.insert(name.into(), value);
        match method {
            "ClearState" => {
                let kept = (list.bundle, list.draws);
                *list = List { bundle: kept.0, draws: kept.1, ..List::started(&args["pPipelineState"]) };
            }
            "SetPipelineState" => list.pipeline = args["pPipelineState"]["object"].clone(),
            "SetGraphicsRootSignature" | "SetComputeRootSignature" => {
                let new = object(&args["pRootSignature"]);
                let old = list.signatures.insert(side, new);
                let same = |old: u64| {
                    old == new || self.signatures.get(&old).is_some_and(|b| self.signatures.get(&new) == Some(b))
                };
                if !old.is_some_and(same) {
                    list.arguments.retain(|(of, _), _| *of != side);
                }
            }
            name if name.ends_with("32BitConstant") || name.ends_with("32BitConstants") => {
                let words = match args.get("SrcData") {
                    Some(word) => vec![word.clone()],
                    None => self::list(&args["pSrcData"]).to_vec(),
                };
                let first = number(&args["DestOffsetIn32BitValues"]) as usize;
                let old = list.arguments.entry((side, parameter)).or_insert(json!({ "words": [] }));
                if old.get("words").is_none() {
                    *old = json!({ "words": [] });
                }
                let all = old["words"].as_array_mut().unwrap();
                for (at, word) in words.into_iter().enumerate() {
                    while all.len() <= first + at {
                        all.push(Json::Null);
                    }
                    all[first + at] = word;
                }
            }
            name if name.contains("Root") && name.ends_with("View") => {
                let address = number(&args["BufferLocation"]);
                let at = if address == 0 { Json::Null } else { self.place(address) };
                list.arguments.insert((side, parameter), json!({ "at": at }));
            }
            name if name.ends_with("RootDescriptorTable") => {
                let table = self.table(handle(&args["BaseDescriptor"]));
                list.arguments.insert((side, parameter), json!({ "table": table }));
            }
            "SetDescriptorHeaps" => {
                put(
                    "heaps",
                    self::list(&args["ppDescriptorHeaps"]).iter().map(|heap| heap["object"].clone()).collect(),
                );
            }
            "OMSetRenderTargets" => {
                let count = number(&args["NumRenderTargetDescriptors"]);
                let handles: Vec<u64> = self::list(&args["pRenderTargetDescriptors"]).iter().map(handle).collect();
                let targets: Json = match (number(&args["RTsSingleHandleToDescriptorRange"]), handles.first()) {
                    (1.., Some(first)) => {
                        let step = self.steps.get(&2).copied().unwrap_or(32);
                        (0..count).map(|at| self.target(first + at * step)).collect()
                    }
                    _ => handles.iter().take(count as usize).map(|handle| self.target(*handle)).collect(),
                };
                put("targets", targets);
                let depth = &args["pDepthStencilDescriptor"];
                put("depth", if depth.is_null() { Json::Null } else { self.target(handle(&depth[0])) });
            }
            "BeginRenderPass" => {
                let of = |view: &Json| self.target(handle(&view["cpuDescriptor"]));
                put("targets", self::list(&args["pRenderTargets"]).iter().map(of).collect());
                let depth = &args["pDepthStencil"];
                put("depth", if depth.is_null() { Json::Null } else { of(&depth[0]) });
            }
            "EndRenderPass" => {
                put("targets", json!([]));
                put("depth", Json::Null);
            }
            "IASetPrimitiveTopology" => put("topology", args["PrimitiveTopology"].clone()),
            "RSSetViewports" => {
                let names = ["TopLeftX", "TopLeftY", "Width", "Height", "MinDepth", "MaxDepth"];
                let one = |v: &Json| names.iter().map(|name| bits(&v[name])).collect::<Json>();
                put("viewports", self::list(&args["pViewports"]).iter().map(one).collect());
            }
            "RSSetScissorRects" => {
                // `LONG`s, which the log writes as they lie in memory.
                let signed = |value: &Json| number(value) as u32 as i32;
                let one =
                    |r: &Json| ["left", "top", "right", "bottom"].iter().map(|name| signed(&r[name])).collect::<Json>();
                put("scissors", self::list(&args["pRects"]).iter().map(one).collect());
            }
            "OMSetBlendFactor" => {
                let factor: Json = self::list(&args["BlendFactor"]).iter().map(bits).collect();
                put("blend", if args["BlendFactor"].is_null() { json!(vec![1f32.to_bits(); 4]) } else { factor });
            }
            "OMSetStencilRef" => put("stencil", json!([args["StencilRef"], args["StencilRef"]])),
            "IASetIndexBuffer" => {
                let view = &args["pView"][0];
                put(
                    "index",
                    match view {
                        Json::Null => Json::Null,
                        view => {
                            json!([self.place(number(&view["BufferLocation"])), view["SizeInBytes"], view["Format"]])
                        }
                    },
                );
            }
            "IASetVertexBuffers" | "SOSetTargets" => {
                let (name, last) = match method {
                    "SOSetTargets" => ("stream", "BufferFilledSizeLocation"),
                    _ => ("vertices", "StrideInBytes"),
                };
                for at in 0..number(&args["NumViews"]) {
                    let view = &args["pViews"][at as usize];
                    let value = match view {
                        Json::Null => Json::Null,
                        view => {
                            let last =
                                if name == "stream" { self.place(number(&view[last])) } else { view[last].clone() };
                            json!([self.place(number(&view["BufferLocation"])), view["SizeInBytes"], last])
                        }
                    };
                    put(&format!("{name} {}", number(&args["StartSlot"]) + at), value);
                }
            }
            "SetPredication" => {
                let buffer = &args["pBuffer"];
                put(
                    "predicate",
                    match buffer {
                        Json::Null => Json::Null,
                        buffer => json!([buffer["object"], args["AlignedBufferOffset"], args["Operation"]]),
                    },
                );
            }
            _ => {}
        }
        if !is_action(entry) {
            return;
        }
        if let Some(place) = place {
            let found = list.found();
            self.found.entry(place).or_insert(found);
        }
        if method == "ExecuteIndirect" {
            let changes = self.commands.get(&object(&args["pCommandSignature"])).cloned().unwrap_or_default();
            // D3D12_INDIRECT_ARGUMENT_TYPE: 2 is a dispatch.
            let side = if changes.iter().any(|change| change["Type"] == 2) { "compute" } else { "graphics" };
            for change in &changes {
                let parameter = |name: &str| number(&change[name]["RootParameterIndex"]);
                match number(&change["Type"]) {
                    3 => {
                        _ = list
                            .rest
                            .insert(format!("vertices {}", number(&change["VertexBuffer"]["Slot"])), Json::Null)
                    }
                    4 => _ = list.rest.insert("index".into(), Json::Null),
                    5 => {
                        let change = &change["Constant"];
                        let count = number(&change["Num32BitValuesToSet"]);
                        let zeros = json!({
                            "method": if side == "compute" { "SetComputeRoot32BitConstants" } else { "SetGraphicsRoot32BitConstants" },
                            "args": {
                                "RootParameterIndex": change["RootParameterIndex"], "pSrcData": vec![0; count as usize],
                                "DestOffsetIn32BitValues": change["DestOffsetIn32BitValues"],
                            },
                        });
                        self.command(list, &zeros, None);
                    }
                    6 => _ = list.arguments.insert((side, parameter("ConstantBufferView")), json!({ "at": null })),
                    7 => _ = list.arguments.insert((side, parameter("ShaderResourceView")), json!({ "at": null })),
                    8 => _ = list.arguments.insert((side, parameter("UnorderedAccessView")), json!({ "at": null })),
                    _ => {}
                }
            }
        }
    }
}

/// Whether an entry is a draw or dispatch.
pub(super) fn is_action(entry: &Json) -> bool {
    let method = entry["method"].as_str().unwrap_or_default();
    let name = method.rsplit("::").next().unwrap_or_default();
    matches!(name, "DrawInstanced" | "DrawIndexedInstanced" | "DispatchMesh" | "Dispatch" | "ExecuteIndirect")
}

impl List {
    fn started(pipeline: &Json) -> List {
        List { pipeline: pipeline["object"].clone(), ..List::default() }
    }

    /// All that is set and not null.
    fn found(&self) -> Found {
        let mut found = self.rest.clone();
        found.insert("pipeline".into(), self.pipeline.clone());
        for (side, signature) in &self.signatures {
            found.insert(format!("{side} signature"), (*signature).into());
        }
        for ((side, parameter), value) in &self.arguments {
            found.insert(format!("{side} {parameter}"), value.clone());
        }
        found.retain(|_, value| !value.is_null() && *value != 0);
        found
    }
}
