//! The masks of view instances that lists have, as the edits leave them.

use crate::bundle::Bundles;
use crate::plan::{New, Plan};
use reprise_codec::{Codec, Value};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_timeline::State;
use reprise_trace::read::Event;
use std::collections::HashMap;

/// What sets the mask of view instances.
pub(crate) const MASK: MethodId = method("ID3D12GraphicsCommandList1", "SetViewInstanceMask");
const BUNDLE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteBundle");

/// By list: the call that began its recording, and the mask behind its last call.
#[derive(Debug, Default)]
pub(crate) struct Masks(HashMap<u32, (u64, u32)>);

impl Masks {
    /// The mask before a call of a list, with what is inserted before the call.
    pub(crate) fn before(
        &self,
        codec: &Codec,
        state: &State,
        bundles: &Bundles,
        plan: &Plan,
        event: &Event<'_>,
    ) -> u32 {
        let follow = Follow { codec, state, bundles, plan };
        let begun = state.lists.get(event.object).map_or(0, |list| list.begun);
        let mask = match self.0.get(&event.object) {
            Some((of, mask)) if *of == begun => *mask,
            _ => follow.all(0, plan.after.get(&begun)),
        };
        follow.all(mask, plan.before.get(&event.number))
    }

    /// A call, once all edits of it are known; with the state before it.
    pub(crate) fn note(&mut self, codec: &Codec, state: &State, bundles: &Bundles, plan: &Plan, event: &Event<'_>) {
        let Some(list) = state.lists.get(event.object).filter(|list| bundles.is_wanted() && !list.is_bundle()) else {
            return;
        };
        let follow = Follow { codec, state, bundles, plan };
        let mut mask = self.before(codec, state, bundles, plan, event);
        if !plan.dropped.contains(&event.number) {
            let changed = plan.changed.get(&event.number).map(|changed| &*changed.enter);
            mask = follow.one(mask, MethodId(event.method), changed.unwrap_or(event.payload));
        }
        mask = follow.all(mask, plan.after.get(&event.number));
        self.0.insert(event.object, (list.begun, mask));
    }
}

/// What calls do to a mask depends on all this.
struct Follow<'a> {
    codec: &'a Codec,
    state: &'a State,
    bundles: &'a Bundles,
    plan: &'a Plan,
}

impl Follow<'_> {
    fn all(&self, mask: u32, calls: Option<&Vec<New>>) -> u32 {
        calls.into_iter().flatten().fold(mask, |mask, new| self.one(mask, new.method, &new.enter))
    }

    fn one(&self, mask: u32, method: MethodId, enter: &[u8]) -> u32 {
        if method != MASK && method != BUNDLE {
            return mask;
        }
        let arguments = self.codec.decode_enter(method, enter).ok();
        match arguments.as_ref().and_then(|arguments| Some(&arguments.members.first()?.value)) {
            Some(Value::Object(bundle, _)) => {
                // A bundle that sets none changes none.
                let begun = self.state.lists.get(*bundle).map_or(0, |list| list.begun);
                let all = self.bundles.of(*bundle, begun).map(|bundle| bundle.planned(self.plan));
                let set = all.into_iter().flatten().filter(|new| new.method == MASK).last();
                set.map_or(mask, |set| self.one(mask, MASK, &set.enter))
            }
            Some(value) => value.number().and_then(|mask| u32::try_from(mask).ok()).unwrap_or(mask),
            None => mask,
        }
    }
}
