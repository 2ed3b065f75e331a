//! Devices: made through the function that the runtime has, and asked for the increments of descriptor heaps.

use reprise_codec::Codec;
use reprise_codec::decode::Outcome;
use reprise_codec::value::Member;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};
use reprise_d3d12::types::{D3D_FEATURE_LEVEL, D3D12_FEATURE, D3D12_FEATURE_DATA_FEATURE_LEVELS};
use reprise_d3d12::{enum_, function, interface, method};

use crate::call::open_call::OpenCall;
use crate::context::Context;
use crate::error::{Error, Place};
use crate::hresult::HresultName;
use crate::input::values::{at, guid, ids, number, number_at};
use crate::report::Change;
use crate::results::{self, refusal};
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::machine::Machine;
use crate::runtime::reference::Reference;

const DEVICE: InterfaceId = interface("ID3D12Device");

/// The least that any device has.
const LEAST: u64 = D3D_FEATURE_LEVEL::LEVEL_11_0.0 as u64;
/// `VKD3D_API_VERSION_1_2`.
const NEWEST_VKD3D: u64 = 2;
/// The level, among the arguments of each function that makes devices.
const LEVELS: [&str; 4] =
    ["MinimumFeatureLevel", "FeatureLevel", "minimum_feature_level", "create_info.minimum_feature_level"];

/// Makes the device of a creation that is over in the trace. Where there is none of its level, one of the level that there is.
///
/// # Errors
/// The runtime makes no devices, or refuses this one at any level.
pub(crate) fn create(context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) -> Result<(), Error> {
    let arguments = call.arguments(&context.codec)?;
    let mut asked = Asked::of(&arguments.members);
    let wanted = outcome.outputs.iter().flat_map(|member| ids(&member.value)).find(|&id| id != 0);
    let runtime = &context.world.runtime;
    let mut device = 0u64;
    let here = asked.make(runtime, wanted.map(|_| &mut device));
    let here = here.ok_or_else(|| call.fail(format!("the runtime {} makes no devices", runtime.name)))?;
    let mut conceded = Vec::new();
    if wanted.is_some()
        && (here as i32) < 0
        && let Some(less) = asked.less(runtime, &mut device)
    {
        conceded = asked.without(&less, highest_level(runtime, device), &context.codec);
        asked = less;
    }
    context.count_call();
    conceded.into_iter().for_each(|change| context.report.concede(&call.place, change));
    let recorded = number(&outcome.result).unwrap_or(0) as u32;
    match wanted {
        Some(id) if device != 0 => {
            let class = by_iid(&asked.iid).unwrap_or(DEVICE);
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

/// What a creation asks for.
#[derive(Clone, Copy)]
struct Asked {
    /// The name of the argument with the level.
    field: &'static str,
    /// `D3D_FEATURE_LEVEL`.
    level: u64,
    iid: Guid,
    /// `VKD3D_API_VERSION`.
    version: u64,
}

impl Asked {
    /// By the arguments of any function that makes devices.
    fn of(members: &[Member<'_>]) -> Self {
        let level = LEVELS.into_iter().find_map(|field| Some((field, number_at(members, field)?)));
        let (field, level) = level.unwrap_or((LEVELS[0], LEAST));
        let iid = ["riid", "iid"].iter().find_map(|name| guid(at(members, name)?));
        let version = number_at(members, "api_version").unwrap_or(NEWEST_VKD3D);
        Self { field, level, iid: iid.unwrap_or(DEVICE.get().iid), version }
    }

    /// Makes the device, or asks whether there is one where there is no `place` for it. Gives the result code; `None` where the
    /// runtime has no function that makes devices.
    fn make(&self, runtime: &Runtime, place: Option<&mut u64>) -> Option<u32> {
        let out = place.map_or(0, |place| core::ptr::from_mut(place) as u64);
        let iid = core::ptr::from_ref(&self.iid) as u64;
        // The adapter is this machine's choice. SAFETY: the arguments are numbers and memory of ours.
        let result = unsafe {
            if runtime.vkd3d_create_device() {
                let words = [0, self.level, iid, out, self.version];
                runtime.call_function(function("D3D12CreateDeviceVKD3D"), &words)
            } else {
                runtime.call_function(function("D3D12CreateDevice"), &[0, self.level, iid, out])
            }
        };
        result.map(|result| result as u32)
    }

    /// Makes a device of any level, with the interface asked for or else the first one. Gives what was asked for then; `None`
    /// where there is no such device.
    fn less(&self, runtime: &Runtime, device: &mut u64) -> Option<Self> {
        let least = Self { level: LEAST, ..*self };
        let oldest = Self { iid: DEVICE.get().iid, ..least };
        let wanted = [(self.level != LEAST, least), (self.iid != oldest.iid, oldest)];
        let mut wanted = wanted.into_iter().filter(|(differs, _)| *differs).map(|(_, asked)| asked);
        wanted.find(|asked| asked.make(runtime, Some(device)).is_some_and(|result| result as i32 >= 0 && *device != 0))
    }

    /// What a device of level `level`, made by `less`, is less of.
    fn without(&self, less: &Self, level: u64, codec: &Codec) -> Vec<Change> {
        let mut changes = Vec::new();
        if self.level != level && (level < self.level || self.level < LEAST) {
            let name = |level: u64| codec.enum_name(enum_("D3D_FEATURE_LEVEL"), level as u32);
            changes.push(Change { field: self.field.into(), recorded: name(self.level), here: name(level) });
        }
        if self.iid != less.iid {
            let name =
                |iid: &Guid| by_iid(iid).map_or("an interface that is not known", |class| class.get().name).into();
            changes.push(Change { field: "riid".into(), recorded: name(&self.iid), here: name(&less.iid) });
        }
        changes
    }
}

/// A device of any level, for questions only.
///
/// # Errors
/// The runtime makes none, or exports no function that does.
pub(crate) fn any(runtime: &Runtime) -> Result<Reference<'_>, String> {
    let (mut device, asked) =
        (0, Asked { field: LEVELS[0], level: LEAST, iid: DEVICE.get().iid, version: NEWEST_VKD3D });
    let result = asked.make(runtime, Some(&mut device)).ok_or("it exports no function that makes devices")?;
    Reference::new(runtime, device).ok_or_else(|| format!("it makes no device: {}", HresultName(result)))
}

/// The highest level that a device has; the least one where it does not say.
pub(crate) fn highest_level(runtime: &Runtime, device: u64) -> u64 {
    const CHECK: MethodId = method("ID3D12Device", "CheckFeatureSupport");
    use D3D_FEATURE_LEVEL as Level;
    let levels = [Level::LEVEL_11_0, Level::LEVEL_11_1, Level::LEVEL_12_0, Level::LEVEL_12_1, Level::LEVEL_12_2];
    let mut data = D3D12_FEATURE_DATA_FEATURE_LEVELS {
        NumFeatureLevels: levels.len() as u32,
        pFeatureLevelsRequested: levels.as_ptr(),
        ..Default::default()
    };
    let Some(device) = runtime.query(device, &DEVICE.get().iid).and_then(|device| Reference::new(runtime, device))
    else {
        return LEAST;
    };
    let (feature, place) = (D3D12_FEATURE::FEATURE_LEVELS.0 as u64, core::ptr::from_mut(&mut data) as u64);
    // SAFETY: the device is alive and has the interface; the structure is the feature's, and ours, and so are the levels.
    unsafe { runtime.call(device.pointer(), CHECK, &[feature, place, size_of_val(&data) as u64]) };
    let told = data.MaxSupportedFeatureLevel;
    if levels.contains(&told) { told.0 as u64 } else { LEAST }
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
