//! What copies, resolves and clears read and write, and those of render passes where they begin and end.

use std::collections::HashSet;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_TEXTURE_COPY_LOCATION;
use reprise_timeline::argument::{Argument, CpuHandle, ObjectId, One};
use reprise_timeline::{Call, State, argument};

use super::bindings::Binding;
use super::pass::{self, Resolved};

macro_rules! list {
    ($method:literal, $parameter:literal) => {
        argument!("ID3D12GraphicsCommandList", $method, $parameter)
    };
}

/// A place of an argument that names a resource, with its slot in words.
type Named = (Argument<ObjectId>, &'static str);

const RESOURCES: [Named; 16] = [
    (list!("CopyResource", "pDstResource"), "destination"),
    (list!("CopyResource", "pSrcResource"), "source"),
    (list!("CopyBufferRegion", "pDstBuffer"), "destination"),
    (list!("CopyBufferRegion", "pSrcBuffer"), "source"),
    (list!("CopyTiles", "pTiledResource"), "tiles"),
    (list!("CopyTiles", "pBuffer"), "buffer"),
    (list!("ResolveSubresource", "pDstResource"), "destination"),
    (list!("ResolveSubresource", "pSrcResource"), "source"),
    (list!("ResolveQueryData", "pDestinationBuffer"), "destination"),
    (list!("ClearUnorderedAccessViewUint", "pResource"), "cleared"),
    (list!("ClearUnorderedAccessViewFloat", "pResource"), "cleared"),
    (argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "pDstResource"), "destination"),
    (argument!("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT", "pDstBuffer"), "destination"),
    (argument!("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT", "pSrcBuffer"), "source"),
    (argument!("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT64", "pDstBuffer"), "destination"),
    (argument!("ID3D12GraphicsCommandList1", "AtomicCopyBufferUINT64", "pSrcBuffer"), "source"),
];
const REGION_SOURCE: Named =
    (argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "pSrcResource"), "source");
const TEXTURES: [(Argument<One<D3D12_TEXTURE_COPY_LOCATION>>, &str); 2] =
    [(list!("CopyTextureRegion", "pDst"), "destination"), (list!("CopyTextureRegion", "pSrc"), "source")];
const VIEWS: [Argument<CpuHandle>; 2] =
    [list!("ClearRenderTargetView", "RenderTargetView"), list!("ClearDepthStencilView", "DepthStencilView")];

/// Whether a method may copy, resolve or clear.
pub(super) fn transfers(method: MethodId) -> bool {
    method == pass::BEGIN
        || method == pass::END
        || RESOURCES.iter().chain([&REGION_SOURCE]).any(|(argument, _)| argument.method() == method)
        || TEXTURES.iter().any(|(argument, _)| argument.method() == method)
        || VIEWS.iter().any(|argument| argument.method() == method)
}

/// The resources of a copy, resolve or clear. `resolved` is what the pass resolves that ends there.
pub(super) fn bindings(state: &State, call: &Call<'_>, resolved: &[Resolved]) -> Vec<Binding> {
    let named = RESOURCES.iter().chain([&REGION_SOURCE]).filter(|(argument, _)| argument.method() == call.method);
    let named = named.filter_map(|(argument, role)| Some((*role, argument.of(call).ok()?.0)));
    let textures = TEXTURES.iter().filter(|(argument, _)| argument.method() == call.method);
    let textures = textures.filter_map(|(argument, role)| {
        // In a trace the pointer is an id.
        Some((*role, argument.of(call).ok()??.pResource as usize as u32))
    });
    let views = VIEWS.iter().filter(|argument| argument.method() == call.method);
    let viewed = |handle: u64| Some(state.descriptors.get(state.addresses.cpu(handle)?)?.view.resource);
    let views = views.filter_map(|argument| Some(("cleared", viewed(argument.of(call).ok()?.0)?)));
    let (colours, depth) = pass::cleared(call);
    let begun = colours.into_iter().map(|(_, handle)| handle).chain(depth);
    let begun = begun.filter_map(|handle| Some(("cleared", viewed(handle)?)));
    let ended = resolved.iter().flat_map(|it| [("destination", it.destination), ("source", it.source)]);
    let all = named.chain(textures).chain(views).chain(begun).chain(ended).filter(|(_, resource)| *resource != 0);
    let mut all: Vec<Binding> = all.map(|(role, resource)| (role.to_owned(), resource, None)).collect();
    // A pass may clear several slices of a texture, and resolve several parts of one.
    let mut seen = HashSet::new();
    all.retain(|(role, resource, _)| seen.insert((role.clone(), *resource)));
    all
}
