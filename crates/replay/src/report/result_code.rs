//! The result code of a call, compared with the recorded one.

use reprise_codec::Codec;

use super::{Change, Difference, request};
use crate::call::open_call::OpenCall;
use crate::error::Error;
use crate::hresult::HresultName;

/// Refuses a result that says that the device is removed, where the recorded one does not.
///
/// # Errors
/// The device is removed here.
pub(crate) fn check_device(call: &OpenCall, recorded: u32, here: u32) -> Result<(), Error> {
    if is_removed(here) && !is_removed(recorded) {
        return Err(Error::DeviceRemoved { place: call.place.clone(), reason: HresultName(here).to_string() });
    }
    Ok(())
}

/// The call returned something else than at capture, and nothing was lost by it.
pub(crate) fn difference(codec: &Codec, call: &OpenCall, recorded: u32, here: u32) -> Difference {
    let [before, now] = [recorded, here].map(|code| HresultName(code).to_string());
    let what = match (recorded as i32 >= 0, here as i32 >= 0) {
        (false, true) => format!("failed at capture with {before}, and succeeds here with {now}"),
        _ => format!("returned {before}, here {now}"),
    };
    let change = Some(Change { field: "result".into(), recorded: before, here: now });
    Difference { place: call.place.clone(), what, change, asked: request::of_call(codec, call), count: 1 }
}

/// `DXGI_ERROR_DEVICE_REMOVED`, `DXGI_ERROR_DEVICE_HUNG`, `DXGI_ERROR_DEVICE_RESET`.
pub(crate) fn is_removed(code: u32) -> bool {
    matches!(code, 0x887a_0005..=0x887a_0007)
}
