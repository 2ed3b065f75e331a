//! Recording: draws alone and with the state that changes between them, dispatches, barriers, and a list's own beginning
//! and end.

use super::{Operation, WIN64};
use crate::call;
use crate::com::slot;
use crate::make::{self, Maker};
use crate::stage::{DESCRIPTORS, Stage};
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::types::*;

const DRAWS: u32 = 10_000;

/// Calls of a direct list that is open.
#[derive(Clone, Copy)]
struct List {
    stage: &'static Stage,
    list: *mut c_void,
    constant_buffer: usize,
    dispatch: usize,
    compute_root: usize,
    compute_constants: usize,
    index_buffer: usize,
    draw_indexed: usize,
    copy_buffer: usize,
}

impl List {
    fn new(stage: &'static Stage) -> Result<List> {
        let of = |name| slot("ID3D12GraphicsCommandList", name);
        Ok(List {
            stage,
            list: stage.list,
            constant_buffer: of("SetGraphicsRootConstantBufferView")?,
            dispatch: of("Dispatch")?,
            compute_root: of("SetComputeRootSignature")?,
            compute_constants: of("SetComputeRoot32BitConstants")?,
            index_buffer: of("IASetIndexBuffer")?,
            draw_indexed: of("DrawIndexedInstanced")?,
            copy_buffer: of("CopyBufferRegion")?,
        })
    }

    #[inline(always)]
    unsafe fn draw(&self) {
        // SAFETY: by the caller.
        unsafe { call!(WIN64, self.list, self.stage.slots.draw, (u32, u32, u32, u32) -> (), (3, 1, 0, 0)) };
    }

    #[inline(always)]
    unsafe fn constants(&self, i: u32) {
        let values = [i, i ^ 5, !i, 7];
        // SAFETY: by the caller.
        unsafe {
            call!(WIN64, self.list, self.stage.slots.constants, (u32, u32, *const u32, u32) -> (), (1, 4, values.as_ptr(), 0));
        }
    }

    #[inline(always)]
    unsafe fn table(&self, i: u32) {
        let handle = self.stage.gpu + u64::from(i % DESCRIPTORS) * self.stage.increment;
        // SAFETY: by the caller.
        unsafe { call!(WIN64, self.list, self.stage.slots.table, (u32, u64) -> (), (0, handle)) };
    }

    #[inline(always)]
    unsafe fn root_buffer(&self, i: u32) {
        let address = self.stage.address + u64::from(i % 256) * 256;
        // SAFETY: by the caller.
        unsafe { call!(WIN64, self.list, self.constant_buffer, (u32, u64) -> (), (2, address)) };
    }

    #[inline(always)]
    unsafe fn vertices(&self, i: u32) {
        let at = u64::from(i % 16) * 256;
        let view =
            D3D12_VERTEX_BUFFER_VIEW { BufferLocation: self.stage.address + at, SizeInBytes: 256, StrideInBytes: 16 };
        // SAFETY: by the caller.
        unsafe {
            call!(WIN64, self.list, self.stage.slots.vertex_buffers, (u32, u32, *const D3D12_VERTEX_BUFFER_VIEW) -> (),
                (0, 1, &raw const view));
        }
    }

    #[inline(always)]
    unsafe fn set_pipeline(&self, pipeline: *mut c_void) {
        // SAFETY: by the caller.
        unsafe { call!(WIN64, self.list, self.stage.slots.pipeline, (*mut c_void) -> (), (pipeline)) };
    }

    #[inline(always)]
    unsafe fn barrier(&self, barrier: &D3D12_RESOURCE_BARRIER) {
        // SAFETY: by the caller.
        unsafe {
            call!(WIN64, self.list, self.stage.slots.barrier, (u32, *const D3D12_RESOURCE_BARRIER) -> (), (1, barrier));
        }
    }
}

/// A loop of calls on one list.
macro_rules! on {
    ($list:ident, $name:literal, |$i:pat_param| $body:expr) => {
        Operation::new($name, DRAWS, move |number| {
            for $i in 0..number {
                // SAFETY: the list is open; what is passed lives as long as the process.
                unsafe { $body }
            }
        })
        // SAFETY: the list is closed or open, its allocator not in use.
        .after(move || unsafe { $list.stage.begin::<WIN64>() })
    };
}

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    let list = List::new(stage)?;
    let of = |name| slot("ID3D12GraphicsCommandList", name);
    // SAFETY: a System V runtime's device, by the caller's promise; so below.
    let (other, reads, compute, texture, target) = unsafe {
        (
            make.pipeline(stage.root_signature, false)?,
            make.pipeline(stage.root_signature, true)?,
            make.compute(stage.root_signature)?,
            make.resource(1, &make::texture_desc(64, D3D12_RESOURCE_FLAGS::default()))?,
            make.resource(1, &make::buffer_desc(65_536))?,
        )
    };
    let (source, close, reset) = (stage.buffer, stage.slots.close, stage.slots.reset);
    let scissors = of("RSSetScissorRects")?;
    let mut written = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::UAV, ..Default::default() };
    written.Anonymous.UAV.pResource = stage.buffer;
    let transition = move |before, after| {
        let mut barrier =
            D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::TRANSITION, ..Default::default() };
        barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
            pResource: texture,
            Subresource: u32::MAX,
            StateBefore: before,
            StateAfter: after,
        };
        barrier
    };
    let (read, copied) = (D3D12_RESOURCE_STATES::PIXEL_SHADER_RESOURCE, D3D12_RESOURCE_STATES::COPY_DEST);
    let transitions = [transition(read, copied), transition(copied, read)];
    let compute_begin = move || {
        // SAFETY: the list is closed or open, its allocator not in use.
        unsafe {
            stage.begin::<WIN64>();
            list.set_pipeline(compute);
            call!(WIN64, list.list, list.compute_root, (*mut c_void) -> (), (stage.root_signature));
        }
    };
    let vertex_begin = move || {
        // SAFETY: the list is closed or open, its allocator not in use.
        unsafe {
            stage.begin::<WIN64>();
            list.set_pipeline(reads);
            list.vertices(0);
        }
    };
    Ok(vec![
        on!(list, "DrawInstanced", |_| list.draw()),
        on!(list, "4 root constants + draw", |i| {
            list.constants(i);
            list.draw();
        }),
        on!(list, "root table + draw", |i| {
            list.table(i);
            list.draw();
        }),
        on!(list, "4 root constants + table + draw", |i| {
            list.constants(i);
            list.table(i);
            list.draw();
        }),
        on!(list, "root CBV + draw", |i| {
            list.root_buffer(i);
            list.draw();
        }),
        on!(list, "root CBV + constants + table + draw", |i| {
            list.root_buffer(i);
            list.constants(i);
            list.table(i);
            list.draw();
        }),
        on!(list, "IASetVertexBuffers(1) + draw", |i| {
            list.vertices(i);
            list.draw();
        })
        .after(vertex_begin),
        on!(list, "IASetIndexBuffer + indexed draw", |i| {
            let view = D3D12_INDEX_BUFFER_VIEW {
                BufferLocation: stage.address + u64::from(i % 16) * 256,
                SizeInBytes: 256,
                Format: DXGI_FORMAT::FORMAT_R16_UINT,
            };
            call!(WIN64, list.list, list.index_buffer, (*const D3D12_INDEX_BUFFER_VIEW) -> (), (&raw const view));
            call!(WIN64, list.list, list.draw_indexed, (u32, u32, u32, i32, u32) -> (), (3, 1, 0, 0, 0));
        }),
        on!(list, "SetPipelineState of two in turn + draw", |i| {
            list.set_pipeline(if i % 2 == 0 { other } else { stage.pipeline });
            list.draw();
        }),
        on!(list, "RSSetScissorRects + draw", |i| {
            let rect = RECT { left: 0, top: 0, right: 1 + (i % 16) as i32, bottom: 16 };
            call!(WIN64, list.list, scissors, (u32, *const RECT) -> (), (1, &raw const rect));
            list.draw();
        }),
        on!(list, "Dispatch", |_| {
            call!(WIN64, list.list, list.dispatch, (u32, u32, u32) -> (), (1, 1, 1));
        })
        .after(compute_begin),
        on!(list, "4 root constants + dispatch", |i| {
            let values = [i, i ^ 5, !i, 7];
            call!(WIN64, list.list, list.compute_constants, (u32, u32, *const u32, u32) -> (), (1, 4, values.as_ptr(), 0));
            call!(WIN64, list.list, list.dispatch, (u32, u32, u32) -> (), (1, 1, 1));
        })
        .after(compute_begin),
        on!(list, "ResourceBarrier, UAV", |_| list.barrier(&written)),
        on!(list, "ResourceBarrier, texture transition", |i| list.barrier(&transitions[(i % 2) as usize])),
        on!(list, "CopyBufferRegion of 256 bytes", |i| {
            let at = u64::from(i % 256) * 256;
            call!(WIN64, list.list, list.copy_buffer, (*mut c_void, u64, *mut c_void, u64, u64) -> (),
                (target, at, source, at, 256));
        }),
        Operation::new("Close + allocator's Reset + Reset, 1 draw", 2000, move |number| {
            for _ in 0..number {
                // SAFETY: no GPU uses the list.
                unsafe {
                    stage.begin::<WIN64>();
                    list.draw();
                }
            }
        })
        // SAFETY: the list is closed or open, its allocator not in use.
        .after(move || unsafe { stage.begin::<WIN64>() }),
        Operation::new("Close + Reset, empty", 2000, move |number| {
            for _ in 0..number {
                // SAFETY: no GPU uses the list. The allocator is not reset, as programs with many lists do it.
                unsafe {
                    call!(WIN64, list.list, close, () -> i32, ());
                    call!(WIN64, list.list, reset, (*mut c_void, *mut c_void) -> i32, (stage.allocator, stage.pipeline));
                }
            }
        })
        // SAFETY: the list is closed or open, its allocator not in use.
        .after(move || unsafe { stage.begin::<WIN64>() }),
    ])
}
