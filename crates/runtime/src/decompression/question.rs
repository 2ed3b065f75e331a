//! What programs hand over as bytes: parameters, and questions of `CheckFeatureSupport`. Knows no device.

use core::ffi::c_void;

use reprise_com::result::E_INVALIDARG;
use reprise_d3d12::types::D3D12_FEATURE_DATA_QUERY_META_COMMAND as Question;

use super::layout::{self, DIRECT_STORAGE};

/// The bytes of parameters. Null is none.
///
/// # Safety
/// `data` is null or has `size` bytes.
pub unsafe fn bytes<'a>(data: *const c_void, size: usize) -> &'a [u8] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: the caller promises.
    unsafe { core::slice::from_raw_parts(data.cast(), size) }
}

/// `CheckFeatureSupport` about a command. `inflates`: the device has DirectStorage's.
///
/// # Errors
/// A code: the command is not here, or the question or the room for the answer is too small.
///
/// # Safety
/// The pointers are null or have as many bytes as are said.
pub unsafe fn answer(inflates: bool, asked: &Question) -> Result<(), i32> {
    // SAFETY: the caller promises.
    let question = unsafe { bytes(asked.pQueryInputData, asked.QueryInputDataSizeInBytes as usize) };
    let here = inflates && asked.CommandId == DIRECT_STORAGE;
    let answer = layout::query(question).filter(|_| here).ok_or(E_INVALIDARG)?;
    if asked.pQueryOutputData.is_null() || asked.QueryOutputDataSizeInBytes < answer.len() as u64 {
        return Err(E_INVALIDARG);
    }
    // SAFETY: the room was checked.
    unsafe { asked.pQueryOutputData.cast::<u8>().copy_from_nonoverlapping(answer.as_ptr(), answer.len()) };
    Ok(())
}
