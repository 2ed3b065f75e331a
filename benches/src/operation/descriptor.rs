//! Descriptors: created in heaps that shaders see and in heaps that they do not, and copied from the latter to the former.

use super::{Operation, WIN64, scattered};
use crate::call;
use crate::com::slot;
use crate::make::{self, Maker};
use crate::stage::{DESCRIPTORS, Stage};
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::types::*;

const CREATED: u32 = 20_000;
const RANGE: u32 = 64;
/// Views of a buffer that differ.
const SPANS: u32 = 1024;

/// A kind of descriptor, by how it is created at a handle. The second argument lets descriptors differ.
type Create = Box<dyn Fn(u64, u32)>;

fn texture_view() -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
        Shader4ComponentMapping: 0x1688,
        ..Default::default()
    };
    desc.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() };
    desc
}

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    let device = stage.device;
    let of = |name| slot("ID3D12Device", name);
    let (srv, uav, cbv) =
        (of("CreateShaderResourceView")?, of("CreateUnorderedAccessView")?, of("CreateConstantBufferView")?);
    // SAFETY: a System V runtime's device, by the caller's promise; so below.
    let (texture, buffer, written, other, samplers) = unsafe {
        (
            make.resource(1, &make::texture_desc(256, D3D12_RESOURCE_FLAGS::default()))?,
            make.resource(1, &make::buffer_desc(1 << 20))?,
            make.resource(
                1,
                &D3D12_RESOURCE_DESC {
                    Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS,
                    ..make::buffer_desc(1 << 20)
                },
            )?,
            make.heap(0, DESCRIPTORS, false)?.1,
            [make.heap(1, 2048, false)?.1, make.heap(1, 2048, true)?.1],
        )
    };
    let view = texture_view();
    let read = move |i: u32, stride: u32| {
        let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
            Format: if stride == 0 { DXGI_FORMAT::FORMAT_R32_FLOAT } else { DXGI_FORMAT::FORMAT_UNKNOWN },
            ViewDimension: D3D12_SRV_DIMENSION::BUFFER,
            Shader4ComponentMapping: 0x1688,
            ..Default::default()
        };
        desc.Anonymous.Buffer = D3D12_BUFFER_SRV {
            FirstElement: u64::from(i % SPANS) * 4,
            NumElements: 16,
            StructureByteStride: stride,
            ..Default::default()
        };
        desc
    };
    let write = move |i: u32| {
        let mut desc =
            D3D12_UNORDERED_ACCESS_VIEW_DESC { ViewDimension: D3D12_UAV_DIMENSION::BUFFER, ..Default::default() };
        desc.Anonymous.Buffer = D3D12_BUFFER_UAV {
            FirstElement: u64::from(i % SPANS) * 4,
            NumElements: 16,
            StructureByteStride: 16,
            ..Default::default()
        };
        desc
    };
    type Srv = *const D3D12_SHADER_RESOURCE_VIEW_DESC;
    let kinds: [(&'static str, &'static str, Create); 6] = [
        (
            "CreateShaderResourceView, texture, CPU heap",
            "CreateShaderResourceView, texture, GPU heap",
            Box::new(move |at, _| {
                // SAFETY: objects of the device, a descriptor of one of its heaps.
                unsafe {
                    call!(WIN64, device, srv, (*mut c_void, Srv, u64) -> (), (texture, &raw const view, at));
                }
            }),
        ),
        (
            "CreateShaderResourceView, null, CPU heap",
            "CreateShaderResourceView, null, GPU heap",
            Box::new(move |at, _| {
                // SAFETY: objects of the device, a descriptor of one of its heaps.
                unsafe {
                    call!(WIN64, device, srv, (*mut c_void, Srv, u64) -> (), (core::ptr::null_mut(), &raw const view, at));
                }
            }),
        ),
        (
            "CreateShaderResourceView, structured buffer, CPU heap",
            "CreateShaderResourceView, structured buffer, GPU heap",
            Box::new(move |at, i| {
                // SAFETY: objects of the device, a descriptor of one of its heaps.
                unsafe {
                    let desc = read(i, 16);
                    call!(WIN64, device, srv, (*mut c_void, Srv, u64) -> (), (buffer, &raw const desc, at));
                }
            }),
        ),
        (
            "CreateShaderResourceView, typed buffer, CPU heap",
            "CreateShaderResourceView, typed buffer, GPU heap",
            Box::new(move |at, i| {
                // SAFETY: objects of the device, a descriptor of one of its heaps.
                unsafe {
                    let desc = read(i, 0);
                    call!(WIN64, device, srv, (*mut c_void, Srv, u64) -> (), (buffer, &raw const desc, at));
                }
            }),
        ),
        (
            "CreateUnorderedAccessView, buffer, CPU heap",
            "CreateUnorderedAccessView, buffer, GPU heap",
            Box::new(move |at, i| {
                // SAFETY: objects of the device, a descriptor of one of its heaps.
                unsafe {
                    let desc = write(i);
                    call!(WIN64, device, uav, (*mut c_void, *mut c_void, *const D3D12_UNORDERED_ACCESS_VIEW_DESC, u64) -> (),
                    (written, core::ptr::null_mut(), &raw const desc, at));
                }
            }),
        ),
        (
            "CreateConstantBufferView, CPU heap",
            "CreateConstantBufferView, GPU heap",
            Box::new(move |at, i| {
                // SAFETY: objects of the device, a descriptor of one of its heaps.
                unsafe {
                    let desc = D3D12_CONSTANT_BUFFER_VIEW_DESC {
                        BufferLocation: stage.address + u64::from(i % 256) * 256,
                        SizeInBytes: 256,
                    };
                    call!(WIN64, device, cbv, (*const D3D12_CONSTANT_BUFFER_VIEW_DESC, u64) -> (), (&raw const desc, at));
                }
            }),
        ),
    ];
    let (increment, visible, hidden) = (stage.increment, stage.cpu, stage.source);
    let mut all = Vec::new();
    let mut copies = Vec::new();
    for ((in_hidden, in_visible, create), copied) in kinds.into_iter().zip([
        Some("CopyDescriptorsSimple(1), scattered, texture SRV"),
        None,
        Some("CopyDescriptorsSimple(1), scattered, buffer SRV"),
        None,
        Some("CopyDescriptorsSimple(1), scattered, buffer UAV"),
        Some("CopyDescriptorsSimple(1), scattered, CBV"),
    ]) {
        let create: &'static dyn Fn(u64, u32) = Box::leak(create);
        let fill = move |heap: u64| {
            move |number: u32| {
                for i in 0..number {
                    create(heap + u64::from(i) * increment, i);
                }
            }
        };
        all.push(Operation::new(in_hidden, CREATED, fill(other)));
        all.push(Operation::new(in_visible, CREATED, fill(visible)));
        if let Some(name) = copied {
            let simple = stage.slots.copy_simple;
            let run = move |number: u32| {
                for i in 0..number {
                    let to = visible + u64::from(scattered(i, DESCRIPTORS)) * increment;
                    let from = hidden + u64::from(scattered(i ^ 0x5555, DESCRIPTORS)) * increment;
                    // SAFETY: descriptors of the stage's heaps.
                    unsafe { call!(WIN64, device, simple, (u32, u64, u64, i32) -> (), (1, to, from, 0)) };
                }
            };
            copies.push(Operation::new(name, DESCRIPTORS, run).after(move || fill(hidden)(DESCRIPTORS)));
        }
    }
    all.extend(copies);
    all.extend(many(stage)?);
    let (sampler, simple) = (of("CreateSampler")?, stage.slots.copy_simple);
    let desc = D3D12_SAMPLER_DESC {
        AddressU: D3D12_TEXTURE_ADDRESS_MODE::WRAP,
        AddressV: D3D12_TEXTURE_ADDRESS_MODE::WRAP,
        AddressW: D3D12_TEXTURE_ADDRESS_MODE::WRAP,
        ..Default::default()
    };
    let create = move |number: u32| {
        for i in 0..number {
            let at = samplers[0] + u64::from(i % 2048) * increment;
            // SAFETY: a descriptor of a heap of samplers.
            unsafe { call!(WIN64, device, sampler, (*const D3D12_SAMPLER_DESC, u64) -> (), (&raw const desc, at)) };
        }
    };
    all.push(Operation::new("CreateSampler, CPU heap", CREATED, create));
    all.push(
        Operation::new("CopyDescriptorsSimple(1), scattered, sampler", CREATED, move |number| {
            for i in 0..number {
                let [from, to] = samplers.map(|heap| heap + u64::from(scattered(i, 2048)) * increment);
                // SAFETY: descriptors of heaps of samplers.
                unsafe { call!(WIN64, device, simple, (u32, u64, u64, i32) -> (), (1, to, from, 1)) };
            }
        })
        .after(move || create(2048)),
    );
    Ok(all)
}

/// Copies of more than one descriptor a call; the figures are per call.
fn many(stage: &'static Stage) -> Result<Vec<Operation>> {
    let (device, increment, visible, hidden) = (stage.device, stage.increment, stage.cpu, stage.source);
    let (simple, ranges) = (stage.slots.copy_simple, slot("ID3D12Device", "CopyDescriptors")?);
    let places = DESCRIPTORS / RANGE;
    let at = move |heap: u64, i: u32| heap + u64::from(scattered(i, places) * RANGE) * increment;
    Ok(vec![
        Operation::new("CopyDescriptorsSimple(64), CBVs", 2000, move |number| {
            for i in 0..number {
                // SAFETY: descriptors of the stage's heaps.
                unsafe {
                    call!(WIN64, device, simple, (u32, u64, u64, i32) -> (),
                        (RANGE, at(visible, i), at(hidden, i), 0));
                }
            }
        }),
        Operation::new("CopyDescriptors, 16 single sources to a range", 2000, move |number| {
            for i in 0..number {
                let (to, count) = (at(visible, i), 16u32);
                let from: [u64; 16] = core::array::from_fn(|one| at(hidden, i + one as u32));
                // SAFETY: descriptors of the stage's heaps, arrays of ours.
                unsafe {
                    call!(WIN64, device, ranges,
                        (u32, *const u64, *const u32, u32, *const u64, *const u32, i32) -> (),
                        (1, &raw const to, &raw const count, 16, from.as_ptr(), core::ptr::null(), 0));
                }
            }
        }),
    ])
}
