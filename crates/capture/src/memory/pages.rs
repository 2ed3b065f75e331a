//! The table of protected pages: two bits for each page of the whole address space.
//!
//! Invariants, while the lock is free: an armed page is writable if and only if it counts as written. Pages that a system call
//! may be storing to ([`pin`]) count as written until the call ends. So a store to an armed page either faults, or the next
//! [`take_some`] reports it. Every function may run in a signal handler: it does not allocate, and touches only atomics.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use super::page_lock::{locked, locked_in_handler};
use super::userfault::PAGE;
use crate::host::kernel;
use crate::session::words;

/// Pages of a leaf: 1 GiB.
const LEAF_PAGES: usize = 1 << 18;
const WORDS: usize = LEAF_PAGES / 64;
/// Leaves that 47 bits of addresses need.
const LEAVES: usize = 1 << 17;

/// What is known of the pages of 1 GiB.
#[repr(C)]
struct Leaf {
    armed: [AtomicU64; WORDS],
    /// Stored to since the page was armed or last taken; only of armed pages.
    written: [AtomicU64; WORDS],
}

/// By address: made when memory there is first armed, kept for good. What is never touched takes no memory.
static TABLE: [AtomicPtr<Leaf>; LEAVES] = [const { AtomicPtr::new(std::ptr::null_mut()) }; LEAVES];

/// Bounds of all that ever was armed: system calls look at nothing else of this file where they store elsewhere.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

/// How often pages were disarmed.
static DISARMED: AtomicUsize = AtomicUsize::new(0);

/// Where system calls may be storing: start and end, both 0 where the place is free. Changed under the lock.
static PINS: [(AtomicUsize, AtomicUsize); 64] = [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; 64];

/// Runs that are taken at a time, with the lock held once.
pub(super) const RUNS: usize = 256;
/// From so many runs on, one request protects everything between the first and the last: its pages are protected but for these
/// runs, and the kernel walks over a thousand pages in the time of one request.
const FEW: usize = 8;

/// A forked child has one thread, and the lock may have been another's.
#[cfg(unix)]
pub(super) fn after_fork() {
    super::page_lock::after_fork();
    for (start, end) in &PINS {
        start.store(0, Ordering::Relaxed);
        end.store(0, Ordering::Relaxed);
    }
}

fn leaf(page: usize) -> Option<&'static Leaf> {
    let leaf = TABLE.get(page / LEAF_PAGES)?.load(Ordering::Acquire);
    // SAFETY: null, or a leaf that is never given back.
    unsafe { leaf.as_ref() }
}

/// Makes the leaves of some pages.
fn make_leaves(pages: &Range<usize>) -> io::Result<()> {
    let Some(last) = (pages.end / PAGE).checked_sub(1) else { return Ok(()) };
    for index in pages.start / PAGE / LEAF_PAGES..=last / LEAF_PAGES {
        let Some(slot) = TABLE.get(index) else { return Err(io::ErrorKind::Unsupported.into()) };
        if !slot.load(Ordering::Acquire).is_null() {
            continue;
        }
        let made = kernel::zeros(size_of::<Leaf>())?;
        // Zeros are a leaf of pages that are not armed. Another thread's leaf stays if it was first.
        let kept = slot.compare_exchange(std::ptr::null_mut(), made.cast(), Ordering::AcqRel, Ordering::Acquire);
        if kept.is_err() {
            // SAFETY: mapped just now, and nobody else knows it.
            unsafe { kernel::give_back(made, size_of::<Leaf>()) };
        }
    }
    Ok(())
}

/// Calls `each` with every word of the table that has some of `pages`: the leaf, the word's index in it, the bits of these
/// pages, and the address that its lowest bit stands for.
fn each_word(pages: &Range<usize>, mut each: impl FnMut(&Leaf, usize, u64, usize)) {
    let (mut page, end) = (pages.start / PAGE, pages.end / PAGE);
    while page < end {
        let first = page & !63;
        let next = (first + 64).min(end);
        if let Some(leaf) = leaf(page) {
            let bits = (u64::MAX << (page - first)) & (u64::MAX >> (first + 64 - next));
            each(leaf, page % LEAF_PAGES / 64, bits, first * PAGE);
        }
        page = next;
    }
}

/// Changes what may be done with pages. Only raw: `errno` is the interrupted code's.
fn protect(pages: &Range<usize>, writable: bool) -> io::Result<()> {
    kernel::protect(pages.start, pages.len(), writable)
}

/// A thread stored to `address` and was refused. True when that was our doing, and the store may be tried again. Called by the
/// signal handler.
pub(super) fn resolve(address: usize) -> bool {
    let page = address / PAGE;
    let Some(leaf) = leaf(page) else { return false };
    let (word, bit) = (page % LEAF_PAGES / 64, 1u64 << (page % 64));
    if leaf.armed[word].load(Ordering::Acquire) & bit == 0 {
        return is_disarmed_since();
    }
    locked_in_handler(|| {
        if leaf.armed[word].load(Ordering::Relaxed) & bit == 0 {
            // Disarmed meanwhile, and so writable.
            return true;
        }
        leaf.written[word].fetch_or(bit, Ordering::Relaxed);
        let start = page * PAGE;
        if protect(&(start..start + PAGE), true).is_ok() {
            return true;
        }
        give_up(&(start..start + PAGE)).is_ok()
    })
}

/// Whether pages were disarmed since this was last asked in this thread. If so, the page of a fault may have been one of them,
/// armed at the store and disarmed before the handler looked: the store is tried again. A fault that is the program's comes
/// back, and then only disarming that went on meanwhile makes it come back once more.
fn is_disarmed_since() -> bool {
    let now = DISARMED.load(Ordering::Relaxed);
    words::words().disarmed.replace(now) != now
}

/// Makes some armed pages writable, and all others around them. Each change of a page in the midst of others divides a
/// mapping, and the number of mappings is limited: where that is reached, what lies around is given up until the next report,
/// which makes it one mapping again. The lock is held.
fn give_up(pages: &Range<usize>) -> io::Result<()> {
    let around = around(pages.start / PAGE).start..around((pages.end - 1) / PAGE).end;
    lift_now(&around);
    protect(&around, true)
}

/// Makes armed pages writable, with all around them if need be. The lock is held.
pub(super) fn unprotect(pages: &Range<usize>) {
    if protect(pages, true).is_err() {
        // What is refused now is memory that is gone: a store to it fails with or without us.
        let _ = give_up(pages);
    }
}

/// The run of armed pages that a page lies in, as addresses, within one leaf.
fn around(page: usize) -> Range<usize> {
    let armed = |page: usize| {
        leaf(page)
            .is_some_and(|leaf| leaf.armed[page % LEAF_PAGES / 64].load(Ordering::Relaxed) & 1 << (page % 64) != 0)
    };
    let (first, last) = (page / LEAF_PAGES * LEAF_PAGES, (page / LEAF_PAGES + 1) * LEAF_PAGES);
    let start = (first..page).rev().take_while(|page| armed(*page)).last().unwrap_or(page);
    let end = (page + 1..last).take_while(|page| armed(*page)).last().unwrap_or(page) + 1;
    start * PAGE..end * PAGE
}

/// Counts all armed pages of a range as written. The lock is held; the caller makes them writable.
fn lift_now(pages: &Range<usize>) {
    each_word(pages, |leaf, word, bits, _| {
        leaf.written[word].fetch_or(leaf.armed[word].load(Ordering::Relaxed) & bits, Ordering::Relaxed);
    });
}

/// Makes those pages of a range writable that are armed and not yet so, and counts them as written. The lock is held.
pub(super) fn lift(pages: &Range<usize>) {
    runs_of(
        pages,
        |leaf, word| leaf.armed[word].load(Ordering::Relaxed) & !leaf.written[word].load(Ordering::Relaxed),
        {
            |run| {
                lift_now(&run);
                unprotect(&run);
            }
        },
    );
}

/// Calls `each` with every run of pages whose bits `of` gives. The lock is held.
fn runs_of(pages: &Range<usize>, of: impl Fn(&Leaf, usize) -> u64, mut each: impl FnMut(Range<usize>)) {
    let mut run: Option<Range<usize>> = None;
    each_word(pages, |leaf, word, bits, address| {
        let mut found = of(leaf, word) & bits;
        while found != 0 {
            let first = found.trailing_zeros() as usize;
            let count = (found >> first).trailing_ones() as usize;
            let (start, end) = (address + first * PAGE, address + (first + count) * PAGE);
            match &mut run {
                Some(run) if run.end == start => run.end = end,
                _ => {
                    if let Some(run) = run.replace(start..end) {
                        each(run);
                    }
                }
            }
            found &= u64::MAX.checked_shl((first + count) as u32).unwrap_or(0);
        }
    });
    if let Some(run) = run {
        each(run);
    }
}

/// The kernel is about to store to `start..start + len` for the program: a system call cannot be resumed after a fault as the
/// program can, it fails. Pages there count as written until the pin goes.
#[cfg(target_os = "linux")]
#[inline(always)]
pub(super) fn pin(start: usize, len: usize) -> Option<Pin> {
    if start >= HIGHEST.load(Ordering::Relaxed) || start.saturating_add(len) <= LOWEST.load(Ordering::Relaxed) {
        return None;
    }
    pin_armed(start, len)
}

#[cfg(target_os = "linux")]
#[cold]
#[inline(never)]
fn pin_armed(start: usize, len: usize) -> Option<Pin> {
    let pages = start & !(PAGE - 1)..start.checked_add(len)?.checked_add(PAGE - 1)? & !(PAGE - 1);
    let any = || {
        let mut any = false;
        each_word(&pages, |leaf, word, bits, _| any |= leaf.armed[word].load(Ordering::Relaxed) & bits != 0);
        any
    };
    if len == 0 || !any() {
        return None;
    }
    locked(|| {
        // Without a free place the call may still fail when a report comes in its midst; 64 such calls at a time are many.
        let place = PINS.iter().position(|(_, end)| end.load(Ordering::Relaxed) == 0);
        if let Some(place) = place {
            PINS[place].0.store(pages.start, Ordering::Relaxed);
            PINS[place].1.store(pages.end, Ordering::Relaxed);
        }
        lift(&pages);
        place.map(Pin)
    })
}

/// The kernel may store there while this lives.
#[cfg(target_os = "linux")]
pub(super) struct Pin(usize);

#[cfg(target_os = "linux")]
impl Drop for Pin {
    fn drop(&mut self) {
        // `written` and writable the pages stay, until they are taken.
        locked(|| {
            PINS[self.0].0.store(0, Ordering::Relaxed);
            PINS[self.0].1.store(0, Ordering::Relaxed);
        });
    }
}

/// The pins over some pages. The lock is held.
fn pins(pages: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let load = |pin: &(AtomicUsize, AtomicUsize)| pin.0.load(Ordering::Relaxed)..pin.1.load(Ordering::Relaxed);
    let (start, end) = (pages.start, pages.end);
    PINS.iter().map(load).filter(move |pin| pin.start < end && pin.end > start)
}

/// Arms pages, all of them counted as not written.
///
/// # Errors
/// What the kernel says: of memory for the table, or of the protection.
pub(super) fn arm(pages: &Range<usize>) -> io::Result<()> {
    make_leaves(pages)?;
    LOWEST.fetch_min(pages.start, Ordering::Relaxed);
    HIGHEST.fetch_max(pages.end, Ordering::Relaxed);
    locked(|| {
        each_word(pages, |leaf, word, bits, _| {
            leaf.written[word].fetch_and(!bits, Ordering::Relaxed);
            leaf.armed[word].fetch_or(bits, Ordering::Release);
        });
        let done = protect(pages, false);
        if done.is_err() {
            unprotect(pages);
            clear(pages);
        } else {
            pins(pages).for_each(|pin| lift(&(pin.start.max(pages.start)..pin.end.min(pages.end))));
        }
        done
    })
}

/// Nothing is known of these pages any more. The lock is held.
pub(super) fn clear(pages: &Range<usize>) {
    // Before the bits: whoever sees them gone sees this.
    DISARMED.fetch_add(1, Ordering::Relaxed);
    each_word(pages, |leaf, word, bits, _| {
        leaf.armed[word].fetch_and(!bits, Ordering::Release);
        leaf.written[word].fetch_and(!bits, Ordering::Relaxed);
    });
}

/// Collects written runs until `runs` is full, and protects what it collected but for what is pinned. Gives the address up to
/// which it came. The lock is held.
///
/// # Errors
/// What the kernel says of the protection.
pub(super) fn take_some(pages: &Range<usize>, runs: &mut [Range<usize>; RUNS], found: &mut usize) -> io::Result<usize> {
    let mut next = pages.end;
    runs_of(
        pages,
        |leaf, word| leaf.written[word].load(Ordering::Relaxed),
        |run| {
            if let Some(place) = runs.get_mut(*found) {
                *found += 1;
                *place = run;
            } else if next == pages.end {
                next = run.start;
            }
        },
    );
    let runs = &runs[..*found];
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return Ok(next) };
    let span = first.start..last.end;
    if runs.len() < FEW {
        runs.iter().try_for_each(|run| protect(run, false))?;
    } else {
        protect(&span, false)?;
    }
    each_word(&span, |leaf, word, bits, _| {
        leaf.written[word].fetch_and(!bits, Ordering::Relaxed);
    });
    pins(&span).for_each(|pin| lift(&(pin.start.max(span.start)..pin.end.min(span.end))));
    Ok(next)
}
