//! Places of an earlier process, asked for and told by private data ([`reprise_d3d12::place`] has the protocol).
//!
//! Invariant: a place serves one creation of the thread that asked for it, whether that succeeds or not.

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};

use reprise_com::result::{S_FALSE, S_OK};
use reprise_d3d12::model::Guid;
use reprise_d3d12::place::{HEADER, ID, State};
use reprise_gpu::memory::place::{self, Place};
use reprise_gpu::memory::{Addressing, Slice};
use reprise_gpu::settings::Addresses;

use crate::Device;

const _: () = assert!(HEADER == place::HEADER && place::BYTES <= reprise_d3d12::place::MOST);

/// Whether any thread ever asked for a place: most processes never do, and their creations look no further.
static ASKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What this thread's next creation is to have: the device, by the address of its memory, and the place.
    static NEXT: Cell<Option<(usize, Place)>> = const { Cell::new(None) };
}

fn key(device: &Device) -> usize {
    std::sync::Arc::as_ptr(&device.memory) as usize
}

/// `SetPrivateData` of a device.
pub fn ask(device: &Device, id: &Guid, bytes: Option<&[u8]>) -> Option<i32> {
    if *id != ID {
        return None;
    }
    ASKED.store(true, Ordering::Relaxed);
    let place = bytes.and_then(|bytes| Place::of(bytes, &device.caps.driver_build()));
    NEXT.set(place.map(|place| (key(device), place)));
    Some(if bytes.is_none() || place.is_some() { S_OK } else { S_FALSE })
}

/// Where the creation that begins now is to have its memory.
#[inline]
pub fn next(device: &Device) -> Addressing {
    if !ASKED.load(Ordering::Relaxed) {
        return Addressing::Program;
    }
    let asked = NEXT.take().filter(|(asked, _)| *asked == key(device));
    Addressing::of(asked.map(|(_, place)| place))
}

/// `GetPrivateData` of a device.
pub fn of_device(device: &Device, id: &Guid) -> Option<Vec<u8>> {
    (*id == ID).then(|| {
        let state = match device.instance.settings.addresses {
            Addresses::Repeatable => State::Repeatable,
            Addresses::Any | Addresses::Given => State::Any,
        };
        let header = place::header(&device.caps.driver_build());
        [&header[..], &(state as u32).to_le_bytes(), &[0; 4]].concat()
    })
}

/// `GetPrivateData` of what has memory.
pub fn of_slice(device: &Device, id: &Guid, slice: Option<&Slice>) -> Option<Vec<u8>> {
    if *id != ID {
        return None;
    }
    Some(slice?.place()?.bytes(&device.caps.driver_build()).to_vec())
}
