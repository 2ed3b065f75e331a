//! The error for a creation that succeeded at capture and fails here: what failed, what was asked for, what to do.

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS, D3D12_HEAP_FLAGS, D3D12_RESOURCE_HEAP_TIER,
};
use reprise_d3d12::{interface, method};

use crate::call::open_call::OpenCall;
use crate::context::Context;
use crate::error::Error;
use crate::input::values::number_at;
use crate::report::{Change, Report, request};

/// A heap that denies two of these is for resources of one kind.
const DENIALS: u32 = D3D12_HEAP_FLAGS::DENY_BUFFERS.0
    | D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0
    | D3D12_HEAP_FLAGS::DENY_NON_RT_DS_TEXTURES.0;

/// A call that succeeded at capture, and gave `object` (0 for none), fails here.
pub(crate) fn error(context: &mut Context<'_, '_>, call: &OpenCall, object: u32, result: u32) -> Error {
    let mut hint = heap_of_one_kind(context, call).unwrap_or_else(|| hint(result).to_owned());
    if let Some(level) = lower_level(&context.report) {
        hint.push_str(&level);
    }
    let asked = request::of_call(&context.codec, call);
    Error::Creation { place: call.place.clone(), object, result, hint, asked }
}

/// Where the program had a device of a higher level: that this may be why.
fn lower_level(report: &Report) -> Option<String> {
    let levels = report.concessions.iter().map(|concession| &concession.change);
    let Change { recorded, here, .. } =
        levels.rev().find(|change| change.recorded.starts_with("D3D_FEATURE_LEVEL_"))?;
    Some(format!(". The program's device had {recorded}, this one has {here}"))
}

/// The remedy where a heap for buffers and textures together failed, which this device does not have.
fn heap_of_one_kind(context: &mut Context<'_, '_>, call: &OpenCall) -> Option<String> {
    const CHECK: MethodId = method("ID3D12Device", "CheckFeatureSupport");
    if !call.method.get().name.starts_with("CreateHeap") {
        return None;
    }
    let arguments = call.arguments(&context.codec).ok()?;
    let denied = (number_at(&arguments.members, "pDesc.Flags")? as u32 & DENIALS).count_ones();
    let device = context.world.pointer(call.object, interface("ID3D12Device")).ok()?;
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS::default();
    let (feature, data) = (D3D12_FEATURE::D3D12_OPTIONS.0 as u64, core::ptr::from_mut(&mut options) as u64);
    // SAFETY: the device is alive; the structure is the feature's, and ours.
    let told = unsafe { context.world.runtime.call(device, CHECK, &[feature, data, size_of_val(&options) as u64]) };
    let one_kind = told as i32 >= 0 && options.ResourceHeapTier == D3D12_RESOURCE_HEAP_TIER::TIER_1;
    (one_kind && denied < 2).then(|| {
        "this device has D3D12_RESOURCE_HEAP_TIER_1, which has no heaps for resources of several kinds: play the trace on a \
         device of tier 2 (--gpu, --runtime)"
            .to_owned()
    })
}

/// The remedy for a result.
fn hint(result: u32) -> &'static str {
    match result {
        0x8007_000e => "the device has too little memory: close other programs, or use another device",
        0x8000_4001 => "this runtime does not implement it: use another one (--runtime)",
        0x8000_4002 => "this runtime does not have the interface: use a newer one (--runtime)",
        0x887e_0002 => {
            "a cached pipeline of another driver was refused: the program has to be captured without its cache"
        }
        _ => {
            "this device or runtime lacks something that the capture's had: try another one (--runtime), or run the program \
             on it with its own validation"
        }
    }
}
