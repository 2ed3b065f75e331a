//! What is bound at a draw or dispatch, as far as calls tell it: render targets, depth, vertex, index and stream-output
//! buffers, root descriptors, and the entries of descriptor tables. Shaders that take descriptors straight from the heap
//! (shader model 6.6) are not looked into.
//!
//! Invariant: nothing is guessed: a binding that no call set is absent.

use std::collections::BTreeMap;

use reprise_codec::Value;
use reprise_codec::value::Member;

use super::views::{View, Views};
use crate::input::values::{at, number_at, numbers, structure};
use crate::resolve::address::AddressMap;

/// The type of heap of render target views: `D3D12_DESCRIPTOR_HEAP_TYPE_RTV`.
const RTV: u32 = 2;
/// The largest constant buffer that a shader sees, in bytes.
const CONSTANTS: u64 = 64 << 10;

/// Bindings of a list at this point of its recording.
#[derive(Clone, Default)]
pub(super) struct Bound {
    targets: Vec<Option<u32>>,
    depth: Option<u32>,
    /// Name, address and size, by kind of slot and its number.
    buffers: BTreeMap<(Slot, u32), (u64, u64)>,
    /// Root signatures for draws and for dispatches.
    signatures: [u32; 2],
    /// GPU handles, by whether they are for dispatches and by root parameter.
    tables: BTreeMap<(bool, u32), u64>,
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

/// One binding: its slot in words, the resource, and which bytes of a buffer.
pub(super) type Binding = (String, u32, Option<(u64, u64)>);

impl Bound {
    /// `OMSetRenderTargets`.
    pub(super) fn targets(&mut self, arguments: &[Member<'_>], views: &Views) {
        let count = number_at(arguments, "NumRenderTargetDescriptors").unwrap_or(0).min(8);
        let mut handles = at(arguments, "pRenderTargetDescriptors").map(numbers).unwrap_or_default();
        if number_at(arguments, "RTsSingleHandleToDescriptorRange").unwrap_or(0) != 0
            && let (Some(&first), Some(step)) = (handles.first(), views.step(RTV))
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
            // The index buffer is one view, not an array.
            view @ Value::Struct(..) => std::slice::from_ref(view),
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

    /// A root signature was set; another one than before unbinds all parameters.
    pub(super) fn signature(&mut self, compute: bool, id: u32) {
        if std::mem::replace(&mut self.signatures[usize::from(compute)], id) != id {
            self.tables.retain(|key, _| key.0 != compute);
            self.buffers.retain(|key, _| !key.0.is_root(compute));
        }
    }

    /// A descriptor table was set.
    pub(super) fn table(&mut self, compute: bool, parameter: u32, base: u64) {
        self.tables.insert((compute, parameter), base);
    }

    /// The bindings of a bundle's draw: its own, and those that it inherits from the list that runs it.
    pub(super) fn in_list(mut self, list: &Bound) -> Bound {
        self.targets.clone_from(&list.targets);
        self.depth = list.depth;
        for (slot, view) in &list.buffers {
            self.buffers.entry(*slot).or_insert(*view);
        }
        for (own, inherited) in self.signatures.iter_mut().zip(list.signatures) {
            *own = if *own == 0 { inherited } else { *own };
        }
        for (&key, &base) in &list.tables {
            self.tables.entry(key).or_insert(base);
        }
        self
    }

    /// Everything, for draws (`false`), dispatches (`true`) or both.
    pub(super) fn all(&self, sides: &[bool], addresses: &AddressMap, views: &Views) -> Vec<Binding> {
        let mut all = Vec::new();
        for &dispatch in sides {
            self.side(dispatch, addresses, views, &mut all);
        }
        all
    }

    fn side(&self, dispatch: bool, addresses: &AddressMap, views: &Views, all: &mut Vec<Binding>) {
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
        for (&(_, parameter), &base) in self.tables.iter().filter(|(key, _)| key.0 == dispatch) {
            for (register, view) in views.table(self.signatures[usize::from(dispatch)], parameter, base) {
                let found = match view {
                    View::Resource(resource) => Some((resource, None)),
                    View::Constants(address, size) => {
                        addresses.resolve(address).map(|found| (found.resource, Some((found.offset, size))))
                    }
                };
                // One resource may stand in many descriptors.
                let Some((resource, bytes)) = found else { continue };
                if !all.iter().any(|other| (other.1, other.2) == (resource, bytes)) {
                    all.push((register, resource, bytes));
                }
            }
        }
    }
}

impl Slot {
    fn is_constants(self) -> bool {
        matches!(self, Self::Graphics(Root::Constants) | Self::Compute(Root::Constants))
    }

    fn is_of(self, dispatch: bool) -> bool {
        matches!(self, Self::Compute(_)) == dispatch
    }

    fn is_root(self, compute: bool) -> bool {
        matches!((self, compute), (Self::Graphics(_), false) | (Self::Compute(_), true))
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
