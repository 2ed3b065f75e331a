//! Which of the resources that share memory hold contents: the model of active and inactive resources.
//!
//! Several resources may lie in the same memory of a heap. What was used last there is active, and what shares memory with it is inactive:
//! its contents are lost. Copies, clears, draws, dispatches, resolves and discards use; so does an aliasing barrier that names the
//! resource as the one after it. A transition uses nothing. Resources are active as a whole. Source: "GPU Captures: How we support placed
//! and reserved resources", PIX on Windows.
//!
//! A shader that picks a descriptor of an array by an index, or memory by an address that several buffers have, uses one of several
//! resources, and only the GPU knows which. From there on it is in doubt which of those that share memory is active, until a use that is
//! certain decides.
//!
//! Whoever follows what lists do when they run feeds it. Invariant: of two placed resources that share memory, at most one is active.

use std::collections::{BTreeSet, HashMap};

/// Whether a resource holds contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Active {
    /// Nothing used it yet.
    Never,
    /// A call used it, and nothing that shares its memory since.
    Since(u64),
    /// Another resource was used in its memory, by this call.
    Until {
        /// That resource.
        by: u32,
        /// The call.
        call: u64,
    },
}

/// The resources that share memory with others.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    resources: HashMap<u32, Shared>,
}

#[derive(Clone, Debug)]
struct Shared {
    others: BTreeSet<u32>,
    active: Active,
    /// The call that may have changed that.
    doubt: Option<u64>,
}

impl Activity {
    /// A resource is placed into the memory of others. Only this matters: what shares memory with nothing is not kept.
    pub fn place(&mut self, resource: u32, others: impl IntoIterator<Item = u32>) {
        let others: BTreeSet<u32> = others.into_iter().filter(|other| *other != resource).collect();
        if others.is_empty() {
            return;
        }
        for other in &others {
            // Its uses so far are not known; nothing had its memory until now.
            let one = Shared { others: BTreeSet::new(), active: Active::Since(0), doubt: None };
            self.resources.entry(*other).or_insert(one).others.insert(resource);
        }
        self.resources.insert(resource, Shared { others, active: Active::Never, doubt: None });
    }

    /// The tiles of a reserved resource are mapped: it shares memory with these from here on, and with no others. What it held in other
    /// tiles it holds still, so it may be active beside one of them, until one is used.
    pub fn remap(&mut self, resource: u32, others: impl IntoIterator<Item = u32>) {
        let others: BTreeSet<u32> = others.into_iter().filter(|other| *other != resource).collect();
        let known = self.resources.contains_key(&resource);
        if others.is_empty() && !known {
            return;
        }
        let one = || Shared { others: BTreeSet::new(), active: Active::Since(0), doubt: None };
        let own = self.resources.entry(resource).or_insert_with(one);
        let former = std::mem::replace(&mut own.others, others.clone());
        for other in former.difference(&others) {
            if let Some(other) = self.resources.get_mut(other) {
                other.others.remove(&resource);
            }
        }
        for other in others {
            self.resources.entry(other).or_insert_with(one).others.insert(resource);
        }
    }

    /// A call uses a resource when it runs.
    pub fn activate(&mut self, resource: u32, call: u64) {
        let Some(own) = self.resources.get_mut(&resource) else { return };
        (own.active, own.doubt) = (Active::Since(call), None);
        for other in own.others.clone() {
            if let Some(other) = self.resources.get_mut(&other)
                && (matches!(other.active, Active::Since(_)) || other.doubt.is_some())
            {
                (other.active, other.doubt) = (Active::Until { by: resource, call }, None);
            }
        }
    }

    /// A call may use a resource when it runs: it uses one of several.
    pub fn reach(&mut self, resource: u32, call: u64) {
        let Some(own) = self.resources.get_mut(&resource) else { return };
        if matches!(own.active, Active::Since(_)) {
            return;
        }
        own.doubt = Some(call);
        for other in own.others.clone() {
            if let Some(other) = self.resources.get_mut(&other)
                && matches!(other.active, Active::Since(_))
            {
                other.doubt = Some(call);
            }
        }
    }

    /// Whether no two resources share memory.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// A resource is gone. What it left in the memory is nobody's.
    pub fn gone(&mut self, resource: u32) {
        if let Some(own) = self.resources.remove(&resource) {
            for other in own.others {
                if let Some(other) = self.resources.get_mut(&other) {
                    other.others.remove(&resource);
                }
            }
        }
    }

    /// How a resource stands that shares memory, or did; `None` for one that has its memory alone.
    pub fn of(&self, resource: u32) -> Option<Active> {
        self.resources.get(&resource).map(|own| own.active)
    }

    /// The last call that may have made a resource active, or inactive, where that is in doubt.
    pub fn doubt(&self, resource: u32) -> Option<u64> {
        self.resources.get(&resource).and_then(|own| own.doubt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tiles_that_go_elsewhere_are_shared_with_nobody() {
        let mut activity = Activity::default();
        activity.remap(1, [2]);
        assert_eq!([1, 2].map(|it| activity.of(it)), [Some(Active::Since(0)); 2]);
        activity.activate(2, 7);
        assert_eq!(activity.of(1), Some(Active::Until { by: 2, call: 7 }));
        activity.activate(1, 8);
        assert_eq!(activity.of(2), Some(Active::Until { by: 1, call: 8 }));
        activity.remap(1, [3]);
        activity.activate(2, 9);
        assert_eq!([1, 2, 3].map(|it| activity.of(it)), [8, 9, 0].map(|call| Some(Active::Since(call))));
        activity.remap(1, []);
        activity.activate(3, 10);
        assert_eq!(activity.of(1), Some(Active::Since(8)));
        activity.remap(4, []);
        assert_eq!(activity.of(4), None);
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Place(u32, u8, u8),
        Use(u32),
        Reach(u32),
        Go(u32),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..8u32, 0..12u8, 1..6u8).prop_map(|(id, at, len)| Step::Place(id, at, len)),
            (0..8u32).prop_map(Step::Use),
            (0..8u32).prop_map(Step::Reach),
            (0..8u32).prop_map(Step::Go),
        ]
    }

    proptest! {
        /// Against memory byte by byte: each byte knows who may have used it last; a resource is active where all its bytes say so, and
        /// nobody else's name is on them.
        #[test]
        fn the_last_use_of_each_byte_decides(steps in prop::collection::vec(step(), 0..60)) {
            let mut activity = Activity::default();
            let mut live: HashMap<u32, (u8, u8)> = HashMap::new();
            // Ids are given once.
            let mut next = 100;
            let mut named: HashMap<u32, u32> = HashMap::new();
            let mut bytes: [BTreeSet<u32>; 32] = Default::default();
            for (call, step) in (1..).zip(steps) {
                match step {
                    Step::Place(name, at, len) => {
                        if let Some(old) = named.remove(&name) {
                            live.remove(&old);
                            activity.gone(old);
                        }
                        let meets = |(start, more): &(u8, u8)| *start < at + len && at < start + more;
                        let others: Vec<u32> = live.iter().filter(|(_, own)| meets(own)).map(|(id, _)| *id).collect();
                        activity.place(next, others);
                        live.insert(next, (at, len));
                        named.insert(name, next);
                        next += 1;
                    }
                    Step::Use(name) => {
                        let Some(id) = named.get(&name).copied() else { continue };
                        let (at, len) = live[&id];
                        bytes[usize::from(at)..usize::from(at + len)].fill([id].into());
                        activity.activate(id, call);
                    }
                    Step::Reach(name) => {
                        let Some(id) = named.get(&name).copied() else { continue };
                        let (at, len) = live[&id];
                        bytes[usize::from(at)..usize::from(at + len)].iter_mut().for_each(|by| _ = by.insert(id));
                        activity.reach(id, call);
                    }
                    Step::Go(name) => {
                        if let Some(id) = named.remove(&name) {
                            live.remove(&id);
                            activity.gone(id);
                        }
                    }
                }
                for (id, (at, len)) in &live {
                    let own = &bytes[usize::from(*at)..usize::from(at + len)];
                    match activity.of(*id) {
                        _ if activity.doubt(*id).is_some() => {
                            // One that was there first may have no use of its own that was told.
                            prop_assert!(own.iter().any(|by| !by.is_empty()), "{id}");
                        }
                        Some(Active::Since(0)) | None => {
                            // Alone at first: no use was told.
                        }
                        Some(Active::Since(_)) => prop_assert!(own.iter().all(|by| *by == [*id].into()), "{id}"),
                        Some(Active::Until { by, .. }) => {
                            prop_assert!(own.iter().any(|by| !by.contains(id)), "{id} until {by}");
                        }
                        Some(Active::Never) => prop_assert!(own.iter().all(|by| !by.contains(id)), "{id}"),
                    }
                }
            }
        }
    }
}
