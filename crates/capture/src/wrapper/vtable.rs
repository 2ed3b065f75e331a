//! The vtables that the program sees, all in one static area.
//!
//! Owns the area and which family lies where. Invariant: a word that points into the area is a vtable of ours, and nothing
//! else in the process points there, so one comparison tells our objects from the program's own. A vtable, once built,
//! neither moves nor changes.

use crate::Convention;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use reprise_d3d12::model::InterfaceId;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

/// Words of the area: every family in all conventions needs about half.
const WORDS: usize = 24 << 10;
/// More interfaces than the model has.
const FAMILIES: usize = 1024;

#[repr(C, align(4096))]
struct Area(UnsafeCell<[usize; WORDS]>);

// SAFETY: words are written under `BUILD` before their place is published in `PLACES`, and never again.
unsafe impl Sync for Area {}

static AREA: Area = Area(UnsafeCell::new([0; WORDS]));
/// Place of each family's vtable in the area, by convention; 0 where it is not built.
static PLACES: [[AtomicU32; FAMILIES]; Convention::COUNT] =
    [const { [const { AtomicU32::new(0) }; FAMILIES] }; Convention::COUNT];
/// First free word. Word 0 is never used.
static BUILD: Mutex<u32> = Mutex::new(1);

/// Gives the slots of a family's vtable in a convention, or the blind ones for `None`.
pub(crate) type Slots = fn(Convention, Option<InterfaceId>) -> Vec<usize>;
static SLOTS: OnceLock<Slots> = OnceLock::new();

/// States what fills vtables: the functions behind the slots record calls, and know wrappers, which know their vtables. To be
/// called before the first object is wrapped; the first statement stays.
pub(crate) fn fill_with(slots: Slots) {
    SLOTS.get_or_init(|| slots);
}

/// Whether the object at `pointer` is one of ours.
///
/// # Safety
/// `pointer` is readable for a word, as every COM pointer is.
#[inline(always)]
pub(crate) unsafe fn is_ours(pointer: *const c_void) -> bool {
    // SAFETY: the caller passes a pointer to a readable word.
    is_own(unsafe { *pointer.cast::<usize>() })
}

/// Whether a word is the address of a vtable of ours.
#[inline(always)]
pub(crate) fn is_own(word: usize) -> bool {
    word.wrapping_sub(AREA.0.get() as usize) < WORDS * 8
}

/// The vtable of a family in a convention, or the blind one for `None`; null when the area is full, or
/// nothing fills vtables yet.
pub(crate) fn of(convention: Convention, family: Option<InterfaceId>) -> *const usize {
    let index = family.map_or(FAMILIES - 1, |family| family.0 as usize);
    let Some(place) = PLACES[convention as usize].get(index) else {
        return core::ptr::null();
    };
    let mut at = place.load(Ordering::Acquire);
    if at == 0 {
        at = build(convention, family, place);
    }
    if at == 0 {
        return core::ptr::null();
    }
    // SAFETY: `build` returns only places inside the area.
    unsafe { AREA.0.get().cast::<usize>().add(at as usize) }
}

#[cold]
fn build(convention: Convention, family: Option<InterfaceId>, place: &AtomicU32) -> u32 {
    let mut free = BUILD.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let built = place.load(Ordering::Acquire);
    if built != 0 {
        return built;
    }
    let Some(slots) = SLOTS.get().map(|slots| slots(convention, family)) else { return 0 };
    let at = *free;
    if at as usize + slots.len() > WORDS {
        return 0;
    }
    for (index, slot) in slots.iter().enumerate() {
        // SAFETY: inside the area, as just checked; nobody reads these words before `place` is stored.
        unsafe { AREA.0.get().cast::<usize>().add(at as usize + index).write(*slot) };
    }
    *free = at + slots.len() as u32;
    place.store(at, Ordering::Release);
    at
}
