//! What a call is given in the place of something that is not there, by method: the first rule that fits decides.
//!
//! Null where the API gives null a meaning for the argument; else zeros, which is what a GPU reads that has no page faults; else
//! the call is left out.

use std::fmt;

use reprise_d3d12::interface;
use reprise_d3d12::model::{InterfaceId, MethodId};

/// A kind of thing that is named and not there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Missing {
    /// A GPU virtual address at which nothing lies.
    Address,
    /// A handle of a descriptor in no heap.
    Handle,
    /// An object that was released, or that replay leaves out.
    Object,
}

/// What replay does in its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stead {
    /// Passes null.
    Null,
    /// Passes the address of zeros.
    Zeros,
    /// Passes the address of memory that nothing reads.
    Sink,
    /// Passes the place in the heap, which is alive.
    Heap,
    /// Leaves an address in memory as it was recorded.
    Recorded,
    /// Passes a null target.
    Target,
    /// Takes it out of the array that it stands in.
    TakenOut,
    /// Leaves the call out.
    LeftOut,
}

impl fmt::Display for Stead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null is passed",
            Self::Zeros => "the address of zeros is passed",
            Self::Sink => "the address of memory that nothing reads is passed",
            Self::Heap => "the bytes in its heap, which is alive, are used",
            Self::Recorded => "it stays as recorded",
            Self::Target => "a null target is passed",
            Self::TakenOut => "the call is made without it",
            Self::LeftOut => "the call is left out",
        })
    }
}

impl Missing {
    /// Stable, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Handle => "handle",
            Self::Object => "object",
        }
    }
}

impl Stead {
    /// Stable, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Zeros => "zeros",
            Self::Sink => "sink",
            Self::Heap => "heap",
            Self::Recorded => "recorded",
            Self::Target => "null-target",
            Self::TakenOut => "taken-out",
            Self::LeftOut => "left-out",
        }
    }
}

use Missing::{Address, Handle, Object};

const RESOURCE: Option<InterfaceId> = Some(interface("ID3D12Resource"));
const PIPELINE: Option<InterfaceId> = Some(interface("ID3D12PipelineState"));

/// The end of a method's name, what is missing, the class of an object where it matters, what is passed.
const RULES: &[(&str, Missing, Option<InterfaceId>, Stead)] = &[
    ("RootConstantBufferView", Address, None, Stead::Zeros),
    ("RootShaderResourceView", Address, None, Stead::Zeros),
    ("RootUnorderedAccessView", Address, None, Stead::Sink),
    ("IASetVertexBuffers", Address, None, Stead::Null),
    // Not every library draws by indices without a buffer of them.
    ("IASetIndexBuffer", Address, None, Stead::Zeros),
    ("SOSetTargets", Address, None, Stead::Null),
    ("CreateConstantBufferView", Address, None, Stead::Zeros),
    ("CreateShaderResourceView", Address, None, Stead::Null),
    ("WriteBufferImmediate", Address, None, Stead::Sink),
    ("DispatchRays", Address, None, Stead::Zeros),
    // Nothing is built of them.
    ("BuildRaytracingAccelerationStructure", Address, None, Stead::Zeros),
    ("OMSetRenderTargets", Handle, None, Stead::Target),
    ("BeginRenderPass", Handle, None, Stead::Target),
    ("CreateShaderResourceView", Object, RESOURCE, Stead::Null),
    ("CreateUnorderedAccessView", Object, RESOURCE, Stead::Null),
    ("CreateRenderTargetView", Object, RESOURCE, Stead::Null),
    ("CreateDepthStencilView", Object, RESOURCE, Stead::Null),
    ("SetPredication", Object, RESOURCE, Stead::Null),
    // Lists begin without a pipeline state then.
    ("Reset", Object, PIPELINE, Stead::Null),
    ("ClearState", Object, PIPELINE, Stead::Null),
    ("CreateCommandList", Object, PIPELINE, Stead::Null),
    ("ResourceBarrier", Object, None, Stead::TakenOut),
    ("Barrier", Object, None, Stead::TakenOut),
    ("ExecuteCommandLists", Object, None, Stead::TakenOut),
    ("SetDescriptorHeaps", Object, None, Stead::TakenOut),
    ("MakeResident", Object, None, Stead::TakenOut),
    ("Evict", Object, None, Stead::TakenOut),
];

/// What a call of the method is given for something missing; for an object by the class that the argument has.
pub(crate) fn stead(method: MethodId, missing: Missing, class: Option<InterfaceId>) -> Stead {
    let name = method.get().name;
    let fits =
        |wanted: Option<InterfaceId>| wanted.is_none_or(|wanted| class.is_some_and(|class| class.derives_from(wanted)));
    let rule = RULES.iter().find(|(end, what, class, _)| name.ends_with(end) && *what == missing && fits(*class));
    rule.map_or(Stead::LeftOut, |rule| rule.3)
}

#[cfg(test)]
mod tests {
    use reprise_d3d12::MODEL;
    use reprise_d3d12::method;

    use super::*;

    #[test]
    fn every_rule_fits_a_method() {
        for (end, ..) in RULES {
            assert!(MODEL.methods.iter().any(|method| method.name.ends_with(end)), "{end}");
        }
    }

    #[test]
    fn the_argument_decides_where_null_means_something() {
        let reset = method("ID3D12GraphicsCommandList", "Reset");
        let stead = |class| super::stead(reset, Object, Some(interface(class)));
        assert_eq!(stead("ID3D12PipelineState"), Stead::Null);
        assert_eq!(stead("ID3D12CommandAllocator"), Stead::LeftOut);
        let copy = method("ID3D12Device", "CopyDescriptorsSimple");
        assert_eq!(super::stead(copy, Handle, None), Stead::LeftOut);
    }
}
