//! Puts lines that become complete at different times back into the order in which they began.
//!
//! A call's line is complete when the call has returned, and calls of other threads begin meanwhile. Lines are held back
//! until all before them are complete, but not without bound: a thread may wait in one call for as long as the program runs.
//! When too much is held, the oldest call is printed as it is, and its return gets a line of its own.

use std::collections::VecDeque;

/// Bytes of lines that may be held back.
const LIMIT: usize = 64 << 20;

/// What is put in order.
pub trait Line {
    /// Bytes that it takes while it is held back, roughly.
    fn held(&self) -> usize;
}

impl Line for String {
    fn held(&self) -> usize {
        self.len()
    }
}

impl Line for serde_json::Map<String, serde_json::Value> {
    fn held(&self) -> usize {
        // A line has about a dozen members, most of them numbers and short names.
        self.len() * 64
    }
}

/// Lines held back.
#[derive(Debug)]
pub(super) struct Order<L> {
    slots: VecDeque<Slot<L>>,
    bytes: usize,
    limit: usize,
}

#[derive(Debug)]
enum Slot<L> {
    Complete(L),
    /// The number of a call that has not returned yet, and roughly what it holds.
    Waiting(u64, usize),
}

/// What may be printed next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<L> {
    /// This line.
    Line(L),
    /// This call, although it has not returned: too much waits behind it.
    Overdue(u64),
}

impl<L: Line> Order<L> {
    pub(super) fn new() -> Order<L> {
        Order { slots: VecDeque::new(), bytes: 0, limit: LIMIT }
    }

    /// Adds a line that is complete.
    pub(super) fn complete(&mut self, line: L) {
        self.bytes += line.held();
        self.slots.push_back(Slot::Complete(line));
    }

    /// Adds the place of a call that has not returned; `held` bytes are kept for it elsewhere.
    pub(super) fn wait(&mut self, call: u64, held: usize) {
        self.bytes += held;
        self.slots.push_back(Slot::Waiting(call, held));
    }

    /// Puts the line into the place of its call; gives it back when that place was printed already.
    pub(super) fn resolve(&mut self, call: u64, line: L) -> Option<L> {
        // Most calls return before the next begins, so their place is near the end.
        let slot = self.slots.iter_mut().rev().find(|slot| matches!(slot, Slot::Waiting(own, _) if *own == call));
        let Some(slot) = slot else { return Some(line) };
        if let Slot::Waiting(_, held) = slot {
            self.bytes = self.bytes - *held + line.held();
        }
        *slot = Slot::Complete(line);
        None
    }

    /// Gives up the place of a call that turned out not to be shown.
    pub(super) fn withdraw(&mut self, call: u64) {
        let own = |slot: &Slot<L>| matches!(slot, Slot::Waiting(own, _) if *own == call);
        if let Some(place) = self.slots.iter().rposition(own)
            && let Some(Slot::Waiting(_, held)) = self.slots.remove(place)
        {
            self.bytes -= held;
        }
    }

    /// The next line, in order, or the call whose turn it is when too much waits for it.
    pub(super) fn next(&mut self) -> Option<Next<L>> {
        match self.slots.front()? {
            Slot::Waiting(..) if self.bytes <= self.limit => None,
            _ => self.take(),
        }
    }

    /// As [`Order::next`], at the end: nothing more will return.
    pub(super) fn take(&mut self) -> Option<Next<L>> {
        Some(match self.slots.pop_front()? {
            Slot::Complete(line) => {
                self.bytes -= line.held();
                Next::Line(line)
            }
            Slot::Waiting(call, held) => {
                self.bytes -= held;
                Next::Overdue(call)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<Next<String>> {
        Some(Next::Line(text.to_owned()))
    }

    #[test]
    fn lines_wait_for_the_calls_before_them() {
        let mut order = Order::new();
        order.wait(1, 10);
        order.wait(2, 10);
        order.complete("3".into());
        assert_eq!(order.resolve(2, "2".into()), None);
        assert_eq!(order.next(), None);
        assert_eq!(order.resolve(1, "1".into()), None);
        assert_eq!([order.next(), order.next(), order.next(), order.next()], [line("1"), line("2"), line("3"), None]);
        assert_eq!(order.bytes, 0);
    }

    #[test]
    fn what_waits_too_long_is_printed_and_returns_later() {
        let mut order = Order { limit: 3, ..Order::new() };
        order.wait(1, 1);
        order.complete("abc".into());
        assert_eq!(order.next(), Some(Next::Overdue(1)));
        assert_eq!(order.next(), line("abc"));
        assert_eq!(order.resolve(1, "late".into()), Some("late".into()));
        assert_eq!((order.next(), order.bytes), (None, 0));
    }

    #[test]
    fn a_withdrawn_call_leaves_nothing() {
        let mut order = Order::new();
        order.wait(1, 10);
        order.wait(2, 5);
        order.complete("3".into());
        order.withdraw(1);
        assert_eq!(order.resolve(2, "2".into()), None);
        order.withdraw(2);
        assert_eq!([order.next(), order.next(), order.next()], [line("2"), line("3"), None]);
        assert_eq!(order.bytes, 0);
    }

    #[test]
    fn at_the_end_nothing_is_kept() {
        let mut order = Order::new();
        order.wait(1, 1);
        order.complete("2".into());
        assert_eq!([order.take(), order.take(), order.take()], [Some(Next::Overdue(1)), line("2"), None]);
    }
}
