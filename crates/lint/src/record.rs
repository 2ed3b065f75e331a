//! What the calls of a list record, as operations.
//!
//! Invariant: what a call needs when it is recorded (targets, root descriptors, what is bound) is read from the state that the call finds;
//! descriptors of tables are read when the list runs.

use crate::recording::{Enhanced, Recording, Table, Transition, Use, What};
use crate::role::Role;
use crate::rule::Severity;
use crate::states::Access;
use crate::subresource::{Shape, Subresources};
use crate::view;
use crate::world::World;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::*;
use reprise_timeline::State;
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, CpuHandle, Damaged, Many, ObjectId, One};
use reprise_timeline::call::Call;
use reprise_timeline::operations::answer_bytes;
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::descriptors::{Descriptor, View};
use reprise_timeline::state::lists::Children;
use std::collections::HashMap;
use std::sync::OnceLock;

/// What recording a call may look at and change.
pub(crate) struct Context<'c> {
    pub(crate) state: &'c State,
    pub(crate) world: &'c World,
    pub(crate) recording: &'c mut Recording,
}

type Record = fn(&mut Context<'_>, &Call<'_>) -> Result<(), Damaged>;

macro_rules! list_argument {
    ($method:literal, $parameter:literal) => {
        argument!("ID3D12GraphicsCommandList", $method, $parameter)
    };
}

impl Context<'_> {
    pub(crate) fn shape(&self, resource: u32) -> Shape {
        self.world.resources.get(&resource).map_or(Shape { mips: 1, slices: 1, planes: 1 }, |tracked| tracked.shape)
    }

    /// A use of exactly these bytes of a buffer.
    fn bytes(&mut self, call: u64, resource: u32, access: Access, first: u64, bytes: u64) {
        let bytes = Some((first, bytes));
        if resource != 0 {
            let what = Use { resource, subresources: Subresources::All, access, bytes, severity: Severity::Error };
            self.recording.push(call, What::Use(what));
        }
    }

    /// All bytes of a buffer, or all subresources of a texture.
    fn whole(&mut self, call: u64, resource: u32, access: Access) {
        match self.state.memory.resource(resource) {
            Some(own) if own.buffer => self.bytes(call, resource, access, 0, own.size),
            _ => self.recording.uses(call, resource, Subresources::All, access),
        }
    }

    /// The buffer that an address lies in, and the byte of it.
    pub(crate) fn place(&self, address: u64) -> Option<(u32, u64)> {
        let location = self.state.addresses.resource(address).filter(|_| address != 0)?;
        self.world.is_alone(location.resource).then_some((location.resource, location.offset))
    }

    /// The buffer that an address lies in is used.
    pub(crate) fn address(&mut self, call: u64, address: u64, access: Access) {
        if let Some((resource, _)) = self.place(address) {
            self.recording.uses(call, resource, Subresources::All, access);
        }
    }

    fn descriptor(&self, handle: CpuHandle) -> Option<&Descriptor> {
        self.state.descriptors.get(self.state.addresses.cpu(handle.0)?)
    }

    /// What a view leads to.
    pub(crate) fn viewed(&self, view: &View) -> Option<(u32, Subresources)> {
        (view.resource != 0).then(|| (view.resource, view::subresources(view, self.shape(view.resource))))
    }

    fn location(&mut self, call: u64, location: Option<D3D12_TEXTURE_COPY_LOCATION>, access: Access) {
        let Some(location) = location else { return };
        let resource = location.pResource as usize as u32;
        // SAFETY: the type says which member of the union is in use; both are numbers.
        let index = unsafe { location.Anonymous.SubresourceIndex };
        match location.Type {
            D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX => {
                self.recording.uses(call, resource, Subresources::One(index), access);
            }
            _ => self.recording.uses(call, resource, Subresources::All, access),
        }
    }
}

fn copy_buffer(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const TO: Argument<ObjectId> = list_argument!("CopyBufferRegion", "pDstBuffer");
    const TO_OFFSET: Argument<u64> = list_argument!("CopyBufferRegion", "DstOffset");
    const FROM: Argument<ObjectId> = list_argument!("CopyBufferRegion", "pSrcBuffer");
    const FROM_OFFSET: Argument<u64> = list_argument!("CopyBufferRegion", "SrcOffset");
    const BYTES: Argument<u64> = list_argument!("CopyBufferRegion", "NumBytes");
    let (to, from, bytes) = (TO.of(call)?.0, FROM.of(call)?.0, BYTES.of(call)?);
    if to != from && bytes != 0 {
        context.bytes(call.number, from, Access::CopyFrom, FROM_OFFSET.of(call)?, bytes);
        context.bytes(call.number, to, Access::CopyTo, TO_OFFSET.of(call)?, bytes);
    }
    Ok(())
}

fn copy_texture(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const TO: Argument<One<D3D12_TEXTURE_COPY_LOCATION>> = list_argument!("CopyTextureRegion", "pDst");
    const FROM: Argument<One<D3D12_TEXTURE_COPY_LOCATION>> = list_argument!("CopyTextureRegion", "pSrc");
    let (to, from) = (TO.of(call)?, FROM.of(call)?);
    context.location(call.number, from, Access::CopyFrom);
    context.location(call.number, to, Access::CopyTo);
    Ok(())
}

fn copy_resource(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const TO: Argument<ObjectId> = list_argument!("CopyResource", "pDstResource");
    const FROM: Argument<ObjectId> = list_argument!("CopyResource", "pSrcResource");
    context.whole(call.number, FROM.of(call)?.0, Access::CopyFrom);
    context.whole(call.number, TO.of(call)?.0, Access::CopyTo);
    Ok(())
}

fn copy_tiles(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const TILED: Argument<ObjectId> = list_argument!("CopyTiles", "pTiledResource");
    const START: Argument<One<D3D12_TILED_RESOURCE_COORDINATE>> =
        list_argument!("CopyTiles", "pTileRegionStartCoordinate");
    const BUFFER: Argument<ObjectId> = list_argument!("CopyTiles", "pBuffer");
    const FLAGS: Argument<D3D12_TILE_COPY_FLAGS> = list_argument!("CopyTiles", "Flags");
    let to_tiles = FLAGS.of(call)?.0 & D3D12_TILE_COPY_FLAGS::LINEAR_BUFFER_TO_SWIZZLED_TILED_RESOURCE.0 != 0;
    let access = |to| if to { Access::CopyTo } else { Access::CopyFrom };
    let index = START.of(call)?.map_or(0, |start| start.Subresource);
    context.recording.uses(call.number, TILED.of(call)?.0, Subresources::One(index), access(to_tiles));
    context.recording.uses(call.number, BUFFER.of(call)?.0, Subresources::All, access(!to_tiles));
    Ok(())
}

fn resolve(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const TO: Argument<ObjectId> = list_argument!("ResolveSubresource", "pDstResource");
    const TO_INDEX: Argument<u32> = list_argument!("ResolveSubresource", "DstSubresource");
    const FROM: Argument<ObjectId> = list_argument!("ResolveSubresource", "pSrcResource");
    const FROM_INDEX: Argument<u32> = list_argument!("ResolveSubresource", "SrcSubresource");
    let from = Subresources::One(FROM_INDEX.of(call)?);
    context.recording.uses(call.number, FROM.of(call)?.0, from, Access::ResolveFrom);
    let to = Subresources::One(TO_INDEX.of(call)?);
    context.recording.uses(call.number, TO.of(call)?.0, to, Access::ResolveTo);
    Ok(())
}

fn resolve_region(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const TO: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "pDstResource");
    const TO_INDEX: Argument<u32> =
        argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "DstSubresource");
    const FROM: Argument<ObjectId> =
        argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "pSrcResource");
    const FROM_INDEX: Argument<u32> =
        argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "SrcSubresource");
    let (to, from) = (TO.of(call)?.0, FROM.of(call)?.0);
    // One resource for both stands in one state, which the documents leave open. Maps of sampler feedback name all subresources.
    if to != from {
        let index = Subresources::of_index(FROM_INDEX.of(call)?);
        context.recording.uses(call.number, from, index, Access::ResolveFrom);
        let index = Subresources::of_index(TO_INDEX.of(call)?);
        context.recording.uses(call.number, to, index, Access::ResolveTo);
    }
    Ok(())
}

fn resolve_queries(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const TO: Argument<ObjectId> = list_argument!("ResolveQueryData", "pDestinationBuffer");
    const OFFSET: Argument<u64> = list_argument!("ResolveQueryData", "AlignedDestinationBufferOffset");
    const TYPE: Argument<D3D12_QUERY_TYPE> = list_argument!("ResolveQueryData", "Type");
    const COUNT: Argument<u32> = list_argument!("ResolveQueryData", "NumQueries");
    let bytes = answer_bytes(TYPE.of(call)?).saturating_mul(COUNT.of(call)?.into());
    context.bytes(call.number, TO.of(call)?.0, Access::CopyTo, OFFSET.of(call)?, bytes);
    Ok(())
}

fn clear_target(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const VIEW: Argument<CpuHandle> = list_argument!("ClearRenderTargetView", "RenderTargetView");
    const RECTS: Argument<u32> = list_argument!("ClearRenderTargetView", "NumRects");
    let viewed = context.descriptor(VIEW.of(call)?).and_then(|found| context.viewed(&found.view));
    let Some((resource, subresources)) = viewed else { return Ok(()) };
    if RECTS.of(call)? == 0 {
        let subresources = subresources.clone();
        context.recording.push(call.number, What::Initialise { resource, subresources });
    }
    context.recording.uses(call.number, resource, subresources, Access::Target);
    Ok(())
}

fn clear_depth(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const VIEW: Argument<CpuHandle> = list_argument!("ClearDepthStencilView", "DepthStencilView");
    const FLAGS: Argument<D3D12_CLEAR_FLAGS> = list_argument!("ClearDepthStencilView", "ClearFlags");
    const RECTS: Argument<u32> = list_argument!("ClearDepthStencilView", "NumRects");
    let flags = FLAGS.of(call)?.0;
    let viewed = context.descriptor(VIEW.of(call)?).and_then(|found| context.viewed(&found.view));
    let Some((resource, all)) = viewed else { return Ok(()) };
    let subresources = planes(context.shape(resource), &all, flags & 1 != 0, flags & 2 != 0);
    if RECTS.of(call)? == 0 {
        let subresources = subresources.clone();
        context.recording.push(call.number, What::Initialise { resource, subresources });
    }
    context.recording.uses(call.number, resource, subresources, Access::DepthWrite);
    Ok(())
}

/// The subresources of the depth plane, of the stencil plane, or of both.
pub(crate) fn planes(shape: Shape, all: &Subresources, depth: bool, stencil: bool) -> Subresources {
    if shape.planes < 2 || (depth && stencil) {
        return all.clone();
    }
    let size = shape.mips.saturating_mul(shape.slices);
    let mut list = Vec::new();
    all.each(shape.count(), |index| {
        if (depth && index < size) || (stencil && index >= size) {
            list.push(index);
        }
    });
    match list[..] {
        [one] => Subresources::One(one),
        _ => Subresources::Some(list.into()),
    }
}

fn clear_unordered(
    context: &mut Context<'_>,
    call: &Call<'_>,
    view: CpuHandle,
    resource: u32,
    rects: u32,
) -> Result<(), Damaged> {
    let viewed = context.descriptor(view).and_then(|found| context.viewed(&found.view));
    let subresources = match viewed {
        Some((own, subresources)) if own == resource => subresources,
        _ => Subresources::All,
    };
    let it = Use { resource, subresources, access: Access::Unordered, bytes: None, severity: Severity::Error };
    context.recording.push(call.number, What::Clear(it, rects == 0));
    Ok(())
}

fn clear_uint(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const VIEW: Argument<CpuHandle> = list_argument!("ClearUnorderedAccessViewUint", "ViewCPUHandle");
    const RESOURCE: Argument<ObjectId> = list_argument!("ClearUnorderedAccessViewUint", "pResource");
    const RECTS: Argument<u32> = list_argument!("ClearUnorderedAccessViewUint", "NumRects");
    clear_unordered(context, call, VIEW.of(call)?, RESOURCE.of(call)?.0, RECTS.of(call)?)
}

fn clear_float(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const VIEW: Argument<CpuHandle> = list_argument!("ClearUnorderedAccessViewFloat", "ViewCPUHandle");
    const RESOURCE: Argument<ObjectId> = list_argument!("ClearUnorderedAccessViewFloat", "pResource");
    const RECTS: Argument<u32> = list_argument!("ClearUnorderedAccessViewFloat", "NumRects");
    clear_unordered(context, call, VIEW.of(call)?, RESOURCE.of(call)?.0, RECTS.of(call)?)
}

fn discard(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const RESOURCE: Argument<ObjectId> = list_argument!("DiscardResource", "pResource");
    const REGION: Argument<One<D3D12_DISCARD_REGION>> = list_argument!("DiscardResource", "pRegion");
    let resource = RESOURCE.of(call)?.0;
    let subresources = match REGION.of(call)? {
        None => Subresources::All,
        Some(region) => {
            let (first, count) = (region.FirstSubresource, region.NumSubresources);
            Subresources::Some((first..first.saturating_add(count.min(1 << 16))).collect())
        }
    };
    let it = Use {
        resource,
        subresources: subresources.clone(),
        access: Access::Target,
        bytes: None,
        severity: Severity::Error,
    };
    context.recording.note(call.number, it, Role::Discard);
    context.recording.push(call.number, What::Initialise { resource, subresources });
    Ok(())
}

fn write_immediate(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const PARAMETERS: Argument<Many<D3D12_WRITEBUFFERIMMEDIATE_PARAMETER>> =
        argument!("ID3D12GraphicsCommandList2", "WriteBufferImmediate", "pParams");
    for parameter in PARAMETERS.of(call)?.iter() {
        context.address(call.number, parameter.Dest, Access::CopyTo);
    }
    Ok(())
}

fn predication(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    const BUFFER: Argument<ObjectId> = list_argument!("SetPredication", "pBuffer");
    context.recording.uses(call.number, BUFFER.of(call)?.0, Subresources::All, Access::Indirect);
    Ok(())
}

fn barriers(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    for what in legacy_barriers(call)? {
        context.recording.push(call.number, what);
    }
    Ok(())
}

/// The barriers of a call of `ResourceBarrier`; none of other calls.
pub(crate) fn legacy_barriers(call: &Call<'_>) -> Result<Vec<What>, Damaged> {
    const BARRIERS: Argument<Many<D3D12_RESOURCE_BARRIER>> = list_argument!("ResourceBarrier", "pBarriers");
    if call.method != BARRIERS.method() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for barrier in BARRIERS.of(call)?.iter() {
        // SAFETY: the type says which member of the union is in use; all of their bytes were read from the payload.
        let what = unsafe {
            match barrier.Type {
                D3D12_RESOURCE_BARRIER_TYPE::TRANSITION => {
                    let it = barrier.Anonymous.Transition;
                    What::Transition(Transition {
                        resource: it.pResource as usize as u32,
                        index: it.Subresource,
                        before: it.StateBefore.0,
                        after: it.StateAfter.0,
                        flags: barrier.Flags.0,
                    })
                }
                D3D12_RESOURCE_BARRIER_TYPE::ALIASING => {
                    What::Alias { after: barrier.Anonymous.Aliasing.pResourceAfter as usize as u32 }
                }
                D3D12_RESOURCE_BARRIER_TYPE::UAV => What::Unordered(barrier.Anonymous.UAV.pResource as usize as u32),
                _ => continue,
            }
        };
        all.push(what);
    }
    Ok(all)
}

const BARRIER: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList7", "Barrier");

/// The barriers of a call of `Barrier`; none of other calls, and only those before the damage where the arguments are damaged.
pub(crate) fn enhanced_barriers(call: &Call<'_>) -> Vec<Enhanced> {
    let mut all = Vec::new();
    if call.method == BARRIER {
        _ = read_enhanced(call, &mut all);
    }
    all
}

fn read_enhanced(call: &Call<'_>, all: &mut Vec<Enhanced>) -> Option<()> {
    const NONE: Enhanced =
        Enhanced { resource: 0, sync: [0; 2], access: [0; 2], layouts: None, range: [(0, 0); 3], discards: false };
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
            D3D12_BARRIER_TYPE::GLOBAL => {
                all.extend(children.take::<D3D12_GLOBAL_BARRIER>()?.iter().map(|it| Enhanced {
                    sync: [it.SyncBefore.0, it.SyncAfter.0],
                    access: [it.AccessBefore.0, it.AccessAfter.0],
                    ..NONE
                }))
            }
            D3D12_BARRIER_TYPE::BUFFER => {
                all.extend(children.take::<D3D12_BUFFER_BARRIER>()?.iter().map(|it| Enhanced {
                    resource: it.pResource as usize as u32,
                    sync: [it.SyncBefore.0, it.SyncAfter.0],
                    access: [it.AccessBefore.0, it.AccessAfter.0],
                    ..NONE
                }))
            }
            D3D12_BARRIER_TYPE::TEXTURE => all.extend(children.take::<D3D12_TEXTURE_BARRIER>()?.iter().map(|it| {
                let range = it.Subresources;
                Enhanced {
                    resource: it.pResource as usize as u32,
                    sync: [it.SyncBefore.0, it.SyncAfter.0],
                    access: [it.AccessBefore.0, it.AccessAfter.0],
                    layouts: Some([it.LayoutBefore.0 as u32, it.LayoutAfter.0 as u32]),
                    range: [
                        (range.IndexOrFirstMipLevel, range.NumMipLevels),
                        (range.FirstArraySlice, range.NumArraySlices),
                        (range.FirstPlane, range.NumPlanes),
                    ],
                    discards: it.Flags.0 & D3D12_TEXTURE_BARRIER_FLAGS::DISCARD.0 != 0,
                }
            })),
            _ => return None,
        }
    }
    Some(())
}

fn enhanced(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    for barrier in enhanced_barriers(call) {
        let what = match barrier.layouts {
            None => What::Flush(barrier.resource),
            Some(_) => What::Layout(Box::new(barrier)),
        };
        context.recording.push(call.number, what);
    }
    Ok(())
}

fn begin_event(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    context.recording.events.push(call.number);
    Ok(())
}

/// Objects that a list names, whether or not it comes to use them, in the methods where no operation does.
const NAMED: [Argument<ObjectId>; 8] = [
    list_argument!("SetPipelineState", "pPipelineState"),
    argument!("ID3D12GraphicsCommandList4", "SetPipelineState1", "pStateObject"),
    list_argument!("SetGraphicsRootSignature", "pRootSignature"),
    list_argument!("SetComputeRootSignature", "pRootSignature"),
    list_argument!("BeginQuery", "pQueryHeap"),
    list_argument!("EndQuery", "pQueryHeap"),
    list_argument!("ResolveQueryData", "pQueryHeap"),
    argument!("ID3D12GraphicsCommandList5", "RSSetShadingRateImage", "shadingRateImage"),
];
const HEAPS: Argument<Many<ObjectId>> = list_argument!("SetDescriptorHeaps", "ppDescriptorHeaps");

fn named(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    if let Some(named) = NAMED.iter().find(|it| it.method() == call.method) {
        let object = named.of(call)?.0;
        context.recording.needs.insert(object);
        if call.method == RATE {
            let (subresources, access, severity) = (Subresources::All, Access::Rate, Severity::Error);
            let it = Use { resource: object, subresources, access, bytes: None, severity };
            context.recording.note(call.number, it, Role::ShadingRate);
        }
    } else if call.method == HEAPS.method() {
        context.recording.needs.extend(HEAPS.of(call)?.iter().map(|heap| heap.0));
    }
    Ok(())
}

const RATE: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList5", "RSSetShadingRateImage");

/// Atomic copies: their source and destination. No rule looks at them.
const ATOMIC: [[Argument<ObjectId>; 2]; 2] = [
    [
        argument!("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT", "pSrcBuffer"),
        argument!("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT", "pDstBuffer"),
    ],
    [
        argument!("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT64", "pSrcBuffer"),
        argument!("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT64", "pDstBuffer"),
    ],
];

fn atomic(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    let Some([from, to]) = ATOMIC.iter().find(|[from, _]| from.method() == call.method) else { return Ok(()) };
    let sides = [(from, Access::CopyFrom, Role::CopySource), (to, Access::CopyTo, Role::CopyDestination)];
    for (side, access, role) in sides {
        let (resource, subresources, severity) = (side.of(call)?.0, Subresources::All, Severity::Error);
        context.recording.note(call.number, Use { resource, subresources, access, bytes: None, severity }, role);
    }
    Ok(())
}

/// Every method that does something when a list runs, but for draws, bundles, render passes and acceleration structures.
static METHODS: &[(&str, &str, Record)] = &[
    ("ID3D12GraphicsCommandList", "CopyBufferRegion", copy_buffer),
    ("ID3D12GraphicsCommandList", "CopyTextureRegion", copy_texture),
    ("ID3D12GraphicsCommandList", "CopyResource", copy_resource),
    ("ID3D12GraphicsCommandList", "CopyTiles", copy_tiles),
    ("ID3D12GraphicsCommandList", "ResolveSubresource", resolve),
    ("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", resolve_region),
    ("ID3D12GraphicsCommandList", "ResolveQueryData", resolve_queries),
    ("ID3D12GraphicsCommandList", "ClearRenderTargetView", clear_target),
    ("ID3D12GraphicsCommandList", "ClearDepthStencilView", clear_depth),
    ("ID3D12GraphicsCommandList", "ClearUnorderedAccessViewUint", clear_uint),
    ("ID3D12GraphicsCommandList", "ClearUnorderedAccessViewFloat", clear_float),
    ("ID3D12GraphicsCommandList", "DiscardResource", discard),
    ("ID3D12GraphicsCommandList2", "WriteBufferImmediate", write_immediate),
    ("ID3D12GraphicsCommandList", "SetPredication", predication),
    ("ID3D12GraphicsCommandList", "ResourceBarrier", barriers),
    ("ID3D12GraphicsCommandList7", "Barrier", enhanced),
    ("ID3D12GraphicsCommandList", "BeginEvent", begin_event),
    ("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT", atomic),
    ("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT64", atomic),
];

/// Records a call, if it does something by itself, or names something.
pub(crate) fn record(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    named(context, call)?;
    static TABLE: OnceLock<HashMap<u16, Record>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        METHODS.iter().map(|(interface, name, record)| (reprise_d3d12::method(interface, name).0, *record)).collect()
    });
    match table.get(&call.method.0) {
        Some(record) => record(context, call),
        None => Ok(()),
    }
}

/// What a table's descriptor leads to.
pub(crate) fn uses_of(state: &State, world: &World, table: &Table, found: &Descriptor) -> Found {
    use reprise_dxbc::root_signature::Kind;
    let shape =
        |id: u32| world.resources.get(&id).map_or(Shape { mips: 1, slices: 1, planes: 1 }, |tracked| tracked.shape);
    let view = &found.view;
    let mut uses = Vec::new();
    let mut add = |resource: u32, subresources: Subresources, access: Access| {
        uses.push(Use { resource, subresources, access, bytes: None, severity: Severity::Likely });
    };
    let at = |address: u64| state.addresses.resource(address).map(|location| location.resource);
    let mut lost = None;
    let mut check = |resource: u32| {
        if resource != 0 && state.objects.get(resource).is_none() {
            lost = Some(resource);
        }
    };
    match table.kind {
        Kind::Sampler => {}
        Kind::Cbv => {
            let address = view.desc::<D3D12_CONSTANT_BUFFER_VIEW_DESC>().map_or(0, |desc| desc.BufferLocation);
            if address != 0 {
                match at(address) {
                    Some(resource) if !world.is_alone(resource) => {}
                    Some(resource) => add(resource, Subresources::All, Access::Constants),
                    None => lost = Some(0),
                }
            }
        }
        Kind::Srv => {
            check(view.resource);
            let structure = view::structure(view);
            match structure {
                Some(0) => {}
                Some(address) => match state.addresses.resource(address) {
                    Some(location) => uses.push(Use::traced((location.resource, location.offset))),
                    None => lost = Some(0),
                },
                None if view.resource != 0 => {
                    let subresources = view::subresources(view, shape(view.resource));
                    if table.pixel {
                        add(view.resource, subresources.clone(), Access::Pixel);
                    }
                    if table.others {
                        add(view.resource, subresources, Access::NonPixel);
                    }
                }
                None => {}
            }
        }
        Kind::Uav => {
            use reprise_timeline::state::descriptors::ViewKind;
            check(view.resource);
            check(view.second);
            if view.kind == ViewKind::Feedback {
                if view.second != 0 {
                    add(view.second, Subresources::All, Access::Unordered);
                }
            } else {
                if view.resource != 0 {
                    add(view.resource, view::subresources(view, shape(view.resource)), Access::Unordered);
                }
                if view.second != 0 {
                    add(view.second, Subresources::All, Access::Unordered);
                }
            }
        }
    }
    Found { uses, lost }
}

/// What shaders may do with what a descriptor shows, where nothing says that they do.
pub(crate) fn possible(state: &State, world: &World, found: &Descriptor) -> Vec<Use> {
    use reprise_dxbc::root_signature::Kind;
    use reprise_timeline::state::descriptors::ViewKind;
    let kind = match found.view.kind {
        ViewKind::Constants => Kind::Cbv,
        ViewKind::Shader => Kind::Srv,
        ViewKind::Unordered | ViewKind::Feedback => Kind::Uav,
        _ => return Vec::new(),
    };
    let slot = Slot { heap: 0, index: 0 };
    let table = Table { slot, kind, register: 0, space: 0, parameter: 0, pixel: false, others: true };
    let uses = uses_of(state, world, &table, found).uses;
    uses.into_iter().map(|it| Use { severity: Severity::Hint, ..it }).collect()
}

/// What a descriptor leads to.
pub(crate) struct Found {
    pub(crate) uses: Vec<Use>,
    /// A resource that is gone; 0: an address in no resource.
    pub(crate) lost: Option<u32>,
}
