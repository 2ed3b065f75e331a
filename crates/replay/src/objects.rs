//! The real objects behind the ids of a trace.
//!
//! Invariant: each pointer kept here is one reference that replay holds; the program's own AddRef and Release are not
//! repeated, only their outcome is: an object goes when the program's last reference went. Every pointer that a call gives
//! out is either kept here or released at once.

use std::collections::HashMap;

use reprise_d3d12::model::{Guid, InterfaceId};

/// What the table asks of COM; the runtime answers.
pub(crate) trait Com {
    /// `QueryInterface`: a pointer with a reference of its own.
    fn query(&self, pointer: u64, iid: &Guid) -> Option<u64>;
    /// `Release`.
    fn release(&self, pointer: u64);
}

/// Why an id cannot be passed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectError {
    /// No object with this id is alive here.
    Dangling(u32),
    /// Replay keeps the object to itself.
    Virtual(u32, Virtual),
    /// The runtime's object lacks the interface.
    NoInterface(u32, InterfaceId),
}

/// Objects that exist in replay only: nothing of them reaches the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Virtual {
    /// A DXGI factory, adapter, output or device.
    Dxgi,
    /// A swap chain; its buffers are ordinary textures.
    SwapChain,
    /// Given out by a call that is not replayed.
    LeftOut,
}

/// One object.
#[derive(Debug)]
struct Object {
    /// Empty for virtual objects.
    pointers: Vec<(InterfaceId, u64)>,
    virtual_kind: Option<Virtual>,
}

/// Ids and what they stand for.
#[derive(Default)]
pub(crate) struct Objects {
    table: HashMap<u32, Object>,
}

impl Objects {
    pub(crate) fn contains(&self, id: u32) -> bool {
        self.table.contains_key(&id)
    }

    pub(crate) fn virtual_kind(&self, id: u32) -> Option<Virtual> {
        self.table.get(&id).and_then(|object| object.virtual_kind)
    }

    /// A call gave out `pointer`, with a reference, where the capture had `id`. `true` if the object is new here.
    pub(crate) fn given(&mut self, com: &impl Com, id: u32, interface: InterfaceId, pointer: u64) -> bool {
        let object = self.table.entry(id).or_insert_with(|| Object { pointers: Vec::new(), virtual_kind: None });
        let new = object.pointers.is_empty() && object.virtual_kind.is_none();
        if object.virtual_kind.is_some() || object.pointers.iter().any(|&(held, _)| held.derives_from(interface)) {
            com.release(pointer);
        } else {
            object.pointers.push((interface, pointer));
        }
        new
    }

    /// An object that stays within replay.
    pub(crate) fn given_virtual(&mut self, id: u32, kind: Virtual) {
        self.table.entry(id).or_insert_with(|| Object { pointers: Vec::new(), virtual_kind: Some(kind) });
    }

    /// The pointer through which a method of `interface` is called, or that is passed where it is asked for.
    pub(crate) fn pointer(&mut self, com: &impl Com, id: u32, interface: InterfaceId) -> Result<u64, ObjectError> {
        let object = self.table.get_mut(&id).ok_or(ObjectError::Dangling(id))?;
        if let Some(kind) = object.virtual_kind {
            return Err(ObjectError::Virtual(id, kind));
        }
        if let Some(&(_, pointer)) = object.pointers.iter().find(|&&(held, _)| held.derives_from(interface)) {
            return Ok(pointer);
        }
        let found = object.pointers.first().and_then(|&(_, pointer)| com.query(pointer, &interface.get().iid));
        let pointer = found.ok_or(ObjectError::NoInterface(id, interface))?;
        object.pointers.push((interface, pointer));
        Ok(pointer)
    }

    /// The program's last reference went.
    pub(crate) fn gone(&mut self, com: &impl Com, id: u32) -> bool {
        let Some(object) = self.table.remove(&id) else { return false };
        object.pointers.iter().rev().for_each(|&(_, pointer)| com.release(pointer));
        true
    }

    /// Releases everything, children (larger ids) first.
    pub(crate) fn clear(&mut self, com: &impl Com) {
        let mut ids: Vec<u32> = self.table.keys().copied().collect();
        ids.sort_unstable();
        while let Some(id) = ids.pop() {
            self.gone(com, id);
        }
    }

    /// Ids that are alive, in no order.
    #[cfg(test)]
    fn ids(&self) -> Vec<u32> {
        self.table.keys().copied().collect()
    }
}

impl ObjectError {
    /// In words, with what to do.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Dangling(id) => {
                format!(
                    "object {id} is not alive here: the trace is damaged, or the call that made it was not replayed"
                )
            }
            Self::Virtual(id, Virtual::LeftOut) => {
                format!("object {id} is of a kind that replay leaves out, so that it cannot be passed on")
            }
            Self::Virtual(id, _) => format!("object {id} is a DXGI object, which replay does not pass on"),
            Self::NoInterface(id, interface) => format!(
                "the runtime's object {id} does not offer {}; use a newer runtime (--runtime)",
                interface.get().name
            ),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::RefCell;

    use reprise_d3d12::interface;

    use super::*;

    const OBJECT: InterfaceId = interface("ID3D12Object");
    const DEVICE: InterfaceId = interface("ID3D12Device");
    const DEVICE1: InterfaceId = interface("ID3D12Device1");
    const DEBUG: InterfaceId = interface("ID3D12DebugDevice");
    const BASE: u64 = 1 << 32;

    /// Counts references by pointer; an object's interfaces lie side by side, by the first word of their ids.
    #[derive(Default)]
    struct Counting {
        references: RefCell<HashMap<u64, i64>>,
        refuse: Option<u32>,
    }

    impl Counting {
        fn give(&self, pointer: u64) -> u64 {
            *self.references.borrow_mut().entry(pointer).or_default() += 1;
            pointer
        }
    }

    impl Com for Counting {
        fn query(&self, pointer: u64, iid: &Guid) -> Option<u64> {
            (self.refuse != Some(iid.data1)).then(|| self.give(pointer / BASE * BASE + u64::from(iid.data1)))
        }

        fn release(&self, pointer: u64) {
            *self.references.borrow_mut().get_mut(&pointer).unwrap() -= 1;
        }
    }

    fn pointer(object: u64, interface: InterfaceId) -> u64 {
        object * BASE + u64::from(interface.get().iid.data1)
    }

    #[test]
    fn references_are_neither_lost_nor_taken_twice() {
        let com = Counting::default();
        let mut objects = Objects::default();
        assert!(objects.given(&com, 7, DEVICE, com.give(pointer(1, DEVICE))));
        // GetDevice gives out what is known already.
        assert!(!objects.given(&com, 7, DEVICE, com.give(pointer(1, DEVICE))));
        assert_eq!(com.references.borrow()[&pointer(1, DEVICE)], 1);
        // Bases are reached through the pointer held; others are asked for once.
        assert_eq!(objects.pointer(&com, 7, OBJECT), Ok(pointer(1, DEVICE)));
        assert_eq!(objects.pointer(&com, 7, DEVICE1), Ok(pointer(1, DEVICE1)));
        assert_eq!(objects.pointer(&com, 7, DEVICE1), Ok(pointer(1, DEVICE1)));
        assert_eq!(objects.pointer(&com, 7, DEBUG), Ok(pointer(1, DEBUG)));
        assert_eq!(com.references.borrow()[&pointer(1, DEVICE1)], 1);
        assert!(objects.gone(&com, 7));
        assert!(!objects.gone(&com, 7));
        assert!(com.references.borrow().values().all(|&count| count == 0), "{:?}", com.references);
        assert_eq!(objects.pointer(&com, 7, OBJECT), Err(ObjectError::Dangling(7)));
    }

    #[test]
    fn what_cannot_be_passed_is_named() {
        let com = Counting { refuse: Some(DEBUG.get().iid.data1), ..Counting::default() };
        let mut objects = Objects::default();
        objects.given(&com, 1, DEVICE, com.give(pointer(1, DEVICE)));
        objects.given_virtual(2, Virtual::SwapChain);
        assert_eq!(objects.pointer(&com, 1, DEBUG), Err(ObjectError::NoInterface(1, DEBUG)));
        assert_eq!(objects.pointer(&com, 2, OBJECT), Err(ObjectError::Virtual(2, Virtual::SwapChain)));
        objects.clear(&com);
        assert!(objects.ids().is_empty());
        assert!(com.references.borrow().values().all(|&count| count == 0));
    }
}
