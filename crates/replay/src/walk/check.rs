//! `--check`: a test whether this trace would play here. Objects are created and queried as in a replay; no list is recorded
//! and nothing is submitted. Calls of lists whose addresses in memory cannot be moved here are named all the same (`handlers/forecast`).
//!
//! Invariant: a call that cannot be honoured does not end the check. It is counted and reported as a difference, and its
//! objects are left out of later calls. Mapped memory, queues, lists and fences are not touched.

use std::collections::HashMap;

use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Method, MethodId, Order, Type};
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use super::Engine;
use crate::call::decision::{self, Decision};
use crate::call::open_call::Enter;
use crate::error::{Error, Place};
use crate::handlers::forecast::Forecast;
use crate::input::outcome::succeeded;
use crate::input::source::Blobs;
use crate::input::values;
use crate::resolve::objects::Virtual;

/// Calls that a check has under way.
#[derive(Default)]
pub(super) struct Check {
    /// By number of the call. A call that was not made has no leave here, either.
    open: HashMap<u64, Begun>,
    /// Of calls that are not made.
    forecast: Forecast,
}

struct Begun {
    method: MethodId,
    enter: Vec<u8>,
    /// Made at its enter: the engine waits for its leave.
    made: bool,
    /// It cannot be made here.
    failed: Option<String>,
}

impl Engine<'_, '_> {
    /// Takes an event of a check; `false` where it is taken as in a replay.
    pub(super) fn check_event(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) -> bool {
        match event.kind {
            Kind::Enter => self.check_enter(event, place, blobs),
            Kind::Leave => self.check_leave(event, place, blobs),
            Kind::Memory | Kind::Pages | Kind::Observe => {}
            _ => return false,
        }
        true
    }

    fn check_enter(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) {
        let Some(method) = MODEL.methods.get(usize::from(event.method)) else {
            self.context.report.calls += 1;
            return self.refused(place, self.not_understood(event, place).to_string());
        };
        let mut begun =
            Begun { method: MethodId(event.method), enter: event.payload.to_vec(), made: false, failed: None };
        if plays(method) {
            self.context.report.calls += 1;
            self.context.skip(place, "--check plays nothing");
            // What gives something back may have failed at capture.
            if let Some(Decision::Refuse(why)) = decision::decide(event.method)
                && method.order != Order::EnterLeave
            {
                self.refused(place, why.to_owned());
            }
            if Forecast::takes(method) {
                let Self { context, arguments, check, .. } = self;
                let refused = check.forecast.look(context, arguments, Enter { event, method, place, blobs });
                refused.into_iter().for_each(|(place, what)| self.refused(&place, what));
            }
        } else {
            match self.enter(event, place, blobs) {
                Ok(()) => begun.made = true,
                Err(error) if method.order == Order::EnterLeave => begun.failed = Some(words(&error, place)),
                Err(error) => self.refused(place, words(&error, place)),
            }
        }
        if method.order == Order::EnterLeave {
            self.check.open.insert(event.number, begun);
        }
    }

    fn check_leave(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) {
        let Some(begun) = self.check.open.remove(&event.number) else { return };
        let failed = match begun.made {
            true => self.leave(event, place, blobs).err().map(|error| words(&error, place)),
            false => begun.failed,
        };
        let Ok(outcome) = self.context.codec.decode_leave(begun.method, &begun.enter, event.payload) else { return };
        if let Some(what) = failed.filter(|_| succeeded(&outcome)) {
            self.refused(place, what);
        }
        let ids = outcome.outputs.iter().flat_map(|member| values::ids(&member.value)).collect::<Vec<_>>();
        for id in ids.into_iter().filter(|&id| id != 0) {
            if !self.context.world.objects.contains(id) {
                self.context.world.objects.given_virtual(id, Virtual::LeftOut);
            }
        }
    }

    fn refused(&mut self, place: &Place, what: String) {
        *self.context.report.refused.get_or_insert(0) += 1;
        self.context.differ(place, what);
    }
}

/// An error without the place, which differences have themselves.
fn words(error: &Error, place: &Place) -> String {
    let text = error.to_string();
    text.strip_prefix(&format!("{place}: ")).map_or(text.clone(), str::to_owned)
}

/// Whether a check leaves calls of this method alone.
fn plays(method: &Method) -> bool {
    const CLASSES: [&str; 5] = [
        "ID3D12GraphicsCommandList",
        "ID3D12CommandList",
        "ID3D12CommandQueue",
        "ID3D12CommandAllocator",
        "ID3D12Fence",
    ];
    const MEMORY: [&str; 4] = ["Map", "Unmap", "WriteToSubresource", "ReadFromSubresource"];
    const FENCES: [&str; 2] = ["SetEventOnMultipleFenceCompletion", "EnqueueMakeResident"];
    let interface = method.interface.map_or("", |id| id.get().name);
    CLASSES.iter().any(|class| interface.starts_with(class))
        || interface.starts_with("ID3D12Resource") && MEMORY.contains(&method.name)
        || interface.starts_with("ID3D12Device")
            && (FENCES.contains(&method.name) || matches!(method.result, Type::Void) && !method.name.starts_with("Get"))
}

#[cfg(test)]
mod tests {
    use reprise_d3d12::method;

    use super::*;

    #[test]
    fn creations_and_questions_are_checked_and_nothing_else() {
        let plays = |interface, name| plays(method(interface, name).get());
        for (interface, name) in [
            ("ID3D12Device", "CreateShaderResourceView"),
            ("ID3D12Device", "CopyDescriptors"),
            ("ID3D12GraphicsCommandList", "Close"),
            ("ID3D12CommandQueue", "UpdateTileMappings"),
            ("ID3D12Fence", "SetEventOnCompletion"),
            ("ID3D12Resource", "Map"),
        ] {
            assert!(plays(interface, name), "{name}");
        }
        for (interface, name) in [
            ("ID3D12Device", "CreateCommittedResource"),
            ("ID3D12Device", "GetCopyableFootprints"),
            ("ID3D12Device", "CheckFeatureSupport"),
            ("ID3D12Device10", "CreatePlacedResource2"),
            ("ID3D12Resource", "GetDesc"),
            ("IUnknown", "Release"),
        ] {
            assert!(!plays(interface, name), "{name}");
        }
    }
}
