//! The tracker of mapped memory against writers that keep a log of their own, on the kind of memory lavapipe maps.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use reprise_capture::memory::userfault::{PAGE, WriteWatch};
use reprise_capture::memory::{mapping::Key, tracker::Tracker};
use reprise_capture::tracking::{Watched, Written};
use reprise_environment::Tracking;
use reprise_testing::missing;

/// A shared mapping of a memory file.
struct Mapped {
    start: *mut u8,
    len: usize,
}

// SAFETY: plain memory; the tests store to it with atomic bytes.
unsafe impl Sync for Mapped {}

impl Mapped {
    fn new(len: usize) -> Self {
        Self::place(std::ptr::null_mut(), len)
    }

    fn place(address: *mut libc::c_void, len: usize) -> Self {
        let fixed = if address.is_null() { 0 } else { libc::MAP_FIXED };
        // SAFETY: a terminated name; the descriptor is used by the calls that follow only; a fixed place is one that the
        // caller gives up.
        unsafe {
            let file = libc::memfd_create(c"test".as_ptr(), libc::MFD_CLOEXEC);
            assert!(file >= 0 && libc::ftruncate(file, len as libc::off_t) == 0);
            let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | fixed);
            let start = libc::mmap(address, len, prot, flags, file, 0);
            assert_ne!(start, libc::MAP_FAILED);
            libc::close(file);
            Self { start: start.cast(), len }
        }
    }

    fn at(&self, offset: usize) -> &AtomicU8 {
        assert!(offset < self.len);
        // SAFETY: within the mapping, which lives as long as `self`; all access of the tests is atomic.
        unsafe { AtomicU8::from_ptr(self.start.add(offset)) }
    }

    /// What is there while nobody stores.
    fn bytes(&self, range: Range<usize>) -> &[u8] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: within the mapping; the writers have been waited for, and the slice is gone before the next store.
        unsafe { std::slice::from_raw_parts(self.start.add(range.start), range.len()) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no reference into it outlives `self`.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}

/// xorshift: a failing run is found again by its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// True where the kernel has what pages mode needs; the tests of that mode have nothing to say elsewhere.
fn kernel_can() -> bool {
    match WriteWatch::open() {
        Ok(_) => true,
        Err(error) => {
            let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
            let mut numbers = release.split(['.', '-']).map_while(|word| word.parse::<u32>().ok());
            let version = (numbers.next().unwrap(), numbers.next().unwrap());
            assert!(version < (6, 7), "Linux {release} refuses: {error}");
            missing::kernel_lacks(&format!("page tracking: Linux {} is older than 6.7", release.trim()));
            false
        }
    }
}

/// Bytes of one page of a mapping: object id, and the offsets in the allocation.
type Piece = (u32, usize, usize);

/// What reports say, applied to a copy of the allocation.
struct Replica {
    bytes: Vec<u8>,
    /// Where each object (id - 1) starts in the allocation.
    starts: Vec<usize>,
    /// Of the reports since it was cleared.
    reported: BTreeSet<Piece>,
    observed: BTreeSet<u32>,
}

impl Replica {
    fn new(len: usize, starts: Vec<usize>) -> Self {
        Self { bytes: vec![0; len], starts, reported: BTreeSet::new(), observed: BTreeSet::new() }
    }

    fn take(&mut self, written: &Written) {
        assert_eq!(written.subresource, 0);
        let from = self.starts[written.object as usize - 1] + written.offset as usize;
        // SAFETY: the tracker says that these bytes are readable now; the copy has its own memory and room for them.
        unsafe {
            std::ptr::copy_nonoverlapping(written.bytes, self.bytes[from..][..written.len].as_mut_ptr(), written.len)
        };
        self.reported.extend(pieces(written.object, from..from + written.len));
        if written.observed {
            self.observed.insert(written.object);
        }
    }

    fn assert_is(&self, memory: &Mapped, place: Range<usize>, context: &str) {
        let (now, then) = (memory.bytes(place.clone()), &self.bytes[place.clone()]);
        if now != then {
            let differs = (0..place.len()).find(|&at| now[at] != then[at]);
            panic!("{context}: {place:?} differs at {differs:?}");
        }
    }
}

/// A range of the allocation cut at pages.
fn pieces(object: u32, range: Range<usize>) -> impl Iterator<Item = Piece> {
    pages(&range).map(move |page| (object, range.start.max(page * PAGE), range.end.min((page + 1) * PAGE)))
}

fn pages(place: &Range<usize>) -> Range<usize> {
    place.start / PAGE..place.end.div_ceil(PAGE)
}

/// One allocation with resources in it, and what the program did to them.
struct World {
    memory: Mapped,
    /// By object id - 1.
    places: Vec<Range<usize>>,
    counts: Vec<u32>,
    known: Vec<bool>,
    /// Pages stored to since a report took them.
    dirty: BTreeSet<usize>,
    replica: Replica,
}

const OBJECTS: usize = 7;
const READBACK: usize = 3;
const LEN: usize = 40 * PAGE;

impl World {
    fn new(random: &mut Random) -> Self {
        let mut places: Vec<Range<usize>> = Vec::new();
        for _ in 0..OBJECTS {
            let start = random.below(LEN - 1);
            places.push(start..start + 1 + random.below((LEN - start - 1).clamp(1, 6 * PAGE)));
        }
        // One is the whole allocation, and one is tiny and shares its page.
        places[0] = 0..LEN;
        let start = places[2].start.min(LEN - 64);
        places[1] = start..start + 64;
        let (counts, known) = (vec![0; OBJECTS], vec![false; OBJECTS]);
        let replica = Replica::new(LEN, places.iter().map(|place| place.start).collect());
        Self { memory: Mapped::new(LEN), places, counts, known, dirty: BTreeSet::new(), replica }
    }

    fn active(&self) -> impl Iterator<Item = (usize, &Range<usize>)> {
        self.places.iter().enumerate().filter(|&(object, _)| self.counts[object] > 0)
    }

    /// The pieces that a report must hold when it looks at `scanned`, by the program's own log; takes them.
    fn expect(&mut self, scanned: &BTreeSet<usize>) -> BTreeSet<Piece> {
        let taken: BTreeSet<usize> = self.dirty.intersection(scanned).copied().collect();
        let all = self.active().flat_map(|(object, place)| pieces(object as u32 + 1, place.clone()));
        let expected = all.filter(|(_, start, _)| taken.contains(&(start / PAGE))).collect();
        self.dirty.retain(|page| !scanned.contains(page));
        expected
    }

    fn assert_replica_is_memory(&self, object: usize, context: &str) {
        self.replica.assert_is(&self.memory, self.places[object].clone(), context);
    }

    /// Where pages are told, the report is what the program's log says. (Comparing tells what changed, not what was stored.)
    fn assert_reported(&self, expected: &BTreeSet<Piece>, mode: Watched, context: &str) {
        let told = |piece: &&Piece| mode == Watched::Pages || piece.0 as usize - 1 != READBACK;
        if mode != Watched::Compare {
            let (reported, expected) = (self.replica.reported.iter().filter(told), expected.iter().filter(told));
            assert!(reported.eq(expected), "{context}: not the log");
        }
    }

    fn map(&mut self, tracker: &mut Tracker, object: usize) -> Watched {
        let place = self.places[object].clone();
        self.counts[object] += 1;
        self.known[object] = true;
        // SAFETY: the range stays mapped until the end of the test.
        unsafe { tracker.map(key(object), self.memory.start.add(place.start), place.len(), object == READBACK) }
    }

    fn store(&mut self, random: &mut Random, object: usize, mode: Watched) {
        let place = self.places[object].clone();
        let from = random.below(place.len());
        let most = if random.below(8) == 0 { 3 * PAGE } else { 16 };
        let to = (from + 1 + random.below(most)).min(place.len());
        for at in place.start + from..place.start + to {
            self.memory.at(at).store(random.next() as u8, Ordering::SeqCst);
            let page = at / PAGE;
            // A page that is only compared is nobody's else to tell.
            let told = |object: usize| mode != Watched::Mprotect || object != READBACK;
            if self.active().any(|(object, place)| told(object) && pages(place).contains(&page)) {
                self.dirty.insert(page);
            }
        }
    }

    fn forget(&mut self, tracker: &mut Tracker, object: usize, mode: Watched) {
        tracker.dying(object as u32 + 1);
        tracker.forget(object as u32 + 1);
        // What the dying resource had of a page is counted as written for all.
        if mode == Watched::Mprotect && self.counts[object] > 0 && object != READBACK {
            self.dirty.extend(pages(&self.places[object]));
        }
        self.counts[object] = 0;
        self.known[object] = false;
        // Protection ends with the last unmap.
        let protected = |object: usize| self.counts[object] > 0 && object != READBACK;
        let known = |&object: &usize| self.known[object] && (mode != Watched::Mprotect || protected(object));
        let kept: BTreeSet<usize> = (0..OBJECTS).filter(known).flat_map(|object| pages(&self.places[object])).collect();
        self.dirty.retain(|page| kept.contains(page));
        // What a resource dies with is nobody's: it was not unmapped, and no submission followed.
        let place = self.places[object].clone();
        self.replica.bytes[place.clone()].copy_from_slice(self.memory.bytes(place));
    }
}

fn key(object: usize) -> Key {
    Key { object: object as u32 + 1, subresource: 0 }
}

/// Random maps, unmaps, stores, flushes and deaths; the program's log says byte for byte what each report must hold.
fn against_log(tracker: Tracker, seed: u64, mode: Watched) {
    let mut random = Random(seed);
    let mut world = World::new(&mut random);
    // It ends before the memory does.
    let mut tracker = tracker;
    let mut reports = 0;
    for step in 0..2500 {
        let context = format!("seed {seed}, step {step}");
        let object = random.below(OBJECTS);
        world.replica.reported.clear();
        match random.below(100) {
            0..10 if world.counts[object] < 3 => {
                // The GPU's stores to readback memory make no fault.
                let expected = if (mode, object) == (Watched::Mprotect, READBACK) { Watched::Compare } else { mode };
                assert_eq!(world.map(&mut tracker, object), expected, "{context}: {:?}", tracker.refused());
            }
            10..18 => {
                let was = world.counts[object] > 0;
                let told = tracker.unmap(key(object), &mut |written| world.replica.take(written));
                assert_eq!(told, was, "{context}");
                if was {
                    // What is compared says nothing of pages.
                    let told = (mode, object) != (Watched::Mprotect, READBACK);
                    let scanned = pages(&world.places[object]).filter(|_| told).collect();
                    let expected = world.expect(&scanned);
                    world.assert_reported(&expected, mode, &context);
                    world.assert_replica_is_memory(object, &context);
                    world.counts[object] -= 1;
                }
            }
            18..20 => world.forget(&mut tracker, object, mode),
            20..35 => {
                tracker.flush(&mut |written| world.replica.take(written));
                let scanned = world.active().flat_map(|(_, place)| pages(place)).collect();
                let expected = world.expect(&scanned);
                world.assert_reported(&expected, mode, &context);
                reports += usize::from(!expected.is_empty());
                for object in 0..OBJECTS {
                    if world.counts[object] > 0 {
                        world.assert_replica_is_memory(object, &context);
                    }
                }
                tracker.flush(&mut |written| panic!("{context}: {written:?} again, though nothing was stored"));
            }
            _ if world.counts[object] > 0 => world.store(&mut random, object, mode),
            _ => {}
        }
    }
    assert!(reports > 50, "the run must say something");
    assert!(world.replica.observed.iter().all(|&object| object == 4), "only what was mapped as readback is observed");
}

#[test]
fn page_reports_equal_the_log() {
    if kernel_can() {
        for seed in 1..=12 {
            against_log(Tracker::new(Tracking::Pages), seed * 0x9e37_79b9, Watched::Pages);
        }
    }
}

#[test]
fn fault_reports_equal_the_log() {
    for seed in 1..=12 {
        against_log(Tracker::new(Tracking::Mprotect), seed * 0x9e37_79b9, Watched::Mprotect);
    }
}

#[test]
fn comparing_finds_every_change() {
    for seed in 1..=4 {
        against_log(Tracker::new(Tracking::Compare), seed * 0x9e37_79b9, Watched::Compare);
    }
}

/// Threads store while another flushes: in the end the reports make up the memory, and no page is named that none wrote.
fn against_threads(tracker: Tracker) {
    const WRITERS: usize = 8;
    let memory = Mapped::new(64 * PAGE);
    let mut tracker = tracker;
    let place = 100..64 * PAGE - 100;
    // SAFETY: mapped until the end of the test.
    unsafe { tracker.map(key(0), memory.start.add(place.start), place.len(), false) };
    let (stop, start) = (AtomicBool::new(false), Barrier::new(WRITERS + 1));
    let mut replica = Replica::new(memory.len, vec![place.start]);
    let logs: Vec<BTreeSet<usize>> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (memory, place, stop, start) = (&memory, place.clone(), &stop, &start);
                scope.spawn(move || {
                    let mut random = Random(77 + writer as u64);
                    let mut log = BTreeSet::new();
                    start.wait();
                    while !stop.load(Ordering::Relaxed) {
                        // Every fourth page stays untouched.
                        let at = place.start + random.below(place.len());
                        if at / PAGE % 4 != 3 {
                            memory.at(at).store(random.next() as u8, Ordering::SeqCst);
                            log.insert(at / PAGE);
                        }
                    }
                    log
                })
            })
            .collect();
        start.wait();
        for _ in 0..60 {
            tracker.flush(&mut |written| replica.take(written));
            std::thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    tracker.flush(&mut |written| replica.take(written));
    let stored: BTreeSet<usize> = logs.into_iter().flatten().collect();
    assert!(stored.len() > 40, "the threads ran");
    let named: BTreeSet<usize> = replica.reported.iter().map(|&(_, start, _)| start / PAGE).collect();
    assert_eq!(named, stored);
    replica.assert_is(&memory, place, "in the end");
}

#[test]
fn threads_lose_nothing_in_pages_mode() {
    if kernel_can() {
        against_threads(Tracker::new(Tracking::Pages));
    }
}

#[test]
fn threads_lose_nothing_in_mprotect_mode() {
    against_threads(Tracker::new(Tracking::Mprotect));
}

#[test]
fn threads_lose_nothing_in_compare_mode() {
    against_threads(Tracker::new(Tracking::Compare));
}

#[test]
fn stores_by_system_calls_are_seen() {
    if !kernel_can() {
        return;
    }
    let memory = Mapped::new(8 * PAGE);
    let mut tracker = Tracker::new(Tracking::Pages);
    // SAFETY: mapped until the end of the test.
    assert_eq!(unsafe { tracker.map(key(0), memory.start, memory.len, false) }, Watched::Pages);
    let zeros = std::fs::File::open("/dev/urandom").unwrap();
    let wanted = 2 * PAGE + 40;
    // SAFETY: the range is within the mapping.
    let read =
        unsafe { libc::read(std::os::fd::AsRawFd::as_raw_fd(&zeros), memory.start.add(3 * PAGE - 20).cast(), wanted) };
    assert_eq!(read, wanted as isize, "the watch must not make system calls fail");
    let mut replica = Replica::new(memory.len, vec![0]);
    tracker.flush(&mut |written| replica.take(written));
    assert_eq!(replica.reported, pieces(1, 2 * PAGE..6 * PAGE).collect());
    replica.assert_is(&memory, 0..memory.len, "after the read");
}

#[test]
fn memory_exchanged_below_us_is_reported_whole_and_watched_again() {
    if !kernel_can() {
        return;
    }
    let memory = Mapped::new(4 * PAGE);
    let mut tracker = Tracker::new(Tracking::Pages);
    // SAFETY: mapped until the end of the test (exchanged in between for a mapping of the same size).
    unsafe { tracker.map(key(0), memory.start, memory.len, false) };
    // SAFETY: the address is that of `memory`, which is not used between; dropping it twice unmaps nothing else, since
    // the second mapping is leaked.
    let exchanged = std::mem::ManuallyDrop::new(Mapped::place(memory.start.cast(), memory.len));
    exchanged.at(5).store(9, Ordering::SeqCst);
    let mut replica = Replica::new(memory.len, vec![0]);
    tracker.flush(&mut |written| replica.take(written));
    assert_eq!(replica.reported, pieces(1, 0..memory.len).collect());
    assert_eq!(replica.bytes[5], 9);
    replica.reported.clear();
    exchanged.at(PAGE).store(1, Ordering::SeqCst);
    tracker.flush(&mut |written| replica.take(written));
    assert_eq!(replica.reported, pieces(1, PAGE..2 * PAGE).collect());
}

#[test]
fn many_runs_come_with_several_requests() {
    if !kernel_can() {
        return;
    }
    let memory = Mapped::new(2048 * PAGE);
    let mut tracker = Tracker::new(Tracking::Pages);
    // SAFETY: mapped until the end of the test.
    unsafe { tracker.map(key(0), memory.start, memory.len, false) };
    for page in (0..2048).step_by(2) {
        memory.at(page * PAGE + 7).store(1, Ordering::SeqCst);
    }
    let mut offsets = Vec::new();
    tracker.flush(&mut |written| {
        assert_eq!(written.len, PAGE);
        offsets.push(written.offset as usize);
    });
    assert_eq!(offsets, (0..2048).step_by(2).map(|page| page * PAGE).collect::<Vec<_>>());
}
