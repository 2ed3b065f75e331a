//! Indirect commands, recorded: alone, and with state that they change. With `REPRISE_GENERATED_COMMANDS=0` ours takes the way of
//! devices that generate no commands.

use super::{Operation, WIN64};
use crate::call;
use crate::com::{iid, slot};
use crate::make::{self, Maker, check};
use crate::stage::Stage;
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;

const CALLS: u32 = 200;
/// Commands of a call that has many.
const MANY: u32 = 64;
/// Bytes from one command to the next, and of all arguments.
const STRIDE: u32 = 48;
const BYTES: u64 = 65_536;

/// An argument that says nothing more than its kind.
fn argument(kind: D3D12_INDIRECT_ARGUMENT_TYPE) -> D3D12_INDIRECT_ARGUMENT_DESC {
    D3D12_INDIRECT_ARGUMENT_DESC { Type: kind, ..Default::default() }
}

/// The signature of such arguments, and of a root signature where they change its.
unsafe fn signature(
    make: &Maker<WIN64>,
    root: *mut c_void,
    arguments: &[D3D12_INDIRECT_ARGUMENT_DESC],
) -> Result<*mut c_void> {
    let desc = D3D12_COMMAND_SIGNATURE_DESC {
        ByteStride: STRIDE,
        NumArgumentDescs: arguments.len() as u32,
        pArgumentDescs: arguments.as_ptr(),
        NodeMask: 0,
    };
    let (id, mut out) = (iid("ID3D12CommandSignature")?, core::ptr::null_mut());
    // SAFETY: a runtime's device, by the caller's promise; everything pointed to is ours.
    let code = unsafe {
        call!(WIN64, make.device, slot("ID3D12Device", "CreateCommandSignature")?,
            (*const D3D12_COMMAND_SIGNATURE_DESC, *mut c_void, *const Guid, *mut *mut c_void) -> i32,
            (&raw const desc, root, &raw const id, &raw mut out))
    };
    check("CreateCommandSignature", code)?;
    Ok(out)
}

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    let mut constants = argument(D3D12_INDIRECT_ARGUMENT_TYPE::CONSTANT);
    constants.Anonymous.Constant =
        D3D12_INDIRECT_ARGUMENT_DESC_1_1 { RootParameterIndex: 1, DestOffsetIn32BitValues: 0, Num32BitValuesToSet: 4 };
    let draw = argument(D3D12_INDIRECT_ARGUMENT_TYPE::DRAW);
    let vertices = argument(D3D12_INDIRECT_ARGUMENT_TYPE::VERTEX_BUFFER_VIEW);
    // SAFETY: a runtime's device, by the caller's promise; objects of one device.
    let (plain, rooted, bound, arguments) = unsafe {
        (
            signature(make, core::ptr::null_mut(), &[draw])?,
            signature(make, stage.root_signature, &[constants, draw])?,
            signature(make, core::ptr::null_mut(), &[vertices, draw])?,
            make.resource(1, &make::buffer_desc(BYTES))?,
        )
    };
    let execute = slot("ID3D12GraphicsCommandList", "ExecuteIndirect")?;
    let calls = |name: &'static str, signature: *mut c_void, most: u32| {
        Operation::new(name, CALLS, move |number| {
            for _ in 0..number {
                // SAFETY: the list is open and has what the pipeline needs; what is passed lives as long as the process.
                unsafe {
                    call!(WIN64, stage.list, execute, (*mut c_void, u32, *mut c_void, u64, *mut c_void, u64) -> (),
                        (signature, most, arguments, 0, core::ptr::null_mut(), 0));
                }
            }
        })
        // SAFETY: the list is closed or open, its allocator not in use.
        .after(move || unsafe { stage.begin::<WIN64>() })
    };
    Ok(vec![
        calls("ExecuteIndirect + state: 1 draw", plain, 1),
        calls("ExecuteIndirect + state: 1 draw with 4 root constants", rooted, 1),
        calls("ExecuteIndirect + state: 64 draws with 4 root constants", rooted, MANY),
        calls("ExecuteIndirect + state: 1 draw with a vertex buffer", bound, 1),
        calls("ExecuteIndirect + state: 64 draws with a vertex buffer", bound, MANY),
    ])
}
