//! Objects that the program shares, by handle and by name. What it opens again is the object itself.
//!
//! A handle keeps its object also where the program releases the object before it opens the handle. Invariant: each entry holds one
//! reference. An entry goes when the system gives its number out again, because the program has closed that handle then.

use std::collections::{HashMap, HashSet};

use crate::call::creation::MadeObject;
use crate::runtime::com::Com;

/// An object behind a handle.
#[derive(Clone, Copy)]
pub(crate) struct SharedObject {
    /// A pointer of any interface, with a reference.
    pub(crate) pointer: u64,
    /// What is known of it.
    pub(crate) made: MadeObject,
}

/// The handles of a replay.
#[derive(Default)]
pub(crate) struct SharedObjects {
    by_handle: HashMap<u64, SharedObject>,
    by_name: HashMap<String, u64>,
    /// Ids of objects that others may have.
    ids: HashSet<u32>,
}

impl SharedObjects {
    /// Keeps an object, whose reference goes with it, behind a recorded handle.
    pub(crate) fn keep(&mut self, com: &impl Com, handle: u64, name: Option<String>, object: SharedObject) {
        if let Some(closed) = self.by_handle.insert(handle, object) {
            self.by_name.retain(|_, other| *other != handle);
            com.release(closed.pointer);
        }
        self.by_name.extend(name.map(|name| (name, handle)));
    }

    /// Others may have the object.
    pub(crate) fn note(&mut self, id: u32) {
        self.ids.insert(id);
    }

    /// Whether others may have the object.
    pub(crate) fn is(&self, id: u32) -> bool {
        self.ids.contains(&id)
    }

    /// The object behind a recorded handle; `None` for handles of other processes.
    pub(crate) fn get(&self, handle: u64) -> Option<SharedObject> {
        self.by_handle.get(&handle).copied()
    }

    /// Whether the program has shared anything.
    pub(crate) fn has_any(&self) -> bool {
        !self.by_handle.is_empty()
    }

    /// The object of a name.
    pub(crate) fn named(&self, name: &str) -> Option<SharedObject> {
        self.get(*self.by_name.get(name)?)
    }

    /// Releases all objects.
    pub(crate) fn release(&mut self, com: &impl Com) {
        self.by_handle.drain().for_each(|(_, object)| com.release(object.pointer));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::cell::RefCell;

    use reprise_d3d12::model::Guid;

    use super::*;

    #[derive(Default)]
    struct Released(RefCell<Vec<u64>>);

    impl Com for Released {
        fn query(&self, pointer: u64, _: &Guid) -> Option<u64> {
            Some(pointer)
        }

        fn release(&self, pointer: u64) {
            self.0.borrow_mut().push(pointer);
        }
    }

    #[test]
    fn a_number_given_out_again_was_closed() {
        let (com, mut shared) = (Released::default(), SharedObjects::default());
        let object = |pointer| SharedObject { pointer, made: MadeObject::Other };
        let found = |shared: &SharedObjects, handle| shared.get(handle).map(|object| object.pointer);
        shared.keep(&com, 8, Some("first".into()), object(100));
        shared.keep(&com, 12, None, object(200));
        assert_eq!((found(&shared, 8), found(&shared, 12), found(&shared, 16)), (Some(100), Some(200), None));
        assert_eq!(shared.named("first").unwrap().pointer, 100);
        shared.keep(&com, 8, None, object(300));
        assert_eq!((found(&shared, 8), com.0.borrow().as_slice()), (Some(300), &[100][..]));
        assert!(shared.named("first").is_none());
        shared.release(&com);
        com.0.borrow_mut().sort_unstable();
        assert_eq!(*com.0.borrow(), [100, 200, 300], "each reference is given back once");
    }
}
