//! Meta commands: what a driver does as a whole, by a number of its own.
//!
//! There is one, DirectStorage's decompression of GDeflate ([`crate::decompression`]), where the device can run its kernel. Lists execute it
//! (`list/meta`). Invariant: what is enumerated can be made, and executes.

use core::ffi::c_void;
use core::ptr::NonNull;

use reprise_com::result::{DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG, S_OK};
use reprise_com::{Class, Object, Slots, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    D3D12_GRAPHICS_STATES as Dirty, D3D12_META_COMMAND_DESC as Desc,
    D3D12_META_COMMAND_PARAMETER_DESC as ParameterDesc, D3D12_META_COMMAND_PARAMETER_FLAGS as Flags,
    D3D12_META_COMMAND_PARAMETER_STAGE as Stage, D3D12_META_COMMAND_PARAMETER_TYPE as Type,
    D3D12_RESOURCE_STATES as States,
};

use crate::decompression::layout::{self, DIRECT_STORAGE, NAME, Refusal, parameters};
use crate::decompression::question::bytes;
use crate::device::{self, Child, Device};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[
    ("EnumerateMetaCommands", enumerate as *const c_void),
    ("EnumerateMetaCommandParameters", enumerate_parameters as *const c_void),
    ("CreateMetaCommand", create as *const c_void),
];

/// The body of `ID3D12MetaCommand`.
#[derive(Debug)]
pub struct MetaCommand {
    device: Child,
    /// Streams of an execution, at most.
    pub streams: u64,
}

const NEWEST: InterfaceId = interface("ID3D12MetaCommand");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    Object::<MetaCommand>::SHARED,
    &[("GetRequiredParameterResourceSize", required_size as *const c_void)],
);

impl Class for MetaCommand {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn released(object: &Object<Self>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

/// Whether a device has the command with a number.
fn has(device: &Device, id: &Guid) -> bool {
    *id == DIRECT_STORAGE && device.caps.inflates()
}

/// Gives the program as many of `all` as it has room for, where it wants them, and always how many there are.
///
/// # Safety
/// `count` is writable, and `out` null or has room for `count`.
unsafe fn list<T>(all: impl ExactSizeIterator<Item = T>, count: *mut u32, out: *mut T) {
    let there = all.len() as u32;
    // SAFETY: the caller promises: `count` is writable, `out` null or with room for so many.
    unsafe {
        if !out.is_null() {
            all.take(count.read() as usize).enumerate().for_each(|(at, one)| out.add(at).write(one));
        }
        count.write(there);
    }
}

unsafe extern "C" fn enumerate(this: *mut c_void, count: *mut u32, descs: *mut Desc) -> i32 {
    guard(E_FAIL, || {
        if count.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a device of ours; the places are the caller's.
        unsafe {
            let there = has(device::this(this), &DIRECT_STORAGE);
            let descs_of = |_: usize| Desc {
                Id: DIRECT_STORAGE,
                Name: NAME.as_ptr(),
                InitializationDirtyState: Dirty::NONE,
                ExecutionDirtyState: Dirty(Dirty::COMPUTE_ROOT_SIGNATURE.0 | Dirty::PIPELINE_STATE.0),
            };
            list((0..usize::from(there)).map(descs_of), count, descs);
        }
        S_OK
    })
}

unsafe extern "C" fn enumerate_parameters(
    this: *mut c_void,
    id: *const Guid,
    stage: Stage,
    size: *mut u32,
    count: *mut u32,
    descs: *mut ParameterDesc,
) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a device of ours; the program's identifier, or null.
        let known = unsafe { id.as_ref().is_some_and(|id| has(device::this(this), id)) };
        let Some(all) = parameters(stage).filter(|_| known) else { return E_INVALIDARG };
        let desc = |(at, one): (usize, &layout::Parameter)| ParameterDesc {
            Name: one.name.as_ptr(),
            Type: one.kind,
            Flags: if one.written { Flags::OUTPUT } else { Flags::INPUT },
            RequiredResourceState: match one.kind {
                Type::GPU_VIRTUAL_ADDRESS => States::UNORDERED_ACCESS,
                _ => States::COMMON,
            },
            StructureOffset: 8 * at as u32,
        };
        // SAFETY: the places are the caller's.
        unsafe {
            if !size.is_null() {
                size.write(8 * all.len() as u32);
            }
            if !count.is_null() {
                list(all.iter().enumerate().map(desc), count, descs);
            }
        }
        S_OK
    })
}

unsafe extern "C" fn create(
    this: *mut c_void,
    id: *const Guid,
    nodes: u32,
    data: *const c_void,
    size: usize,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a device of ours, and the program's arguments.
        unsafe {
            if !out.is_null() {
                out.write(core::ptr::null_mut());
            }
            let device = device::this(this);
            if nodes > 1 || !id.as_ref().is_some_and(|id| has(device, id)) {
                return E_INVALIDARG;
            }
            match layout::creation(bytes(data, size)) {
                Ok(streams) => device::give(Ok(MetaCommand { device: Child::new(device), streams }), iid, out),
                Err(Refusal::Short) => E_INVALIDARG,
                Err(Refusal::Other) => DXGI_ERROR_UNSUPPORTED,
            }
        }
    })
}

/// Sizes of buffers are the program's to choose, and there is no need for scratch memory.
unsafe extern "C" fn required_size(_this: *mut c_void, _stage: Stage, _index: u32) -> u64 {
    0
}
