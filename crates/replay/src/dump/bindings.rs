//! What is bound at a draw or dispatch, as far as it can be told from calls alone: render targets, depth, vertex, index and
//! stream-output buffers, and root descriptors. Descriptor tables are not followed.
//!
//! Invariant: what was never seen is not guessed.

use std::collections::{BTreeMap, HashMap};

use reprise_codec::Value;
use reprise_codec::value::Member;

use crate::address::AddressMap;
use crate::values::{at, number_at, numbers, structure};

/// The type of heap of render target views: `D3D12_DESCRIPTOR_HEAP_TYPE_RTV`.
const RTV: u32 = 2;
/// The largest constant buffer that a shader sees, in bytes.
const CONSTANTS: u64 = 64 << 10;

/// Descriptors of targets, by recorded CPU handle, and what it takes to count from one to the next.
#[derive(Default)]
pub(super) struct Views {
    resources: HashMap<u64, u32>,
    increments: HashMap<u32, u64>,
}

impl Views {
    /// A view was made.
    pub(super) fn made(&mut self, handle: u64, resource: u32) {
        self.resources.insert(handle, resource);
    }

    /// Descriptors of this type of heap lie so far apart.
    pub(super) fn increment(&mut self, kind: u32, bytes: u64) {
        self.increments.insert(kind, bytes);
    }

    /// `CopyDescriptors` or `CopyDescriptorsSimple`.
    pub(super) fn copied(&mut self, arguments: &[Member<'_>]) {
        let all = |names: [&str; 2]| names.iter().find_map(|name| at(arguments, name)).map(numbers).unwrap_or_default();
        let kind = ["DescriptorHeapsType"].iter().find_map(|name| number_at(arguments, name)).unwrap_or(0) as u32;
        let Some(&step) = self.increments.get(&kind) else { return };
        let simple = number_at(arguments, "NumDescriptors");
        let handles = |starts: Vec<u64>, sizes: Vec<u64>| -> Vec<u64> {
            let sizes = sizes.into_iter().chain(std::iter::repeat(simple.unwrap_or(1)));
            let ranges = starts.into_iter().zip(sizes);
            ranges.flat_map(|(start, size)| (0..size.min(1 << 20)).map(move |index| start + index * step)).collect()
        };
        let to = handles(
            all(["pDestDescriptorRangeStarts", "DestDescriptorRangeStart"]),
            all(["pDestDescriptorRangeSizes"; 2]),
        );
        let from = handles(
            all(["pSrcDescriptorRangeStarts", "SrcDescriptorRangeStart"]),
            all(["pSrcDescriptorRangeSizes"; 2]),
        );
        for (to, from) in to.into_iter().zip(from) {
            match self.resources.get(&from).copied() {
                Some(resource) => _ = self.resources.insert(to, resource),
                None => _ = self.resources.remove(&to),
            }
        }
    }

    fn resource(&self, handle: u64) -> Option<u32> {
        self.resources.get(&handle).copied().filter(|&resource| resource != 0)
    }
}

/// What a list has bound at this point of its recording.
#[derive(Clone, Default)]
pub(super) struct Bound {
    targets: Vec<Option<u32>>,
    depth: Option<u32>,
    /// Name, address and size, by kind of slot and its number.
    buffers: BTreeMap<(Slot, u32), (u64, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Vertex,
    Index,
    StreamOutput,
    Graphics(Root),
    Compute(Root),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    Constants,
    Read,
    Write,
}

/// One thing that is bound: as what, the resource, and which bytes of a buffer.
pub(super) type Binding = (String, u32, Option<(u64, u64)>);

impl Bound {
    /// `OMSetRenderTargets`.
    pub(super) fn targets(&mut self, arguments: &[Member<'_>], views: &Views) {
        let count = number_at(arguments, "NumRenderTargetDescriptors").unwrap_or(0).min(8);
        let mut handles = at(arguments, "pRenderTargetDescriptors").map(numbers).unwrap_or_default();
        if number_at(arguments, "RTsSingleHandleToDescriptorRange").unwrap_or(0) != 0
            && let (Some(&first), Some(step)) = (handles.first(), views.increments.get(&RTV))
        {
            handles = (0..count).map(|index| first + index * step).collect();
        }
        self.targets = handles.into_iter().take(count as usize).map(|handle| views.resource(handle)).collect();
        self.depth = number_at(arguments, "pDepthStencilDescriptor").and_then(|handle| views.resource(handle));
    }

    /// `BeginRenderPass`.
    pub(super) fn pass(&mut self, arguments: &[Member<'_>], views: &Views) {
        let handle = |value: &Value<'_>| number_at(structure(value)?, "cpuDescriptor");
        let targets = match at(arguments, "pRenderTargets") {
            Some(Value::Array(targets)) => targets.as_slice(),
            _ => &[],
        };
        self.targets = targets.iter().map(|target| views.resource(handle(target)?)).collect();
        self.depth = at(arguments, "pDepthStencil").and_then(handle).and_then(|handle| views.resource(handle));
    }

    /// `IASetVertexBuffers`, `IASetIndexBuffer`, `SOSetTargets`.
    pub(super) fn views(&mut self, slot: Slot, arguments: &[Member<'_>]) {
        let first = number_at(arguments, "StartSlot").unwrap_or(0) as u32;
        let count = number_at(arguments, "NumViews").unwrap_or(1).min(64) as u32;
        let none = Value::Null;
        let views = match at(arguments, "pViews").or_else(|| at(arguments, "pView")).unwrap_or(&none) {
            Value::Array(views) => views.as_slice(),
            _ => &[],
        };
        for index in 0..count {
            let view = views.get(index as usize).and_then(structure);
            let number = |name| view.and_then(|view| number_at(view, name));
            match number("BufferLocation").zip(number("SizeInBytes")) {
                Some((address, size)) if address != 0 => self.buffers.insert((slot, first + index), (address, size)),
                _ => self.buffers.remove(&(slot, first + index)),
            };
        }
    }

    /// A root descriptor was set.
    pub(super) fn root(&mut self, slot: Slot, parameter: u32, address: u64) {
        self.buffers.insert((slot, parameter), (address, if slot.is_constants() { CONSTANTS } else { u64::MAX }));
    }

    /// What a bundle's draw uses: its own, and what it inherits from the list that runs it.
    pub(super) fn in_list(mut self, list: &Bound) -> Bound {
        self.targets.clone_from(&list.targets);
        self.depth = list.depth;
        for (slot, view) in &list.buffers {
            self.buffers.entry(*slot).or_insert(*view);
        }
        self
    }

    /// Everything, for a draw or for a dispatch.
    pub(super) fn all(&self, dispatch: bool, addresses: &AddressMap) -> Vec<Binding> {
        let mut all = Vec::new();
        if !dispatch {
            let targets = self.targets.iter().enumerate();
            all.extend(targets.filter_map(|(index, target)| Some((format!("target{index}"), (*target)?, None))));
            all.extend(self.depth.map(|depth| ("depth".into(), depth, None)));
        }
        for (&(slot, index), &(address, size)) in &self.buffers {
            if slot.is_of(dispatch)
                && let Some(found) = addresses.resolve(address)
            {
                all.push((format!("{}{index}", slot.name()), found.resource, Some((found.offset, size))));
            }
        }
        all
    }
}

impl Slot {
    fn is_constants(self) -> bool {
        matches!(self, Self::Graphics(Root::Constants) | Self::Compute(Root::Constants))
    }

    fn is_of(self, dispatch: bool) -> bool {
        matches!(self, Self::Compute(_)) == dispatch
    }

    fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertices",
            Self::Index => "indices",
            Self::StreamOutput => "streamout",
            Self::Graphics(Root::Constants) | Self::Compute(Root::Constants) => "rootcbv",
            Self::Graphics(Root::Read) | Self::Compute(Root::Read) => "rootsrv",
            Self::Graphics(Root::Write) | Self::Compute(Root::Write) => "rootuav",
        }
    }
}
