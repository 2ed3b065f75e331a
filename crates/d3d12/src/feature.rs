//! What a device can answer to `CheckFeatureSupport` when a program asks nothing in return.
//!
//! Capture states these answers in every trace, and `reprise features` prints them. Both ask through [`answers`], so that they ask the
//! same questions in the same order.

use crate::MODEL;
use crate::lookup::{interface, select};
use crate::model::{InterfaceId, Struct, Type};

/// From these features on (`D3D12_FEATURE_D3D12_OPTIONS6`, 7, 8, 12) a runtime is asked only if its device has the
/// interface that came with them: one that does not know a feature may complain on the program's standard error.
const SINCE: [(u32, InterfaceId); 4] = [
    (30, interface("ID3D12Device6")),
    (32, interface("ID3D12Device8")),
    (36, interface("ID3D12Device9")),
    (41, interface("ID3D12Device10")),
];
/// Features whose answer depends on a question (a format, a command, a queue, a layout).
const QUESTIONS: [u32; 9] = [3, 4, 5, 10, 20, 28, 31, 51, 64];
/// Features that a runtime refuses although it knows later ones: the count of protected session types, predication, hardware copies,
/// the ABI of shader caches.
const REFUSED: [u32; 4] = [33, 50, 52, 61];
/// From here on features are of preview headers: released runtimes do not know them.
const PREVIEWS: u32 = 72;
const SHADER_MODEL: u32 = 7;
const ROOT_SIGNATURE: u32 = 12;
/// Up to `D3D_SHADER_MODEL_6_10`; a runtime that does not know it refuses, and the next lower is tried.
const SHADER_MODELS: core::ops::RangeInclusive<u32> = 0x51..=0x6a;

/// The structure that answers a feature, by `D3D12_FEATURE`'s number; `None` for numbers that the model does not have.
pub fn structure(feature: u32) -> Option<&'static Struct> {
    let cases = select("FeatureData")?.cases;
    let case = cases.iter().find(|(number, _)| *number == i64::from(feature))?;
    match case.1 {
        Type::Struct(id) => MODEL.structs.get(usize::from(id.0)),
        _ => None,
    }
}

/// Asks a device for everything that it answers without a question. `each` gets a feature, the size of its structure in
/// bytes, and the structure in whole words, by rising number.
///
/// `has` says whether the device has an interface. `check` calls `CheckFeatureSupport` with a feature, its structure and its size in bytes, and
/// says whether the call succeeded.
pub fn answers(
    mut has: impl FnMut(InterfaceId) -> bool,
    mut check: impl FnMut(u32, &mut [u64], u32) -> bool,
    mut each: impl FnMut(u32, u32, &[u64]),
) {
    let Some(features) = select("FeatureData") else { return };
    let missing = SINCE.iter().find(|(_, interface)| !has(*interface));
    let end = missing.map_or(PREVIEWS, |(feature, _)| *feature);
    for (feature, _) in features.cases {
        let feature = *feature as u32;
        let Some(layout) = structure(feature) else { continue };
        if feature >= end {
            break;
        }
        if !layout.flat || QUESTIONS.contains(&feature) {
            continue;
        }
        let mut data = vec![0u64; layout.size.div_ceil(8) as usize];
        let mut ask = |value: u32| {
            data.fill(0);
            data[0] = value.into();
            check(feature, &mut data, layout.size)
        };
        // Two features answer "the highest up to what you say".
        let known = match feature {
            SHADER_MODEL => SHADER_MODELS.rev().any(&mut ask),
            ROOT_SIGNATURE => (1..=3).rev().any(&mut ask),
            _ => ask(0),
        };
        if known {
            each(feature, layout.size, &data);
        } else if feature >= SINCE[0].0 && !REFUSED.contains(&feature) {
            // From there on a runtime knows all features up to one, and none after it.
            break;
        }
    }
}
