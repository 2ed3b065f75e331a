//! Stream output: declarations as places in buffers.

use reprise_d3d12::types::{D3D12_SO_DECLARATION_ENTRY, D3D12_STREAM_OUTPUT_DESC};
use reprise_shader::StreamOutput;

use crate::{Error, Result};

/// Buffers.
const BUFFERS: usize = 4;
/// Most declarations.
const ENTRIES: u32 = 512;

/// Reads the declarations; empty where there is no stream output.
///
/// # Safety
/// What the structure points to is readable.
///
/// # Errors
/// When a number is beyond what the API allows, or an output is given in pieces, which is not supported.
pub(super) unsafe fn read(desc: &D3D12_STREAM_OUTPUT_DESC) -> Result<Vec<StreamOutput>> {
    if desc.NumEntries == 0 || desc.pSODeclaration.is_null() {
        return Ok(Vec::new());
    }
    if desc.NumEntries > ENTRIES || desc.NumStrides as usize > BUFFERS {
        return Err(Error::Invalid("too many entries or strides of stream output"));
    }
    let strides = match desc.pBufferStrides.is_null() {
        true => &[],
        // SAFETY: by contract.
        false => unsafe { core::slice::from_raw_parts(desc.pBufferStrides, desc.NumStrides as usize) },
    };
    // SAFETY: by contract.
    let entries = unsafe { core::slice::from_raw_parts(desc.pSODeclaration, desc.NumEntries as usize) };
    let mut ends = [0u32; BUFFERS];
    let mut outputs = Vec::new();
    for entry in entries {
        let D3D12_SO_DECLARATION_ENTRY { SemanticName: name, OutputSlot: slot, .. } = *entry;
        let end = ends.get_mut(usize::from(slot)).ok_or(Error::Invalid("a stream output slot is beyond 3"))?;
        let offset = *end;
        *end = offset.saturating_add(u32::from(entry.ComponentCount) * 4);
        // A gap.
        if name.is_null() {
            continue;
        }
        if entry.StartComponent != 0 {
            return Err(Error::Unsupported("stream output that begins within an output"));
        }
        outputs.push(StreamOutput {
            // SAFETY: by contract, a string that ends with zero.
            semantic: unsafe { core::ffi::CStr::from_ptr(name.cast()) }.to_string_lossy().into_owned(),
            index: entry.SemanticIndex,
            offset,
            stride: strides.get(usize::from(slot)).copied().unwrap_or(0),
            buffer: slot.into(),
        });
    }
    // Without strides vertices lie close together.
    for output in &mut outputs {
        if output.stride == 0 {
            output.stride = ends.get(output.buffer as usize).copied().unwrap_or(0);
        }
    }
    Ok(outputs)
}
