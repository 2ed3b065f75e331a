//! The effect of each method of a command list on the list's settings: one function a method, in a table by method.
//!
//! Invariant: a method that is not in the table changes no setting.

use super::List;
use super::barriers::{MOST_SUBRESOURCES, State};
use super::bound::{Pipeline, RootArgument, RootView, STREAM_OUTPUT_SLOTS, Setting, VERTEX_SLOTS, put};
use super::marker::{MOST_DEPTH, Marker};
use super::nested::Children;
use super::view::{IndexBuffer, Pass, Predication, SamplePositions, StreamOutput, Target, Targets, VertexBuffer};
use crate::argument;
use crate::argument::{Argument, Bytes, Content, CpuHandle, Damaged, GpuAddress, GpuHandle, Many, ObjectId, One};
use crate::call::Call;
use crate::codec::codec;
use crate::state::Known;
use crate::state::programs::identifier;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::*;
use std::collections::BTreeMap;

/// What a method does. `same` says whether two root signatures are equal.
pub(super) struct Context<'c> {
    pub(super) known: Known<'c>,
    pub(super) same: &'c dyn Fn(u32, u32) -> bool,
}

pub(super) type Effect = fn(&mut List, &Call<'_>, &Context<'_>) -> Result<(), Damaged>;

/// An accessor for a parameter of the first interface of lists.
macro_rules! list_argument {
    ($method:literal, $parameter:literal) => {
        argument!("ID3D12GraphicsCommandList", $method, $parameter)
    };
}

/// A root argument of draws, and its twin of dispatches.
macro_rules! roots {
    ($side:ident: $signature:ident $table:ident $constant:ident $constants:ident $cbv:ident $srv:ident $uav:ident;
     $n_signature:literal $n_table:literal $n_constant:literal $n_constants:literal $n_cbv:literal $n_srv:literal
     $n_uav:literal) => {
        fn $signature(list: &mut List, call: &Call<'_>, context: &Context<'_>) -> Result<(), Damaged> {
            const SIGNATURE: Argument<ObjectId> = list_argument!($n_signature, "pRootSignature");
            list.bound.$side.set_signature(SIGNATURE.of(call)?.0, call.number, context.same);
            Ok(())
        }
        fn $table(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
            const PARAMETER: Argument<u32> = list_argument!($n_table, "RootParameterIndex");
            const BASE: Argument<GpuHandle> = list_argument!($n_table, "BaseDescriptor");
            let table = RootArgument::Table(BASE.of(call)?.0);
            let there = list.bound.$side.set(PARAMETER.of(call)?, table, call.number);
            list.check(there, call)
        }
        fn $constant(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
            const PARAMETER: Argument<u32> = list_argument!($n_constant, "RootParameterIndex");
            const WORD: Argument<u32> = list_argument!($n_constant, "SrcData");
            const OFFSET: Argument<u32> = list_argument!($n_constant, "DestOffsetIn32BitValues");
            let (parameter, offset, word) = (PARAMETER.of(call)?, OFFSET.of(call)?, WORD.of(call)?);
            let there = list.bound.$side.set_constants(parameter, offset, std::iter::once(word), call.number);
            list.check(there, call)
        }
        fn $constants(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
            const PARAMETER: Argument<u32> = list_argument!($n_constants, "RootParameterIndex");
            const WORDS: Argument<Many<u32>> = list_argument!($n_constants, "pSrcData");
            const OFFSET: Argument<u32> = list_argument!($n_constants, "DestOffsetIn32BitValues");
            let (parameter, offset, words) = (PARAMETER.of(call)?, OFFSET.of(call)?, WORDS.of(call)?);
            let there = list.bound.$side.set_constants(parameter, offset, words.iter(), call.number);
            list.check(there, call)
        }
        roots!(view $side $cbv $n_cbv Constants);
        roots!(view $side $srv $n_srv Read);
        roots!(view $side $uav $n_uav Write);
    };
    (view $side:ident $function:ident $name:literal $view:ident) => {
        fn $function(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
            const PARAMETER: Argument<u32> = list_argument!($name, "RootParameterIndex");
            const ADDRESS: Argument<GpuAddress> = list_argument!($name, "BufferLocation");
            let view = RootArgument::View(RootView::$view, ADDRESS.of(call)?.0);
            let there = list.bound.$side.set(PARAMETER.of(call)?, view, call.number);
            list.check(there, call)
        }
    };
}

roots! {
    graphics: graphics_signature graphics_table graphics_constant graphics_constants graphics_cbv graphics_srv graphics_uav;
    "SetGraphicsRootSignature" "SetGraphicsRootDescriptorTable" "SetGraphicsRoot32BitConstant"
    "SetGraphicsRoot32BitConstants" "SetGraphicsRootConstantBufferView" "SetGraphicsRootShaderResourceView"
    "SetGraphicsRootUnorderedAccessView"
}
roots! {
    compute: compute_signature compute_table compute_constant compute_constants compute_cbv compute_srv compute_uav;
    "SetComputeRootSignature" "SetComputeRootDescriptorTable" "SetComputeRoot32BitConstant"
    "SetComputeRoot32BitConstants" "SetComputeRootConstantBufferView" "SetComputeRootShaderResourceView"
    "SetComputeRootUnorderedAccessView"
}

fn clear_state(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const PIPELINE: Argument<ObjectId> = list_argument!("ClearState", "pPipelineState");
    list.set_initial(PIPELINE.of(call)?.0, call.number);
    Ok(())
}

fn pipeline(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const PIPELINE: Argument<ObjectId> = list_argument!("SetPipelineState", "pPipelineState");
    list.bound.set_pipeline(Pipeline::State(PIPELINE.of(call)?.0), call.number);
    Ok(())
}

fn state_object(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const OBJECT: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList4", "SetPipelineState1", "pStateObject");
    list.bound.set_pipeline(Pipeline::StateObject(OBJECT.of(call)?.0), call.number);
    Ok(())
}

fn program(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const PROGRAM: Argument<One<D3D12_SET_PROGRAM_DESC>> =
        argument!("ID3D12GraphicsCommandList10", "SetProgram", "pDesc");
    if let Some(program) = PROGRAM.of(call)? {
        let arguments = codec().decode_enter(call.method, call.enter.bytes);
        let arguments = arguments.map_err(|error| Damaged::new(call.method, error))?;
        // Each type's structure has its identifier, and nothing else of this kind.
        let identifier = arguments.members.iter().find_map(|member| identifier(&member.value)).unwrap_or_default();
        list.bound.set_pipeline(Pipeline::Program { kind: program.Type.0 as u32, identifier }, call.number);
    }
    Ok(())
}

fn heaps(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const HEAPS: Argument<Many<ObjectId>> = list_argument!("SetDescriptorHeaps", "ppDescriptorHeaps");
    let heaps = HEAPS.of(call)?.iter().map(|heap| heap.0).collect();
    list.bound.heaps = Some(Setting { value: heaps, call: call.number });
    Ok(())
}

fn topology(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const TOPOLOGY: Argument<D3D_PRIMITIVE_TOPOLOGY> = list_argument!("IASetPrimitiveTopology", "PrimitiveTopology");
    list.bound.topology = Some(Setting { value: TOPOLOGY.of(call)?.0 as u32, call: call.number });
    Ok(())
}

fn viewports(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const VIEWPORTS: Argument<Many<D3D12_VIEWPORT>> = list_argument!("RSSetViewports", "pViewports");
    let viewport = |v: D3D12_VIEWPORT| [v.TopLeftX, v.TopLeftY, v.Width, v.Height, v.MinDepth, v.MaxDepth];
    let viewports = VIEWPORTS.of(call)?.iter().map(viewport).collect();
    list.bound.viewports = Some(Setting { value: viewports, call: call.number });
    Ok(())
}

fn scissors(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const RECTS: Argument<Many<RECT>> = list_argument!("RSSetScissorRects", "pRects");
    let rects = RECTS.of(call)?.iter().map(|r| [r.left, r.top, r.right, r.bottom]).collect();
    list.bound.scissors = Some(Setting { value: rects, call: call.number });
    Ok(())
}

fn blend_factor(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const FACTOR: Argument<Many<f32>> = list_argument!("OMSetBlendFactor", "BlendFactor");
    let factor = FACTOR.of(call)?;
    // Null stands for ones.
    let value = std::array::from_fn(|at| factor.get(at).unwrap_or(1.0));
    list.bound.blend_factor = Some(Setting { value, call: call.number });
    Ok(())
}

fn stencil_ref(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const STENCIL: Argument<u32> = list_argument!("OMSetStencilRef", "StencilRef");
    list.bound.stencil_ref = Some(Setting { value: [STENCIL.of(call)?; 2], call: call.number });
    Ok(())
}

fn stencil_refs(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const FRONT: Argument<u32> =
        argument!("ID3D12GraphicsCommandList8", "OMSetFrontAndBackStencilRef", "FrontStencilRef");
    const BACK: Argument<u32> =
        argument!("ID3D12GraphicsCommandList8", "OMSetFrontAndBackStencilRef", "BackStencilRef");
    list.bound.stencil_ref = Some(Setting { value: [FRONT.of(call)?, BACK.of(call)?], call: call.number });
    Ok(())
}

fn depth_bounds(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const MIN: Argument<f32> = argument!("ID3D12GraphicsCommandList1", "OMSetDepthBounds", "Min");
    const MAX: Argument<f32> = argument!("ID3D12GraphicsCommandList1", "OMSetDepthBounds", "Max");
    list.bound.depth_bounds = Some(Setting { value: [MIN.of(call)?, MAX.of(call)?], call: call.number });
    Ok(())
}

fn depth_bias(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const BIAS: Argument<f32> = argument!("ID3D12GraphicsCommandList9", "RSSetDepthBias", "DepthBias");
    const CLAMP: Argument<f32> = argument!("ID3D12GraphicsCommandList9", "RSSetDepthBias", "DepthBiasClamp");
    const SLOPE: Argument<f32> = argument!("ID3D12GraphicsCommandList9", "RSSetDepthBias", "SlopeScaledDepthBias");
    let value = [BIAS.of(call)?, CLAMP.of(call)?, SLOPE.of(call)?];
    list.bound.depth_bias = Some(Setting { value, call: call.number });
    Ok(())
}

fn strip_cut(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const CUT: Argument<D3D12_INDEX_BUFFER_STRIP_CUT_VALUE> =
        argument!("ID3D12GraphicsCommandList9", "IASetIndexBufferStripCutValue", "IBStripCutValue");
    list.bound.strip_cut = Some(Setting { value: CUT.of(call)?.0 as u32, call: call.number });
    Ok(())
}

fn sample_positions(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const SAMPLES: Argument<u32> = argument!("ID3D12GraphicsCommandList1", "SetSamplePositions", "NumSamplesPerPixel");
    const PIXELS: Argument<u32> = argument!("ID3D12GraphicsCommandList1", "SetSamplePositions", "NumPixels");
    const POSITIONS: Argument<Many<D3D12_SAMPLE_POSITION>> =
        argument!("ID3D12GraphicsCommandList1", "SetSamplePositions", "pSamplePositions");
    let positions = POSITIONS.of(call)?.iter().map(|at| (at.X, at.Y)).collect();
    let value = SamplePositions { samples: SAMPLES.of(call)?, pixels: PIXELS.of(call)?, positions };
    list.bound.sample_positions = Some(Setting { value, call: call.number });
    Ok(())
}

fn view_instances(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const MASK: Argument<u32> = argument!("ID3D12GraphicsCommandList1", "SetViewInstanceMask", "Mask");
    list.bound.view_instances = Some(Setting { value: MASK.of(call)?, call: call.number });
    Ok(())
}

fn shading_rate(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const RATE: Argument<D3D12_SHADING_RATE> =
        argument!("ID3D12GraphicsCommandList5", "RSSetShadingRate", "baseShadingRate");
    const COMBINERS: Argument<Many<D3D12_SHADING_RATE_COMBINER>> =
        argument!("ID3D12GraphicsCommandList5", "RSSetShadingRate", "combiners");
    let combiners = COMBINERS.of(call)?;
    // Null stands for two that pass on.
    let combiners = std::array::from_fn(|at| combiners.get(at).map_or(0, |combiner| combiner.0 as u32));
    list.bound.shading_rate = Some(Setting { value: (RATE.of(call)?.0 as u32, combiners), call: call.number });
    Ok(())
}

fn shading_rate_image(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const IMAGE: Argument<ObjectId> =
        argument!("ID3D12GraphicsCommandList5", "RSSetShadingRateImage", "shadingRateImage");
    list.bound.shading_rate_image = Some(Setting { value: IMAGE.of(call)?.0, call: call.number });
    Ok(())
}

fn protected_session(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const SESSION: Argument<ObjectId> =
        argument!("ID3D12GraphicsCommandList3", "SetProtectedResourceSession", "pProtectedResourceSession");
    list.bound.protected_session = Some(Setting { value: SESSION.of(call)?.0, call: call.number });
    Ok(())
}

fn predication(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const BUFFER: Argument<ObjectId> = list_argument!("SetPredication", "pBuffer");
    const OFFSET: Argument<u64> = list_argument!("SetPredication", "AlignedBufferOffset");
    const OPERATION: Argument<D3D12_PREDICATION_OP> = list_argument!("SetPredication", "Operation");
    let (buffer, offset, operation) = (BUFFER.of(call)?.0, OFFSET.of(call)?, OPERATION.of(call)?.0 as u32);
    let value = (buffer != 0).then_some(Predication { buffer, offset, operation });
    list.bound.predication = Some(Setting { value, call: call.number });
    Ok(())
}

fn index_buffer(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const VIEW: Argument<One<D3D12_INDEX_BUFFER_VIEW>> = list_argument!("IASetIndexBuffer", "pView");
    let buffer = |view: D3D12_INDEX_BUFFER_VIEW| IndexBuffer {
        address: view.BufferLocation,
        size: view.SizeInBytes,
        format: view.Format.0 as u32,
    };
    list.bound.index = Some(Setting { value: VIEW.of(call)?.map(buffer), call: call.number });
    Ok(())
}

fn vertex_buffers(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const FIRST: Argument<u32> = list_argument!("IASetVertexBuffers", "StartSlot");
    const COUNT: Argument<u32> = list_argument!("IASetVertexBuffers", "NumViews");
    const VIEWS: Argument<Many<D3D12_VERTEX_BUFFER_VIEW>> = list_argument!("IASetVertexBuffers", "pViews");
    let views = VIEWS.of(call)?;
    let (first, mut there) = (FIRST.of(call)? as usize, true);
    for at in 0..(COUNT.of(call)? as usize).min(VERTEX_SLOTS + 1) {
        let buffer = |view: D3D12_VERTEX_BUFFER_VIEW| VertexBuffer {
            address: view.BufferLocation,
            size: view.SizeInBytes,
            stride: view.StrideInBytes,
        };
        let value = Setting { value: views.get(at).map(buffer), call: call.number };
        there &= put(&mut list.bound.vertices, first.saturating_add(at), VERTEX_SLOTS, value);
    }
    list.check(there, call)
}

fn stream_output(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const FIRST: Argument<u32> = list_argument!("SOSetTargets", "StartSlot");
    const COUNT: Argument<u32> = list_argument!("SOSetTargets", "NumViews");
    const VIEWS: Argument<Many<D3D12_STREAM_OUTPUT_BUFFER_VIEW>> = list_argument!("SOSetTargets", "pViews");
    let views = VIEWS.of(call)?;
    let (first, mut there) = (FIRST.of(call)? as usize, true);
    for at in 0..(COUNT.of(call)? as usize).min(STREAM_OUTPUT_SLOTS + 1) {
        let buffer = |view: D3D12_STREAM_OUTPUT_BUFFER_VIEW| StreamOutput {
            address: view.BufferLocation,
            size: view.SizeInBytes,
            filled: view.BufferFilledSizeLocation,
        };
        let value = Setting { value: views.get(at).map(buffer), call: call.number };
        there &= put(&mut list.bound.stream_output, first.saturating_add(at), STREAM_OUTPUT_SLOTS, value);
    }
    list.check(there, call)
}

/// Render targets at once (`D3D12_SIMULTANEOUS_RENDER_TARGET_COUNT`).
const TARGETS: usize = 8;

fn targets(list: &mut List, call: &Call<'_>, context: &Context<'_>) -> Result<(), Damaged> {
    const COUNT: Argument<u32> = list_argument!("OMSetRenderTargets", "NumRenderTargetDescriptors");
    const HANDLES: Argument<Many<CpuHandle>> = list_argument!("OMSetRenderTargets", "pRenderTargetDescriptors");
    const RANGE: Argument<i32> = list_argument!("OMSetRenderTargets", "RTsSingleHandleToDescriptorRange");
    const DEPTH: Argument<One<CpuHandle>> = list_argument!("OMSetRenderTargets", "pDepthStencilDescriptor");
    let (count, handles, depth) = ((COUNT.of(call)? as usize).min(TARGETS), HANDLES.of(call)?, DEPTH.of(call)?);
    let colours = match (RANGE.of(call)? != 0, handles.get(0)) {
        (true, Some(first)) => (0..count).map(|at| target_behind(first, at as u64, context)).collect(),
        _ => handles.iter().take(count).map(|handle| target(handle, context)).collect(),
    };
    let value = Targets { colours, depth: depth.map(|handle| target(handle, context)) };
    list.bound.targets = Some(Setting { value, call: call.number });
    Ok(())
}

/// What a handle of a target holds now.
fn target(handle: CpuHandle, context: &Context<'_>) -> Target {
    let slot = context.known.addresses.cpu(handle.0);
    Target { handle: handle.0, descriptor: slot.and_then(|slot| context.known.descriptors.get(slot)).cloned() }
}

/// The same of a later descriptor of the heap.
fn target_behind(first: CpuHandle, distance: u64, context: &Context<'_>) -> Target {
    let heap = context.known.addresses.cpu(first.0).map(|slot| slot.heap);
    let step = heap.and_then(|heap| context.known.addresses.increment(heap)).unwrap_or(0);
    target(CpuHandle(first.0.wrapping_add(distance.wrapping_mul(step.into()))), context)
}

fn begin_pass(list: &mut List, call: &Call<'_>, context: &Context<'_>) -> Result<(), Damaged> {
    type Colour = D3D12_RENDER_PASS_RENDER_TARGET_DESC;
    const COLOURS: Argument<Many<Colour>> =
        argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "pRenderTargets");
    const FLAGS: Argument<D3D12_RENDER_PASS_FLAGS> =
        argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "Flags");
    let (colours, flags) = (COLOURS.of(call)?, FLAGS.of(call)?);
    let depth = depth_of_pass(call);
    let handle = |handle: D3D12_CPU_DESCRIPTOR_HANDLE| target(CpuHandle(handle.ptr), context);
    let targets = Targets {
        colours: colours.iter().take(TARGETS).map(|colour| handle(colour.cpuDescriptor)).collect(),
        depth: depth.map(|depth| handle(depth.cpuDescriptor)),
    };
    let accesses = |colour: Colour| (colour.BeginningAccess.Type.0 as u32, colour.EndingAccess.Type.0 as u32);
    let pass = Pass {
        flags: flags.0,
        colours: colours.iter().take(TARGETS).map(accesses).collect(),
        depth: depth.map(|depth| {
            [
                (depth.DepthBeginningAccess.Type.0 as u32, depth.DepthEndingAccess.Type.0 as u32),
                (depth.StencilBeginningAccess.Type.0 as u32, depth.StencilEndingAccess.Type.0 as u32),
            ]
        }),
    };
    list.bound.targets = Some(Setting { value: targets, call: call.number });
    list.bound.pass = Some(Setting { value: pass, call: call.number });
    Ok(())
}

/// The depth target of a pass, which stands behind what the colour targets point to.
pub fn depth_of_pass(call: &Call<'_>) -> Option<D3D12_RENDER_PASS_DEPTH_STENCIL_DESC> {
    // Both pointers are in the argument block: at 8 and 16 (checked below, when compiling).
    const COLOURS: usize = 8;
    const DEPTH: usize = 16;
    const _: () = {
        let params = reprise_d3d12::method("ID3D12GraphicsCommandList4", "BeginRenderPass").get().params;
        assert!(params[1].offset as usize == COLOURS && params[2].offset as usize == DEPTH);
    };
    let is_null = |at: usize| call.enter.bytes.get(at..at + 8).is_none_or(|pointer| pointer == [0; 8]);
    if is_null(DEPTH) {
        return None;
    }
    let mut children = Children::of(call)?;
    if !is_null(COLOURS) {
        for colour in children.take::<D3D12_RENDER_PASS_RENDER_TARGET_DESC>()? {
            // SAFETY: the type says which member of the union is in use; all of its bytes were read from the payload.
            let parameters = unsafe { colour.EndingAccess.Anonymous.Resolve.pSubresourceParameters };
            if colour.EndingAccess.Type == D3D12_RENDER_PASS_ENDING_ACCESS_TYPE::RESOLVE && !parameters.is_null() {
                children.take::<D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_SUBRESOURCE_PARAMETERS>()?;
            }
        }
    }
    children.take::<D3D12_RENDER_PASS_DEPTH_STENCIL_DESC>()?.first().copied()
}

fn end_pass(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    // A pass binds its targets for as long as it lasts.
    list.bound.pass = None;
    list.bound.targets = Some(Setting { value: Targets::default(), call: call.number });
    Ok(())
}

/// Bytes of a marker.
fn marker(metadata: u32, data: Option<Content<'_>>, call: u64) -> Marker {
    match data {
        Some(Content::Inline(bytes)) => Marker::new(metadata, bytes, call),
        Some(Content::Blob(id, _)) => Marker::stored(metadata, id, call),
        Some(Content::Absent(_)) | None => Marker::new(metadata, &[], call),
    }
}

/// The marker of a call of `BeginEvent` or `SetMarker`: of a list or a queue.
macro_rules! marker_of {
    ($interface:literal, $method:literal, $call:ident) => {{
        const METADATA: Argument<u32> = argument!($interface, $method, "Metadata");
        const DATA: Argument<Bytes> = argument!($interface, $method, "pData");
        marker(METADATA.of($call)?, DATA.of($call)?, $call.number)
    }};
}

/// `BeginEvent` of a queue.
pub(in crate::state) fn queue_event(call: &Call<'_>) -> Result<Marker, Damaged> {
    Ok(marker_of!("ID3D12CommandQueue", "BeginEvent", call))
}

/// `SetMarker` of a queue.
pub(in crate::state) fn queue_marker(call: &Call<'_>) -> Result<Marker, Damaged> {
    Ok(marker_of!("ID3D12CommandQueue", "SetMarker", call))
}

const SET: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "SetMarker");
const BEGIN: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "BeginEvent");
const SET_ON_QUEUE: MethodId = reprise_d3d12::method("ID3D12CommandQueue", "SetMarker");
const BEGIN_ON_QUEUE: MethodId = reprise_d3d12::method("ID3D12CommandQueue", "BeginEvent");
/// The methods that set markers and begin events.
pub(crate) const MARKERS: [MethodId; 4] = [SET, BEGIN, SET_ON_QUEUE, BEGIN_ON_QUEUE];

/// The marker of a call of `BeginEvent` or `SetMarker`, and whether the call is one of a list and not of a queue; none for other calls.
///
/// # Errors
/// It cannot be read.
pub(crate) fn any_marker(call: &Call<'_>) -> Result<Option<(Marker, bool)>, Damaged> {
    Ok(match call.method {
        SET => Some((marker_of!("ID3D12GraphicsCommandList", "SetMarker", call), true)),
        BEGIN => Some((marker_of!("ID3D12GraphicsCommandList", "BeginEvent", call), true)),
        SET_ON_QUEUE => Some((queue_marker(call)?, false)),
        BEGIN_ON_QUEUE => Some((queue_event(call)?, false)),
        _ => None,
    })
}

fn begin_event(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    let marker = marker_of!("ID3D12GraphicsCommandList", "BeginEvent", call);
    if list.markers.len() < MOST_DEPTH {
        list.markers.push(marker);
    }
    Ok(())
}

fn end_event(list: &mut List, _: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    list.markers.pop();
    Ok(())
}

fn set_marker(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    list.last_marker = Some(marker_of!("ID3D12GraphicsCommandList", "SetMarker", call));
    Ok(())
}

fn begin_query(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const HEAP: Argument<ObjectId> = list_argument!("BeginQuery", "pQueryHeap");
    const TYPE: Argument<D3D12_QUERY_TYPE> = list_argument!("BeginQuery", "Type");
    const INDEX: Argument<u32> = list_argument!("BeginQuery", "Index");
    list.queries.insert((HEAP.of(call)?.0, TYPE.of(call)?.0 as u32, INDEX.of(call)?), call.number);
    Ok(())
}

fn end_query(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const HEAP: Argument<ObjectId> = list_argument!("EndQuery", "pQueryHeap");
    const TYPE: Argument<D3D12_QUERY_TYPE> = list_argument!("EndQuery", "Type");
    const INDEX: Argument<u32> = list_argument!("EndQuery", "Index");
    list.queries.remove(&(HEAP.of(call)?.0, TYPE.of(call)?.0 as u32, INDEX.of(call)?));
    Ok(())
}

/// `D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES`.
const ALL: u32 = u32::MAX;

fn barriers(list: &mut List, call: &Call<'_>, _: &Context<'_>) -> Result<(), Damaged> {
    const BARRIERS: Argument<Many<D3D12_RESOURCE_BARRIER>> = list_argument!("ResourceBarrier", "pBarriers");
    for barrier in BARRIERS.of(call)?.iter() {
        let begins = barrier.Flags.0 & D3D12_RESOURCE_BARRIER_FLAGS::BEGIN_ONLY.0 != 0;
        if barrier.Type != D3D12_RESOURCE_BARRIER_TYPE::TRANSITION || begins {
            continue;
        }
        // SAFETY: the type says which member of the union is in use; all of its bytes were read from the payload.
        let transition = unsafe { barrier.Anonymous.Transition };
        let subresource = (transition.Subresource != ALL).then_some(transition.Subresource);
        let state = Setting { value: State::Legacy(transition.StateAfter.0), call: call.number };
        list.states.entry(transition.pResource as usize as u32).or_default().set(subresource, state);
    }
    Ok(())
}

fn enhanced_barriers(list: &mut List, call: &Call<'_>, context: &Context<'_>) -> Result<(), Damaged> {
    let unread = list.enhanced(call, context).is_none();
    list.check(!unread, call)
}

impl List {
    /// `Barrier`; `None` where the arguments are damaged.
    fn enhanced(&mut self, call: &Call<'_>, context: &Context<'_>) -> Option<()> {
        let mut children = Children::of(call)?;
        // There is no array where there are no groups.
        if call.enter.bytes.get(8..16)? == [0; 8] {
            return Some(());
        }
        for group in children.take::<D3D12_BARRIER_GROUP>()? {
            // SAFETY: all members of the union are pointers, whose bytes were read from the payload.
            if unsafe { group.Anonymous.pGlobalBarriers.is_null() } {
                continue;
            }
            match group.Type {
                D3D12_BARRIER_TYPE::GLOBAL => _ = children.take::<D3D12_GLOBAL_BARRIER>()?,
                D3D12_BARRIER_TYPE::BUFFER => _ = children.take::<D3D12_BUFFER_BARRIER>()?,
                D3D12_BARRIER_TYPE::TEXTURE => {
                    for barrier in children.take::<D3D12_TEXTURE_BARRIER>()? {
                        self.layout(&barrier, call.number, context);
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn layout(&mut self, barrier: &D3D12_TEXTURE_BARRIER, call: u64, context: &Context<'_>) {
        let resource = barrier.pResource as usize as u32;
        let state = Setting { value: State::Layout(barrier.LayoutAfter.0 as u32), call };
        let range = barrier.Subresources;
        let (first, mips) = (range.IndexOrFirstMipLevel, range.NumMipLevels);
        let states = self.states.entry(resource).or_default();
        if mips == 0 {
            return states.set((first != ALL).then_some(first), state);
        }
        let Some((levels, slices_of_all)) = extent(resource, context) else { return };
        let (slices, planes) = (range.NumArraySlices.max(1), range.NumPlanes.max(1));
        let count = u64::from(mips).saturating_mul(slices.into()).saturating_mul(planes.into());
        for index in (0..count.min(MOST_SUBRESOURCES)).map(|index| index as u32) {
            let (mip, slice) =
                (first.saturating_add(index % mips), range.FirstArraySlice.saturating_add(index / mips % slices));
            let plane = range.FirstPlane.saturating_add(index / mips / slices);
            let layer = u64::from(slices_of_all).saturating_mul(plane.into()).saturating_add(slice.into());
            let place = u64::from(levels).saturating_mul(layer).saturating_add(mip.into());
            if let Ok(place) = u32::try_from(place) {
                states.set(Some(place), state);
            }
        }
    }
}

/// Mips and array slices of a texture.
fn extent(resource: u32, context: &Context<'_>) -> Option<(u32, u32)> {
    let creation = context.known.objects.get(resource)?.creation();
    let desc = crate::state::memory::resource(&creation).ok()??;
    let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
    Some((reprise_d3d12::description::levels(&desc), if volume { 1 } else { desc.DepthOrArraySize.into() }))
}

/// Every method that sets something, with what it does.
static EFFECTS: &[(&str, &str, Effect)] = &[
    ("ID3D12GraphicsCommandList", "ClearState", clear_state),
    ("ID3D12GraphicsCommandList", "IASetPrimitiveTopology", topology),
    ("ID3D12GraphicsCommandList", "RSSetViewports", viewports),
    ("ID3D12GraphicsCommandList", "RSSetScissorRects", scissors),
    ("ID3D12GraphicsCommandList", "OMSetBlendFactor", blend_factor),
    ("ID3D12GraphicsCommandList", "OMSetStencilRef", stencil_ref),
    ("ID3D12GraphicsCommandList", "SetPipelineState", pipeline),
    ("ID3D12GraphicsCommandList", "ResourceBarrier", barriers),
    ("ID3D12GraphicsCommandList", "SetDescriptorHeaps", heaps),
    ("ID3D12GraphicsCommandList", "SetComputeRootSignature", compute_signature),
    ("ID3D12GraphicsCommandList", "SetGraphicsRootSignature", graphics_signature),
    ("ID3D12GraphicsCommandList", "SetComputeRootDescriptorTable", compute_table),
    ("ID3D12GraphicsCommandList", "SetGraphicsRootDescriptorTable", graphics_table),
    ("ID3D12GraphicsCommandList", "SetComputeRoot32BitConstant", compute_constant),
    ("ID3D12GraphicsCommandList", "SetGraphicsRoot32BitConstant", graphics_constant),
    ("ID3D12GraphicsCommandList", "SetComputeRoot32BitConstants", compute_constants),
    ("ID3D12GraphicsCommandList", "SetGraphicsRoot32BitConstants", graphics_constants),
    ("ID3D12GraphicsCommandList", "SetComputeRootConstantBufferView", compute_cbv),
    ("ID3D12GraphicsCommandList", "SetGraphicsRootConstantBufferView", graphics_cbv),
    ("ID3D12GraphicsCommandList", "SetComputeRootShaderResourceView", compute_srv),
    ("ID3D12GraphicsCommandList", "SetGraphicsRootShaderResourceView", graphics_srv),
    ("ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView", compute_uav),
    ("ID3D12GraphicsCommandList", "SetGraphicsRootUnorderedAccessView", graphics_uav),
    ("ID3D12GraphicsCommandList", "IASetIndexBuffer", index_buffer),
    ("ID3D12GraphicsCommandList", "IASetVertexBuffers", vertex_buffers),
    ("ID3D12GraphicsCommandList", "SOSetTargets", stream_output),
    ("ID3D12GraphicsCommandList", "OMSetRenderTargets", targets),
    ("ID3D12GraphicsCommandList", "BeginQuery", begin_query),
    ("ID3D12GraphicsCommandList", "EndQuery", end_query),
    ("ID3D12GraphicsCommandList", "SetPredication", predication),
    ("ID3D12GraphicsCommandList", "SetMarker", set_marker),
    ("ID3D12GraphicsCommandList", "BeginEvent", begin_event),
    ("ID3D12GraphicsCommandList", "EndEvent", end_event),
    ("ID3D12GraphicsCommandList1", "OMSetDepthBounds", depth_bounds),
    ("ID3D12GraphicsCommandList1", "SetSamplePositions", sample_positions),
    ("ID3D12GraphicsCommandList1", "SetViewInstanceMask", view_instances),
    ("ID3D12GraphicsCommandList3", "SetProtectedResourceSession", protected_session),
    ("ID3D12GraphicsCommandList4", "BeginRenderPass", begin_pass),
    ("ID3D12GraphicsCommandList4", "EndRenderPass", end_pass),
    ("ID3D12GraphicsCommandList4", "SetPipelineState1", state_object),
    ("ID3D12GraphicsCommandList5", "RSSetShadingRate", shading_rate),
    ("ID3D12GraphicsCommandList5", "RSSetShadingRateImage", shading_rate_image),
    ("ID3D12GraphicsCommandList7", "Barrier", enhanced_barriers),
    ("ID3D12GraphicsCommandList8", "OMSetFrontAndBackStencilRef", stencil_refs),
    ("ID3D12GraphicsCommandList9", "RSSetDepthBias", depth_bias),
    ("ID3D12GraphicsCommandList9", "IASetIndexBufferStripCutValue", strip_cut),
    ("ID3D12GraphicsCommandList10", "SetProgram", program),
];

/// By method.
pub(super) fn table() -> BTreeMap<MethodId, Effect> {
    EFFECTS.iter().map(|(interface, method, effect)| (reprise_d3d12::method(interface, method), *effect)).collect()
}
