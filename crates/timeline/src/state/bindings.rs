//! The parameters of a root signature with their arguments, down to the slots of descriptor tables.
//!
//! Invariant: every parameter of the signature is listed, set or not, in the signature's order; arguments beyond the signature
//! follow.

use super::State;
use super::addresses::{Location, Slot};
use super::lists::{RootArgument, RootView, Roots};
use crate::argument;
use crate::argument::{Argument, Bytes, Content as Data};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::{APPEND, Content, Kind, UNBOUNDED, Version};
use std::sync::Arc;

/// A root parameter with its argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// Index of the parameter.
    pub parameter: u32,
    /// The call that set it; `None`: nothing is set.
    pub call: Option<u64>,
    /// `D3D12_SHADER_VISIBILITY`; `None` for arguments beyond the signature.
    pub visibility: Option<u32>,
    /// What is bound.
    pub content: Bound,
}

/// A shader register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Register {
    /// `t`, `u`, `b` or `s`.
    pub kind: Kind,
    /// Its number.
    pub number: u32,
    /// Its space.
    pub space: u32,
}

/// What a parameter holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// Words, nothing where none was set; and where shaders find them.
    Constants(Option<Register>, Vec<Option<u32>>),
    /// A GPU address, and where it lies; 0 for null.
    View {
        /// Where shaders find it.
        register: Option<Register>,
        /// What it is.
        view: RootView,
        /// The address; `None` where none was set.
        address: Option<u64>,
        /// Resource and offset.
        location: Option<Location>,
    },
    /// A descriptor table.
    Table {
        /// The GPU handle that it begins at; `None` where none was set.
        handle: Option<u64>,
        /// The slot of that handle.
        slot: Option<Slot>,
        /// Its ranges.
        ranges: Vec<Range>,
    },
}

/// A range of a descriptor table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first register.
    pub register: Register,
    /// Descriptors; `None` for a range without an end.
    pub count: Option<u32>,
    /// Descriptors from the table's beginning.
    pub offset: u32,
    /// The slot of the first descriptor.
    pub first: Option<Slot>,
}

impl Range {
    /// The slots of the range that lie in its heap of so many slots, with their registers.
    pub fn slots(&self, heap: u32) -> impl Iterator<Item = (Register, Slot)> + use<> {
        let (register, first) = (self.register, self.first);
        let count = self.count.unwrap_or(u32::MAX);
        first.into_iter().flat_map(move |first| {
            let there = count.min(heap.saturating_sub(first.index));
            (0..there).map(move |at| {
                let number = register.number.saturating_add(at);
                (Register { number, ..register }, Slot { index: first.index + at, ..first })
            })
        })
    }
}

const CREATE: MethodId = method("ID3D12Device", "CreateRootSignature");

/// A root signature of the trace, read. `blob` gives the blob at a place in the trace.
///
/// # Errors
/// In words: when it does not exist, or its bytes cannot be read.
pub fn root_signature(
    blob: impl FnOnce(u64) -> Result<Arc<[u8]>, String>,
    state: &State,
    id: u32,
) -> Result<(RootSignature, Version), String> {
    const BYTES: Argument<Bytes> = argument!("ID3D12Device", "CreateRootSignature", "pBlobWithRootSignature");
    let object = state.objects.get(id).ok_or_else(|| format!("root signature {id} does not exist"))?;
    let creation = object.creation();
    if creation.method != CREATE {
        return Err(format!("object {id} is no root signature made of bytes"));
    }
    let parse = |bytes: &[u8]| RootSignature::from_container(bytes).map_err(|error| error.to_string());
    match BYTES.of(&creation).map_err(|error| error.to_string())? {
        Some(Data::Inline(bytes)) => parse(bytes),
        Some(Data::Blob(place, _)) => parse(&blob(place)?),
        Some(Data::Absent(_)) | None => Err("the recording does not have its bytes".to_owned()),
    }
}

/// Every parameter of a root signature with what is set.
pub fn bindings(state: &State, roots: &Roots, signature: &RootSignature) -> Vec<Binding> {
    let argument = |parameter: usize| roots.arguments.get(parameter).and_then(|argument| argument.as_ref());
    let mut all = Vec::with_capacity(signature.parameters.len());
    for (index, parameter) in signature.parameters.iter().enumerate() {
        let set = argument(index);
        let register = |kind, number, space| Register { kind, number, space };
        let content = match (&parameter.content, set.map(|set| &set.value)) {
            (Content::Constants(constants), value) => {
                let mut words = match value {
                    Some(RootArgument::Constants(words)) => words.clone(),
                    _ => Vec::new(),
                };
                words.resize((constants.count as usize).min(64), None);
                Bound::Constants(Some(register(Kind::Cbv, constants.register, constants.space)), words)
            }
            (Content::Descriptor(descriptor), value) => {
                let address = match value {
                    Some(RootArgument::View(_, address)) => Some(*address),
                    _ => None,
                };
                Bound::View {
                    register: Some(register(descriptor.kind, descriptor.register, descriptor.space)),
                    view: view_of(descriptor.kind),
                    address,
                    location: address.and_then(|address| state.addresses.resource(address)),
                }
            }
            (Content::Table(ranges), value) => {
                let handle = match value {
                    Some(RootArgument::Table(handle)) => Some(*handle),
                    _ => None,
                };
                let slot = handle.and_then(|handle| state.addresses.gpu(handle));
                let mut end = 0u32;
                let ranges = ranges.iter().map(|range| {
                    let offset = if range.offset == APPEND { end } else { range.offset };
                    end = offset.saturating_add(range.count);
                    Range {
                        register: register(range.kind, range.register, range.space),
                        count: (range.count != UNBOUNDED).then_some(range.count),
                        offset,
                        first: slot.and_then(|slot| Some(Slot { index: slot.index.checked_add(offset)?, ..slot })),
                    }
                });
                Bound::Table { handle, slot, ranges: ranges.collect() }
            }
        };
        let visibility = Some(parameter.visibility);
        all.push(Binding { parameter: index as u32, call: set.map(|set| set.call), visibility, content });
    }
    for index in signature.parameters.len()..roots.arguments.len() {
        all.extend(argument(index).map(|set| plain(state, index as u32, &set.value, set.call)));
    }
    all
}

/// What is set, without a root signature.
pub fn unsigned(state: &State, roots: &Roots) -> Vec<Binding> {
    let set = roots.arguments.iter().enumerate().filter_map(|(index, set)| Some((index, set.as_ref()?)));
    set.map(|(index, set)| plain(state, index as u32, &set.value, set.call)).collect()
}

/// An argument without a parameter.
fn plain(state: &State, parameter: u32, value: &RootArgument, call: u64) -> Binding {
    let content = match value {
        RootArgument::Constants(words) => Bound::Constants(None, words.clone()),
        RootArgument::View(view, address) => {
            let location = state.addresses.resource(*address);
            Bound::View { register: None, view: *view, address: Some(*address), location }
        }
        RootArgument::Table(handle) => {
            Bound::Table { handle: Some(*handle), slot: state.addresses.gpu(*handle), ranges: Vec::new() }
        }
    };
    Binding { parameter, call: Some(call), visibility: None, content }
}

fn view_of(kind: Kind) -> RootView {
    match kind {
        Kind::Cbv => RootView::Constants,
        Kind::Srv => RootView::Read,
        // A sampler cannot be one; what refuses it is the signature's creation.
        Kind::Uav | Kind::Sampler => RootView::Write,
    }
}
