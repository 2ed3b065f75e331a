//! What the device of a runtime says that it can do, asked without a trace.

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_FEATURE, D3D12_FEATURE_DATA_FORMAT_SUPPORT, DXGI_FORMAT};
use reprise_d3d12::{MODEL, enum_, feature, method};

use crate::error::Error;
use crate::handlers::device;
use crate::options::Options;
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::machine::Machine;
use crate::runtime::reference::Reference;

const CHECK: MethodId = method("ID3D12Device", "CheckFeatureSupport");

/// The answers of a runtime's device.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// The runtime, as a report names it.
    pub runtime: String,
    /// The device; `None` for runtimes that are not known to tell it.
    pub machine: Option<Machine>,
    /// The highest `D3D_FEATURE_LEVEL`.
    pub level: u32,
    /// `CheckFeatureSupport` of every feature that needs no question: its number, and its structure's bytes.
    pub answers: Vec<(u32, Vec<u8>)>,
    /// Each `DXGI_FORMAT` with its `D3D12_FORMAT_SUPPORT1` and `D3D12_FORMAT_SUPPORT2`.
    pub formats: Vec<(u32, [u32; 2])>,
}

impl Capabilities {
    /// Loads the runtime that the options name, makes a device of it, and asks.
    ///
    /// # Errors
    /// The runtime cannot be loaded, or has no device.
    pub fn of(options: &Options<'_>) -> Result<Self, Error> {
        let runtime = Runtime::load(options.runtime.as_deref(), options.convention, options.linked_runtime)?;
        let no_device = |reason: String| Error::Runtime { name: runtime.name.clone(), reason };
        let device = device::any(&runtime).map_err(no_device)?;
        let check = |feature: u32, data: *mut u64, size: u32| {
            let words = [feature.into(), data as u64, size.into()];
            // SAFETY: the device is alive; the data has the size of the feature's structure.
            let result = unsafe { runtime.call(device.pointer(), CHECK, &words) };
            result as u32 as i32 >= 0
        };
        let mut answers = Vec::new();
        feature::answers(
            |interface| {
                let found = runtime.query(device.pointer(), &interface.get().iid);
                found.and_then(|found| Reference::new(&runtime, found)).is_some()
            },
            |feature, data, size| check(feature, data.as_mut_ptr(), size),
            |feature, size, data| {
                let bytes = data.iter().flat_map(|word| word.to_le_bytes()).take(size as usize).collect();
                answers.push((feature, bytes));
            },
        );
        let formats = MODEL.enums[usize::from(enum_("DXGI_FORMAT").0)].members.iter().filter_map(|(_, format)| {
            let mut data =
                D3D12_FEATURE_DATA_FORMAT_SUPPORT { Format: DXGI_FORMAT(*format as i32), ..Default::default() };
            let place = core::ptr::from_mut(&mut data).cast();
            let known = check(D3D12_FEATURE::FORMAT_SUPPORT.0 as u32, place, size_of_val(&data) as u32);
            known.then_some((*format as u32, [data.Support1.0, data.Support2.0]))
        });
        let formats = formats.collect();
        Ok(Self {
            machine: Machine::of_device(&runtime, device.pointer()),
            level: device::highest_level(&runtime, device.pointer()) as u32,
            answers,
            formats,
            runtime: runtime.name.clone(),
        })
    }
}
