//! After a call: its result against the recorded one, and what came out of it under the recorded ids.
//!
//! Invariant: every reference that a call gave out is kept under an id or released here; a creation that succeeded at
//! capture and fails here ends the replay, everything else that differs is reported.

pub(crate) mod compare;
pub(crate) mod refusal;
pub(crate) mod request;

use reprise_codec::decode::Outcome;
use reprise_codec::{BlobSink, Objects, Value};
use reprise_d3d12::interface;
use reprise_d3d12::model::MethodId;

use crate::call::{Called, Given};
use crate::input::values;
use crate::report::HresultName;
use crate::resolve::objects::{Com, Virtual};
use crate::walk::{Engine, Open};
use crate::{Difference, Error};

impl Engine<'_, '_> {
    /// Compares results and keeps what came out of a call that was made.
    pub(crate) fn settle(&mut self, open: &Open, outcome: &Outcome<'_>, query: bool) -> Result<(), Error> {
        let Some(called) = &open.called else { return Ok(()) };
        let place = &open.place;
        let hresult = match outcome.result {
            Value::Hresult(recorded) => Some((recorded, called.result as u32)),
            _ => None,
        };
        if let Some((recorded, here)) = hresult
            && is_removed(here)
            && !is_removed(recorded)
        {
            self.release_all(&called.given);
            return Err(Error::DeviceRemoved { place: place.clone(), reason: HresultName(here).to_string() });
        }
        if let Some((recorded, here)) = hresult
            && (recorded as i32) < 0
            && here as i32 >= 0
            && called.cached.is_some()
        {
            self.settle_refused_blob(open, called, recorded);
            return Ok(());
        }
        let mut missing = None;
        for given in &called.given {
            let id = recorded_id(open.method, outcome, given.slot);
            match (id, given.pointer) {
                (0, 0) => {}
                (0, pointer) => {
                    self.world.runtime.release(pointer);
                    if hresult.is_none_or(|(recorded, _)| recorded as i32 >= 0) {
                        self.differ(place, "an object came out that did not at capture".into());
                    }
                }
                (id, 0) => missing = Some(id),
                (id, pointer) => {
                    let world = &mut self.world;
                    if world.objects.given(&world.runtime, id, given.interface, pointer) {
                        self.lists.made(id, &called.made);
                        world.made(id, called.made);
                    }
                }
            }
        }
        if let Some(id) = missing {
            let here = hresult.map_or(0, |(_, here)| here);
            if !query && !self.world.objects.contains(id) {
                return Err(self.refusal(open, id, here));
            }
            if !self.world.objects.contains(id) {
                self.world.objects.given_virtual(id, Virtual::LeftOut);
            }
            self.differ(place, format!("object {id} does not come out here: {}", HresultName(here)));
        } else if let Some((recorded, here)) = hresult
            && recorded != here
        {
            self.differ_in_result(open, recorded, here);
        } else if query {
            self.compare(open, called, outcome);
        }
        Ok(())
    }

    /// A pipeline failed at capture and is made here without its cached blob: makes it as the program wanted it, because the
    /// blob may be what was refused. Drivers have several words for that, so one failure is as good as another.
    fn settle_refused_blob(&mut self, open: &Open, called: &Called, recorded: u32) {
        self.release_all(&called.given);
        let interface = open.method.get().interface.unwrap_or(interface("ID3D12Device"));
        let again = called.cached.zip(self.world.pointer(open.object, interface).ok());
        let nothing_went = open.objects == self.world.objects.version();
        let again = again.filter(|_| nothing_went && open.method.get().name.starts_with("Create"));
        let here = again.map_or(called.result, |(blob, this)| {
            let outputs = called.given.iter().filter_map(|given| called.words.get(given.slot.0));
            let outputs: Vec<*mut u64> = outputs.map(|&word| word as *mut u64).collect();
            // SAFETY: these are the arguments of the call just before, in the arena's memory, and nothing that they name has
            // gone since its enter; the codec made storage for pointers where the objects came out.
            unsafe {
                outputs.iter().for_each(|output| output.write_unaligned(0));
                blob.put_back();
                let result = self.world.runtime.call(this, open.method, &called.words);
                let given = outputs.iter().map(|output| output.read_unaligned()).filter(|&pointer| pointer != 0);
                given.for_each(|pointer| self.world.runtime.release(pointer));
                result
            }
        }) as u32;
        if here as i32 >= 0 {
            self.differ_in_result(open, recorded, here);
        }
    }

    /// Reports where a query's answer is not the recorded one.
    fn compare(&mut self, open: &Open, called: &Called, outcome: &Outcome<'_>) {
        let mut bytes = Vec::new();
        // SAFETY: these are the arguments of the call that gave this result; their memory is the arena's.
        unsafe {
            let (words, before) = (&called.words, &called.before);
            self.codec.encode_leave(open.method, words, called.result, before, &Nobody, &mut bytes, &mut Nowhere);
        }
        let Ok(here) = self.codec.decode_leave(open.method, &open.enter, &bytes) else { return };
        let changes = crate::results::compare::outcomes(&self.codec, outcome, &here);
        if changes.is_empty() {
            return;
        }
        // Said once for all that differs in the answer.
        let mut asked = self.asked(open);
        for change in changes {
            let (place, what, asked) = (open.place.clone(), change.to_string(), core::mem::take(&mut asked));
            self.add_difference(Difference { place, what, change: Some(change), asked, count: 1 });
        }
    }

    /// Objects that a call gave out which replay does not make.
    pub(crate) fn leave_out(&mut self, open: &Open, outcome: &Outcome<'_>) {
        let dxgi = open.method.get().interface.is_some_and(|id| id.get().name.starts_with("IDXGI"))
            || open.method.get().name.contains("DXGI");
        let kind = if dxgi { Virtual::Dxgi } else { Virtual::LeftOut };
        let outputs = outcome.outputs.iter().flat_map(|member| values::ids(&member.value));
        let ids: Vec<u32> = outputs.chain(values::ids(&outcome.result)).collect();
        for id in ids {
            if id != 0 && !self.world.objects.contains(id) {
                self.world.objects.given_virtual(id, kind);
            }
        }
    }

    pub(crate) fn release_all(&mut self, given: &[Given]) {
        for given in given.iter().filter(|given| given.pointer != 0) {
            self.world.runtime.release(given.pointer);
        }
    }
}

/// The id that the capture gave to what came out of a slot; 0 for nothing.
pub(crate) fn recorded_id(method: MethodId, outcome: &Outcome<'_>, (param, element): (usize, usize)) -> u32 {
    let ids = match method.get().params.get(param) {
        Some(field) => {
            let member = outcome.outputs.iter().find(|member| member.field.name == field.name);
            member.map(|member| values::ids(&member.value)).unwrap_or_default()
        }
        None => values::ids(&outcome.result),
    };
    ids.get(element).copied().unwrap_or(0)
}

/// Whether the capture saw success; what has no result code counts as such.
pub(crate) fn succeeded(outcome: &Outcome<'_>) -> bool {
    !matches!(outcome.result, Value::Hresult(code) if (code as i32) < 0)
}

fn is_removed(code: u32) -> bool {
    matches!(code, 0x887a_0005..=0x887a_0007)
}

/// Whatever is compared, objects are not.
struct Nobody;

impl Objects for Nobody {
    fn id_of(&self, _pointer: u64) -> u64 {
        0
    }

    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
}

/// Long answers are compared by nobody.
struct Nowhere;

impl BlobSink for Nowhere {
    fn blob(&mut self, _bytes: &[u8]) -> u32 {
        0
    }
}
