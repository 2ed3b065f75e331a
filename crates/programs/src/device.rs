//! The device, and what is asked of it.

use crate::com::{Com, Null, Word, attempt, create, succeeded};
use crate::failure::Failure;
use crate::runtime::Runtime;
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};
use reprise_d3d12::types::{D3D_FEATURE_LEVEL, D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS};
use reprise_d3d12::{function, interface};

/// A device of a feature level or more, on the library's first adapter.
pub(crate) struct Device {
    pub(crate) com: Com,
}

impl Device {
    /// Makes a device of feature level 11.0 or more.
    pub(crate) fn new(runtime: &'static Runtime) -> Result<Self, Failure> {
        Self::of_level(runtime, D3D_FEATURE_LEVEL::LEVEL_11_0)
    }

    /// Makes a device of this level or more.
    pub(crate) fn of_level(runtime: &'static Runtime, level: D3D_FEATURE_LEVEL) -> Result<Self, Failure> {
        const CREATE: MethodId = function("D3D12CreateDevice");
        const CLASS: InterfaceId = interface("ID3D12Device");
        let mut made: *mut c_void = core::ptr::null_mut();
        let words: [Word; 4] =
            [Null.into(), level.0.into(), (&raw const CLASS.get().iid).into(), (&raw mut made).into()];
        // SAFETY: the words are those of the function: no adapter, a level, an interface id, and a place of ours.
        succeeded(CREATE, unsafe { runtime.call(CREATE, &words) }?)?;
        // SAFETY: the call succeeded, so this is null or a device with a reference for us.
        let com = unsafe { Com::new(runtime, CLASS, made) };
        Ok(Self { com: com.ok_or_else(|| Failure::Wrong("D3D12CreateDevice succeeds and gives nothing".into()))? })
    }

    /// Makes one more device on the same adapter: devices that are asked for in the usual way are one.
    pub(crate) fn beside(runtime: &'static Runtime) -> Result<Self, Failure> {
        const GET: MethodId = function("D3D12GetInterface");
        const CLASS: InterfaceId = interface("ID3D12DeviceFactory");
        /// `CLSID_D3D12DeviceFactory`.
        static FACTORY: Guid = Guid {
            data1: 0x1148_63bf,
            data2: 0xc386,
            data3: 0x4aee,
            data4: [0xb3, 0x9d, 0x8f, 0x0b, 0xbb, 0x06, 0x29, 0x55],
        };
        let mut made: *mut c_void = core::ptr::null_mut();
        let words: [Word; 3] =
            [(&raw const FACTORY).into(), (&raw const CLASS.get().iid).into(), (&raw mut made).into()];
        // SAFETY: the words are those of the function: a class, an interface id, and a place of ours.
        let answer = unsafe { runtime.call(GET, &words) }?;
        if answer as i32 != 0 {
            return Err(Failure::Cannot("the library has no factory of devices".into()));
        }
        // SAFETY: the call succeeded, so this is null or a factory with a reference for us.
        let factory = unsafe { Com::new(runtime, CLASS, made) };
        let factory = factory.ok_or_else(|| Failure::Wrong("D3D12GetInterface succeeds and gives nothing".into()))?;
        let level = D3D_FEATURE_LEVEL::LEVEL_11_0;
        let com = create!(factory, "ID3D12DeviceFactory", "CreateDevice", Null, level.0; "ID3D12Device")?;
        Ok(Self { com })
    }

    /// Asks for a feature; `data` is the structure of that feature, with its inputs filled in. False where the library does
    /// not know the feature.
    pub(crate) fn feature<T: Copy>(&self, feature: D3D12_FEATURE, data: &mut T) -> bool {
        let size = size_of::<T>() as u32;
        attempt!(self.com, "ID3D12Device", "CheckFeatureSupport", feature.0, core::ptr::from_mut(data), size).is_ok()
    }

    /// The oldest and most asked for of the features.
    pub(crate) fn options(&self) -> D3D12_FEATURE_DATA_D3D12_OPTIONS {
        let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS::default();
        // A library that does not know them has none of them.
        self.feature(D3D12_FEATURE::D3D12_OPTIONS, &mut options);
        options
    }
}
