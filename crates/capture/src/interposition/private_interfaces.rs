//! The private interfaces of vkd3d-proton that `D3D12GetInterface` gives out: one connects its two libraries, one has switches
//! for its own tests.
//!
//! Neither is a COM object: their tables begin with methods of their own in place of `QueryInterface`. So the program gets
//! them without a wrapper, and the trace says so once. An interface that the model does not know may be of that kind, too: it
//! goes to the program as it is, and the trace names it.

use core::ffi::c_void;
use std::sync::atomic::{AtomicU8, Ordering};

use reprise_d3d12::model::Guid;
use reprise_trace::fact;

use crate::{entry, model};

/// The classes, as bytes of their ids.
const CLASSES: [[u8; 16]; 2] = [
    [0xad, 0xef, 0x53, 0xed, 0x21, 0xda, 0x96, 0x4d, 0xa1, 0xbc, 0xe7, 0x34, 0xe0, 0x78, 0x87, 0x9c],
    [0xef, 0x2d, 0x06, 0xca, 0xe9, 0x49, 0x2b, 0x4e, 0x80, 0x5d, 0x81, 0x79, 0xd0, 0xa7, 0x9b, 0x3b],
];

/// Which of these the process is past; a trace takes the word once.
const UNSEEN: u8 = 0;
const SEEN: u8 = 1;
const TOLD: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(UNSEEN);

/// Whether a call of `D3D12GetInterface` asks for one of them, or for an interface that may not be a COM interface at all.
///
/// # Safety
/// `class` is null or the id of a class, `interface` null or that of an interface.
pub(super) unsafe fn asked_for(class: *const c_void, interface: *const c_void) -> bool {
    if class.is_null() || interface.is_null() {
        return false;
    }
    const { assert!(size_of::<Guid>() == 16) };
    // SAFETY: an id is 16 bytes, wherever it lies.
    let (class, interface) =
        unsafe { (class.cast::<[u8; 16]>().read_unaligned(), interface.cast::<Guid>().read_unaligned()) };
    if CLASSES.contains(&class) {
        let _ = STATE.compare_exchange(UNSEEN, SEEN, Ordering::Relaxed, Ordering::Relaxed);
        return true;
    }
    let unknown = model::by_iid(&interface).is_none();
    if unknown {
        entry::gap(0, &format!("interface {interface} of D3D12GetInterface is unknown: it is passed on unrecorded"));
    }
    unknown
}

/// Says in the trace that there were such calls.
pub(super) fn told() {
    if STATE.compare_exchange(SEEN, TOLD, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        let text = r#"{"private_interfaces":"vkd3d-proton's own, passed on unrecorded"}"#;
        entry::fact(0, fact::META, text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_two_classes_and_unknown_interfaces_are_private() {
        let mut class = CLASSES[1];
        let device = reprise_d3d12::interface("ID3D12DeviceFactory").get().iid;
        let device = (&raw const device).cast();
        // SAFETY: ids, and null.
        unsafe {
            assert!(asked_for(class.as_ptr().cast(), device));
            class[15] ^= 1;
            assert!(!asked_for(class.as_ptr().cast(), device));
            assert!(asked_for(class.as_ptr().cast(), CLASSES[0].as_ptr().cast()), "an interface that nobody knows");
            assert!(!asked_for(core::ptr::null(), device));
            assert!(!asked_for(class.as_ptr().cast(), core::ptr::null()));
        }
    }
}
