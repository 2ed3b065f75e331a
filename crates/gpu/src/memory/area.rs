//! Addresses of this process that memory of programs gets in turn, so that another process has the same addresses free.
//!
//! The area lies away from all that systems and libraries put somewhere by themselves. On x86-64 a kernel with random places puts
//! programs from `0x5555_0000_0000` on, with their heaps behind them, and mappings and stacks down from `0x7fff_ffff_f000`; Wine,
//! non-random programs and `MAP_32BIT` lie in the lowest 4 GiB; Go's heap, Java's ZGC and mimalloc take up to `0x1e00_0000_0000`
//! (30 TiB), the address sanitiser from `0x6000_0000_0000` on. So the area is the 16 TiB from 32 TiB on, which a process of 47 or
//! 48 bits has and one of fewer has not. Invariant: an address is given again only when all others had their turn.

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::memory::pages::Pages;

/// The area.
pub(super) const AREA: Range<u64> = 0x2000_0000_0000..0x3000_0000_0000;

/// Bytes between one range and the next: the address just past the end of one is in no other.
const GAP: u64 = 64 << 10;

/// How many ranges are tried where something lies.
const TRIES: u32 = 64;

/// Where the next range begins.
static NEXT: AtomicU64 = AtomicU64::new(AREA.start);

/// Pages of the area: `bytes` and `alignment` as for [`Pages::new`]; `shared` as for [`Pages::shared_at`].
///
/// # Errors
/// Much lies in the area already, or the process has no such addresses.
pub(super) fn pages(bytes: u64, alignment: u64, shared: bool) -> Result<Pages> {
    let map = if shared { Pages::shared_at } else { Pages::at };
    let len = usize::try_from(bytes).map_err(|_| Error::Memory)?;
    let mut error = Error::Memory;
    for _ in 0..TRIES {
        let found = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
            turn(next, bytes, alignment).map(|at| at + bytes + GAP)
        });
        // The same sum again: of what was there before.
        let at = found.ok().and_then(|before| turn(before, bytes, alignment)).ok_or(Error::Memory)?;
        match map(at, len) {
            Ok(pages) => return Ok(pages),
            Err(why) => error = why,
        }
    }
    Err(error)
}

/// Whether a whole range lies in the area.
pub(super) fn holds(base: u64, bytes: u64) -> bool {
    base >= AREA.start && base.checked_add(bytes).is_some_and(|end| end <= AREA.end)
}

/// Where a range begins whose turn it is; `None` for what is larger than the area. Pure.
fn turn(next: u64, bytes: u64, alignment: u64) -> Option<u64> {
    let at = next.checked_next_multiple_of(alignment)?;
    if holds(at, bytes.checked_add(GAP)?) {
        return Some(at);
    }
    let first = AREA.start.checked_next_multiple_of(alignment)?;
    holds(first, bytes + GAP).then_some(first)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn turns_go_round_in_the_area() {
        assert_eq!(turn(AREA.start, 1 << 20, 1 << 16), Some(AREA.start));
        assert_eq!(turn(AREA.start + 1, 1 << 20, 1 << 16), Some(AREA.start + (1 << 16)));
        assert_eq!(turn(AREA.end - (1 << 20), 1 << 20, 1 << 16), Some(AREA.start), "no room for the gap");
        assert_eq!(turn(AREA.end - (1 << 20) - GAP, 1 << 20, 1 << 16), Some(AREA.end - (1 << 20) - GAP));
        assert_eq!(turn(AREA.start, AREA.end - AREA.start, 1 << 16), None);
        assert_eq!(turn(AREA.start, u64::MAX, 1 << 16), None);
        assert!(holds(AREA.start, AREA.end - AREA.start) && !holds(AREA.start - 1, 1) && !holds(AREA.end, 1));
    }

    #[test]
    #[cfg(unix)]
    fn no_range_is_given_twice_in_a_row() {
        let first = pages(1 << 20, 1 << 16, false).unwrap();
        let address = first.base().as_ptr() as u64;
        assert!(holds(address, 1 << 20));
        drop(first);
        assert_ne!(pages(1 << 20, 1 << 16, true).unwrap().base().as_ptr() as u64, address);
    }
}
