//! Commands that the runtime does not have yet.
//!
//! Invariant: a list that was asked for one of them does not close, so that nothing else is executed in its place. Commands
//! that only prepare others (stream output targets, view instance masks) are not here: those others refuse.

use core::ffi::c_void;

use reprise_com::Slots;

use crate::Error;
use crate::list::recording::Recording;

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
            ("RSSetShadingRateImage", set_shading_rate_image as *const c_void),
        ];
    };
}

missing! {
    "AtomicCopyBufferUINT",
    "AtomicCopyBufferUINT64",
    "InitializeMetaCommand",
    "ExecuteMetaCommand",
    "BuildRaytracingAccelerationStructure",
    "EmitRaytracingAccelerationStructurePostbuildInfo",
    "CopyRaytracingAccelerationStructure",
    "SetPipelineState1",
    "DispatchRays",
    "DispatchMesh",
    "SetProgram",
    "DispatchGraph",
}

unsafe extern "C" fn set_shading_rate_image(this: *mut c_void, image: *mut c_void) {
    // SAFETY: a list of ours; the program calls no other method of it meanwhile.
    unsafe { Recording::on_any(this, |_| none(image, "RSSetShadingRateImage")) };
}

/// Taking away what was never there is no error.
fn none(object: *mut c_void, method: &'static str) -> crate::Result<()> {
    if object.is_null() { Ok(()) } else { Err(Error::Unsupported(method)) }
}
