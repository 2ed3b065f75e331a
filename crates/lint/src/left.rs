//! Numbers that calls are given, and the objects that they were of: addresses of resources and handles of descriptors that are gone.
//!
//! Looked at where the call is made, because a number means what it means there.

use crate::nested::{self, Number};
use crate::rules::stale;
use crate::scene::{Place, Range, Scene};
use reprise_d3d12::model::{MethodId, render_target_handles};
use reprise_d3d12::types::*;
use reprise_timeline::State;
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, CpuHandle, Damaged, GpuAddress, Many, One};
use reprise_timeline::call::Call;
use reprise_timeline::intervals::{Interval, Intervals};
use reprise_trace::fact;

macro_rules! list_argument {
    ($method:literal, $parameter:literal) => {
        argument!("ID3D12GraphicsCommandList", $method, $parameter)
    };
}

/// Numbers of objects that are gone.
#[derive(Debug, Default)]
pub(crate) struct Left {
    addresses: Intervals<()>,
    handles: Intervals<()>,
    /// The trace tells addresses.
    tells_addresses: bool,
    /// The trace tells handles.
    tells_handles: bool,
}

/// The range of numbers that an object has, where it has one.
pub(crate) fn range_of(state: &State, object: u32) -> Option<Range> {
    if let Some((start, size)) = state.addresses.of_resource(object) {
        return Some(Range::Addresses(start, size));
    }
    let (start, increment) = state.addresses.heap_start(object)?;
    let count = state.descriptors.heap(object)?.count;
    Some(Range::Handles(start, u64::from(count) * u64::from(increment)))
}

impl Left {
    /// A fact of the trace.
    pub(crate) fn fact(&mut self, kind: u32) {
        self.tells_addresses |= kind == fact::ADDRESS_RANGE;
        self.tells_handles |= kind == fact::DESCRIPTOR_HEAP;
    }

    /// An object is gone that had these numbers.
    pub(crate) fn add(&mut self, object: u32, range: Range) {
        let (map, start, size) = match range {
            Range::Addresses(start, size) => (&mut self.addresses, start, size),
            Range::Handles(start, size) => (&mut self.handles, start, size),
        };
        map.insert(Interval { owner: object, start, size, value: () });
    }

    /// Forgets an object.
    pub(crate) fn forget(&mut self, object: u32) {
        self.addresses.remove(object);
        self.handles.remove(object);
    }

    /// Looks at the numbers that a call is given. `cut`: the trace does not tell all objects that are alive.
    pub(crate) fn look(
        &self,
        scene: &mut Scene<'_>,
        call: &Call<'_>,
        list: Option<u32>,
        cut: bool,
    ) -> Result<(), Damaged> {
        let place = Place { call: call.number, list, submission: None };
        if nested::is_nested(call.method) {
            for it in nested::all(call) {
                match it.number {
                    Number::Address(address) => self.address(scene, place, &it.path, address, cut),
                    Number::Handle(handle) => self.handle(scene, place, &it.path, handle, cut),
                    Number::Object(_) => {}
                }
            }
            return Ok(());
        }
        each_address(call, |parameter, address| self.address(scene, place, parameter, address, cut))?;
        each_handle(call, |parameter, handle| self.handle(scene, place, parameter, handle, cut))
    }

    fn address(&self, scene: &mut Scene<'_>, place: Place, parameter: &str, address: u64, cut: bool) {
        if address != 0 && scene.state.addresses.resource(address).is_none() {
            let owner = self.owner(address);
            if owner != 0 || self.tells_addresses && !cut {
                stale::address(scene, place, parameter, address, owner);
            }
        }
    }

    fn handle(&self, scene: &mut Scene<'_>, place: Place, parameter: &str, handle: u64, cut: bool) {
        if handle != 0 && scene.state.addresses.cpu(handle).is_none() {
            let owner = self.handles.find(handle).map_or(0, |range| range.owner);
            if owner != 0 || self.tells_handles && !cut {
                stale::handle(scene, place, parameter, handle, owner);
            }
        }
    }

    /// What is gone and lay at an address; 0 where nothing did.
    fn owner(&self, address: u64) -> u32 {
        self.addresses.find(address).map_or(0, |range| range.owner)
    }

    /// A draw call or dispatch uses an address at which nothing lies. Call `set` gave it to the list, and what lay there may have been
    /// released since.
    pub(crate) fn since(&self, scene: &mut Scene<'_>, place: Place, parameter: &str, address: u64, set: u64) {
        let owner = self.owner(address);
        if scene.gone.get(&owner).is_some_and(|gone| gone.call > set) {
            stale::address(scene, place, parameter, address, owner);
        }
    }
}

const ROOTS: [Argument<GpuAddress>; 6] = [
    list_argument!("SetComputeRootConstantBufferView", "BufferLocation"),
    list_argument!("SetGraphicsRootConstantBufferView", "BufferLocation"),
    list_argument!("SetComputeRootShaderResourceView", "BufferLocation"),
    list_argument!("SetGraphicsRootShaderResourceView", "BufferLocation"),
    list_argument!("SetComputeRootUnorderedAccessView", "BufferLocation"),
    list_argument!("SetGraphicsRootUnorderedAccessView", "BufferLocation"),
];
const VERTICES: Argument<Many<D3D12_VERTEX_BUFFER_VIEW>> = list_argument!("IASetVertexBuffers", "pViews");
const INDICES: Argument<One<D3D12_INDEX_BUFFER_VIEW>> = list_argument!("IASetIndexBuffer", "pView");
const STREAMS: Argument<Many<D3D12_STREAM_OUTPUT_BUFFER_VIEW>> = list_argument!("SOSetTargets", "pViews");
const WRITES: Argument<Many<D3D12_WRITEBUFFERIMMEDIATE_PARAMETER>> =
    argument!("ID3D12GraphicsCommandList2", "WriteBufferImmediate", "pParams");
const CONSTANTS: Argument<One<D3D12_CONSTANT_BUFFER_VIEW_DESC>> =
    argument!("ID3D12Device", "CreateConstantBufferView", "pDesc");

const TARGETS: Argument<Many<CpuHandle>> = list_argument!("OMSetRenderTargets", "pRenderTargetDescriptors");
const TARGET_COUNT: Argument<u32> = list_argument!("OMSetRenderTargets", "NumRenderTargetDescriptors");
const TARGET_ROW: Argument<i32> = list_argument!("OMSetRenderTargets", "RTsSingleHandleToDescriptorRange");
const DEPTH: Argument<One<CpuHandle>> = list_argument!("OMSetRenderTargets", "pDepthStencilDescriptor");
const CLEARED: [(Argument<CpuHandle>, &str); 2] = [
    (list_argument!("ClearRenderTargetView", "RenderTargetView"), "RenderTargetView"),
    (list_argument!("ClearDepthStencilView", "DepthStencilView"), "DepthStencilView"),
];
const WRITTEN: [Argument<CpuHandle>; 6] = [
    argument!("ID3D12Device", "CreateConstantBufferView", "DestDescriptor"),
    argument!("ID3D12Device", "CreateShaderResourceView", "DestDescriptor"),
    argument!("ID3D12Device", "CreateUnorderedAccessView", "DestDescriptor"),
    argument!("ID3D12Device", "CreateRenderTargetView", "DestDescriptor"),
    argument!("ID3D12Device", "CreateDepthStencilView", "DestDescriptor"),
    argument!("ID3D12Device", "CreateSampler", "DestDescriptor"),
];
const SIMPLE: [(Argument<CpuHandle>, &str); 2] = [
    (argument!("ID3D12Device", "CopyDescriptorsSimple", "DestDescriptorRangeStart"), "DestDescriptorRangeStart"),
    (argument!("ID3D12Device", "CopyDescriptorsSimple", "SrcDescriptorRangeStart"), "SrcDescriptorRangeStart"),
];
const COPIES: [(Argument<Many<CpuHandle>>, &str); 2] = [
    (argument!("ID3D12Device", "CopyDescriptors", "pDestDescriptorRangeStarts"), "pDestDescriptorRangeStarts"),
    (argument!("ID3D12Device", "CopyDescriptors", "pSrcDescriptorRangeStarts"), "pSrcDescriptorRangeStarts"),
];

/// The methods of devices that are looked at; of lists all are.
pub(crate) fn is_of_device(method: MethodId) -> bool {
    WRITTEN.iter().any(|it| it.method() == method) || method == SIMPLE[0].0.method() || method == COPIES[0].0.method()
}

fn each_address(call: &Call<'_>, mut take: impl FnMut(&'static str, u64)) -> Result<(), Damaged> {
    let method = call.method;
    if let Some(root) = ROOTS.iter().find(|root| root.method() == method) {
        take("BufferLocation", root.of(call)?.0);
    } else if method == VERTICES.method() {
        let views = VERTICES.of(call)?;
        views.iter().filter(|view| view.SizeInBytes != 0).for_each(|view| take("pViews", view.BufferLocation));
    } else if method == INDICES.method() {
        let view = INDICES.of(call)?.filter(|view| view.SizeInBytes != 0);
        view.iter().for_each(|view| take("pView", view.BufferLocation));
    } else if method == STREAMS.method() {
        for view in STREAMS.of(call)?.iter().filter(|view| view.SizeInBytes != 0) {
            take("pViews", view.BufferLocation);
            take("pViews", view.BufferFilledSizeLocation);
        }
    } else if method == WRITES.method() {
        WRITES.of(call)?.iter().for_each(|write| take("pParams", write.Dest));
    } else if method == CONSTANTS.method() {
        let desc = CONSTANTS.of(call)?.filter(|desc| desc.SizeInBytes != 0);
        desc.iter().for_each(|desc| take("pDesc", desc.BufferLocation));
    }
    Ok(())
}

fn each_handle(call: &Call<'_>, mut take: impl FnMut(&'static str, u64)) -> Result<(), Damaged> {
    let method = call.method;
    if method == TARGETS.method() {
        let count = render_target_handles(TARGET_COUNT.of(call)?.into(), TARGET_ROW.of(call)? != 0) as usize;
        TARGETS.of(call)?.iter().take(count).for_each(|handle| take("pRenderTargetDescriptors", handle.0));
        DEPTH.of(call)?.iter().for_each(|handle| take("pDepthStencilDescriptor", handle.0));
    } else if let Some((cleared, name)) = CLEARED.iter().find(|(it, _)| it.method() == method) {
        take(name, cleared.of(call)?.0);
    } else if let Some(written) = WRITTEN.iter().find(|it| it.method() == method) {
        take("DestDescriptor", written.of(call)?.0);
    } else if method == SIMPLE[0].0.method() {
        for (argument, name) in &SIMPLE {
            take(name, argument.of(call)?.0);
        }
    } else if method == COPIES[0].0.method() {
        for (argument, name) in &COPIES {
            argument.of(call)?.iter().for_each(|handle| take(name, handle.0));
        }
    }
    Ok(())
}
