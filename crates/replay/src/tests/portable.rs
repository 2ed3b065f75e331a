//! Hand-made traces on a device that differs from the capture's: what differs, and how the report says it.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::{
    D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS, D3D12_HEAP_DESC, D3D12_HEAP_TYPE, D3D12_RESOURCE_ALLOCATION_INFO,
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_HEAP_TIER, D3D12_TILE_REGION_SIZE, DXGI_FORMAT,
    DXGI_SAMPLE_DESC,
};
use reprise_d3d12::{interface, method};
use reprise_null::{Value, control, full_name, log, method_named};

use crate::Convention;
use crate::memory::placements::Placements;
use crate::memory::places::Finder;
use crate::tests::program::{
    BUFFER, DEVICE, QUEUE, alone, bits, buffer, buffer_desc, by_ref, device, failure, iid, options, out,
};
use crate::tests::script::Script;

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

/// A device that refuses what a program shares is asked for a heap of its own; a program that was refused at capture is refused
/// here, too.
#[test]
fn a_refused_creation_has_a_fallback() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    let mut slot = 0;
    let mut desc = D3D12_HEAP_DESC { SizeInBytes: TILE, ..Default::default() };
    desc.Flags.0 = 0x1;
    let mut create = |script: &mut Script, id: u32, result: u32| {
        let words = [by_ref(&desc), iid(interface("ID3D12Heap")), out(&mut slot, id)];
        script.call(DEVICE, method("ID3D12Device", "CreateHeap"), &words, u64::from(result))
    };
    create(&mut script, 0, 0x8007_0057);
    let first = create(&mut script, HEAP, 0);
    create(&mut script, HEAP + 1, 0);
    place(&mut script, 33, 0, &buffer_desc(100), 0);
    let heap = method_named("ID3D12Device::CreateHeap").unwrap();
    // The first call, the second and its repetition with less, the third and its repetition.
    for call in [1, 2, 4] {
        control::on(heap, call, control::Action::Fail(0x8007_0057u32 as i32));
    }
    log::take();
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    let calls = log::take();
    let flags: Vec<u64> = calls
        .iter()
        .filter(|call| full_name(call.method) == "ID3D12Device::CreateHeap")
        .map(|call| {
            let Value::List(descs) = &call.inputs[0] else { panic!("{:?}", call.inputs) };
            let Value::Struct(_, fields) = &descs[0] else { panic!("{descs:?}") };
            bits(&fields.iter().find(|(name, _)| *name == "Flags").unwrap().1)
        })
        .collect();
    assert_eq!(flags, [1, 1, 0, 1, 0]);
    let [concession] = report.concessions.as_slice() else { panic!("{:?}", report.concessions) };
    assert_eq!((concession.place.call, concession.count), (first, 2));
    assert!(
        concession.to_string().ends_with(
            "CreateHeap: pDesc.Flags D3D12_HEAP_FLAG_NONE instead of D3D12_HEAP_FLAG_SHARED; so is 1 more of these calls"
        ),
        "{concession}"
    );
    assert_eq!(report.difference_count, 0, "{:?}", report.differences);

    // What fails with less as well fails as it was asked for.
    control::on(heap, 0, control::Action::Fail(0x8007_000eu32 as i32));
    let error = failure(script.play(&mut options(Convention::SysV)));
    assert!(error.contains("E_OUTOFMEMORY") && error.contains("pDesc.Flags D3D12_HEAP_FLAG_SHARED"), "{error}");
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

const HEAP: u32 = 30;
const TILE: u64 = 64 << 10;

fn texture(width: u64) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: width,
        Height: 8,
        DepthOrArraySize: 3,
        MipLevels: 2,
        Format: DXGI_FORMAT(28),
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        ..Default::default()
    }
}

fn place(script: &mut Script, id: u32, offset: u64, desc: &D3D12_RESOURCE_DESC, result: u32) -> u64 {
    let mut slot = 0;
    let resource = iid(interface("ID3D12Resource"));
    let words = [u64::from(HEAP), offset, by_ref(desc), 0, 0, resource, out(&mut slot, id)];
    script.call(DEVICE, method("ID3D12Device", "CreatePlacedResource"), &words, u64::from(result))
}

/// One walk finds what is placed, how large it was by what the program was told, and which tiles are mapped; what failed at
/// capture is not there.
#[test]
fn everything_that_is_placed_is_found() {
    let mut script = Script::new();
    device(&mut script);
    let mut slot = 0;
    let desc = D3D12_HEAP_DESC { SizeInBytes: 64 * TILE, ..Default::default() };
    let words = [by_ref(&desc), iid(interface("ID3D12Heap")), out(&mut slot, HEAP)];
    let heap = script.call(DEVICE, method("ID3D12Device", "CreateHeap"), &words, 0);
    let first = place(&mut script, 31, 0, &buffer_desc(100), 0);
    place(&mut script, 0, TILE, &buffer_desc(100), 0x8007_0057);
    let told = place(&mut script, 32, 2 * TILE, &texture(16), 0);
    let untold = place(&mut script, 33, 6 * TILE, &texture(32), 0);
    // Told after it was placed, and with an alignment of its own: it is the same texture.
    let info = D3D12_RESOURCE_ALLOCATION_INFO { SizeInBytes: 3 * TILE, Alignment: TILE };
    let asked = D3D12_RESOURCE_DESC { Alignment: TILE, ..texture(16) };
    let words = [by_ref(&info), 0, 1, by_ref(&asked)];
    script.call(DEVICE, method("ID3D12Device", "GetResourceAllocationInfo"), &words, by_ref(&info));
    let (flags, starts, counts) = ([0u32, 1, 4], [8u32, 0, 20], [2u32, 5, 3]);
    let sizes = [D3D12_TILE_REGION_SIZE { NumTiles: 10, ..Default::default() }];
    let arrays = [flags.as_ptr() as u64, starts.as_ptr() as u64, counts.as_ptr() as u64];
    let words = [99, 1, 0, sizes.as_ptr() as u64, u64::from(HEAP), 3, arrays[0], arrays[1], arrays[2], 0];
    let mapping = script.call(QUEUE, method("ID3D12CommandQueue", "UpdateTileMappings"), &words, 0);
    place(&mut script, 34, 0, &buffer_desc(7), 0);

    let found = Placements::of(&mut script, &mut Finder::default(), |event| event.number > mapping);
    assert_eq!(found.heaps.keys().collect::<Vec<_>>(), [&heap]);
    let lies: Vec<(u64, u64)> = found.heaps[&heap].contents.iter().map(|one| (one.offset, one.extent)).collect();
    // Two levels of three layers, four bytes a texel.
    let texels = (32 * 8 + 16 * 4) * 3 * 4;
    let tiles = [(8 * TILE, 2 * TILE), (20 * TILE, TILE)];
    assert_eq!(lies, [&[(0, 100), (2 * TILE, 3 * TILE), (6 * TILE, texels)][..], &tiles].concat());
    let places = |call: u64| found.places.get(&call).cloned();
    assert_eq!(places(first), Some((heap, vec![Some(0)])));
    assert_eq!((places(told), places(untold)), (Some((heap, vec![Some(1)])), Some((heap, vec![Some(2)]))));
    assert_eq!(places(mapping), Some((heap, vec![Some(3), None, Some(4)])));
    assert_eq!(found.places.len(), 4);
}

/// Numbers that no program has, as a damaged trace may: `pack` refuses what comes of them.
#[test]
fn absurd_mappings_are_harmless() {
    let mut script = Script::new();
    device(&mut script);
    let mut slot = 0;
    let desc = D3D12_HEAP_DESC { SizeInBytes: u64::MAX, ..Default::default() };
    let words = [by_ref(&desc), iid(interface("ID3D12Heap")), out(&mut slot, HEAP)];
    let heap = script.call(DEVICE, method("ID3D12Device", "CreateHeap"), &words, 0);
    place(&mut script, 31, u64::MAX, &buffer_desc(u64::MAX), 0);
    let sizes = vec![D3D12_TILE_REGION_SIZE { NumTiles: u32::MAX, ..Default::default() }; 1 << 17];
    let start = u32::MAX;
    let words = [31, 1 << 17, 0, sizes.as_ptr() as u64, u64::from(HEAP), 1, 0, by_ref(&start), 0, 0];
    script.call(QUEUE, method("ID3D12CommandQueue", "UpdateTileMappings"), &words, 0);
    let found = Placements::of(&mut script, &mut Finder::default(), |_| false);
    let lies: Vec<(u64, u64)> = found.heaps[&heap].contents.iter().map(|one| (one.offset, one.extent)).collect();
    assert_eq!(lies, [(u64::MAX, u64::MAX), (u64::from(u32::MAX) * TILE, u64::MAX)]);
}

/// More ranges than any array has would be listed one by one.
#[test]
fn ranges_without_arrays_are_left_out() {
    let mut script = Script::new();
    device(&mut script);
    let mut slot = 0;
    let desc = D3D12_HEAP_DESC { SizeInBytes: 64 * TILE, ..Default::default() };
    let words = [by_ref(&desc), iid(interface("ID3D12Heap")), out(&mut slot, HEAP)];
    script.call(DEVICE, method("ID3D12Device", "CreateHeap"), &words, 0);
    let tiles = method("ID3D12CommandQueue", "UpdateTileMappings");
    let [many, one] = [u64::from(u32::MAX), 1]
        .map(|ranges| script.call(QUEUE, tiles, &[31, 0, 0, 0, u64::from(HEAP), ranges, 0, 0, 0, 0], 0));
    let found = Placements::of(&mut script, &mut Finder::default(), |_| false);
    assert!(!found.places.contains_key(&many) && found.places.contains_key(&one));
}
