//! The devices with words, and how each writes them.

use super::words::{Device, Means};
use super::{end, probe};
use crate::session::words::inside;
use crate::{Convention, real};
use core::ffi::c_void;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

/// The entry of a real device.
///
/// # Safety
/// The device is alive, and stays so while a list of it lives.
pub(super) unsafe fn of(convention: Convention, pointer: *mut c_void) -> Arc<Device> {
    static DEVICES: LazyLock<Mutex<HashMap<usize, Weak<Device>>>> = LazyLock::new(Mutex::default);
    // SAFETY: the caller passes a live device.
    let key = unsafe { real::canonical(convention, pointer) } as usize;
    let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = devices.get(&key).and_then(Weak::upgrade) {
        return known;
    }
    devices.retain(|_, device| device.strong_count() > 0);
    let mut device = Device::new(convention, pointer, key);
    // SAFETY: the device is alive.
    match inside(|| unsafe { probe::writes(&device) }) {
        Ok(true) => {}
        Ok(false) => {
            let numbers = device.numbers().inspect_err(|reason| end::give_up(reason));
            device.means = numbers.map_or(Means::Immediate, |numbers| Means::Copies { numbers });
        }
        Err(reason) => {
            reprise_log::warning(format_args!("--markers: whether the runtime writes them is not known: {reason}"));
        }
    }
    let made = Arc::new(device);
    devices.insert(key, Arc::downgrade(&made));
    made
}
