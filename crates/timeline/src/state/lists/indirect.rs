//! The settings that `ExecuteIndirect` clears: everything that a command signature sets is null or zero afterwards (Direct3D
//! 12, "Indirect drawing": after ExecuteIndirect, all bindings are reset to known values).

use super::bound::{Bound, MOST_CONSTANTS, RootArgument, RootView, Roots, Setting, VERTEX_SLOTS, put};
use super::nested::Children;
use super::view::{IndexBuffer, VertexBuffer};
use crate::call::Call;
use reprise_d3d12::operation::Operation;
use reprise_d3d12::types::{
    D3D12_COMMAND_SIGNATURE_DESC, D3D12_INDIRECT_ARGUMENT_DESC, D3D12_INDIRECT_ARGUMENT_TYPE as Type,
};
use serde::{Deserialize, Serialize};

/// A command signature: what its commands set before they draw or dispatch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandSignature {
    /// In order.
    pub changes: Vec<Change>,
    /// Its commands dispatch; else they draw.
    pub dispatches: bool,
}

/// One thing that a command sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// A vertex buffer, by slot.
    Vertices(u32),
    /// The index buffer.
    Index,
    /// Root constants: parameter, first word, words.
    Constants(u32, u32, u32),
    /// A root descriptor, by parameter.
    View(u32, RootView),
}

impl Change {
    /// What an argument of a command signature sets; `None` where it draws or dispatches, or is of a kind that is not known.
    pub fn of(argument: &D3D12_INDIRECT_ARGUMENT_DESC) -> Option<Change> {
        let union = argument.Anonymous;
        // SAFETY: every member of the union is numbers, and all of its bytes were read from the trace.
        unsafe {
            Some(match argument.Type {
                Type::VERTEX_BUFFER_VIEW => Change::Vertices(union.VertexBuffer.Slot),
                Type::INDEX_BUFFER_VIEW => Change::Index,
                Type::CONSTANT => {
                    let it = union.Constant;
                    Change::Constants(it.RootParameterIndex, it.DestOffsetIn32BitValues, it.Num32BitValuesToSet)
                }
                Type::INCREMENTING_CONSTANT => {
                    let it = union.IncrementingConstant;
                    Change::Constants(it.RootParameterIndex, it.DestOffsetIn32BitValues, 1)
                }
                Type::CONSTANT_BUFFER_VIEW => {
                    Change::View(union.ConstantBufferView.RootParameterIndex, RootView::Constants)
                }
                Type::SHADER_RESOURCE_VIEW => Change::View(union.ShaderResourceView.RootParameterIndex, RootView::Read),
                Type::UNORDERED_ACCESS_VIEW => {
                    Change::View(union.UnorderedAccessView.RootParameterIndex, RootView::Write)
                }
                _ => return None,
            })
        }
    }
}

/// What a command that the GPU read sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A vertex buffer, by slot.
    Vertices(u32, VertexBuffer),
    /// The index buffer.
    Index(IndexBuffer),
    /// Root constants: parameter, first word, the words.
    Constants(u32, u32, Vec<u32>),
    /// A root descriptor, by parameter, and its address.
    View(u32, RootView, u64),
}

impl Bound {
    /// What is bound where a command of an indirect call draws or dispatches. False where there can be no such slot, parameter or word.
    pub fn give(&mut self, given: Given, dispatches: bool, call: u64) -> bool {
        let roots = if dispatches { &mut self.compute } else { &mut self.graphics };
        match given {
            Given::Vertices(slot, view) => {
                put(&mut self.vertices, slot as usize, VERTEX_SLOTS, Setting { value: Some(view), call })
            }
            Given::Index(view) => {
                self.index = Some(Setting { value: Some(view), call });
                true
            }
            Given::Constants(parameter, first, words) => roots.set_constants(parameter, first, words.into_iter(), call),
            Given::View(parameter, view, address) => roots.set(parameter, RootArgument::View(view, address), call),
        }
    }
}

/// What commands do whose signature a call of `CreateCommandSignature` made: what its last argument says. `None` where its arguments are
/// damaged, or say nothing that is known.
pub(crate) fn runs(call: &Call<'_>) -> Option<Operation> {
    match arguments(call)?.last()?.Type {
        Type::DRAW | Type::DRAW_INDEXED | Type::DISPATCH_MESH => Some(Operation::Draw),
        Type::DISPATCH => Some(Operation::Dispatch),
        Type::DISPATCH_RAYS => Some(Operation::Rays),
        _ => None,
    }
}

/// The arguments of a command signature.
fn arguments(call: &Call<'_>) -> Option<Vec<D3D12_INDIRECT_ARGUMENT_DESC>> {
    strided(call).map(|(_, arguments)| arguments)
}

/// Bytes from one command to the next, and the arguments of each, of the signature that a call of `CreateCommandSignature` made.
pub fn strided(call: &Call<'_>) -> Option<(u32, Vec<D3D12_INDIRECT_ARGUMENT_DESC>)> {
    let mut children = Children::of(call)?;
    let description = *children.take::<D3D12_COMMAND_SIGNATURE_DESC>()?.first()?;
    let mut arguments = match description.pArgumentDescs.is_null() {
        true => Vec::new(),
        false => children.take::<D3D12_INDIRECT_ARGUMENT_DESC>()?,
    };
    arguments.truncate(description.NumArgumentDescs as usize);
    Some((description.ByteStride, arguments))
}

impl CommandSignature {
    /// From a call of `CreateCommandSignature`; `None` where its arguments are damaged.
    pub(super) fn new(call: &Call<'_>) -> Option<CommandSignature> {
        let mut signature = CommandSignature::default();
        for argument in &arguments(call)? {
            signature.dispatches |= matches!(argument.Type, Type::DISPATCH | Type::DISPATCH_RAYS);
            signature.changes.extend(Change::of(argument));
        }
        Some(signature)
    }

    /// What is bound after commands of this signature.
    pub(super) fn run(&self, bound: &mut Bound, call: u64) {
        for change in &self.changes {
            let roots = |bound| -> &mut Roots {
                let bound: &mut Bound = bound;
                if self.dispatches { &mut bound.compute } else { &mut bound.graphics }
            };
            match *change {
                Change::Vertices(slot) => {
                    put(&mut bound.vertices, slot as usize, VERTEX_SLOTS, Setting { value: None, call });
                }
                Change::Index => bound.index = Some(Setting { value: None, call }),
                Change::Constants(parameter, first, count) => {
                    let zeros = std::iter::repeat_n(0, (count as usize).min(MOST_CONSTANTS));
                    roots(bound).set_constants(parameter, first, zeros, call);
                }
                Change::View(parameter, view) => _ = roots(bound).set(parameter, RootArgument::View(view, 0), call),
            }
        }
    }
}
