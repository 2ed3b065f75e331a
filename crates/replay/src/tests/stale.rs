//! Hand-made traces that name what is gone, or was never there: the replay goes on, and names it.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC, D3D12_COMPUTE_PIPELINE_STATE_DESC,
    D3D12_CONSTANT_BUFFER_VIEW_DESC, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_DISPATCH_RAYS_DESC, D3D12_HEAP_DESC,
    D3D12_HEAP_TYPE, D3D12_INDEX_BUFFER_VIEW, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE,
    D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_STATES, D3D12_RESOURCE_TRANSITION_BARRIER, D3D12_SHADER_RESOURCE_VIEW_DESC,
    D3D12_SRV_DIMENSION, D3D12_STATE_OBJECT_DESC, D3D12_STATE_OBJECT_TYPE, D3D12_VERTEX_BUFFER_VIEW, DXGI_FORMAT,
};
use reprise_d3d12::{interface, method};
use reprise_null::{Value, full_name, log};

use crate::identifiers::Identifiers;
use crate::report::{Report, Stale};
use crate::stead::{Missing, Stead};
use crate::tests::program::{
    ADDRESS, ALLOCATOR, BUFFER, CPU, DEVICE, HEAP, INCREMENT, LIST, QUEUE, alone, bits, buffer, buffer_desc, by_ref,
    device, failure, iid, list, logged, options, out, queue, release, target_heap,
};
use crate::tests::script::{Script, null};
use crate::world::World;
use crate::{Convention, Options};

const OTHER: u32 = 40;
const LIST_CLASS: &str = "ID3D12GraphicsCommandList";
/// Nothing ever lies here.
const NOWHERE: u64 = 0xdead_0000;

/// A device, a list, and the address of a buffer that is gone; gives the call that released it.
fn stage(script: &mut Script) -> u64 {
    device(script);
    queue(script);
    list(script);
    buffer(script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x1000);
    script.call(BUFFER, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], ADDRESS);
    release(script, BUFFER, 0);
    script.call(LIST, method(LIST_CLASS, "RSSetScissorRects"), &[0, 0], 0) - 1
}

/// Plays, also where lists are recorded ahead; gives the report and the calls of the last replay.
fn play(script: &mut Script) -> (Report, Vec<log::Call>) {
    let before = reprise_null::live();
    let mut last = None;
    for recorders in [0, 2] {
        log::take();
        let mut options = Options { recorders, recorded_from: Some(1), ..options(Convention::SysV) };
        let report = script.play(&mut options).unwrap();
        assert_eq!(report.difference_count, 0, "{:?}", report.differences);
        assert_eq!(report.stale_count, report.stale.iter().map(|it| it.count).sum::<u64>());
        assert_eq!(reprise_null::live(), before, "something of replay's own is left");
        if let Some((first, _)) = &last {
            let told = |report: &Report| report.stale.iter().map(Stale::to_string).collect::<Vec<_>>();
            assert_eq!(told(first), told(&report), "with and without recorders");
        }
        last = Some((report, log::take()));
    }
    last.unwrap()
}

fn only(report: &Report) -> &Stale {
    let [stale] = &report.stale[..] else { panic!("{:?}", report.stale) };
    stale
}

#[test]
fn root_views_of_what_is_gone_read_zeros() {
    let _alone = alone();
    for (name, stead) in [
        ("SetGraphicsRootConstantBufferView", Stead::Zeros),
        ("SetComputeRootConstantBufferView", Stead::Zeros),
        ("SetComputeRootShaderResourceView", Stead::Zeros),
        ("SetGraphicsRootUnorderedAccessView", Stead::Sink),
    ] {
        for address in [ADDRESS + 0x200, NOWHERE] {
            let mut script = Script::new();
            let released = stage(&mut script);
            let call = script.call(LIST, method(LIST_CLASS, name), &[2, address], 0);
            script.call(LIST, method(LIST_CLASS, name), &[3, address], 0);
            let (report, calls) = play(&mut script);
            let stale = only(&report);
            assert_eq!((stale.place.call, stale.missing, stale.stead, stale.count), (call, Missing::Address, stead, 2));
            let who = match address {
                NOWHERE => "nothing that is alive lies at the GPU virtual address 0xdead0000".to_owned(),
                _ => format!("0x770000001200 lay in resource {BUFFER}, which call {released} released"),
            };
            assert!(stale.what.contains(&who), "{stale}");
            let seen = calls.iter().filter(|call| full_name(call.method).ends_with(name));
            let seen: Vec<u64> = seen.map(|call| bits(&call.inputs[1])).collect();
            assert!(seen.len() == 2 && seen[0] == seen[1] && seen[0] != 0 && seen[0] != address, "{name}: {seen:x?}");
        }
    }
}

#[test]
fn input_buffers_of_what_is_gone_are_null_or_zeros() {
    let _alone = alone();
    let mut script = Script::new();
    stage(&mut script);
    let vertices = D3D12_VERTEX_BUFFER_VIEW { BufferLocation: ADDRESS, SizeInBytes: 64, StrideInBytes: 16 };
    script.call(LIST, method(LIST_CLASS, "IASetVertexBuffers"), &[0, 1, by_ref(&vertices)], 0);
    let indices = D3D12_INDEX_BUFFER_VIEW { BufferLocation: NOWHERE, SizeInBytes: 64, Format: DXGI_FORMAT(42) };
    script.call(LIST, method(LIST_CLASS, "IASetIndexBuffer"), &[by_ref(&indices)], 0);
    let (report, calls) = play(&mut script);
    let steads: Vec<_> = report.stale.iter().map(|it| it.stead).collect();
    assert_eq!(steads, [Stead::Null, Stead::Zeros], "{:?}", report.stale);
    let vertices = logged(&calls, "ID3D12GraphicsCommandList::IASetVertexBuffers");
    let Value::List(views) = &vertices.inputs[2] else { panic!("{vertices:?}") };
    assert_eq!(location(&views[0]), 0);
    let indices = logged(&calls, "ID3D12GraphicsCommandList::IASetIndexBuffer");
    let Value::List(views) = &indices.inputs[0] else { panic!("{indices:?}") };
    assert!(location(&views[0]) != 0 && location(&views[0]) != NOWHERE);
}

/// The first field of a view.
fn location(view: &Value) -> u64 {
    let Value::Struct(_, fields) = view else { panic!("{view:?}") };
    bits(&fields[0].1)
}

/// The address belongs to the allocation: what is in the heap is read, as long as the heap is there.
#[test]
fn a_buffer_that_is_gone_still_lies_in_its_heap() {
    let _alone = alone();
    for heap_lives in [true, false] {
        let mut script = Script::new();
        device(&mut script);
        list(&mut script);
        let mut slot = 0;
        let mut desc = D3D12_HEAP_DESC { SizeInBytes: 0x4_0000, ..Default::default() };
        desc.Properties.Type = D3D12_HEAP_TYPE::UPLOAD;
        let words = [by_ref(&desc), iid(interface("ID3D12Heap")), out(&mut slot, HEAP)];
        script.call(DEVICE, method("ID3D12Device", "CreateHeap"), &words, 0);
        let (desc, state) = (buffer_desc(0x1000), D3D12_RESOURCE_STATES::GENERIC_READ);
        let resource = iid(interface("ID3D12Resource"));
        let words = [u64::from(HEAP), 0x2_0000, by_ref(&desc), state.0.into(), 0, resource, out(&mut slot, BUFFER)];
        script.call(DEVICE, method("ID3D12Device", "CreatePlacedResource"), &words, 0);
        script.call(BUFFER, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], ADDRESS);
        release(&mut script, BUFFER, 0);
        if !heap_lives {
            release(&mut script, HEAP, 0);
        }
        for _ in 0..2 {
            let words = [2, ADDRESS + 0x100];
            script.call(LIST, method(LIST_CLASS, "SetComputeRootConstantBufferView"), &words, 0);
        }
        let (report, calls) = play(&mut script);
        assert_eq!(only(&report).stead, if heap_lives { Stead::Heap } else { Stead::Zeros });
        let placed: Vec<_> =
            calls.iter().filter(|call| full_name(call.method) == "ID3D12Device::CreatePlacedResource").collect();
        assert_eq!(placed.len(), if heap_lives { 2 } else { 1 }, "the program's, and one that stands in");
        for call in placed {
            assert_eq!(bits(&call.inputs[1]), 0x2_0000);
        }
    }
}

#[test]
fn views_of_what_is_gone_show_zeros_or_are_null() {
    let _alone = alone();
    let mut script = Script::new();
    stage(&mut script);
    target_heap(&mut script, HEAP, 8);
    let view = D3D12_CONSTANT_BUFFER_VIEW_DESC { BufferLocation: ADDRESS, SizeInBytes: 256 };
    let create = |name| method("ID3D12Device", name);
    script.call(DEVICE, create("CreateConstantBufferView"), &[by_ref(&view), CPU], 0);
    let desc = D3D12_SHADER_RESOURCE_VIEW_DESC { Format: DXGI_FORMAT(28), ..Default::default() };
    script.call(DEVICE, create("CreateShaderResourceView"), &[BUFFER.into(), by_ref(&desc), CPU + INCREMENT], 0);
    // Without a description a null view is of no kind.
    let call = script.call(DEVICE, create("CreateShaderResourceView"), &[BUFFER.into(), 0, CPU], 0);
    // No heap has this slot.
    script.call(DEVICE, create("CreateConstantBufferView"), &[by_ref(&view), CPU + 1000 * INCREMENT], 0);
    let (report, calls) = play(&mut script);
    let told: Vec<_> = report.stale.iter().map(|it| (it.missing, it.stead)).collect();
    let expected = [
        (Missing::Address, Stead::Zeros),
        (Missing::Object, Stead::Null),
        (Missing::Object, Stead::LeftOut),
        (Missing::Handle, Stead::LeftOut),
    ];
    assert_eq!(told, expected, "{:?}", report.stale);
    assert_eq!(report.stale[2].place.call, call);
    let view = logged(&calls, "ID3D12Device::CreateShaderResourceView");
    assert_eq!(view.inputs[0], Value::Null);
    logged(&calls, "ID3D12Device::CreateConstantBufferView");
}

#[test]
fn handles_of_heaps_that_are_gone_are_null_targets_or_leave_the_call_out() {
    let _alone = alone();
    let mut script = Script::new();
    stage(&mut script);
    target_heap(&mut script, HEAP, 8);
    release(&mut script, HEAP, 0);
    let targets = [CPU, CPU + INCREMENT];
    let words = [2, targets.as_ptr() as u64, 0, by_ref(&targets[0])];
    script.call(LIST, method(LIST_CLASS, "OMSetRenderTargets"), &words, 0);
    let copy = method("ID3D12Device", "CopyDescriptorsSimple");
    script.call(DEVICE, copy, &[1, CPU, CPU, D3D12_DESCRIPTOR_HEAP_TYPE::RTV.0 as u64], 0);
    let (report, calls) = play(&mut script);
    let told: Vec<_> = report.stale.iter().map(|it| (it.missing, it.stead, it.count)).collect();
    assert_eq!(told, [(Missing::Handle, Stead::Target, 3), (Missing::Handle, Stead::LeftOut, 1)]);
    let set = logged(&calls, "ID3D12GraphicsCommandList::OMSetRenderTargets");
    let Value::List(handles) = &set.inputs[1] else { panic!("{set:?}") };
    assert_eq!(handles.len(), 2);
    assert_eq!(handles[0], handles[1]);
    assert_eq!(set.inputs[3], Value::Null, "no depth buffer");
    assert!(!calls.iter().any(|call| full_name(call.method).ends_with("CopyDescriptorsSimple")));
    // Targets of replay's own are null ones.
    let made = calls.iter().filter(|call| full_name(call.method) == "ID3D12Device::CreateRenderTargetView");
    assert!(made.clone().count() == 8 && made.clone().all(|call| call.inputs[0] == Value::Null));
}

#[test]
fn objects_that_are_gone_are_taken_out_of_arrays() {
    let _alone = alone();
    let mut script = Script::new();
    stage(&mut script);
    buffer(&mut script, OTHER, D3D12_HEAP_TYPE::UPLOAD, 0x1000);
    let transition = |resource: u32| {
        let mut barrier = D3D12_RESOURCE_BARRIER::default();
        barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
            pResource: core::ptr::without_provenance_mut(resource as usize),
            StateAfter: D3D12_RESOURCE_STATES::COPY_DEST,
            ..Default::default()
        };
        barrier
    };
    let barriers = [transition(BUFFER), transition(OTHER)];
    script.call(LIST, method(LIST_CLASS, "ResourceBarrier"), &[2, barriers.as_ptr() as u64], 0);
    let mut slot = 0;
    let class = iid(interface(LIST_CLASS));
    let words = [0, 0, u64::from(ALLOCATOR), 0, class, out(&mut slot, 41)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommandList"), &words, 0);
    release(&mut script, 41, 0);
    let lists = [41u64, u64::from(LIST)];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[2, lists.as_ptr() as u64], 0);
    // A copy makes no sense without its source.
    let words = [u64::from(OTHER), u64::from(BUFFER)];
    let call = script.call(LIST, method(LIST_CLASS, "CopyResource"), &words, 0);
    // And nothing does without the object that it is called on.
    script.call(41, method(LIST_CLASS, "Close"), &[], 0);
    let (report, calls) = play(&mut script);
    let told: Vec<_> = report.stale.iter().map(|it| (it.missing, it.stead)).collect();
    let (object, taken, left) = (Missing::Object, Stead::TakenOut, Stead::LeftOut);
    assert_eq!(told, [(object, taken), (object, taken), (object, left), (object, left)], "{:?}", report.stale);
    assert_eq!(report.stale[2].place.call, call);
    let elements = |name: &str| match &logged(&calls, name).inputs[1] {
        Value::List(elements) => elements.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(elements("ID3D12GraphicsCommandList::ResourceBarrier"), 1);
    assert!(!calls.iter().any(|call| full_name(call.method).ends_with("CopyResource")));
    let executed = calls.iter().find(|call| full_name(call.method).ends_with("ExecuteCommandLists")).unwrap();
    assert_eq!(bits(&executed.inputs[0]), 1);
}

/// Of instances that are gone nothing is built, but the structure is there; without a place for it the call is left out.
#[test]
fn a_build_of_what_is_gone_is_an_empty_structure() {
    let _alone = alone();
    for structure in [ADDRESS + 0x10_0000, NOWHERE] {
        let mut script = Script::new();
        stage(&mut script);
        buffer(&mut script, OTHER, D3D12_HEAP_TYPE::DEFAULT, 0x1_0000);
        script.call(OTHER, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], ADDRESS + 0x10_0000);
        let mut desc = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC {
            DestAccelerationStructureData: structure,
            ScratchAccelerationStructureData: ADDRESS + 0x10_8000,
            ..Default::default()
        };
        (desc.Inputs.Type, desc.Inputs.NumDescs) = (D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::TOP_LEVEL, 3);
        desc.Inputs.Anonymous.InstanceDescs = ADDRESS;
        let build = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
        script.call(LIST, build, &[by_ref(&desc), 0, 0], 0);
        let (report, calls) = play(&mut script);
        let built: Vec<_> = calls.iter().filter(|call| call.method == build).collect();
        if structure == NOWHERE {
            assert_eq!((only(&report).stead, built.len()), (Stead::LeftOut, 0));
            continue;
        }
        assert_eq!((only(&report).stead, built.len()), (Stead::Zeros, 1));
        assert!(format!("{:?}", built[0].inputs[0]).contains("(\"NumDescs\", Bits { bits: 0,"), "{:?}", built[0]);
    }
}

/// A list that could not be closed at capture did not run, also where it can be closed here.
#[test]
fn a_list_that_did_not_close_does_not_run() {
    let _alone = alone();
    for (closed, count) in [(0x8007_0057, 0), (0, 1)] {
        let mut script = Script::new();
        stage(&mut script);
        script.call(LIST, method(LIST_CLASS, "Close"), &[], closed);
        let lists = [u64::from(LIST)];
        script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
        log::take();
        let report = script.play(&mut options(Convention::SysV)).unwrap();
        let taken_out: Vec<_> = report.stale.iter().map(|it| it.stead).collect();
        assert_eq!(taken_out, if count == 0 { vec![Stead::TakenOut] } else { vec![] });
        let calls = log::take();
        let executed = calls.iter().find(|call| full_name(call.method).ends_with("ExecuteCommandLists")).unwrap();
        assert_eq!(bits(&executed.inputs[0]), count);
    }
}

#[test]
fn stores_to_what_is_gone_are_left_out() {
    let _alone = alone();
    let mut script = Script::new();
    stage(&mut script);
    script.memory(BUFFER, 0, 0x10, &[1, 2, 3, 4]);
    let (report, calls) = play(&mut script);
    assert_eq!((only(&report).missing, only(&report).stead), (Missing::Object, Stead::LeftOut));
    assert!(!calls.iter().any(|call| full_name(call.method).ends_with("::Map")), "{calls:?}");
}

/// What never was is damage, and ends the replay.
#[test]
fn objects_that_never_were_end_the_replay() {
    let _alone = alone();
    let mut script = Script::new();
    stage(&mut script);
    script.call(LIST, method(LIST_CLASS, "SetPipelineState"), &[999], 0);
    let error = failure(script.play(&mut options(Convention::SysV)));
    assert!(error.contains("object 999 is not alive"), "{error}");
}

/// How often a method was called.
fn times(calls: &[log::Call], name: &str) -> usize {
    calls.iter().filter(|call| full_name(call.method).ends_with(name)).count()
}

#[test]
fn a_view_of_a_structure_that_is_gone_is_null() {
    let _alone = alone();
    let mut script = Script::new();
    stage(&mut script);
    target_heap(&mut script, HEAP, 8);
    let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
        ViewDimension: D3D12_SRV_DIMENSION::RAYTRACING_ACCELERATION_STRUCTURE,
        ..Default::default()
    };
    desc.Anonymous.RaytracingAccelerationStructure.Location = ADDRESS;
    script.call(DEVICE, method("ID3D12Device", "CreateShaderResourceView"), &[0, by_ref(&desc), CPU], 0);
    let (report, calls) = play(&mut script);
    assert_eq!((only(&report).missing, only(&report).stead), (Missing::Address, Stead::Null));
    let view = logged(&calls, "ID3D12Device::CreateShaderResourceView");
    assert!(!format!("{:?}", view.inputs[1]).contains(&format!("{ADDRESS}")), "{view:?}");
}

/// Without a table of misses, hits or callables no shader of it runs; without the first shader's record nothing does.
#[test]
fn rays_without_their_tables_run_no_shader() {
    let _alone = alone();
    for (first, made) in [(ADDRESS + 0x10_0000, 1), (ADDRESS, 0)] {
        let mut script = Script::new();
        stage(&mut script);
        buffer(&mut script, OTHER, D3D12_HEAP_TYPE::DEFAULT, 0x1_0000);
        script.call(OTHER, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], ADDRESS + 0x10_0000);
        let kind = D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE;
        let (desc, mut slot) = (D3D12_STATE_OBJECT_DESC { Type: kind, ..Default::default() }, 0);
        let words = [by_ref(&desc), iid(interface("ID3D12StateObject")), out(&mut slot, 42)];
        script.call(DEVICE, method("ID3D12Device5", "CreateStateObject"), &words, 0);
        script.call(LIST, method("ID3D12GraphicsCommandList4", "SetPipelineState1"), &[42], 0);
        let mut desc = D3D12_DISPATCH_RAYS_DESC { Width: 1, Height: 1, Depth: 1, ..Default::default() };
        (desc.RayGenerationShaderRecord.StartAddress, desc.RayGenerationShaderRecord.SizeInBytes) = (first, 64);
        (desc.MissShaderTable.StartAddress, desc.MissShaderTable.SizeInBytes) = (ADDRESS, 64);
        desc.MissShaderTable.StrideInBytes = 64;
        let rays = method("ID3D12GraphicsCommandList4", "DispatchRays");
        script.call(LIST, rays, &[by_ref(&desc)], 0);
        log::take();
        let mut options = Options { linked_runtime: Some(null()), ..options(Convention::SysV) };
        let mut world = World::new(options.load_runtime().unwrap());
        // Its records hold nothing but identifiers, which nobody has asked for.
        world.identifiers = Identifiers::new([(42, vec![([0x77; 32], Some(Vec::new()))])].into());
        world.indirect.follow();
        let report = script.play_in(world, &mut options).unwrap();
        let calls = log::take();
        assert_eq!(times(&calls, "::DispatchRays"), made, "{:?}", report.stale);
        let steads: Vec<_> = report.stale.iter().map(|it| it.stead).collect();
        assert_eq!(steads.last(), Some(if made == 1 { &Stead::Zeros } else { &Stead::LeftOut }), "{:?}", report.stale);
    }
}

#[test]
fn what_makes_no_sense_without_its_address_is_left_out() {
    let _alone = alone();
    for (class, name, words) in [
        ("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", &[ADDRESS, NOWHERE, 0][..]),
        ("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", &[NOWHERE, ADDRESS, 1]),
    ] {
        let mut script = Script::new();
        stage(&mut script);
        let call = script.call(LIST, method(class, name), words, 0);
        let (report, calls) = play(&mut script);
        let stale = only(&report);
        assert_eq!((stale.place.call, stale.missing, stale.stead), (call, Missing::Address, Stead::LeftOut), "{name}");
        assert_eq!(times(&calls, name), 0, "{name}");
    }
    let mut script = Script::new();
    stage(&mut script);
    let desc =
        D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC { DestBuffer: ADDRESS, ..Default::default() };
    let (emit, sources) = ("EmitRaytracingAccelerationStructurePostbuildInfo", [ADDRESS]);
    let words = [by_ref(&desc), 1, sources.as_ptr() as u64];
    script.call(LIST, method("ID3D12GraphicsCommandList4", emit), &words, 0);
    let (report, calls) = play(&mut script);
    assert!(report.stale.iter().any(|it| it.stead == Stead::LeftOut), "{:?}", report.stale);
    assert_eq!(times(&calls, emit), 0);
}

/// A predicate that is gone is none, and so is a pipeline state that a list begins with.
#[test]
fn objects_that_a_list_begins_without_are_null() {
    let _alone = alone();
    let mut script = Script::new();
    stage(&mut script);
    script.call(LIST, method(LIST_CLASS, "SetPredication"), &[u64::from(BUFFER), 0, 0], 0);
    let desc = D3D12_COMPUTE_PIPELINE_STATE_DESC::default();
    let mut slots = [0; 2];
    let words = [by_ref(&desc), iid(interface("ID3D12PipelineState")), out(&mut slots[0], OTHER)];
    script.call(DEVICE, method("ID3D12Device", "CreateComputePipelineState"), &words, 0);
    release(&mut script, OTHER, 0);
    script.call(LIST, method(LIST_CLASS, "ClearState"), &[u64::from(OTHER)], 0);
    script.call(LIST, method(LIST_CLASS, "Close"), &[], 0);
    script.call(LIST, method(LIST_CLASS, "Reset"), &[u64::from(ALLOCATOR), u64::from(OTHER)], 0);
    let class = iid(interface(LIST_CLASS));
    let words = [0, 0, u64::from(ALLOCATOR), u64::from(OTHER), class, out(&mut slots[1], 41)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommandList"), &words, 0);
    let (report, calls) = play(&mut script);
    let told: Vec<_> = report.stale.iter().map(|it| (it.missing, it.stead)).collect();
    assert_eq!(told, [(Missing::Object, Stead::Null); 4], "{:?}", report.stale);
    for (name, argument) in [("SetPredication", 0), ("ClearState", 0), ("Reset", 1)] {
        assert_eq!(logged(&calls, &format!("{LIST_CLASS}::{name}")).inputs[argument], Value::Null, "{name}");
    }
    // The first one is the stage's.
    let made = calls.iter().rfind(|call| full_name(call.method) == "ID3D12Device::CreateCommandList").unwrap();
    assert_eq!(made.inputs[3], Value::Null);
}

/// Serialised bytes that no call of the trace made are another driver's, and the form for tools is nobody's.
#[test]
fn serialised_structures_of_others_end_the_replay() {
    let _alone = alone();
    type Mode = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE;
    for (mode, why) in [(Mode::DESERIALIZE, "serialised"), (Mode::VISUALIZATION_DECODE_FOR_TOOLS, "for tools")] {
        let mut script = Script::new();
        stage(&mut script);
        buffer(&mut script, OTHER, D3D12_HEAP_TYPE::DEFAULT, 0x1_0000);
        script.call(OTHER, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], ADDRESS + 0x10_0000);
        let words = [ADDRESS + 0x10_0000, ADDRESS + 0x10_4000, mode.0 as u64];
        let copy = method("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure");
        script.call(LIST, copy, &words, 0);
        let error = failure(script.play(&mut options(Convention::SysV)));
        assert!(error.contains(why), "{error}");
    }
}
