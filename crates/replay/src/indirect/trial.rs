//! Whether a device executes the indirect commands that copy what addresses in memory lead to: asked before anything is recorded.
//!
//! A runtime may make a command signature and refuse its use. Ours does so where Vulkan lacks what the commands need. The refusal
//! shows only when the list is closed, which does not say which call it is about. So replay records one such command into a list of its own
//! and closes it; no queue executes it.

use reprise_d3d12::description::buffer;
use reprise_d3d12::method;
use reprise_d3d12::types::{D3D12_HEAP_TYPE, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES};

use super::commands::Commands;
use super::parts::{Maker, Piece, Program};
use crate::hresult::HresultName;
use crate::runtime::Runtime;
use crate::runtime::replay_objects::{committed, list};

/// What our runtime's lists end with where a command asks for what the device lacks.
const NOT_IMPLEMENTED: u32 = 0x8000_4001;

/// Bytes of the longest command of replay's own, and of the views that it sets.
const BYTES: u64 = 4096;

/// Why a device does not execute what a maker makes, which dispatches `of`; `what` is moved by it.
///
/// # Errors
/// It does not, or cannot be asked.
pub(super) fn of_commands(
    runtime: &Runtime,
    device: u64,
    (maker, of): (&Maker, &Program),
    what: &str,
) -> Result<(), String> {
    match end(runtime, device, (maker.signature, 1), Some(of))? {
        result if (result as i32) < 0 => Err(format!(
            "{what} are moved by indirect commands that set root views, and this device executes none \
             (in Vulkan they need VK_EXT_device_generated_commands or VK_KHR_push_descriptor): a list with one ends with {}",
            HresultName(result)
        )),
        _ => Ok(()),
    }
}

/// Whether our runtime executes the commands of one of the program's signatures on this device. It looks at the signature first, so
/// nothing else need be set.
///
/// # Errors
/// It does not.
pub(super) fn of_signature(runtime: &Runtime, device: u64, signature: u64) -> Result<(), String> {
    // No command at all: what is missing is told all the same.
    match end(runtime, device, (signature, 0), None)? {
        NOT_IMPLEMENTED => {
            Err("this device does not execute the commands of this signature; the runtime's message names what is \
                                missing"
                .into())
        }
        _ => Ok(()),
    }
}

/// What a list with so many commands ends with.
fn end(runtime: &Runtime, device: u64, (signature, count): (u64, u32), of: Option<&Program>) -> Result<u32, String> {
    let (_allocator, list) = list(runtime, device)?;
    let desc = buffer(BYTES, D3D12_RESOURCE_FLAGS::NONE);
    let arguments = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &desc, D3D12_RESOURCE_STATES::COMMON)?;
    let piece = Piece { buffer: arguments.pointer(), offset: 0, address: 0, again: false };
    // SAFETY: list, program, signature and buffer are alive; nobody executes the list.
    let commands = unsafe { Commands::new(runtime, list.pointer()) };
    if let Some(of) = of {
        commands.program(of);
    }
    commands.execute(signature, count, &piece);
    // SAFETY: the list is alive and recording.
    Ok(unsafe { runtime.call(list.pointer(), method("ID3D12GraphicsCommandList", "Close"), &[]) } as u32)
}
