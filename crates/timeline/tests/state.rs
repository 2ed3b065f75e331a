//! The parts of the state after hand-made calls, and against small models.
#![allow(clippy::unwrap_used)]

mod common;

use common::{INCREMENT, Script, pointer, state, state_before};
use proptest::prelude::*;
use reprise_d3d12::types::*;
use reprise_d3d12::{description, interface, method};
use reprise_timeline::state::addresses::{Location, Slot};
use reprise_timeline::state::descriptors::ViewKind;
use reprise_timeline::state::memory::{self, Place};
use reprise_trace::fact;

const DEVICE: u32 = 1;
const TILE: u64 = 64 << 10;

fn buffer(bytes: u64) -> D3D12_RESOURCE_DESC {
    description::buffer(bytes, D3D12_RESOURCE_FLAGS::NONE)
}

/// A texture of one level, of 4 bytes a texel.
fn texture(width: u64, height: u32) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        Width: width,
        Height: height,
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_UNKNOWN,
        ..buffer(0)
    }
}

#[test]
fn what_an_object_needs_outlives_the_programs_references() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.heap(DEVICE, 2, 1 << 20);
    script.placed(DEVICE, 2, 0, &buffer(256), 3);
    script.call(3, method("IUnknown", "AddRef"), &[], 2);
    let let_go = script.release(2, 0);
    let one_left = script.release(3, 1);
    let last = script.release(3, 0);
    let after = script.release(DEVICE, 0);
    let trace = script.trace();
    let counts = |call, id| state_before(&trace, call).objects.get(id).map(|object| (object.outside, object.inner));
    assert_eq!(counts(let_go, 2), Some((1, 1)));
    assert_eq!(counts(one_left, 2), Some((0, 1)), "the placed resource needs its heap");
    assert_eq!(counts(one_left, 3), Some((2, 0)));
    assert_eq!(counts(last, 3), Some((1, 0)));
    assert_eq!((counts(after, 3), counts(after, 2)), (None, None), "both went with the last reference");
    assert_eq!(counts(after, DEVICE), Some((1, 0)));
    let end = state(&trace);
    assert_eq!((end.objects.len(), end.objects.gone()), (0, 3));
    assert_eq!(end.memory.resources().count() + end.memory.heaps().count(), 0);
}

#[test]
fn a_creation_keeps_its_arguments() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.heap(DEVICE, 2, 1 << 20);
    let call = script.placed(DEVICE, 2, 4096, &texture(64, 32), 3);
    let end = state(&script.trace());
    let object = end.objects.get(3).unwrap();
    assert_eq!((object.call, object.interface(), object.parent), (call, interface("ID3D12Resource"), DEVICE));
    let desc = memory::resource(&object.creation()).unwrap().unwrap();
    assert_eq!((desc.Width, desc.Height), (64, 32));
}

#[test]
fn a_creation_that_fails_makes_nothing() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    let desc = D3D12_HEAP_DESC { SizeInBytes: 1 << 20, ..Default::default() };
    let slot = 0_u64;
    let words = [pointer(&desc), common::iid(interface("ID3D12Heap")), pointer(&slot)];
    script.call(DEVICE, method("ID3D12Device", "CreateHeap"), &words, 0x8007_000e);
    let end = state(&script.trace());
    assert_eq!((end.objects.len(), end.memory.heaps().count(), end.damaged.calls), (1, 0, 0));
}

#[test]
fn a_number_is_that_of_its_newest_owner() {
    let mut script = Script::new(2);
    script.device(DEVICE);
    script.heap(DEVICE, 2, 1 << 20);
    script.placed(DEVICE, 2, 0, &buffer(0x100), 3);
    script.fact(3, fact::ADDRESS_RANGE, &[0x1_0000, 0x100]);
    // Another thread's creation returns before the release of the former owner does.
    let release = method("IUnknown", "Release");
    let released = script.enter(3, release, &[]);
    script.thread = 1;
    script.placed(DEVICE, 2, 0, &buffer(0x40), 4);
    script.fact(4, fact::ADDRESS_RANGE, &[0x1_0000, 0x40]);
    script.thread = 0;
    script.leave(release, &[], 0);
    let trace = script.trace();
    let at = |state: &reprise_timeline::State, address| state.addresses.resource(address);
    let before = state_before(&trace, released);
    assert_eq!(at(&before, 0x1_0080), Some(Location { resource: 3, offset: 0x80 }));
    assert_eq!(at(&before, 0x1_0100), Some(Location { resource: 3, offset: 0x100 }), "just past the end");
    let end = state(&trace);
    assert_eq!(at(&end, 0x1_0020), Some(Location { resource: 4, offset: 0x20 }));
    assert_eq!(at(&end, 0x1_0080), None);
}

#[test]
fn handles_are_heap_and_index() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.descriptors(DEVICE, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 8, 0x9000, 2);
    let end = state(&script.trace());
    let slot = |index| Some(Slot { heap: 2, index });
    assert_eq!(end.addresses.cpu(0x9000 + 3 * INCREMENT), slot(3));
    assert_eq!(end.addresses.gpu((0x9000 << 8) + 7 * INCREMENT), slot(7));
    assert_eq!(end.addresses.cpu(0x9000 + 8 * INCREMENT), slot(8), "just past the end");
    assert_eq!(end.addresses.cpu(0x9001), None, "between descriptors");
    assert_eq!((end.addresses.cpu(0), end.addresses.gpu(0)), (None, None));
}

#[test]
fn descriptors_say_what_was_written_where_and_by_whom() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    let kind = D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV;
    script.descriptors(DEVICE, kind, 1_000_000, 0x10_0000, 2);
    script.descriptors(DEVICE, kind, 4, 0x9000_0000, 3);
    let constants = D3D12_CONSTANT_BUFFER_VIEW_DESC { BufferLocation: 0x1_0100, SizeInBytes: 256 };
    let to = 0x9000_0000 + INCREMENT;
    let device = |name| method("ID3D12Device", name);
    let written = script.call(DEVICE, device("CreateConstantBufferView"), &[pointer(&constants), to], 0);
    let target = 0x10_0000 + 999_999 * INCREMENT;
    let words = [1, target, to, kind.0 as u64];
    let copied = script.call(DEVICE, device("CopyDescriptorsSimple"), &words, 0);
    // A view of everything: no description.
    let all = script.call(DEVICE, device("CreateShaderResourceView"), &[77, 0, to], 0);
    let trace = script.trace();
    let slot = |heap, index| Slot { heap, index };
    let before = state_before(&trace, copied);
    assert!(before.descriptors.get(slot(2, 999_999)).is_none());
    let end = state(&trace);
    let copy = end.descriptors.get(slot(2, 999_999)).unwrap();
    assert_eq!((copy.call, copy.from, copy.view.call), (copied, Some(slot(3, 1)), written));
    let desc = copy.view.desc::<D3D12_CONSTANT_BUFFER_VIEW_DESC>().unwrap();
    assert_eq!((desc.BufferLocation, desc.SizeInBytes), (0x1_0100, 256));
    let view = end.descriptors.get(slot(3, 1)).unwrap();
    assert_eq!((view.view.kind, view.view.resource, view.call), (ViewKind::Shader, 77, all));
    assert!(view.view.bytes().is_empty());
    assert_eq!(end.descriptors.heap(2).unwrap().pages().count(), 1, "a heap costs what was written");
    assert_eq!(end.damaged.calls, 0, "{:?}", end.damaged.first);
}

#[test]
fn resources_in_a_heap_overlap_where_they_share_bytes() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.heap(DEVICE, 2, 8 * TILE);
    script.placed(DEVICE, 2, 0, &buffer(TILE + 1), 3);
    script.placed(DEVICE, 2, TILE, &texture(128, 128), 4);
    script.fact(4, fact::ALLOCATION, &[2 * TILE, TILE]);
    script.placed(DEVICE, 2, 3 * TILE, &buffer(16), 5);
    let end = state(&script.trace());
    let place = |id| end.memory.resource(id).map(|own| (own.place, own.size, own.alignment));
    assert_eq!(place(4), Some((Place::Placed { heap: 2, offset: TILE }, 2 * TILE, TILE)));
    let others = |id| end.memory.overlaps(id).iter().map(|(_, _, other)| other.resource).collect::<Vec<_>>();
    assert_eq!((others(3), others(4), others(5)), (vec![4], vec![3], vec![]));
    let order: Vec<_> = end.memory.in_heap(2).iter().map(|content| (content.offset, content.resource)).collect();
    assert_eq!(order, [(0, 3), (TILE, 4), (3 * TILE, 5)]);
}

#[test]
fn tiles_are_where_the_calls_mapped_them() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.heap(DEVICE, 2, 64 * TILE);
    // Three by two tiles of 128 by 128 texels.
    script.reserved(DEVICE, &texture(384, 256), 3);
    let queue = |name| method("ID3D12CommandQueue", name);
    let start = D3D12_TILED_RESOURCE_COORDINATE { X: 1, ..Default::default() };
    let size = D3D12_TILE_REGION_SIZE { NumTiles: 4, UseBox: 1, Width: 2, Height: 2, Depth: 1 };
    let (offset, count) = (10_u32, 4_u32);
    let words = [3, 1, pointer(&start), pointer(&size), 2, 1, 0, pointer(&offset), pointer(&count), 0];
    let mapped = script.call(7, queue("UpdateTileMappings"), &words, 0);
    // The first row again, all in one tile, and the middle of it nowhere.
    let ranges =
        [D3D12_TILE_RANGE_FLAGS::REUSE_SINGLE_TILE, D3D12_TILE_RANGE_FLAGS::NULL, D3D12_TILE_RANGE_FLAGS::SKIP];
    let (offsets, counts) = ([5_u32, 0, 0], [1_u32, 1, 1]);
    let row = D3D12_TILE_REGION_SIZE { NumTiles: 3, ..Default::default() };
    let first = D3D12_TILED_RESOURCE_COORDINATE::default();
    let words = [3, 1, pointer(&first), pointer(&row), 2, 3, pointer(&ranges), pointer(&offsets), pointer(&counts), 0];
    let changed = script.call(7, queue("UpdateTileMappings"), &words, 0);
    let trace = script.trace();
    let tiles = |state: &reprise_timeline::State| {
        let tiles = state.memory.tiles(3).unwrap().clone();
        (0..6).map(|tile| tiles.at(tile).map(|run| (run.tile, run.call))).collect::<Vec<_>>()
    };
    let place = |tile, call| Some((tile, call));
    let box_of = [None, place(10, mapped), place(11, mapped), None, place(12, mapped), place(13, mapped)];
    assert_eq!(tiles(&state_before(&trace, changed)), box_of);
    let end = state(&trace);
    let after = [place(5, changed), None, place(11, mapped), None, place(12, mapped), place(13, mapped)];
    assert_eq!(tiles(&end), after);
    assert_eq!(end.damaged.calls, 0, "{:?}", end.damaged.first);
}

#[test]
fn memory_is_mapped_between_map_and_unmap() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.heap(DEVICE, 2, 1 << 20);
    script.placed(DEVICE, 2, 0, &buffer(8192), 3);
    let map = method("ID3D12Resource", "Map");
    script.fact(3, fact::MAPPING, &[0x7000, 8192, u64::from(D3D12_HEAP_TYPE::UPLOAD.0 as u32) << 32]);
    script.call(3, map, &[0, 0, 0], 0);
    script.memory(3, 0, 4090, &[9; 12]);
    let unmapped = script.call(3, method("ID3D12Resource", "Unmap"), &[0, 0], 0);
    let trace = script.trace();
    let before = state_before(&trace, unmapped);
    let mapped: Vec<_> = before.memory.mapped().map(|(id, sub, of)| (id, sub, of.address, of.bytes)).collect();
    assert_eq!(mapped, [(3, 0, 0x7000, 8192)]);
    let mut end = reprise_timeline::State::with_contents();
    reprise_timeline::walk(&trace, &mut [&mut end]).unwrap();
    assert_eq!(end.memory.mapped().count(), 0);
    let mut bytes = [1; 16];
    end.memory.contents().unwrap().read(3, 0, 4088, &mut bytes);
    assert_eq!(bytes, [0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0]);
}

#[test]
fn residency_is_counted() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.heap(DEVICE, 2, 1 << 20);
    let objects = [2_u64];
    let device = |name| method("ID3D12Device", name);
    script.call(DEVICE, device("MakeResident"), &[1, pointer(&objects)], 0);
    let once = script.call(DEVICE, device("Evict"), &[1, pointer(&objects)], 0);
    let twice = script.call(DEVICE, device("Evict"), &[1, pointer(&objects)], 0);
    let trace = script.trace();
    assert!(state_before(&trace, once).memory.is_resident(2) && state_before(&trace, twice).memory.is_resident(2));
    assert!(!state(&trace).memory.is_resident(2));
}

/// A heap of the copies' model: where it begins, and what its slots hold.
const STARTS: [u64; 2] = [0x1000, 0x1000 + 100 * INCREMENT];
const COUNT: u32 = 100;

#[derive(Clone, Debug)]
enum Step {
    Write { heap: usize, index: u32 },
    Simple { to: (usize, u32), from: (usize, u32), count: u32 },
    Copy { to: Vec<(usize, u32, u32)>, from: Vec<(usize, u32, u32)>, sizes: bool },
}

fn place() -> impl Strategy<Value = (usize, u32)> {
    (0..2usize, 0..COUNT)
}

fn step() -> impl Strategy<Value = Step> {
    let range = || prop::collection::vec((0..2usize, 0..COUNT, 0..6u32), 0..4);
    prop_oneof![
        3 => place().prop_map(|(heap, index)| Step::Write { heap, index }),
        1 => (place(), place(), 0..20u32).prop_map(|(to, from, count)| Step::Simple { to, from, count }),
        1 => (range(), range(), any::<bool>()).prop_map(|(to, from, sizes)| Step::Copy { to, from, sizes }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Against an array of slots in which each copied descriptor is moved by itself. Ranges that reach over a heap's end do
    /// nothing there.
    #[test]
    fn slots_hold_what_an_array_holds(steps in prop::collection::vec(step(), 1..40)) {
        let mut script = Script::new(1);
        script.device(DEVICE);
        let kind = D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV;
        for (id, start) in (2..).zip(STARTS) {
            script.descriptors(DEVICE, kind, COUNT, start, id);
        }
        let handle = |(heap, index): (usize, u32)| STARTS[heap] + u64::from(index) * INCREMENT;
        let mut model = [vec![0_u64; COUNT as usize], vec![0_u64; COUNT as usize]];
        for step in &steps {
            match step {
                Step::Write { heap, index } => {
                    let words = [5, 0, handle((*heap, *index))];
                    let call = script.call(DEVICE, method("ID3D12Device", "CreateShaderResourceView"), &words, 0);
                    model[*heap][*index as usize] = call;
                }
                Step::Simple { to, from, count } => {
                    let words = [u64::from(*count), handle(*to), handle(*from), kind.0 as u64];
                    script.call(DEVICE, method("ID3D12Device", "CopyDescriptorsSimple"), &words, 0);
                    copy(&mut model, &[(to.0, to.1, *count)], &[(from.0, from.1, *count)]);
                }
                Step::Copy { to, from, sizes } => {
                    let starts = |all: &[(usize, u32, u32)]| all.iter().map(|(h, i, _)| handle((*h, *i))).collect::<Vec<_>>();
                    let counts = |all: &[(usize, u32, u32)]| all.iter().map(|(.., n)| *n).collect::<Vec<_>>();
                    let (to_starts, from_starts) = (starts(to), starts(from));
                    let (to_counts, from_counts) = (counts(to), counts(from));
                    let sized = |counts: &Vec<u32>| if *sizes { counts.as_ptr() as u64 } else { 0 };
                    let words = [
                        to.len() as u64, to_starts.as_ptr() as u64, sized(&to_counts),
                        from.len() as u64, from_starts.as_ptr() as u64, sized(&from_counts), kind.0 as u64,
                    ];
                    script.call(DEVICE, method("ID3D12Device", "CopyDescriptors"), &words, 0);
                    let single = |all: &[(usize, u32, u32)]| {
                        all.iter().map(|(h, i, n)| (*h, *i, if *sizes { *n } else { 1 })).collect::<Vec<_>>()
                    };
                    copy(&mut model, &single(to), &single(from));
                }
            }
        }
        let end = state(&script.trace());
        for (heap, slots) in model.iter().enumerate() {
            for (index, expected) in (0..).zip(slots) {
                let found = end.descriptors.get(Slot { heap: heap as u32 + 2, index });
                prop_assert_eq!(found.map_or(0, |found| found.view.call), *expected, "heap {} slot {}", heap, index);
            }
        }
        prop_assert_eq!(end.damaged.calls, 0);
    }
}

/// Copies one descriptor after the other.
fn copy(model: &mut [Vec<u64>; 2], to: &[(usize, u32, u32)], from: &[(usize, u32, u32)]) {
    let each = |all: &[(usize, u32, u32)]| {
        all.iter().flat_map(|(h, i, n)| (0..*n).map(move |at| (*h, i + at))).collect::<Vec<_>>()
    };
    for (to, from) in each(to).into_iter().zip(each(from)) {
        let value = model[from.0].get(from.1 as usize).copied().unwrap_or(0);
        if let Some(slot) = model[to.0].get_mut(to.1 as usize) {
            *slot = value;
        }
    }
}

/// A list, which a bundle's commands and `ClearState` change: its shading rate with both combiners, its image of rates, its mask of
/// views, and where its samples lie.
#[test]
fn how_a_list_shades_is_bound_until_it_is_cleared() {
    const ALLOCATOR: u32 = 2;
    const LIST: u32 = 3;
    const BUNDLE: u32 = 4;
    const IMAGE: u32 = 6;
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.heap(DEVICE, 5, 1 << 20);
    script.placed(DEVICE, 5, 0, &texture(4, 4), IMAGE);
    let list = |name: &str| method("ID3D12GraphicsCommandList", name);
    let newest = interface("ID3D12GraphicsCommandList5");
    for (kind, allocator, id) in [(0, ALLOCATOR, LIST), (1, 7, BUNDLE)] {
        let class = interface("ID3D12CommandAllocator");
        script.create(DEVICE, method("ID3D12Device", "CreateCommandAllocator"), &[kind], class, allocator);
        let words = [0, kind, u64::from(allocator), 0];
        script.create(DEVICE, method("ID3D12Device", "CreateCommandList"), &words, newest, id);
    }
    let rates = method("ID3D12GraphicsCommandList5", "RSSetShadingRate");
    let images = method("ID3D12GraphicsCommandList5", "RSSetShadingRateImage");
    let masks = method("ID3D12GraphicsCommandList1", "SetViewInstanceMask");
    let positions = method("ID3D12GraphicsCommandList1", "SetSamplePositions");
    let combiners = [D3D12_SHADING_RATE_COMBINER::MAX, D3D12_SHADING_RATE_COMBINER::OVERRIDE];
    script.call(BUNDLE, rates, &[D3D12_SHADING_RATE::RATE_2X1.0 as u64, 0], 0);
    script.call(BUNDLE, list("Close"), &[], 0);
    let first = script.call(LIST, rates, &[D3D12_SHADING_RATE::RATE_4X4.0 as u64, pointer(&combiners)], 0);
    script.call(LIST, images, &[IMAGE.into()], 0);
    script.call(LIST, masks, &[5], 0);
    let places = [D3D12_SAMPLE_POSITION { X: -8, Y: 7 }, D3D12_SAMPLE_POSITION { X: 0, Y: -3 }];
    script.call(LIST, positions, &[2, 1, pointer(&places)], 0);
    let run = script.call(LIST, list("ExecuteBundle"), &[BUNDLE.into()], 0);
    let cleared = script.call(LIST, list("ClearState"), &[0], 0);
    let end = script.call(LIST, images, &[0], 0);
    let trace = script.trace();
    let bound = |call| state_before(&trace, call).lists.get(LIST).unwrap().bound.clone();
    let before = bound(run);
    let rate = before.shading_rate.unwrap();
    assert_eq!((rate.value, rate.call), ((0b1010, [3, 1]), first));
    assert_eq!(before.shading_rate_image.unwrap().value, IMAGE);
    assert_eq!(before.view_instances.unwrap().value, 5);
    let pattern = before.sample_positions.unwrap().value;
    assert_eq!((pattern.samples, pattern.pixels, pattern.positions), (2, 1, vec![(-8, 7), (0, -3)]));
    let after = bound(cleared);
    assert_eq!(after.shading_rate.unwrap().value, (0b0100, [0, 0]), "the bundle's, with combiners that it leaves out");
    assert_eq!(after.view_instances.unwrap().value, 5, "a bundle that sets none changes none");
    let none = bound(end);
    assert!(none.shading_rate.is_none() && none.shading_rate_image.is_none());
    assert!(none.view_instances.is_none() && none.sample_positions.is_none());
}

/// Bundles begin without view instances, whatever the list that runs them has (the API's specification of view instancing).
#[test]
fn a_bundles_commands_do_not_see_the_lists_mask_of_views() {
    use reprise_timeline::state::lists::{Bound, Setting};
    let list = Bound { view_instances: Some(Setting { value: 3, call: 1 }), ..Bound::default() };
    let bundle = Bound::default();
    assert!(Bound::within(&list, &bundle, |_, _| true).view_instances.is_none());
    let bundle = Bound { view_instances: Some(Setting { value: 1, call: 2 }), ..Bound::default() };
    assert_eq!(Bound::within(&list, &bundle, |_, _| true).view_instances.unwrap().value, 1);
}
