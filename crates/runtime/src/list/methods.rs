//! Methods of lists about the list itself: opening, closing, type.

use core::ffi::c_void;

use reprise_com::result::{E_FAIL, E_INVALIDARG};
use reprise_com::{Object, Slots, guard};
use reprise_d3d12::method;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::{D3D12_COMMAND_LIST_FLAGS, D3D12_COMMAND_LIST_TYPE};

use crate::error::code_at;
use crate::list::command::Command;
use crate::list::{CommandAllocator, CommandList};
use crate::pipeline::PipelineState;
use crate::{Error, Result, device};

/// Methods about the list itself.
pub(super) const LIST_METHODS: &Slots =
    &[("GetType", get_type as *const c_void), ("Close", close as *const c_void), ("Reset", reset as *const c_void)];

unsafe extern "C" fn get_type(this: *mut c_void) -> D3D12_COMMAND_LIST_TYPE {
    // SAFETY: a list of ours.
    unsafe { Object::<CommandList>::this(this) }.kind
}

unsafe extern "C" fn close(this: *mut c_void) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a list of ours; the program calls no other method of it meanwhile.
        unsafe {
            let list = Object::<CommandList>::this(this);
            let closed = list.close(list.recording(), &|| list.private().name());
            code_at(closed, const { method("ID3D12GraphicsCommandList", "Close") })
        }
    })
}

unsafe extern "C" fn reset(this: *mut c_void, allocator: *mut c_void, pipeline: *mut c_void) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a list of ours, the program's allocator and pipeline; no other method of the list runs.
        unsafe {
            let opened = open(Object::this(this), allocator, pipeline);
            code_at(opened, const { method("ID3D12GraphicsCommandList", "Reset") })
        }
    })
}

/// # Safety
/// The pointers are null or COM pointers; no other method of the list runs.
unsafe fn open(list: &Object<CommandList>, allocator: *mut c_void, pipeline: *mut c_void) -> Result<()> {
    // SAFETY: the caller promises: the pointers are null or COM pointers; no other method of the list runs.
    unsafe {
        let allocator =
            Object::<CommandAllocator>::from_pointer(allocator).ok_or(Error::Invalid("no command allocator"))?;
        list.open(list.recording(), allocator)?;
        if let Some(pipeline) = Object::<PipelineState>::from_pointer(pipeline) {
            let recording = list.recording();
            match list.kind {
                D3D12_COMMAND_LIST_TYPE::BUNDLE => recording.commands.push(Command::Pipeline(pipeline.keep())),
                _ => recording.set_pipeline(pipeline),
            }
        }
        Ok(())
    }
}

/// `ID3D12Device::CreateCommandList`.
pub(super) unsafe extern "C" fn create(
    this: *mut c_void,
    nodes: u32,
    kind: D3D12_COMMAND_LIST_TYPE,
    allocator: *mut c_void,
    pipeline: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if iid.is_null() || nodes > 1 {
            return E_INVALIDARG;
        }
        // SAFETY: the slot is of our device's vtable; the objects are null or living COM objects, the id is not null and readable, and `out` is
        // null or room for a pointer.
        unsafe {
            let list = CommandList::make(device::this(this), kind);
            match open(&list, allocator, pipeline) {
                Ok(()) => list.give(&*iid, out),
                Err(error) => code_at(Err(error), const { method("ID3D12Device", "CreateCommandList") }),
            }
        }
    })
}

/// `ID3D12Device4::CreateCommandList1`.
pub(super) unsafe extern "C" fn create_closed(
    this: *mut c_void,
    nodes: u32,
    kind: D3D12_COMMAND_LIST_TYPE,
    _flags: D3D12_COMMAND_LIST_FLAGS,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        let known = matches!(
            kind,
            D3D12_COMMAND_LIST_TYPE::DIRECT
                | D3D12_COMMAND_LIST_TYPE::BUNDLE
                | D3D12_COMMAND_LIST_TYPE::COMPUTE
                | D3D12_COMMAND_LIST_TYPE::COPY
        );
        if iid.is_null() || nodes > 1 || !known {
            return E_INVALIDARG;
        }
        // SAFETY: the slot is of our device's vtable; the id is not null and readable, and `out` is null or room for a pointer.
        unsafe { CommandList::make(device::this(this), kind).give(&*iid, out) }
    })
}
