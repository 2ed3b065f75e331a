//! Shaders of a program's pipeline, and why a draw with them is not repeated.

use reprise_d3d12::types::D3D12_SHADER_BYTECODE;
use reprise_dxbc::registers::registers;
use reprise_dxbc::root_signature::Kind;

const WRITES: &str = "its shaders write through unordered views, which a second draw would do again: not supported";

/// Refuses one that writes: the program's draw would find what the second one left.
///
/// # Errors
/// In words: it writes.
pub(super) fn refuse_writes(shader: &[u8]) -> Result<(), String> {
    match registers(shader).iter().any(|register| register.kind == Kind::Uav) {
        true => Err(WRITES.into()),
        false => Ok(()),
    }
}

/// # Safety
/// The bytecode is where the structure says, for as long as the result is used.
pub(super) unsafe fn bytes(shader: &D3D12_SHADER_BYTECODE) -> &[u8] {
    if shader.pShaderBytecode.is_null() {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { core::slice::from_raw_parts(shader.pShaderBytecode.cast::<u8>(), shader.BytecodeLength as usize) }
}
