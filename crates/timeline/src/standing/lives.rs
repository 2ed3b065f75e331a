//! The lives of objects.
//!
//! A program can be given an object again that was gone, under the same id: a swap chain's buffer, in each frame. Each time is a life
//! of its own. A kept call needs the life in which it was made, and no other.

use super::texels::Texels;
use super::{Index, Number};
use std::collections::HashMap;

/// The lives of one object, the earliest first.
#[derive(Debug, Default)]
pub(super) struct Lives(Vec<Life>);

/// One life of an object.
#[derive(Debug, Default)]
pub(super) struct Life {
    /// The call that gave it out first, and as which interface.
    pub(super) birth: Number,
    interface: u16,
    /// The event at which that call was complete.
    begun: Index,
    gone: bool,
    /// Calls behind that one that took a reference each, and the interface that each asked for.
    held: Vec<(Number, Option<u16>)>,
    /// Releases of the first reference.
    let_go: Vec<Number>,
    /// By interface that the object was asked for and is not held as: the call that gave it out so, and the release of that.
    widened: HashMap<u16, (Number, Number)>,
    /// The last calls of the methods that leave something behind, by method and what tells such calls apart.
    pub(super) last: HashMap<(u16, u64), Number>,
    /// Calls that made it resident or evicted it, and have no counterpart.
    pub(super) residency: Vec<(Number, bool)>,
    /// By subresource: the writes that show.
    pub(super) texels: HashMap<u32, Texels>,
}

impl Lives {
    /// The place among the lives of the one in which a call was made that began at this event.
    pub(super) fn at(&self, enter: Index) -> usize {
        self.0.partition_point(|life| life.begun < enter).saturating_sub(1)
    }

    pub(super) fn get(&self, place: usize) -> Option<&Life> {
        self.0.get(place)
    }

    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut Life> {
        self.0.get_mut(place)
    }

    /// The last life. An object that nothing gave out has one nevertheless.
    pub(super) fn last(&mut self) -> &mut Life {
        if self.0.is_empty() {
            self.0.push(Life::default());
        }
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// A call gave the object out. Says whether a life begins with it.
    pub(super) fn given(&mut self, call: Number, interface: u16, begun: Index) -> bool {
        if self.last().gone {
            self.0.push(Life::default());
        }
        let life = self.last();
        let begins = life.birth == 0;
        match begins {
            true => (life.birth, life.interface, life.begun) = (call, interface, begun),
            false => life.acquired(call, Some(interface)),
        }
        begins
    }
}

impl Life {
    /// A call took another reference.
    pub(super) fn acquired(&mut self, call: Number, interface: Option<u16>) {
        // Something else kept the object while the program held none: a device lives for what it made. The program then never let go
        // of it, and what kept it need not be there.
        let is_known = interface.is_none_or(|asked| asked == self.interface || self.widened.contains_key(&asked));
        if !is_known || self.let_go.pop().is_none() {
            self.held.push((call, interface));
        }
    }

    /// A call gives a reference up, the last one where the runtime says so. Says whether it stands.
    pub(super) fn released(&mut self, call: Number, is_last: bool) -> bool {
        if is_last {
            self.held.clear();
        }
        match self.held.pop() {
            None => self.let_go.push(call),
            Some((acquired, Some(interface))) if interface != self.interface => {
                let is_new = !self.widened.contains_key(&interface);
                self.widened.entry(interface).or_insert((acquired, call));
                return is_new;
            }
            Some(_) => return false,
        }
        true
    }

    /// It ends. It still has to begin and to end where a kept call was made in it.
    pub(super) fn ends(&mut self) {
        let Life { birth, interface, begun, .. } = *self;
        let let_go = std::mem::take(&mut self.let_go);
        *self = Life { birth, interface, begun, let_go, gone: true, ..Life::default() };
    }

    /// The calls that made it what it is.
    pub(super) fn calls(&self) -> impl Iterator<Item = Number> {
        let held = self.held.iter().map(|(call, _)| *call);
        let widened = self.widened.values().flat_map(|(taken, released)| [*taken, *released]);
        let residency = self.residency.iter().map(|(call, _)| *call);
        let texels = self.texels.values().flat_map(Texels::calls);
        let calls = std::iter::once(self.birth).chain(held).chain(self.let_go.iter().copied()).chain(widened);
        calls.chain(self.last.values().copied()).chain(residency).chain(texels)
    }
}
