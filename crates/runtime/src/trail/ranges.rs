//! Where objects lie in the GPU's memory, and where they lay until the program released them.
//!
//! Invariant: an object that is entered is there: it is taken out before it goes.

use std::collections::{HashMap, VecDeque};
use std::ops::RangeInclusive;

use reprise_d3d12::types::D3D12_DRED_ALLOCATION_TYPE;

use super::name::Name;

/// Released objects that are remembered: as many as the API's own runtime promises, and a few more.
pub const REMEMBERED: usize = 65_536;

/// Bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The first one's address.
    pub start: u64,
    /// How many there are, at least one.
    pub size: u64,
    /// What the object is.
    pub kind: D3D12_DRED_ALLOCATION_TYPE,
}

impl Owner {
    fn meets(&self, range: &RangeInclusive<u64>) -> bool {
        self.start <= *range.end() && self.start.saturating_add(self.size - 1) >= *range.start()
    }
}

/// How the name of an object is found, by its address.
type NameOf = unsafe fn(usize) -> Name;

/// All ranges of a device.
#[derive(Debug, Default)]
pub struct Ranges {
    /// By the object's address.
    live: HashMap<usize, (Owner, NameOf)>,
    /// The last released comes last.
    freed: VecDeque<(Owner, Name)>,
}

/// An object at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Its bytes.
    pub owner: Owner,
    /// Its name.
    pub name: Name,
    /// Its address as an object; 0 where it was released.
    pub object: usize,
}

/// What lies and lay at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The address.
    pub address: u64,
    /// Objects that are there.
    pub existing: Vec<Meeting>,
    /// Objects that were released, the last one first.
    pub freed: Vec<Meeting>,
}

impl Ranges {
    /// An object has bytes.
    pub fn own(&mut self, object: usize, owner: Owner, name: NameOf) {
        self.live.insert(object, (owner, name));
    }

    /// An object is released.
    pub fn release(&mut self, object: usize, name: impl FnOnce() -> Name) {
        let Some((owner, _)) = self.live.remove(&object) else { return };
        if self.freed.len() == REMEMBERED {
            self.freed.pop_front();
        }
        self.freed.push_back((owner, name()));
    }

    /// The object that was released last.
    pub fn last_released(&self) -> Option<Owner> {
        self.freed.back().map(|(owner, _)| *owner)
    }

    /// What lies and lay in a range around an address.
    pub fn find(&self, address: u64, range: &RangeInclusive<u64>) -> Found {
        let live = self.live.iter().filter(|(_, (owner, _))| owner.meets(range));
        let mut existing: Vec<Meeting> = live
            .map(|(&object, &(owner, name))| {
                // SAFETY: objects are taken out before they go.
                Meeting { owner, name: unsafe { name(object) }, object }
            })
            .collect();
        // The smallest says most: a resource lies in a heap.
        existing.sort_by_key(|meeting| (meeting.owner.size, meeting.owner.start, meeting.object));
        let freed = self.freed.iter().rev().filter(|(owner, _)| owner.meets(range));
        let freed = freed.map(|(owner, name)| Meeting { owner: *owner, name: name.clone(), object: 0 }).collect();
        Found { address, existing, freed }
    }
}

impl Found {
    /// In lines of the log.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |meeting: &Meeting, what: &str| {
            let Owner { start, size, kind } = meeting.owner;
            let name = meeting.name.text().map_or_else(String::new, |name| format!(" \"{name}\""));
            let offset = i128::from(self.address) - i128::from(start);
            format!("{what} a {}{name}: {start:#x}, {size} bytes, the address is at {offset}", what_is(kind))
        };
        let mut lines = vec![format!("the GPU faulted at {:#x}", self.address)];
        lines.extend(self.existing.iter().take(8).map(|meeting| line(meeting, "there is")));
        lines.extend(self.freed.iter().take(8).map(|meeting| line(meeting, "released:")));
        if lines.len() == 1 {
            lines.push("no object that is known lies or lay there".to_owned());
        }
        lines
    }
}

/// In words.
fn what_is(kind: D3D12_DRED_ALLOCATION_TYPE) -> &'static str {
    match kind {
        D3D12_DRED_ALLOCATION_TYPE::HEAP => "heap",
        _ => "resource",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KIND: D3D12_DRED_ALLOCATION_TYPE = D3D12_DRED_ALLOCATION_TYPE::RESOURCE;

    unsafe fn nameless(_object: usize) -> Name {
        Name::default()
    }

    fn owner(start: u64, size: u64) -> Owner {
        Owner { start, size, kind: KIND }
    }

    #[test]
    fn the_last_released_objects_are_remembered() {
        let mut ranges = Ranges::default();
        for object in 0..=REMEMBERED {
            ranges.own(object, owner(object as u64 * 16 + 16, 16), nameless);
            ranges.release(object, Name::default);
        }
        assert!(ranges.find(20, &(20..=20)).freed.is_empty(), "the first one is forgotten");
        assert_eq!(ranges.find(36, &(36..=36)).freed.len(), 1);
        ranges.release(7, Name::default);
        assert_eq!(ranges.freed.len(), REMEMBERED, "released once");
    }

    proptest! {
        /// As a list of everything that ever was says.
        #[test]
        fn objects_at_an_address_are_found(
            steps in prop::collection::vec((0usize..12, 0u64..64, 1u64..24, any::<bool>()), 0..60),
            address in 0u64..96,
            shift in 0u32..5,
        ) {
            let range = reprise_gpu::fault::range(address, 1 << shift);
            let (mut ranges, mut live, mut gone) = (Ranges::default(), Vec::<(usize, Owner)>::new(), Vec::new());
            for (object, start, size, release) in steps {
                let known = live.iter().position(|(other, _)| *other == object);
                match (known, release) {
                    (Some(at), true) => {
                        gone.push(live.remove(at).1);
                        ranges.release(object, Name::default);
                    }
                    (None, false) => {
                        live.push((object, owner(start, size)));
                        ranges.own(object, owner(start, size), nameless);
                    }
                    _ => {}
                }
            }
            let meets = |owner: &Owner| (owner.start..owner.start + owner.size).any(|byte| range.contains(&byte));
            let found = ranges.find(address, &range);
            let mut objects: Vec<usize> = found.existing.iter().map(|meeting| meeting.object).collect();
            let mut expected: Vec<usize> = live.iter().filter(|(_, owner)| meets(owner)).map(|(object, _)| *object).collect();
            objects.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(objects, expected);
            let freed: Vec<Owner> = found.freed.iter().map(|meeting| meeting.owner).collect();
            let expected: Vec<Owner> = gone.into_iter().rev().filter(meets).collect();
            prop_assert_eq!(freed, expected);
        }
    }
}
