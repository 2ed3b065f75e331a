//! The contents of each slot of each descriptor heap, and the call that wrote it.
//!
//! Slots are kept in pages. Copies of a state share a page until one of them writes to it ([`Arc::make_mut`]). A page without a
//! written slot does not exist, so a heap of 1,000,000 slots costs only its written pages.
//!
//! Invariant: a slot holds the newest write or copy. A view keeps its resource's id after the resource is gone, because the API
//! does not clear descriptors.

use super::Addresses;
use super::addresses::Slot;
use crate::argument;
use crate::argument::{Argument, CpuHandle, Damaged, Element, ObjectId, One};
use crate::call::Call;
use crate::walk::Interests;
use reprise_d3d12::Plain;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_CONSTANT_BUFFER_VIEW_DESC, D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_DESCRIPTOR_HEAP_DESC,
    D3D12_RENDER_TARGET_VIEW_DESC, D3D12_SAMPLER_DESC, D3D12_SAMPLER_DESC2, D3D12_SHADER_RESOURCE_VIEW_DESC,
    D3D12_UNORDERED_ACCESS_VIEW_DESC,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

mod copy;
mod reach;
mod view;

pub use copy::copied;
pub use reach::{Reach, Sampled};
pub use view::{View, ViewKind};

/// Slots of a page.
pub const PAGE: usize = 64;

/// All descriptor heaps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Descriptors {
    heaps: BTreeMap<u32, Heap>,
}

/// A descriptor heap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heap {
    /// A number of `D3D12_DESCRIPTOR_HEAP_TYPE`.
    pub kind: i32,
    /// Bits of `D3D12_DESCRIPTOR_HEAP_FLAGS`.
    pub flags: u32,
    /// Slots.
    pub count: u32,
    /// The call that made it.
    pub call: u64,
    /// By the number of the page.
    pages: BTreeMap<u32, Arc<Page>>,
}

/// Some slots of a heap, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// By place in the page; slots behind the last one were never written.
    slots: Vec<Option<Descriptor>>,
}

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Descriptor {
    /// The view or sampler.
    pub view: Arc<View>,
    /// The call that wrote or copied it here.
    pub call: u64,
    /// Where it was copied from, if it was copied.
    pub from: Option<Slot>,
}

impl Page {
    /// The slots that were written, by their place in the page.
    pub fn slots(&self) -> impl Iterator<Item = (usize, &Descriptor)> {
        self.slots.iter().enumerate().filter_map(|(place, slot)| Some((place, slot.as_ref()?)))
    }

    fn put(&mut self, place: usize, descriptor: Option<Descriptor>) {
        if self.slots.len() <= place {
            if descriptor.is_none() {
                return;
            }
            self.slots.resize(place + 1, None);
        }
        self.slots[place] = descriptor;
    }
}

impl Heap {
    /// What a slot holds; `None` where nothing was written.
    pub fn get(&self, index: u32) -> Option<&Descriptor> {
        let page = self.pages.get(&(index / PAGE as u32))?;
        page.slots.get(index as usize % PAGE)?.as_ref()
    }

    /// All slots that were written, by rising index.
    pub fn slots(&self) -> impl Iterator<Item = (u32, &Descriptor)> {
        self.pages.iter().flat_map(|(number, page)| {
            let first = number.saturating_mul(PAGE as u32);
            page.slots().map(move |(place, descriptor)| (first.saturating_add(place as u32), descriptor))
        })
    }

    /// The pages that something was written to, by their numbers. Copies of a heap share those that are the same.
    pub fn pages(&self) -> impl Iterator<Item = (u32, &Arc<Page>)> {
        self.pages.iter().map(|(number, page)| (*number, page))
    }

    /// The heap with other pages: for stores that keep each page once.
    pub fn with_pages(&self, pages: impl IntoIterator<Item = (u32, Arc<Page>)>) -> Heap {
        Heap { pages: pages.into_iter().collect(), ..*self }
    }

    /// Writes a slot; a heap has no others.
    fn put(&mut self, index: u32, descriptor: Option<Descriptor>) {
        if index >= self.count {
            return;
        }
        let number = index / PAGE as u32;
        match (self.pages.get_mut(&number), descriptor) {
            (None, None) => {}
            (Some(page), descriptor) => Arc::make_mut(page).put(index as usize % PAGE, descriptor),
            (None, descriptor) => {
                let mut page = Page::default();
                page.put(index as usize % PAGE, descriptor);
                self.pages.insert(number, Arc::new(page));
            }
        }
    }
}

const CREATE: Argument<One<D3D12_DESCRIPTOR_HEAP_DESC>> =
    argument!("ID3D12Device", "CreateDescriptorHeap", "pDescriptorHeapDesc");

/// A method that writes a descriptor.
struct Writer {
    kind: ViewKind,
    to: Argument<CpuHandle>,
    resource: Option<Argument<ObjectId>>,
    /// The counter of an unordered access view, the feedback texture of a sampler feedback view.
    second: Option<Argument<ObjectId>>,
    desc: fn(&Call<'_>) -> Result<Box<[u8]>, Damaged>,
}

/// The bytes of a description; none for null.
fn bytes<T: Element + Plain>(desc: Argument<One<T>>, call: &Call<'_>) -> Result<Box<[u8]>, Damaged> {
    desc.bytes(call).map(Box::from)
}

macro_rules! writer {
    ($kind:ident $interface:literal $method:literal $(resource $resource:literal)? $(second $second:literal)? $(desc $desc:ident)?) => {
        Writer {
            kind: ViewKind::$kind,
            to: argument!($interface, $method, "DestDescriptor"),
            resource: writer!(@option $interface $method $($resource)?),
            second: writer!(@option $interface $method $($second)?),
            desc: writer!(@desc $interface $method $($desc)?),
        }
    };
    (@option $interface:literal $method:literal) => { None };
    (@option $interface:literal $method:literal $parameter:literal) => {
        Some(argument!($interface, $method, $parameter))
    };
    (@desc $interface:literal $method:literal) => { |_| Ok(Box::default()) };
    (@desc $interface:literal $method:literal $desc:ident) => {{
        const DESC: Argument<One<$desc>> = argument!($interface, $method, "pDesc");
        |call| bytes(DESC, call)
    }};
}

/// All methods that write one descriptor.
static WRITERS: [Writer; 15] = [
    writer!(Constants "ID3D12Device" "CreateConstantBufferView" desc D3D12_CONSTANT_BUFFER_VIEW_DESC),
    writer!(Constants "ID3D12Device15" "TryCreateConstantBufferView" desc D3D12_CONSTANT_BUFFER_VIEW_DESC),
    writer!(Shader "ID3D12Device" "CreateShaderResourceView" resource "pResource" desc D3D12_SHADER_RESOURCE_VIEW_DESC),
    writer!(Shader "ID3D12Device15" "TryCreateShaderResourceView" resource "pResource" desc D3D12_SHADER_RESOURCE_VIEW_DESC),
    writer!(Unordered "ID3D12Device" "CreateUnorderedAccessView" resource "pResource" second "pCounterResource"
        desc D3D12_UNORDERED_ACCESS_VIEW_DESC),
    writer!(Unordered "ID3D12Device15" "TryCreateUnorderedAccessView" resource "pResource" second "pCounterResource"
        desc D3D12_UNORDERED_ACCESS_VIEW_DESC),
    writer!(Feedback "ID3D12Device8" "CreateSamplerFeedbackUnorderedAccessView"
        resource "pTargetedResource" second "pFeedbackResource"),
    writer!(Feedback "ID3D12Device15" "TryCreateSamplerFeedbackUnorderedAccessView"
        resource "pTargetedResource" second "pFeedbackResource"),
    writer!(Target "ID3D12Device" "CreateRenderTargetView" resource "pResource" desc D3D12_RENDER_TARGET_VIEW_DESC),
    writer!(Target "ID3D12Device15" "TryCreateRenderTargetView" resource "pResource" desc D3D12_RENDER_TARGET_VIEW_DESC),
    writer!(Depth "ID3D12Device" "CreateDepthStencilView" resource "pResource" desc D3D12_DEPTH_STENCIL_VIEW_DESC),
    writer!(Depth "ID3D12Device15" "TryCreateDepthStencilView" resource "pResource" desc D3D12_DEPTH_STENCIL_VIEW_DESC),
    writer!(Sampler "ID3D12Device" "CreateSampler" desc D3D12_SAMPLER_DESC),
    writer!(Sampler2 "ID3D12Device11" "CreateSampler2" desc D3D12_SAMPLER_DESC2),
    writer!(Sampler2 "ID3D12Device15" "TryCreateSampler2" desc D3D12_SAMPLER_DESC2),
];

/// The slot that a call writes a view or a sampler to; `None` for calls of other methods, and where the handle is of no live heap.
///
/// # Errors
/// When the arguments cannot be read.
pub fn written(call: &Call<'_>, addresses: &Addresses) -> Result<Option<Slot>, Damaged> {
    let Some(writer) = WRITERS.iter().find(|writer| writer.to.method() == call.method) else { return Ok(None) };
    Ok(addresses.cpu(writer.to.of(call)?.0))
}

/// Whether calls of a method write a view or a sampler.
pub fn writes(method: MethodId) -> bool {
    WRITERS.iter().any(|writer| writer.to.method() == method)
}

/// Whether calls of a method copy descriptors.
pub fn copies(method: MethodId) -> bool {
    copy::METHODS.contains(&method)
}

impl Descriptors {
    /// The calls that change it.
    pub(crate) fn interests() -> Interests {
        let writers: Vec<MethodId> = WRITERS.iter().map(|writer| writer.to.method()).collect();
        Interests::new().calls(&writers).calls(&copy::METHODS).calls(&[CREATE.method()])
    }

    /// Heaps by rising id.
    pub fn heaps(&self) -> impl Iterator<Item = (u32, &Heap)> {
        self.heaps.iter().map(|(id, heap)| (*id, heap))
    }

    /// A heap.
    pub fn heap(&self, id: u32) -> Option<&Heap> {
        self.heaps.get(&id)
    }

    /// What a slot holds; `None` where nothing was written.
    pub fn get(&self, slot: Slot) -> Option<&Descriptor> {
        self.heaps.get(&slot.heap)?.get(slot.index)
    }

    /// Replaces a heap: for stores that keep pages elsewhere.
    pub fn set_heap(&mut self, id: u32, heap: Heap) {
        self.heaps.insert(id, heap);
    }

    /// A call is complete.
    ///
    /// # Errors
    /// When its arguments or its outcome cannot be read.
    pub(crate) fn call(&mut self, call: &Call<'_>, addresses: &Addresses) -> Result<(), Damaged> {
        if copy::METHODS.contains(&call.method) {
            return self.copy(call, addresses);
        }
        if call.method == CREATE.method() {
            let Some(given) = call.given()?.first().map(|given| given.object) else { return Ok(()) };
            let Some(desc) = CREATE.of(call)? else { return Ok(()) };
            let (kind, flags) = (desc.Type.0, desc.Flags.0);
            let heap = Heap { kind, flags, count: desc.NumDescriptors, call: call.number, pages: BTreeMap::new() };
            self.heaps.entry(given).or_insert(heap);
            return Ok(());
        }
        let Some(writer) = WRITERS.iter().find(|writer| writer.to.method() == call.method) else { return Ok(()) };
        if call.leave().is_some() && !call.succeeded() {
            return Ok(());
        }
        let Some(slot) = addresses.cpu(writer.to.of(call)?.0) else { return Ok(()) };
        let id = |argument: &Option<Argument<ObjectId>>| argument.map_or(Ok(0), |a| a.of(call).map(|id| id.0));
        let view = View {
            kind: writer.kind,
            resource: id(&writer.resource)?,
            second: id(&writer.second)?,
            desc: (writer.desc)(call)?,
            call: call.number,
        };
        self.put(slot, Some(Descriptor { view: Arc::new(view), call: call.number, from: None }));
        Ok(())
    }

    fn put(&mut self, slot: Slot, descriptor: Option<Descriptor>) {
        if let Some(heap) = self.heaps.get_mut(&slot.heap) {
            heap.put(slot.index, descriptor);
        }
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, object: u32) {
        self.heaps.remove(&object);
    }
}
