//! How many calls each thread made in each slice of the recorded time.
//!
//! Invariant: a thread has [`SLICES`] slices at most. When the time does not fit into them any more, all slices become twice as wide.

use super::kind::Kind;
use std::collections::BTreeMap;

/// Slices of the whole time at most.
const SLICES: u64 = 1 << 16;

/// See the module.
#[derive(Debug)]
pub(crate) struct Grid {
    /// Nanoseconds of a slice.
    pub(crate) width: u64,
    /// Of each thread: slices in which it did something, in order.
    pub(crate) threads: BTreeMap<u32, Vec<(u32, Slice)>>,
    /// The newest calls, which are not among the slices yet: most calls lie in the same slice as the one before.
    last: Last,
}

/// Calls of a thread within a time that lies in one slice: from here until there.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    thread: u32,
    from: u64,
    until: u64,
    slice: Slice,
}

/// What a thread did in a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) calls: u64,
    /// Draws and dispatches.
    pub(crate) draws: u64,
    pub(crate) submissions: u64,
    /// Nanoseconds within calls.
    pub(crate) busy_ns: u64,
}

impl Default for Grid {
    fn default() -> Grid {
        Grid { width: 1024, threads: BTreeMap::new(), last: Last::default() }
    }
}

impl Slice {
    /// Adds another one.
    pub(crate) fn add(&mut self, other: &Slice) {
        self.calls += other.calls;
        self.draws += other.draws;
        self.submissions += other.submissions;
        self.busy_ns += other.busy_ns;
    }
}

impl Grid {
    /// A call began.
    pub(crate) fn call(&mut self, thread: u32, time_ns: u64, kind: Kind) {
        let call = Slice {
            calls: 1,
            draws: u64::from(kind.draws()),
            submissions: u64::from(kind == Kind::Submit),
            busy_ns: 0,
        };
        let last = &mut self.last;
        if last.thread != thread || !(last.from..last.until).contains(&time_ns) {
            self.flush();
            self.widen(time_ns);
            let from = time_ns / self.width * self.width;
            self.last = Last { thread, from, until: from.saturating_add(self.width), slice: Slice::default() };
        }
        self.last.slice.add(&call);
    }

    /// Puts what was told last among the slices; after the last call.
    pub(crate) fn flush(&mut self) {
        let Last { thread, from, slice, .. } = std::mem::take(&mut self.last);
        if slice.calls > 0 {
            self.add(thread, from, &slice);
        }
    }

    /// A thread was within a call.
    pub(crate) fn busy(&mut self, thread: u32, begin: u64, end: u64) {
        let end = end.max(begin);
        self.widen(end);
        for place in begin / self.width..=end / self.width {
            let from = begin.max(place * self.width);
            let to = end.min((place + 1).saturating_mul(self.width));
            self.add(thread, place * self.width, &Slice { busy_ns: to.saturating_sub(from), ..Slice::default() });
        }
    }

    fn widen(&mut self, time_ns: u64) {
        while time_ns / self.width >= SLICES {
            self.width *= 2;
            for slices in self.threads.values_mut() {
                let mut halved: Vec<(u32, Slice)> = Vec::with_capacity(slices.len() / 2 + 1);
                for (place, slice) in slices.iter() {
                    match halved.last_mut().filter(|(last, _)| *last == place / 2) {
                        Some((_, last)) => last.add(slice),
                        None => halved.push((place / 2, *slice)),
                    }
                }
                *slices = halved;
            }
        }
    }

    fn add(&mut self, thread: u32, time_ns: u64, slice: &Slice) {
        self.widen(time_ns);
        let place = (time_ns / self.width) as u32;
        let slices = self.threads.entry(thread).or_default();
        // Mostly the last slice. The time within a call is added when it ends, to slices that lie further back.
        let at = match slices.last() {
            Some((last, _)) if *last < place => slices.len(),
            _ => slices.partition_point(|(own, _)| *own < place),
        };
        match slices.get_mut(at).filter(|(own, _)| *own == place) {
            Some((_, own)) => own.add(slice),
            None => slices.insert(at, (place, *slice)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_slices_grow() {
        let mut grid = Grid::default();
        let mut time = 1;
        for _ in 0..50 {
            grid.call(3, time, Kind::Draw);
            grid.busy(3, time, time + time / 2);
            time += time / 2 + 1;
        }
        grid.flush();
        let mut all = Slice::default();
        grid.threads[&3].iter().for_each(|(_, slice)| all.add(slice));
        assert_eq!((all.calls, all.draws), (50, 50));
        assert!(grid.threads[&3].len() <= SLICES as usize);
        let mut time = 1;
        let mut busy = 0;
        for _ in 0..50 {
            busy += time / 2;
            time += time / 2 + 1;
        }
        assert_eq!(all.busy_ns, busy);
    }

    #[test]
    fn the_far_future_is_no_loop_without_end() {
        let mut grid = Grid::default();
        grid.call(0, u64::MAX, Kind::Get);
        grid.busy(0, u64::MAX - 5, u64::MAX);
        grid.flush();
        assert_eq!(grid.threads[&0].iter().map(|(_, slice)| slice.calls).sum::<u64>(), 1);
    }
}
