//! Devices: made through the function that the runtime has, and asked for the increments of descriptor heaps.

use reprise_codec::decode::Outcome;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::{function, interface, method};

use crate::call::open::OpenCall;
use crate::context::Context;
use crate::error::{Error, Place};
use crate::input::values::{at, guid, ids, number, number_at};
use crate::results::{self, refusal};
use crate::runtime::machine::Machine;

/// `D3D_FEATURE_LEVEL_11_0`.
const FEATURE_LEVEL_11_0: u64 = 0xb000;
/// `VKD3D_API_VERSION_1_2`.
const NEWEST_VKD3D: u64 = 2;

/// Makes the device of a creation that is over in the trace.
///
/// # Errors
/// The runtime makes no devices, or refuses this one.
pub(crate) fn create(context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) -> Result<(), Error> {
    let arguments = call.arguments(&context.codec)?;
    let members = &arguments.members;
    let levels = ["MinimumFeatureLevel", "FeatureLevel", "minimum_feature_level", "create_info.minimum_feature_level"];
    let level = levels.iter().find_map(|path| number_at(members, path)).unwrap_or(FEATURE_LEVEL_11_0);
    let iid: Guid =
        ["riid", "iid"].iter().find_map(|name| guid(at(members, name)?)).unwrap_or(interface("ID3D12Device").get().iid);
    let wanted = outcome.outputs.iter().flat_map(|member| ids(&member.value)).find(|&id| id != 0);
    let mut device = 0u64;
    let out = if wanted.is_some() { core::ptr::from_mut(&mut device) as u64 } else { 0 };
    let iid_pointer = core::ptr::from_ref(&iid) as u64;
    let runtime = &context.world.runtime;
    // The adapter is this machine's choice. SAFETY: the arguments are numbers and memory of ours.
    let here = unsafe {
        if runtime.vkd3d_create_device() {
            let version = number_at(members, "api_version").unwrap_or(NEWEST_VKD3D);
            runtime.call_function(function("D3D12CreateDeviceVKD3D"), &[0, level, iid_pointer, out, version])
        } else {
            runtime.call_function(function("D3D12CreateDevice"), &[0, level, iid_pointer, out])
        }
    };
    let here = here.ok_or_else(|| call.fail(format!("the runtime {} makes no devices", runtime.name)))? as u32;
    context.count_call();
    let recorded = number(&outcome.result).unwrap_or(0) as u32;
    match wanted {
        Some(id) if device != 0 => {
            let class = by_iid(&iid).unwrap_or(interface("ID3D12Device"));
            let world = &mut context.world;
            world.objects.given(&world.runtime, id, class, device);
            if context.report.replayed_on.is_none() {
                context.report.replayed_on = Machine::of_device(&world.runtime, device);
            }
        }
        Some(id) => return Err(refusal::error(context, call, id, here)),
        None if recorded != here => results::differ_in_code(context, call, recorded, here),
        None => {}
    }
    Ok(())
}

/// The trace says the recorded increment of a heap: asks this runtime for its own.
///
/// # Errors
/// The heap does not say its device.
pub(crate) fn pair_increment(
    context: &mut Context<'_, '_>,
    heap: u32,
    recorded: u32,
    place: &Place,
) -> Result<(), Error> {
    const GET: MethodId = method("ID3D12Device", "GetDescriptorHandleIncrementSize");
    let world = &mut context.world;
    let Some(kind) = world.descriptor_heap_kind(heap) else { return Ok(()) };
    if recorded == 0 || world.knows_increment(kind) {
        return Ok(());
    }
    let here = {
        let device = world.device_of(heap).map_err(|what| place.fail(what))?;
        // SAFETY: the device is alive; the argument is a number.
        unsafe { device.runtime().call(device.pointer(), GET, &[u64::from(kind)]) as u32 }
    };
    world.pair_increments(kind, recorded, here);
    Ok(())
}
