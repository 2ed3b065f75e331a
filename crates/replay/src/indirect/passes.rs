//! Render passes of a trace whose commands read addresses in memory, known before the trace plays.
//!
//! Nothing may be computed within a render pass, so what its commands read is moved before it begins. One walk over the trace finds these
//! commands. Invariant: what stands here is as the trace has it; whether it is to be moved is decided when the pass begins.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::input::source::Source;
use crate::input::values::argument;

const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const BUNDLE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteBundle");
const INDIRECT: MethodId = method("ID3D12GraphicsCommandList", "ExecuteIndirect");
const BEGIN: MethodId = method("ID3D12GraphicsCommandList4", "BeginRenderPass");
const END: MethodId = method("ID3D12GraphicsCommandList4", "EndRenderPass");
const WRITE: MethodId = method("ID3D12GraphicsCommandList2", "WriteBufferImmediate");
const STREAM_OUTPUT: MethodId = method("ID3D12GraphicsCommandList", "SOSetTargets");
/// With one of these, memory may get other bytes within the pass, or be read in another state.
const WRITES: [MethodId; 4] = [
    method("ID3D12GraphicsCommandList", "ResourceBarrier"),
    method("ID3D12GraphicsCommandList7", "Barrier"),
    WRITE,
    STREAM_OUTPUT,
];
/// `D3D12_RENDER_PASS_FLAG_SUSPENDING_PASS` and `D3D12_RENDER_PASS_FLAG_RESUMING_PASS`.
const OVER_LISTS: u64 = 2 | 4;

/// An `ExecuteIndirect`, as the trace has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    /// The call's number.
    pub(crate) call: u64,
    pub(crate) list: u32,
    pub(crate) signature: u32,
    /// `MaxCommandCount`.
    pub(crate) most: u32,
    /// Buffer and offset, by id.
    pub(crate) arguments: (u32, u64),
    pub(crate) count: (u32, u64),
}

impl Asked {
    /// From the call's payload.
    pub(crate) fn of(call: u64, list: u32, payload: &[u8]) -> Self {
        let number = |name| argument(INDIRECT.get(), payload, name).unwrap_or(0);
        Self {
            call,
            list,
            signature: number("pCommandSignature") as u32,
            most: number("MaxCommandCount") as u32,
            arguments: (number("pArgumentBuffer") as u32, number("ArgumentBufferOffset")),
            count: (number("pCountBuffer") as u32, number("CountBufferOffset")),
        }
    }
}

/// A command of a render pass that reads arguments in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Within {
    /// The second: why the arguments cannot be moved before the pass.
    Indirect(Asked, Option<&'static str>),
    /// A bundle, by its id.
    Bundle(u32, Option<&'static str>),
}

const OVER: &str = "a render pass that goes on from one list to another has no place for replay's own commands";
const WRITTEN: &str = "the arguments may be written within the render pass";

/// By the number of the call that begins the pass.
#[derive(Default)]
pub(crate) struct Passes(HashMap<u64, Arc<[Within]>>);

/// Whether the trace's schema names the calls; one without a schema may have them.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    let has = |name: &[u8]| schema.windows(name.len()).any(|window| window == name);
    schema.is_empty() || has(b"::BeginRenderPass") && has(b"::ExecuteIndirect")
}

impl Passes {
    /// Walks over the events until `stop` says that no more are played.
    pub(crate) fn find(source: &mut dyn Source, stop: impl Fn(&Event<'_>) -> bool) -> Passes {
        let mut open: HashMap<u32, Open> = HashMap::new();
        let mut found = Passes::default();
        // Lists that write to buffers themselves: bundles among them do so in the passes that execute them.
        let mut writers = HashSet::new();
        // Damage ends the walk as it ends the replay, which says so.
        while let Ok(Some(event)) = source.next() {
            if stop(&event) {
                break;
            }
            if event.kind != Kind::Enter {
                continue;
            }
            let method = MethodId(event.method);
            match method {
                WRITE | STREAM_OUTPUT => drop(writers.insert(event.object)),
                RESET => drop(writers.remove(&event.object)),
                _ => {}
            }
            match method {
                BEGIN => {
                    let flags = argument(method.get(), event.payload, "Flags").unwrap_or(0);
                    let why = (flags & OVER_LISTS != 0).then_some(OVER);
                    open.insert(event.object, Open { begin: event.number, why, commands: Vec::new() });
                }
                END | RESET => found.close(open.remove(&event.object)),
                _ => {
                    let Some(pass) = open.get_mut(&event.object) else { continue };
                    match method {
                        INDIRECT => {
                            let asked = Asked::of(event.number, event.object, event.payload);
                            pass.commands.push(Within::Indirect(asked, pass.why));
                        }
                        BUNDLE => {
                            let id = argument(method.get(), event.payload, "pCommandList").unwrap_or(0) as u32;
                            pass.commands.push(Within::Bundle(id, pass.why));
                            if writers.contains(&id) {
                                pass.why = pass.why.or(Some(WRITTEN));
                            }
                        }
                        _ if WRITES.contains(&method) => pass.why = pass.why.or(Some(WRITTEN)),
                        _ => {}
                    }
                }
            }
        }
        open.into_values().for_each(|pass| found.close(Some(pass)));
        found
    }

    fn close(&mut self, pass: Option<Open>) {
        if let Some(pass) = pass.filter(|pass| !pass.commands.is_empty()) {
            self.0.insert(pass.begin, pass.commands.into());
        }
    }

    /// What the pass has that this call begins.
    pub(crate) fn of(&self, begin: u64) -> Option<Arc<[Within]>> {
        self.0.get(&begin).cloned()
    }
}

/// A pass under way.
struct Open {
    begin: u64,
    why: Option<&'static str>,
    commands: Vec<Within>,
}
