//! Mesh dispatches: recorded, and nothing more.

use super::{Operation, WIN64};
use crate::call;
use crate::com::slot;
use crate::make::{self, Maker};
use crate::stage::Stage;
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::types::*;

const DISPATCHES: u32 = 10_000;
/// Shaders of the test programs: their constants are the 12 words at b0, their rectangles the structures at t0.
const MESH: &[u8] = include_bytes!("../../../crates/programs/shaders/mesh.plain.dxil");
const PIXEL: &[u8] = include_bytes!("../../../crates/programs/shaders/mesh.pixel.dxil");

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    // SAFETY: a runtime's device, by the caller's promise; so below.
    let options = unsafe { make.feature::<D3D12_FEATURE_DATA_D3D12_OPTIONS7>(D3D12_FEATURE::D3D12_OPTIONS7)? };
    if options.is_none_or(|options| options.MeshShaderTier < D3D12_MESH_SHADER_TIER::TIER_1) {
        return Ok(Vec::new());
    }
    let constants = D3D12_ROOT_CONSTANTS { ShaderRegister: 0, RegisterSpace: 0, Num32BitValues: 12 };
    let parameters = [
        D3D12_ROOT_PARAMETER {
            ParameterType: D3D12_ROOT_PARAMETER_TYPE::TYPE_32BIT_CONSTANTS,
            Anonymous: D3D12_ROOT_PARAMETER_1 { Constants: constants },
            ..Default::default()
        },
        D3D12_ROOT_PARAMETER {
            ParameterType: D3D12_ROOT_PARAMETER_TYPE::TYPE_SRV,
            Anonymous: D3D12_ROOT_PARAMETER_1 {
                Descriptor: D3D12_ROOT_DESCRIPTOR { ShaderRegister: 0, RegisterSpace: 0 },
            },
            ..Default::default()
        },
    ];
    // SAFETY: objects of one device.
    let (root, pipeline, list, target) = unsafe {
        let root = make.root_signature(&parameters)?;
        let pipeline = make.meshes(root, MESH, PIXEL)?;
        let list = make.query(stage.list, "ID3D12GraphicsCommandList6")?;
        let mut desc = make::texture_desc(16, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET);
        desc.Format = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
        let texture = make.resource(1, &desc)?;
        let (_, target, _) = make.heap(2, 1, false)?;
        call!(WIN64, make.device, slot("ID3D12Device", "CreateRenderTargetView")?,
            (*mut c_void, *const c_void, u64) -> (), (texture, core::ptr::null(), target));
        (root, pipeline, list, target)
    };
    let Some(list) = list else { return Ok(Vec::new()) };
    let dispatch = slot("ID3D12GraphicsCommandList6", "DispatchMesh")?;
    let srv = slot("ID3D12GraphicsCommandList", "SetGraphicsRootShaderResourceView")?;
    let slots = &stage.slots;
    let begin = move || {
        let values = [0u32; 12];
        // SAFETY: the list is closed or open, its allocator not in use; all objects are of one device.
        unsafe {
            stage.begin::<WIN64>();
            call!(WIN64, list, slots.targets, (u32, *const u64, i32, *const c_void) -> (), (1, &raw const target, 0, core::ptr::null()));
            call!(WIN64, list, slots.root_signature, (*mut c_void) -> (), (root));
            call!(WIN64, list, slots.pipeline, (*mut c_void) -> (), (pipeline));
            call!(WIN64, list, slots.constants, (u32, u32, *const u32, u32) -> (), (0, 12, values.as_ptr(), 0));
            call!(WIN64, list, srv, (u32, u64) -> (), (1, stage.address));
        }
    };
    Ok(vec![
        Operation::new("DispatchMesh", DISPATCHES, move |number| {
            for _ in 0..number {
                // SAFETY: the list is open and has what the pipeline needs.
                unsafe { call!(WIN64, list, dispatch, (u32, u32, u32) -> (), (1, 1, 1)) };
            }
        })
        .after(begin),
        Operation::new("4 root constants + DispatchMesh", DISPATCHES, move |number| {
            for i in 0..number {
                let values = [i, i ^ 5, !i, 7];
                // SAFETY: the list is open and has what the pipeline needs.
                unsafe {
                    call!(WIN64, list, slots.constants, (u32, u32, *const u32, u32) -> (), (0, 4, values.as_ptr(), 0));
                    call!(WIN64, list, dispatch, (u32, u32, u32) -> (), (1, 1, 1));
                }
            }
        })
        .after(begin),
    ])
}
