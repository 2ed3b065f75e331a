//! Acceleration structures that need more room here than where the program put them.
//!
//! How large a structure is, a driver decides; programs lay structures side by side as the driver of the capture said. Before the
//! first use of an address in a buffer with structures, this device is asked about all that the trace ever builds there ([`plan`]). A
//! structure that does not fit between its place and the next one gets memory of replay's own, for as long as its buffer lives. Its
//! recorded address then means that memory, among arguments and in memory that replay translates alike.
//!
//! A compacted structure's size is known only once the GPU has built it. It stays where it was if adapter and driver are those
//! of the capture and its source fits; otherwise it has the room of its source.
//!
//! Invariants: a place once given stays. Only the first bytes of a structure have another address, because no call names others.
//! Barriers that name the program's buffer order the structures of replay's own, too: in every runtime on Vulkan a barrier of
//! unordered access is one for all memory.

mod inputs;
mod plan;

use std::collections::{BTreeMap, HashMap};

use reprise_codec::arena::Arena;
use reprise_d3d12::description::buffer;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Build,
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS as Description, D3D12_HEAP_TYPE,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO as Sizes, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES,
};
use reprise_d3d12::{interface, method};
use reprise_timeline::codec;

use crate::report::MovedStructures;
use crate::resolve::address::Location;
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::machine::Machine;
use crate::runtime::reference::device_of;
use crate::runtime::replay_objects::committed;

use inputs::Inputs;
use plan::Needs;
pub(crate) use plan::{Plan, are_in};

/// Structures begin at multiples of this: `D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BYTE_ALIGNMENT`.
pub(crate) const ALIGNMENT: u64 = 256;

/// Structures and their places.
#[derive(Default)]
pub(crate) struct Structures {
    plan: Plan,
    recorded_on: Machine,
    /// What this device says, once it was asked.
    here: Option<Here>,
    /// By buffer: its structures that lie elsewhere.
    elsewhere: HashMap<u32, Elsewhere>,
    /// Of the whole replay.
    pub(crate) moved: MovedStructures,
}

/// What a device says of the structures of a trace.
struct Here {
    needs: Needs,
    /// Whether a build may need more scratch memory than at capture.
    larger_scratch: bool,
}

/// Structures of one buffer that lie elsewhere.
#[derive(Default)]
struct Elsewhere {
    /// Replay's buffer; 0 where every structure fits.
    buffer: u64,
    /// Addresses here by offset in the program's buffer.
    addresses: BTreeMap<u64, u64>,
}

impl Structures {
    /// Knows the structures of a trace, and where it was captured.
    pub(crate) fn new(plan: Plan, recorded_on: Machine) -> Structures {
        Structures { plan, recorded_on, ..Structures::default() }
    }

    /// The address here of what begins in a structure that lies elsewhere.
    pub(crate) fn find(&self, at: Location) -> Option<u64> {
        let (offset, address) = self.elsewhere.get(&at.resource)?.addresses.range(..=at.offset).next_back()?;
        let beyond = at.offset - offset;
        (beyond < ALIGNMENT).then(|| address + beyond)
    }

    /// What the device says of all that the trace builds.
    fn here(&mut self, runtime: &Runtime, device: u64) -> &Here {
        let (plan, recorded) = (&self.plan, &self.recorded_on);
        self.here.get_or_insert_with(|| {
            let newer = runtime.query(device, &interface("ID3D12Device5").get().iid);
            // SAFETY: a device of the runtime with this interface.
            let ask = |inputs: &Inputs| newer.map(|newer| unsafe { inputs.sizes(runtime, newer) }).unwrap_or_default();
            let sizes: Vec<Sizes> = plan.inputs.iter().map(ask).collect();
            newer.into_iter().for_each(|newer| runtime.release(newer));
            let same_machine = Machine::of_device(runtime, device).is_some_and(|here| {
                !recorded.driver.is_empty() && (&here.adapter, &here.driver) == (&recorded.adapter, &recorded.driver)
            });
            let larger = |(inputs, here): (&Inputs, &Sizes)| match plan.told.get(inputs) {
                Some(told) => {
                    here.ScratchDataSizeInBytes > told.ScratchDataSizeInBytes
                        || here.UpdateScratchDataSizeInBytes > told.UpdateScratchDataSizeInBytes
                }
                None => !same_machine,
            };
            let larger_scratch = plan.inputs.iter().zip(&sizes).any(larger);
            let results = sizes.iter().map(|sizes| sizes.ResultDataMaxSizeInBytes).collect();
            Here { needs: Needs { results, same_machine }, larger_scratch }
        })
    }

    /// Whether a buffer has structures that were not placed yet.
    pub(crate) fn are_to_place(&self, resource: u32) -> bool {
        self.plan.structures.contains_key(&resource) && !self.elsewhere.contains_key(&resource)
    }

    /// Gives those structures of a buffer memory that do not fit in it here.
    ///
    /// # Errors
    /// The device has no room for them.
    pub(crate) fn place(&mut self, runtime: &Runtime, device: u64, resource: u32) -> Result<(), String> {
        self.here(runtime, device);
        let needs = self.here.as_ref().map(|here| &here.needs);
        let larger = needs.map(|needs| self.plan.larger(resource, needs)).unwrap_or_default();
        let bytes: u64 = larger.iter().map(|(_, need)| need).sum();
        let mut placed = Elsewhere::default();
        if bytes != 0 {
            let made = memory(runtime, device, bytes).map_err(|what| {
                let count = larger.len();
                format!(
                    "{count} acceleration structures of buffer {resource} are larger here than at capture, and there is no room \
                     of {bytes} bytes for them: {what}"
                )
            })?;
            let mut next = made.1;
            placed.buffer = made.0;
            self.moved.count += larger.len() as u64;
            self.moved.bytes += bytes;
            for (offset, need) in larger {
                placed.addresses.insert(offset, next);
                next += need;
            }
        }
        self.elsewhere.insert(resource, placed);
        Ok(())
    }

    /// Whether some structures of a buffer lie elsewhere.
    pub(crate) fn have_moved(&self, resource: u32) -> bool {
        self.elsewhere.get(&resource).is_some_and(|all| !all.addresses.is_empty())
    }

    /// Offsets that cut so many bytes from a place on into parts that each lie in one piece here, the first one included.
    pub(crate) fn cuts(&self, at: Location, bytes: u64) -> Vec<u64> {
        let end = at.offset.saturating_add(bytes);
        let all = self.elsewhere.get(&at.resource).into_iter().flat_map(|all| all.addresses.keys());
        let cuts = all.flat_map(|&offset| [offset, offset + ALIGNMENT]).filter(|cut| (at.offset..end).contains(cut));
        let mut cuts: Vec<u64> = cuts.chain([at.offset]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// How much scratch memory of replay's own a build on a list needs, because it needs more here than the program was told; `None`
    /// where the program's will do.
    ///
    /// # Errors
    /// The list does not tell its device.
    ///
    /// # Safety
    /// The list is alive, and the description's pointers lead to as many geometries as it says.
    pub(crate) unsafe fn scratch_of_build(
        &mut self,
        runtime: &Runtime,
        list: u64,
        desc: &Description,
    ) -> Result<Option<u64>, String> {
        let device = device_of(runtime, list)?;
        if !self.here(runtime, device.pointer()).larger_scratch {
            return Ok(None);
        }
        // SAFETY: as the caller says.
        let inputs = unsafe { Inputs::of(desc) };
        let newer = runtime.query(device.pointer(), &interface("ID3D12Device5").get().iid);
        let (Some(inputs), Some(newer)) = (inputs, newer) else { return Ok(None) };
        // SAFETY: a device of the runtime with this interface.
        let here = unsafe { inputs.sizes(runtime, newer) };
        runtime.release(newer);
        let scratch = |sizes: &Sizes| match Inputs::updates(desc) {
            true => sizes.UpdateScratchDataSizeInBytes,
            false => sizes.ScratchDataSizeInBytes,
        };
        let told = self.plan.told.get(&inputs).map_or(0, scratch);
        Ok(Some(scratch(&here)).filter(|here| *here > told))
    }

    /// A buffer went, and its structures with it.
    pub(crate) fn gone(&mut self, runtime: &Runtime, resource: u32) {
        let elsewhere = self.elsewhere.remove(&resource).filter(|elsewhere| elsewhere.buffer != 0);
        elsewhere.into_iter().for_each(|elsewhere| runtime.release(elsewhere.buffer));
    }

    /// Releases everything; the GPU is done.
    pub(crate) fn release(&mut self, runtime: &Runtime) {
        let all: Vec<u32> = self.elsewhere.keys().copied().collect();
        all.into_iter().for_each(|resource| self.gone(runtime, resource));
    }
}

/// What a device says of a build that a trace has, by the payload of its enter; zeros where it has no such structures.
///
/// # Errors
/// The payload cannot be read.
///
/// # Safety
/// `device` is an `ID3D12Device5` of the runtime.
pub(crate) unsafe fn sizes(runtime: &Runtime, device: u64, enter: &[u8]) -> Result<Sizes, String> {
    const BUILD: MethodId = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
    let mut arena = Arena::default();
    let rebuilt = codec()
        .rebuild(BUILD, enter, &mut reprise_codec::rebuild::AsRecorded, &mut arena)
        .map_err(|error| error.to_string())?;
    let desc = rebuilt.words.first().copied().unwrap_or(0) as *const Build;
    // SAFETY: null, or the description that the codec rebuilt in the arena, with all that its pointers lead to.
    let inputs = unsafe { desc.as_ref().and_then(|desc| Inputs::of(&desc.Inputs)) };
    let inputs = inputs.ok_or("a build of a kind that is not known")?;
    // SAFETY: as the caller says.
    Ok(unsafe { inputs.sizes(runtime, device) })
}

/// A buffer for so many bytes of structures, and its address.
fn memory(runtime: &Runtime, device: u64, bytes: u64) -> Result<(u64, u64), String> {
    const ADDRESS: MethodId = method("ID3D12Resource", "GetGPUVirtualAddress");
    let desc = buffer(bytes, D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
    let state = D3D12_RESOURCE_STATES::RAYTRACING_ACCELERATION_STRUCTURE;
    let made = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &desc, state)?;
    // SAFETY: a buffer of replay's own; there are no arguments.
    let address = unsafe { runtime.call(made.pointer(), ADDRESS, &[]) };
    Ok((made.into_pointer(), address))
}
