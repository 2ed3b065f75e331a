//! Commands that the runtime does not have, and those that only ask for what it always does.
//!
//! Invariant: a list that was asked for one of them does not close, so that nothing else is executed in its place.

use core::ffi::c_void;

use reprise_com::Slots;
use reprise_d3d12::types::{D3D12_SHADING_RATE, D3D12_SHADING_RATE_COMBINER};

use crate::list::array::array;
use crate::list::recording::Recording;
use crate::{Error, Result};

/// The function that makes `Close` fail. It takes fewer parameters than the method, which both calling conventions allow:
/// the caller removes what it has passed.
macro_rules! missing {
    ($($name:literal),* $(,)?) => {
        /// The methods.
        pub(super) const LIST_METHODS: &Slots = &[
            $(($name, {
                unsafe extern "C" fn refuse(this: *mut c_void) {
                    // SAFETY: a list of ours; the program calls no other method of it meanwhile.
                    unsafe { Recording::on_any(this, |_| Err(Error::Unsupported($name))) };
                }
                refuse as *const c_void
            }),)*
            ("RSSetShadingRate", set_shading_rate as *const c_void),
            ("RSSetShadingRateImage", set_shading_rate_image as *const c_void),
            ("SetProtectedResourceSession", set_protected_session as *const c_void),
            ("SetSamplePositions", set_sample_positions as *const c_void),
            ("SetViewInstanceMask", set_view_mask as *const c_void),
        ];

        /// Names of the commands that are always refused.
        #[cfg(test)]
        const NAMES: &[&str] = &[$($name),*];
    };
}

missing! {
    "InitializeMetaCommand",
    "ExecuteMetaCommand",
    "SetProgram",
    "DispatchGraph",
}

/// Asking for what is so anyway is no error.
fn unless(is_so: bool, what: &'static str) -> Result<()> {
    if is_so { Ok(()) } else { Err(Error::Unsupported(what)) }
}

unsafe extern "C" fn set_shading_rate(
    this: *mut c_void,
    rate: D3D12_SHADING_RATE,
    combiners: *const D3D12_SHADING_RATE_COMBINER,
) {
    const COMBINERS: u32 = 2;
    // SAFETY: a list of ours, the program's array.
    unsafe {
        Recording::on_any(this, |_| {
            // Every combination of rates that are all 1x1 is 1x1, but for sums.
            let plain = |combiner: &D3D12_SHADING_RATE_COMBINER| *combiner != D3D12_SHADING_RATE_COMBINER::SUM;
            let plain = array(combiners, COMBINERS).iter().all(plain);
            unless(plain && rate == D3D12_SHADING_RATE::RATE_1X1, "RSSetShadingRate")
        });
    }
}

unsafe extern "C" fn set_shading_rate_image(this: *mut c_void, image: *mut c_void) {
    // SAFETY: a list of ours.
    unsafe { Recording::on_any(this, |_| unless(image.is_null(), "RSSetShadingRateImage")) };
}

unsafe extern "C" fn set_protected_session(this: *mut c_void, session: *mut c_void) {
    // SAFETY: a list of ours.
    unsafe { Recording::on_any(this, |_| unless(session.is_null(), "SetProtectedResourceSession")) };
}

/// Without positions the usual ones are meant.
unsafe extern "C" fn set_sample_positions(this: *mut c_void, samples: u32, pixels: u32, _positions: *const c_void) {
    // SAFETY: a list of ours.
    unsafe { Recording::on_any(this, |_| unless(samples == 0 && pixels == 0, "SetSamplePositions")) };
}

/// Masks are for pipelines with view instances; those are refused when they are made.
unsafe extern "C" fn set_view_mask(_this: *mut c_void, _mask: u32) {}

#[cfg(test)]
mod tests;
