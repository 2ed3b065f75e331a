//! The objects that calls before the cut made, and what each needs to be made again.
//!
//! Pure: it knows calls and ids, not what they are. Invariant: an object's needs were made before it, so the closure over them ends.

use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Everything that was made before the cut.
#[derive(Debug, Default)]
pub(crate) struct Made {
    objects: BTreeMap<u32, Object>,
    /// Calls that are kept where all objects that they name are.
    calls: Vec<(u64, Box<[u32]>)>,
}

/// An object.
#[derive(Debug)]
pub(crate) struct Object {
    /// The call that gave it out first.
    pub(crate) call: u64,
    /// The interface that it was given out as, by number.
    pub(crate) interface: u16,
    /// What that call names.
    needs: Box<[u32]>,
    /// Calls that change it for good, each with what it names.
    changes: Vec<(u64, Box<[u32]>)>,
}

/// What a trimmed trace needs of what was made before.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Needed {
    /// Objects, by id.
    pub(crate) objects: BTreeSet<u32>,
    /// Calls that make them and change them.
    pub(crate) calls: HashSet<u64>,
}

impl Made {
    /// A call gave out an object; it names these.
    pub(crate) fn give(&mut self, id: u32, call: u64, interface: u16, names: &[u32]) {
        let needs = names.iter().copied().filter(|other| *other != id && self.objects.contains_key(other)).collect();
        self.objects.entry(id).or_insert(Object { call, interface, needs, changes: Vec::new() });
    }

    /// A call changed an object for good; it names these.
    pub(crate) fn change(&mut self, id: u32, call: u64, names: &[u32]) {
        if let Some(object) = self.objects.get_mut(&id) {
            let names = names.iter().copied().filter(|other| *other != id);
            object.changes.push((call, names.collect()));
        }
    }

    /// A call of which some may be kept: it has an effect where everything that it names is there.
    pub(crate) fn note(&mut self, call: u64, names: &[u32]) {
        self.calls.push((call, names.into()));
    }

    /// An object, if it was made before the cut.
    pub(crate) fn get(&self, id: u32) -> Option<&Object> {
        self.objects.get(&id)
    }

    /// The objects that these need, and theirs, with the calls. `leads` says what else an object leads to, such as the resources
    /// that the slots of a descriptor heap show.
    pub(crate) fn close(
        &self,
        roots: impl IntoIterator<Item = u32>,
        mut leads: impl FnMut(u32, &mut Vec<u32>),
    ) -> Needed {
        let mut needed = Needed::default();
        let mut work: Vec<u32> = roots.into_iter().collect();
        while let Some(id) = work.pop() {
            let Some(object) = self.objects.get(&id) else { continue };
            if !needed.objects.insert(id) {
                continue;
            }
            needed.calls.insert(object.call);
            work.extend(&object.needs);
            for (call, names) in &object.changes {
                needed.calls.insert(*call);
                work.extend(names);
            }
            leads(id, &mut work);
        }
        for (call, names) in &self.calls {
            if names.iter().all(|id| needed.objects.contains(id)) {
                needed.calls.insert(*call);
            }
        }
        needed
    }
}

#[cfg(test)]
mod tests;
