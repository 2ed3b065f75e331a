//! `IDXCoreAdapter`: what a Vulkan device says of itself.

use core::ffi::c_void;
use std::sync::{Arc, OnceLock};

use reprise_com::guard;
use reprise_com::guid::guid;
use reprise_com::result::{DXGI_ERROR_INVALID_CALL, DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG, E_POINTER, S_OK};
use reprise_d3d12::model::Guid;
use reprise_gpu::Instance;
use reprise_gpu::card::{self, Card};

use super::object::{Class, Object, get_factory};
use crate::environment::settings;

/// A device.
pub(super) struct Adapter {
    pub(super) card: Card,
    /// Held for the device.
    instance: Arc<Instance>,
}

impl Class for Adapter {
    const INTERFACES: &'static [Guid] =
        &[guid(0xf0db_4c7f, 0xfe5a, 0x42a2, [0xbd, 0x62, 0xf2, 0xa6, 0xcf, 0x6f, 0xc8, 0x3e])];
    const METHODS: &'static [*const c_void] = &[
        is_valid as *const c_void,
        is_attribute_supported as *const c_void,
        is_property_supported as *const c_void,
        get_property as *const c_void,
        get_property_size as *const c_void,
        is_query_state_supported as *const c_void,
        query_state as *const c_void,
        is_set_state_supported as *const c_void,
        set_state as *const c_void,
        get_factory as *const c_void,
    ];
    const GOES: bool = false;
}

/// All adapters, in Vulkan's order; none where Vulkan does not work.
pub(super) fn all() -> &'static [Object<Adapter>] {
    static ALL: OnceLock<Vec<Object<Adapter>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let instance = Instance::shared(&settings().gpu);
        let found = instance.and_then(|instance| Ok((card::cards(&instance)?, instance)));
        match found {
            Ok((cards, instance)) => {
                let adapter = |card| Object::new(Adapter { card, instance: instance.clone() });
                cards.into_iter().map(adapter).collect()
            }
            Err(error) => {
                reprise_log::error(format_args!("DXCore has no adapters: {error}"));
                Vec::new()
            }
        }
    })
}

/// `DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS`.
pub(super) const GRAPHICS: Guid = guid(0x0c9e_ce4d, 0x2f6e, 0x4f01, [0x8c, 0x96, 0xe8, 0x9e, 0x33, 0x1b, 0x47, 0xb1]);
/// `DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE`.
const COMPUTE: Guid = guid(0x248e_2800, 0xa793, 0x4724, [0xab, 0xaa, 0x23, 0xa6, 0xde, 0x1b, 0xe0, 0x90]);
/// `DXCORE_ADAPTER_ATTRIBUTE_D3D12_GENERIC_ML`.
const MACHINE_LEARNING: Guid = guid(0xb71b_0d41, 0x1088, 0x422f, [0xa2, 0x7c, 0x02, 0x50, 0xb7, 0xd3, 0xa9, 0x88]);
/// `DXCORE_HARDWARE_TYPE_ATTRIBUTE_GPU`.
const GPU: Guid = guid(0xb69e_b219, 0x3ded, 0x4464, [0x97, 0x9f, 0xa0, 0x0b, 0xd4, 0x68, 0x70, 0x06]);

impl Adapter {
    /// Whether the adapter has an attribute.
    pub(super) fn has(&self, attribute: &Guid) -> bool {
        [GRAPHICS, COMPUTE, MACHINE_LEARNING, GPU].contains(attribute)
    }

    /// Whether it says that it is hardware. TensorFlow's and PyTorch's DirectML back ends use no other adapter, so a software
    /// rasteriser says so, too, where there is no GPU.
    fn passes_as_hardware(&self) -> bool {
        let only_software = all().iter().all(|adapter| !adapter.body.card.is_hardware);
        if only_software {
            reprise_log::warning_once(
                "DXCore calls a software rasteriser hardware:",
                "programs pass over software adapters, and this machine has no others",
            );
        }
        self.card.is_hardware || only_software
    }

    /// The bytes of a property; `None` for those that are not known.
    fn property(&self, property: u32) -> Option<Vec<u8>> {
        let card = &self.card;
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Some(match property {
            // InstanceLuid.
            0 => words(&[card.identity.luid.low, card.identity.luid.high as u32]),
            // DriverVersion.
            1 => u64::from(card.driver).to_le_bytes().to_vec(),
            // DriverDescription.
            2 => card.identity.name.bytes().chain([0]).collect(),
            // HardwareID, and HardwareIDParts.
            3 => words(&[card.identity.vendor, card.identity.device, 0, 0]),
            14 => words(&[card.identity.vendor, card.identity.device, 0, 0, 0]),
            // DedicatedAdapterMemory, DedicatedSystemMemory, SharedSystemMemory.
            7 => card.local.to_le_bytes().to_vec(),
            8 => 0u64.to_le_bytes().to_vec(),
            9 => card.shared.to_le_bytes().to_vec(),
            // AcgCompatible, IsHardware, IsIntegrated, IsDetachable.
            10 => vec![0],
            11 => vec![u8::from(self.passes_as_hardware())],
            12 => vec![u8::from(card.is_integrated)],
            13 => vec![0],
            // PhysicalAdapterCount.
            15 => words(&[1]),
            _ => return None,
        })
    }
}

unsafe extern "C" fn is_valid(_this: *mut c_void) -> bool {
    true
}

unsafe extern "C" fn is_attribute_supported(this: *mut c_void, attribute: *const Guid) -> bool {
    // SAFETY: an adapter of ours; the program's id is readable or null.
    unsafe { attribute.as_ref().is_some_and(|attribute| Object::<Adapter>::this(this).body.has(attribute)) }
}

unsafe extern "C" fn is_property_supported(this: *mut c_void, property: u32) -> bool {
    // SAFETY: an adapter of ours.
    guard(false, || unsafe { Object::<Adapter>::this(this) }.body.property(property).is_some())
}

unsafe extern "C" fn get_property(this: *mut c_void, property: u32, size: usize, out: *mut u8) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: an adapter of ours.
        let Some(bytes) = (unsafe { Object::<Adapter>::this(this) }).body.property(property) else {
            return DXGI_ERROR_UNSUPPORTED;
        };
        if out.is_null() {
            return E_POINTER;
        }
        if size < bytes.len() {
            return E_INVALIDARG;
        }
        // SAFETY: the program's place has room for `size` bytes.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), out, bytes.len()) };
        S_OK
    })
}

unsafe extern "C" fn get_property_size(this: *mut c_void, property: u32, out: *mut usize) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: an adapter of ours.
        let Some(bytes) = (unsafe { Object::<Adapter>::this(this) }).body.property(property) else {
            return DXGI_ERROR_UNSUPPORTED;
        };
        if out.is_null() {
            return E_POINTER;
        }
        // SAFETY: the program's place.
        unsafe { out.write(bytes.len()) };
        S_OK
    })
}

/// `IsDriverUpdateInProgress`.
const UPDATE: u32 = 0;
/// `AdapterMemoryBudget`.
const BUDGET: u32 = 1;

unsafe extern "C" fn is_query_state_supported(_this: *mut c_void, state: u32) -> bool {
    matches!(state, UPDATE | BUDGET)
}

unsafe extern "C" fn query_state(
    this: *mut c_void,
    state: u32,
    input_size: usize,
    input: *const u32,
    size: usize,
    out: *mut u8,
) -> i32 {
    guard(E_FAIL, || {
        let bytes = match state {
            UPDATE => vec![0],
            BUDGET if input.is_null() || input_size < 8 => return E_INVALIDARG,
            BUDGET => {
                // SAFETY: the input is two words: a node, and a group of segments, of which 0 is the local one.
                let group = unsafe { input.add(1).read_unaligned() };
                // SAFETY: an adapter of ours.
                let adapter = unsafe { &Object::<Adapter>::this(this).body };
                let memory = adapter.card.budget(&adapter.instance, group == 0);
                // Budget, current usage, and nothing that could be reserved.
                [memory.budget, memory.usage, 0, 0].iter().flat_map(|value| value.to_le_bytes()).collect()
            }
            _ => return DXGI_ERROR_UNSUPPORTED,
        };
        if out.is_null() {
            return E_POINTER;
        }
        if size < bytes.len() {
            return E_INVALIDARG;
        }
        // SAFETY: the program's place has room for `size` bytes.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), out, bytes.len()) };
        S_OK
    })
}

unsafe extern "C" fn is_set_state_supported(_this: *mut c_void, _state: u32) -> bool {
    false
}

/// Nothing can be reserved.
unsafe extern "C" fn set_state(
    _this: *mut c_void,
    state: u32,
    _input_size: usize,
    _input: *const c_void,
    _size: usize,
    _data: *const c_void,
) -> i32 {
    if matches!(state, UPDATE | BUDGET) { DXGI_ERROR_INVALID_CALL } else { DXGI_ERROR_UNSUPPORTED }
}
