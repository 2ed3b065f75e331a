//! Places of an earlier process, asked for and told by private data ([`reprise_d3d12::place`] has the protocol).

use reprise_com::result::{S_FALSE, S_OK};
use reprise_d3d12::model::Guid;
use reprise_d3d12::place::{HEADER, ID, State};
use reprise_gpu::memory::place::{self, Place};
use reprise_gpu::memory::{Addressing, Slice};
use reprise_gpu::settings::Addresses;

use crate::Device;
use crate::wish::{Next, Wish};

const _: () = assert!(HEADER == place::HEADER && place::BYTES <= reprise_d3d12::place::MOST);

thread_local! {
    /// The place that this thread's next creation is to have.
    static NEXT: Next<Place> = const { Next::new(None) };
}
static WISH: Wish<Place> = Wish::new(&NEXT);

/// `SetPrivateData` of a device.
pub fn ask(device: &Device, id: &Guid, bytes: Option<&[u8]>) -> Option<i32> {
    if *id != ID {
        return None;
    }
    let place = bytes.and_then(|bytes| Place::of(bytes, &device.caps.driver_build()));
    let taken = bytes.is_none() || place.is_some();
    WISH.set(device, place);
    Some(if taken { S_OK } else { S_FALSE })
}

/// Where the creation that begins now is to have its memory.
#[inline]
pub fn next(device: &Device) -> Addressing {
    Addressing::of(WISH.take(device))
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
