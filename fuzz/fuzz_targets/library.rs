//! Arbitrary bytes as what a library says of itself (part `RDAT`), in a container that is right: functions and subobjects are read or refused, and
//! a state object is made of them.
#![no_main]

use std::sync::Arc;

use reprise_dxbc::{RootSignature, Tag, container, rdat};
use reprise_state_object::plan::Invalid;
use reprise_state_object::{Plan, Reader, RecordLayout};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let blob: Arc<[u8]> = container::build(&[(Tag::RDAT, bytes)]).into();
    let Ok(found) = rdat::library(&blob) else { return };
    let mut reader = Reader::default();
    let mut roots = Vec::new();
    let mut root = |bytes: &[u8], _: bool| {
        let (signature, _) = RootSignature::parse(bytes).map_err(|error| Invalid(error.to_string()))?;
        roots.push(signature);
        Ok::<_, Invalid>(roots.len() - 1)
    };
    let _ = reader.library(&blob, &found, &[], &mut root);
    let (plan, _) = Plan::resolve(reader.finish());
    for group in &plan.groups {
        let layout = RecordLayout::new(group.settings.local.map(|local| &roots[local]));
        assert!(layout.fields.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }
});
