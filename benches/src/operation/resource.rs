//! Resources: made and released, mapped, asked.

use super::{Operation, WIN64};
use crate::call;
use crate::com::{iid, slot};
use crate::make::{self, Maker};
use crate::stage::Stage;
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;

const RELEASE: usize = 2;

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    let (device, buffer) = (stage.device, stage.buffer);
    let of = |name| slot("ID3D12Resource", name);
    let (map, unmap, address) = (of("Map")?, of("Unmap")?, of("GetGPUVirtualAddress")?);
    let create = slot("ID3D12Device", "CreateCommittedResource")?;
    let placed = slot("ID3D12Device", "CreatePlacedResource")?;
    let id = iid("ID3D12Resource")?;
    // SAFETY: a System V runtime's device, by the caller's promise; so below.
    let heap = unsafe { make.memory(1 << 20)? };
    let release = |code: i32, resource: *mut c_void| {
        assert!(code >= 0, "a resource could not be made: 0x{code:08x}");
        // SAFETY: the only reference to the resource, which nothing uses.
        unsafe { call!(WIN64, resource, RELEASE, () -> u32, ()) };
    };
    let committed = move |name, kind: i32, desc: D3D12_RESOURCE_DESC| {
        let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE(kind), ..Default::default() };
        let state = if kind == 2 { D3D12_RESOURCE_STATES::GENERIC_READ } else { D3D12_RESOURCE_STATES::COMMON };
        Operation::new(name, 500, move |number| {
            for _ in 0..number {
                let mut out = core::ptr::null_mut();
                // SAFETY: a System V runtime's device.
                let code = unsafe {
                    call!(WIN64, device, create,
                        (*const D3D12_HEAP_PROPERTIES, u32, *const D3D12_RESOURCE_DESC, D3D12_RESOURCE_STATES, *const c_void, *const Guid, *mut *mut c_void) -> i32,
                        (&raw const properties, 0, &raw const desc, state, core::ptr::null(), &raw const id, &raw mut out))
                };
                release(code, out);
            }
        })
        // What is not zero is cleared by others.
        .of_all_threads()
    };
    let place = move |name, desc: D3D12_RESOURCE_DESC| {
        Operation::new(name, 500, move |number| {
            for i in 0..number {
                let mut out = core::ptr::null_mut();
                // SAFETY: the resource fits into the heap.
                let code = unsafe {
                    call!(WIN64, device, placed,
                        (*mut c_void, u64, *const D3D12_RESOURCE_DESC, i32, *const c_void, *const Guid, *mut *mut c_void) -> i32,
                        (heap, u64::from(i % 16) << 16, &raw const desc, 0, core::ptr::null(), &raw const id, &raw mut out))
                };
                release(code, out);
            }
        })
    };
    let texture = make::texture_desc(64, D3D12_RESOURCE_FLAGS::default());
    Ok(vec![
        committed("CreateCommittedResource + Release, upload buffer 64 KiB", 2, make::buffer_desc(65_536)),
        committed("CreateCommittedResource + Release, default buffer 64 KiB", 1, make::buffer_desc(65_536)),
        committed("CreateCommittedResource + Release, texture 64 x 64", 1, texture),
        place("CreatePlacedResource + Release, buffer", make::buffer_desc(65_536)),
        Operation::new("Map + Unmap", 20_000, move |number| {
            for _ in 0..number {
                let mut at: *mut c_void = core::ptr::null_mut();
                // SAFETY: a buffer in an upload heap.
                unsafe {
                    call!(WIN64, buffer, map, (u32, *const c_void, *mut *mut c_void) -> i32,
                        (0, core::ptr::null(), &raw mut at));
                    call!(WIN64, buffer, unmap, (u32, *const c_void) -> (), (0, core::ptr::null()));
                }
            }
        }),
        Operation::new("GetGPUVirtualAddress", 20_000, move |number| {
            for _ in 0..number {
                // SAFETY: a buffer.
                core::hint::black_box(unsafe { call!(WIN64, buffer, address, () -> u64, ()) });
            }
        }),
    ])
}
