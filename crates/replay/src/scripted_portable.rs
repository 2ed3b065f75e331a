//! Hand-made traces on a device that is not that of the capture: what differs, and how it is told.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::{
    D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS, D3D12_HEAP_TYPE, D3D12_RESOURCE_HEAP_TIER,
};
use reprise_d3d12::{interface, method};
use reprise_null::{control, method_named};

use crate::Convention;
use crate::script::Script;
use crate::scripted::{BUFFER, DEVICE, alone, buffer, device, failure, iid, options};

#[test]
fn a_refused_creation_says_what_was_asked_for() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x1_2340);
    let create = method_named("ID3D12Device::CreateCommittedResource").unwrap();
    control::on(create, 0, control::Action::Fail(0x8007_0057u32 as i32));
    let error = failure(script.play(&mut options(Convention::SysV)));
    for part in [
        "call 2 (frame 1), ID3D12Device::CreateCommittedResource",
        "made object 5 at capture and fails here with E_INVALIDARG (0x80070057)",
        "pHeapProperties.Type D3D12_HEAP_TYPE_UPLOAD",
        "pDesc.Dimension D3D12_RESOURCE_DIMENSION_BUFFER, pDesc.Width 74560,",
        "D3D12_RESOURCE_STATE_GENERIC_READ",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

/// A program that asks the same in each frame has one difference, with a count.
#[test]
fn equal_differences_are_one() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    let check = method("ID3D12Device", "CheckFeatureSupport");
    let mut data = D3D12_FEATURE_DATA_D3D12_OPTIONS::default();
    let pointer = core::ptr::from_mut(&mut data);
    let words = [D3D12_FEATURE::D3D12_OPTIONS.0 as u64, pointer as u64, size_of_val(&data) as u64];
    let number = script.enter(DEVICE, check, &words);
    // What no runtime says. SAFETY: the structure above, which the words lead to.
    unsafe { (*pointer).ResourceHeapTier = D3D12_RESOURCE_HEAP_TIER(77) };
    script.leave(number, DEVICE, check, &words, 0);
    // A creation that failed at capture, with another description each time.
    for flags in 1..3 {
        let mut slot = 0u64;
        let words = [flags, 0, iid(interface("ID3D12Fence")), core::ptr::from_mut(&mut slot) as u64];
        script.call(DEVICE, method("ID3D12Device", "CreateFence"), &words, 0x8007_0057);
    }
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    let tier = report.differences.iter().find(|one| one.what.contains("ResourceHeapTier")).unwrap();
    let change = tier.change.as_ref().unwrap();
    assert_eq!(change.field, "D3D12_FEATURE_DATA_D3D12_OPTIONS.ResourceHeapTier");
    assert_eq!((tier.place.call, change.recorded.as_str()), (2, "77"));
    let fence = report.differences.last().unwrap();
    assert_eq!(
        fence.what,
        "failed at capture with E_INVALIDARG (0x80070057), and succeeds here with S_OK (0x00000000)"
    );
    assert_eq!((fence.count, fence.asked.as_str()), (2, "InitialValue 1"));
    assert!(fence.to_string().ends_with("(InitialValue 1); so is 1 more of these calls"), "{fence}");
    assert_eq!(report.difference_count, report.differences.iter().map(|one| one.count).sum::<u64>());
}
