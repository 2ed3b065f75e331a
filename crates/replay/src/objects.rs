//! The real objects behind the ids of a trace.
//!
//! Invariant: each pointer kept here is one reference that replay holds; the program's own AddRef and Release are not
//! repeated, only their outcome is: an object goes when the program's last reference went. Every pointer that a call gives
//! out is either kept here or released at once.

use std::collections::HashMap;

use reprise_d3d12::model::{Guid, InterfaceId, Model};

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
    pub(crate) fn given(&mut self, com: &impl Com, model: &Model, id: u32, interface: InterfaceId, pointer: u64) -> bool {
        let object = self.table.entry(id).or_insert_with(|| Object { pointers: Vec::new(), virtual_kind: None });
        let new = object.pointers.is_empty() && object.virtual_kind.is_none();
        if object.virtual_kind.is_some() || object.pointers.iter().any(|&(held, _)| is_a(model, held, interface)) {
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
    pub(crate) fn pointer(
        &mut self,
        com: &impl Com,
        model: &Model,
        id: u32,
        interface: InterfaceId,
    ) -> Result<u64, ObjectError> {
        let object = self.table.get_mut(&id).ok_or(ObjectError::Dangling(id))?;
        if let Some(kind) = object.virtual_kind {
            return Err(ObjectError::Virtual(id, kind));
        }
        if let Some(&(_, pointer)) = object.pointers.iter().find(|&&(held, _)| is_a(model, held, interface)) {
            return Ok(pointer);
        }
        let wanted = model.interfaces.get(usize::from(interface.0)).ok_or(ObjectError::NoInterface(id, interface))?;
        let found = object.pointers.first().and_then(|&(_, pointer)| com.query(pointer, &wanted.iid));
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

/// Whether `held` is `wanted` or derives from it.
pub(crate) fn is_a(model: &Model, held: InterfaceId, wanted: InterfaceId) -> bool {
    let mut current = Some(held);
    // The tables are generated and shallow; the bound keeps a damaged one from hanging us.
    for _ in 0..64 {
        match current {
            Some(interface) if interface == wanted => return true,
            Some(interface) => current = model.interfaces.get(usize::from(interface.0)).and_then(|i| i.base),
            None => return false,
        }
    }
    false
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::RefCell;

    use reprise_d3d12::model::{Interface, MethodId};

    use super::*;

    const fn interface(name: &'static str, number: u32, base: Option<u16>) -> Interface {
        Interface {
            name,
            iid: Guid { data1: number, data2: 0, data3: 0, data4: [0; 8] },
            base: match base {
                Some(base) => Some(InterfaceId(base)),
                None => None,
            },
            first_slot: 0,
            first_method: MethodId(0),
            method_count: 0,
            family: InterfaceId(0),
        }
    }

    static INTERFACES: [Interface; 5] = [
        interface("IUnknown", 0, None),
        interface("Object", 1, Some(0)),
        interface("Device", 2, Some(1)),
        interface("Device1", 3, Some(2)),
        interface("Debug", 4, Some(0)),
    ];
    const MODEL: Model = Model { interfaces: &INTERFACES, methods: &[], structs: &[], enums: &[] };

    /// Counts references by pointer; each object's interfaces lie at object * 100 + interface number.
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
            (self.refuse != Some(iid.data1)).then(|| self.give(pointer / 100 * 100 + u64::from(iid.data1)))
        }

        fn release(&self, pointer: u64) {
            *self.references.borrow_mut().get_mut(&pointer).unwrap() -= 1;
        }
    }

    #[test]
    fn references_are_neither_lost_nor_taken_twice() {
        let com = Counting::default();
        let mut objects = Objects::default();
        assert!(objects.given(&com, &MODEL, 7, InterfaceId(2), com.give(102)));
        // GetDevice gives out what is known already.
        assert!(!objects.given(&com, &MODEL, 7, InterfaceId(2), com.give(102)));
        assert_eq!(com.references.borrow()[&102], 1);
        // Bases are reached through the pointer held; others are asked for once.
        assert_eq!(objects.pointer(&com, &MODEL, 7, InterfaceId(1)), Ok(102));
        assert_eq!(objects.pointer(&com, &MODEL, 7, InterfaceId(3)), Ok(103));
        assert_eq!(objects.pointer(&com, &MODEL, 7, InterfaceId(3)), Ok(103));
        assert_eq!(objects.pointer(&com, &MODEL, 7, InterfaceId(4)), Ok(104));
        assert_eq!(com.references.borrow()[&103], 1);
        assert!(objects.gone(&com, 7));
        assert!(!objects.gone(&com, 7));
        assert!(com.references.borrow().values().all(|&count| count == 0), "{:?}", com.references);
        assert_eq!(objects.pointer(&com, &MODEL, 7, InterfaceId(1)), Err(ObjectError::Dangling(7)));
    }

    #[test]
    fn what_cannot_be_passed_is_named() {
        let com = Counting { refuse: Some(4), ..Counting::default() };
        let mut objects = Objects::default();
        objects.given(&com, &MODEL, 1, InterfaceId(2), com.give(102));
        objects.given_virtual(2, Virtual::SwapChain);
        assert_eq!(objects.pointer(&com, &MODEL, 1, InterfaceId(4)), Err(ObjectError::NoInterface(1, InterfaceId(4))));
        assert_eq!(objects.pointer(&com, &MODEL, 1, InterfaceId(9)), Err(ObjectError::NoInterface(1, InterfaceId(9))));
        assert_eq!(
            objects.pointer(&com, &MODEL, 2, InterfaceId(0)),
            Err(ObjectError::Virtual(2, Virtual::SwapChain))
        );
        objects.clear(&com);
        assert!(objects.ids().is_empty());
        assert!(com.references.borrow().values().all(|&count| count == 0));
    }
}
