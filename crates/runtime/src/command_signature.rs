//! Command signatures: what an indirect command reads.

use core::ffi::c_void;
use core::ptr::NonNull;

use reprise_com::result::{E_FAIL, E_INVALIDARG};
use reprise_com::{Class, Object, Slots, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{D3D12_COMMAND_SIGNATURE_DESC, D3D12_INDIRECT_ARGUMENT_TYPE as Argument};

use crate::device::{self, Child, Device};
use crate::{Error, Result};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[("CreateCommandSignature", create as *const c_void)];

/// What the one argument of a signature is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Vertices, instances, first vertex, first instance.
    Draw,
    /// Indices, instances, first index, base vertex, first instance.
    DrawIndexed,
    /// Groups in three directions.
    Dispatch,
}

impl Kind {
    /// Bytes that Vulkan and the API read for it, in the same order.
    pub fn size(self) -> u32 {
        match self {
            Kind::Draw => 16,
            Kind::DrawIndexed => 20,
            Kind::Dispatch => 12,
        }
    }
}

/// The body of `ID3D12CommandSignature`.
#[derive(Debug)]
pub struct CommandSignature {
    device: Child,
    /// What is done.
    pub kind: Kind,
    /// Bytes from one command to the next.
    pub stride: u32,
}

impl CommandSignature {
    /// A signature of one draw or dispatch. Others, which change state too, are refused.
    fn new(device: &Object<Device>, desc: &D3D12_COMMAND_SIGNATURE_DESC, has_root: bool) -> Result<CommandSignature> {
        if desc.pArgumentDescs.is_null() || desc.NumArgumentDescs == 0 {
            return Err(Error::Invalid("a command signature without arguments"));
        }
        // SAFETY: the program's array.
        let arguments = unsafe { core::slice::from_raw_parts(desc.pArgumentDescs, desc.NumArgumentDescs as usize) };
        let state = |kind: Argument| {
            !matches!(
                kind,
                Argument::DRAW
                    | Argument::DRAW_INDEXED
                    | Argument::DISPATCH
                    | Argument::DISPATCH_RAYS
                    | Argument::DISPATCH_MESH
            )
        };
        // The API's rules: what acts comes last, and once; root arguments need a root signature.
        let rooted =
            |kind: Argument| state(kind) && !matches!(kind, Argument::VERTEX_BUFFER_VIEW | Argument::INDEX_BUFFER_VIEW);
        let acting = arguments.iter().filter(|argument| !state(argument.Type)).count();
        if acting != 1 || arguments.last().is_some_and(|last| state(last.Type)) {
            return Err(Error::Invalid("a command signature that does not end with its one draw or dispatch"));
        }
        if arguments.iter().any(|argument| rooted(argument.Type)) != has_root {
            return Err(Error::Invalid("a root signature belongs to command signatures that change root arguments"));
        }
        let kind = match arguments {
            [one] if one.Type == Argument::DRAW => Kind::Draw,
            [one] if one.Type == Argument::DRAW_INDEXED => Kind::DrawIndexed,
            [one] if one.Type == Argument::DISPATCH => Kind::Dispatch,
            _ => {
                reprise_com::unsupported(
                    reprise_d3d12::method("ID3D12Device", "CreateCommandSignature"),
                    " with arguments other than one draw or dispatch",
                );
                return Err(Error::Unsupported("command signatures that change state, trace rays or dispatch meshes"));
            }
        };
        if desc.ByteStride < kind.size() || !desc.ByteStride.is_multiple_of(4) {
            return Err(Error::Invalid("the stride of a command signature"));
        }
        Ok(CommandSignature { device: Child::new(device), kind, stride: desc.ByteStride })
    }
}

const NEWEST: InterfaceId = interface("ID3D12CommandSignature");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(NEWEST, Object::<CommandSignature>::SHARED, &[]);

impl Class for CommandSignature {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: &'static [*const c_void] = VTABLE.slots();

    fn released(object: &Object<Self>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

unsafe extern "C" fn create(
    this: *mut c_void,
    desc: *const D3D12_COMMAND_SIGNATURE_DESC,
    root: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if desc.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a device of ours; the rest is the program's.
        unsafe { device::give(CommandSignature::new(device::this(this), &*desc, !root.is_null()), iid, out) }
    })
}
