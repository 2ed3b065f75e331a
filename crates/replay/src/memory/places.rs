//! Places of heaps and buffers at capture, and handles of shader groups, which our runtime is asked for again ([`reprise_d3d12::place`]).
//!
//! One pass over the trace finds them, because the fact of an object stands behind its creation; it runs only if the trace says that it
//! keeps addresses. What a place says is the runtime's: it refuses those of other runtimes and drivers. Invariant: a place that cannot
//! be had changes nothing but where the object lies, and the report counts it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::place::{HEADER, ID, MOST, is_of_groups};
use reprise_d3d12::{interface, method};
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, ObjectId};
use reprise_timeline::{At, Call, Interests, Pass};
use reprise_trace::fact;
use serde_json::Value;

use crate::call::Called;
use crate::report::Addresses;
use crate::runtime::Runtime;

/// Bytes of the fact before those of the runtime.
const OWN: usize = 16;

/// Whether a trace keeps addresses, as it says of itself.
pub(crate) fn are_in(meta: &Value) -> bool {
    meta.get("addresses").is_some()
}

const ASK: MethodId = method("ID3D12Resource", "GetGPUVirtualAddress");
/// The heap of placed resources.
const HEAP_OF: [Argument<ObjectId>; 3] = [
    argument!("ID3D12Device", "CreatePlacedResource", "pHeap"),
    argument!("ID3D12Device8", "CreatePlacedResource1", "pHeap"),
    argument!("ID3D12Device10", "CreatePlacedResource2", "pHeap"),
];

/// The pass that finds places.
#[derive(Default)]
pub(crate) struct Finder {
    wanted: bool,
    /// The call that made each object.
    made: HashMap<u32, u64>,
    found: HashMap<u64, Arc<[u8]>>,
    /// Objects that may have a place, and have none.
    homeless: HashSet<u32>,
    /// The heaps of placed resources.
    heaps: HashMap<u32, u32>,
    /// Resources whose addresses the program knows.
    asked: HashSet<u32>,
}

impl Finder {
    /// Finds all places, or none.
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// What was found.
    pub(crate) fn finish(self) -> Places {
        let lies_in = |resource: &u32| *self.heaps.get(resource).unwrap_or(resource);
        let complete = self.asked.iter().all(|resource| !self.homeless.contains(&lies_in(resource)));
        Places { by_call: self.found, complete, given: None }
    }
}

/// Whether a method makes what has a place.
fn makes(method: MethodId) -> bool {
    is_of_device(method, &["CreateCommittedResource", "CreateReservedResource", "CreateHeap"])
}

/// Whether a method makes what has shader groups.
fn makes_groups(method: MethodId) -> bool {
    is_of_device(method, &["CreateStateObject", "AddToStateObject"])
}

fn is_of_device(method: MethodId, names: &[&str]) -> bool {
    let method = method.get();
    let of_device = method.interface.is_some_and(|id| id.get().name.starts_with("ID3D12Device"));
    of_device && names.iter().any(|name| method.name.starts_with(name))
}

impl Pass for Finder {
    fn interests(&self) -> Interests {
        let of_interest =
            |id: MethodId| makes(id) || makes_groups(id) || id == ASK || HEAP_OF.iter().any(|heap| heap.method() == id);
        if self.wanted { Interests::new().calls_where(of_interest).facts() } else { Interests::new() }
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        if call.method == ASK {
            self.asked.insert(call.object);
            return;
        }
        // What cannot be read is left out: its replay reports the error.
        let Some(object) = call.given().unwrap_or_default().first().map(|given| given.object) else { return };
        if let Some(heap) = HEAP_OF.iter().find(|heap| heap.method() == call.method) {
            self.heaps.extend(heap.of(call).ok().map(|heap| (object, heap.0)));
            return;
        }
        self.made.insert(object, call.number);
        if makes(call.method) {
            self.homeless.insert(object);
        }
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _at: &At) {
        if kind == fact::CAPTURE_ADDRESS
            && let (Some(call), Some(place)) = (self.made.get(&object), bytes.get(OWN..))
            && place.len() <= MOST
        {
            self.found.insert(*call, place.into());
            self.homeless.remove(&object);
        }
        if kind == fact::GROUP_HANDLES
            && let Some(call) = self.made.get(&object)
            && is_of_groups(bytes)
        {
            self.found.insert(*call, bytes.into());
        }
    }
}

/// Places by the call that makes the object. A frame that is repeated makes its objects again.
#[derive(Default)]
pub(crate) struct Places {
    by_call: HashMap<u64, Arc<[u8]>>,
    /// Whether everything has a place whose address the program knows.
    complete: bool,
    /// Whether the runtime gives places, once it was asked.
    given: Option<bool>,
}

impl Places {
    /// Before a creation: asks the runtime for its place. `this` is the device. Whether the call has a place.
    ///
    /// # Safety
    /// `this` is alive, and a device where the call makes something that has a place.
    pub(crate) unsafe fn ask(&mut self, runtime: &Runtime, call: u64, this: u64) -> bool {
        // SAFETY: as the caller says.
        let Some(wish) = (unsafe { self.wish(runtime, call, this) }) else { return self.by_call.contains_key(&call) };
        // SAFETY: a living device, says the caller.
        unsafe { wish.ask(runtime, this) };
        true
    }

    /// What the runtime is to be asked for before a creation, on the thread that makes it; `None` where there is nothing to ask for.
    ///
    /// # Safety
    /// As [`Places::ask`].
    pub(crate) unsafe fn wish(&mut self, runtime: &Runtime, call: u64, this: u64) -> Option<Wish> {
        let place = self.by_call.get(&call)?;
        // SAFETY: a living device, says the caller.
        let given = *self.given.get_or_insert_with(|| unsafe { told(runtime, this) }.len() >= HEADER);
        given.then(|| Wish(place.clone()))
    }

    /// Whether the runtime was asked for a place and gives places, and nothing will move because it has none.
    pub(crate) fn are_given(&self) -> bool {
        self.complete && self.given == Some(true)
    }

    /// After a creation that has a place: counts whether the object got it.
    ///
    /// # Safety
    /// What came out of the call is alive.
    pub(crate) unsafe fn settle(&self, runtime: &Runtime, call: u64, called: &Called, addresses: &mut Addresses) {
        const OBJECT: InterfaceId = interface("ID3D12Object");
        let wanted = self.by_call.get(&call);
        if wanted.is_some_and(|wanted| is_of_groups(wanted)) {
            // Identifiers tell whether they were had.
            return;
        }
        let object = called.given.iter().find(|given| given.pointer != 0);
        let object = object.filter(|given| given.interface.derives_from(OBJECT));
        // SAFETY: the object is alive, and has private data.
        let here = object.map(|given| unsafe { told(runtime, given.pointer) }).unwrap_or_default();
        // Facts are padded.
        let got = wanted.is_some_and(|wanted| !here.is_empty() && wanted.starts_with(&here));
        addresses.count(got);
    }
}

/// A place, or handles of shader groups, that the runtime is asked for.
#[derive(Clone)]
pub(crate) struct Wish(Arc<[u8]>);

impl Wish {
    /// Asks for it: this thread's next creation on the device is to have it.
    ///
    /// # Safety
    /// `device` is a device, and alive.
    pub(crate) unsafe fn ask(&self, runtime: &Runtime, device: u64) {
        const SET: MethodId = method("ID3D12Object", "SetPrivateData");
        let words = [(&raw const ID) as u64, self.0.len() as u64, self.0.as_ptr() as u64];
        // SAFETY: a living device, says the caller; an id, and so many bytes.
        unsafe { runtime.call(device, SET, &words) };
    }
}

/// What an object says of its place; empty where it says nothing.
///
/// # Safety
/// The object is alive, of the runtime.
unsafe fn told(runtime: &Runtime, object: u64) -> Vec<u8> {
    const GET: MethodId = method("ID3D12Object", "GetPrivateData");
    let mut bytes = vec![0u8; MOST];
    let mut size = MOST as u32;
    let words = [(&raw const ID) as u64, (&raw mut size) as u64, bytes.as_mut_ptr() as u64];
    // SAFETY: the object is alive, says the caller; the words lead to an id, a size, and so many bytes.
    let result = unsafe { runtime.call(object, GET, &words) };
    bytes.truncate(if (result as i32) < 0 { 0 } else { size as usize });
    bytes
}
