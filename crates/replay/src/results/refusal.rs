//! Creations that end otherwise than at capture: what failed, what was asked for, and what to do.

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS, D3D12_HEAP_FLAGS, D3D12_RESOURCE_HEAP_TIER,
};
use reprise_d3d12::{interface, method};

use crate::input::values::number_at;
use crate::report::{Change, HresultName};
use crate::results::request;
use crate::walk::{Engine, Open};
use crate::{Difference, Error};

/// A heap that denies two of these is for resources of one kind.
const DENIALS: u32 = D3D12_HEAP_FLAGS::DENY_BUFFERS.0
    | D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0
    | D3D12_HEAP_FLAGS::DENY_NON_RT_DS_TEXTURES.0;

impl Engine<'_, '_> {
    /// What a call asked for, in words.
    pub(crate) fn asked(&self, open: &Open) -> String {
        let arguments = self.codec.decode_enter(open.method, &open.enter);
        arguments.map(|arguments| request::words(&self.codec, &arguments)).unwrap_or_default()
    }

    /// A call that succeeded at capture, and gave `object` (0 for none), fails here.
    pub(crate) fn refusal(&mut self, open: &Open, object: u32, result: u32) -> Error {
        let hint = self.heap_of_one_kind(open).unwrap_or_else(|| hint(result).to_owned());
        Error::Creation { place: open.place.clone(), object, result, hint, asked: self.asked(open) }
    }

    /// A call returned something else than at capture; nothing was lost by it.
    pub(crate) fn differ_in_result(&mut self, open: &Open, recorded: u32, here: u32) {
        let [before, now] = [recorded, here].map(|code| HresultName(code).to_string());
        let what = match (recorded as i32 >= 0, here as i32 >= 0) {
            (false, true) => format!("failed at capture with {before}, and succeeds here with {now}"),
            _ => format!("returned {before}, here {now}"),
        };
        let change = Some(Change { field: "result".into(), recorded: before, here: now });
        let asked = self.asked(open);
        self.add_difference(Difference { place: open.place.clone(), what, change, asked, count: 1 });
    }

    /// Whether what failed is a heap for buffers and textures together, which this device does not have.
    fn heap_of_one_kind(&mut self, open: &Open) -> Option<String> {
        const CHECK: MethodId = method("ID3D12Device", "CheckFeatureSupport");
        if !open.method.get().name.starts_with("CreateHeap") {
            return None;
        }
        let arguments = self.codec.decode_enter(open.method, &open.enter).ok()?;
        let denied = (number_at(&arguments.members, "pDesc.Flags")? as u32 & DENIALS).count_ones();
        let device = self.world.pointer(open.object, interface("ID3D12Device")).ok()?;
        let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS::default();
        let (feature, data) = (D3D12_FEATURE::D3D12_OPTIONS.0 as u64, core::ptr::from_mut(&mut options) as u64);
        // SAFETY: the device is alive; the structure is the feature's, and ours.
        let told = unsafe { self.world.runtime.call(device, CHECK, &[feature, data, size_of_val(&options) as u64]) };
        let one_kind = told as i32 >= 0 && options.ResourceHeapTier == D3D12_RESOURCE_HEAP_TIER::TIER_1;
        (one_kind && denied < 2).then(|| {
            "this device has D3D12_RESOURCE_HEAP_TIER_1, which has no heaps for resources of several kinds: play the trace on a \
             device of tier 2 (--gpu, --runtime)"
                .to_owned()
        })
    }
}

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
