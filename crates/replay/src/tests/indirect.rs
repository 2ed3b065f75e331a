//! Indirect commands with addresses among their arguments, on the null runtime.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_null::{control, full_name, log};

use crate::identifiers::Identifiers;
use crate::indirect::Passes;
use crate::tests::program::{
    ADDRESS, ALLOCATOR, BUFFER, DEVICE, LIST, QUEUE, alone, buffer, by_ref, device, failure, iid, list, options, out,
    queue,
};
use crate::tests::script::{Script, null};
use crate::world::World;
use crate::{Convention, Error, Options, Report};

const SIGNATURE: u32 = 40;
const ROOT: u32 = 41;

/// A list, and a buffer of so many bytes at a recorded address that holds commands of 16 bytes.
fn prepared(kind: D3D12_INDIRECT_ARGUMENT_TYPE, address: u64, bytes: u64) -> Script {
    let mut script = Script::new();
    device(&mut script);
    list(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::DEFAULT, bytes);
    script.call(BUFFER, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], address);
    let arguments = [D3D12_INDIRECT_ARGUMENT_DESC { Type: kind, ..Default::default() }];
    let desc = D3D12_COMMAND_SIGNATURE_DESC {
        ByteStride: if kind == D3D12_INDIRECT_ARGUMENT_TYPE::DISPATCH_RAYS { 104 } else { 16 },
        NumArgumentDescs: 1,
        pArgumentDescs: arguments.as_ptr(),
        ..Default::default()
    };
    let mut slot = 0;
    let words = [by_ref(&desc), 0, iid(interface("ID3D12CommandSignature")), out(&mut slot, SIGNATURE)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommandSignature"), &words, 0);
    script
}

fn execute(script: &mut Script, most: u64, offset: u64) {
    let words = [u64::from(SIGNATURE), most, u64::from(BUFFER), offset, 0, 0];
    script.call(LIST, method("ID3D12GraphicsCommandList", "ExecuteIndirect"), &words, 0);
}

fn play(mut script: Script) -> Result<Report, Error> {
    log::take();
    script.play(&mut options(Convention::SysV))
}

/// What the list was asked for.
fn commands() -> String {
    let calls = log::take();
    let names = calls.iter().map(|call| full_name(call.method));
    let of_lists = names.filter_map(|name| {
        let (_, method) = name.strip_prefix("ID3D12GraphicsCommandList")?.split_once("::")?;
        Some(method.to_owned())
    });
    of_lists.collect::<Vec<_>>().join(" ")
}

const VIEW: D3D12_INDIRECT_ARGUMENT_TYPE = D3D12_INDIRECT_ARGUMENT_TYPE::VERTEX_BUFFER_VIEW;

/// Addresses in indirect arguments are moved by a shader of replay's own, where they need to be and can be.
#[test]
fn indirect_addresses_are_not_passed_on_wrong() {
    let _alone = alone();
    let indirect = |kind| {
        let mut script = prepared(kind, ADDRESS, 0x1000);
        script.call(LIST, method("ID3D12GraphicsCommandList", "SetComputeRoot32BitConstant"), &[0, 5, 1], 0);
        execute(&mut script, 1, 0);
        play(script)
    };
    const OWN: &str = "ResourceBarrier SetComputeRootSignature SetPipelineState SetComputeRoot32BitConstants \
                       SetComputeRootShaderResourceView SetComputeRootShaderResourceView \
                       SetComputeRootUnorderedAccessView Dispatch ResourceBarrier";
    indirect(VIEW).unwrap();
    let set = "SetComputeRoot32BitConstant";
    assert_eq!(commands(), format!("{set} {OWN} {set} ExecuteIndirect"), "what the program had set is given back");
    indirect(D3D12_INDIRECT_ARGUMENT_TYPE::DISPATCH).unwrap();
    assert_eq!(commands(), format!("{set} ExecuteIndirect"));
    let error = failure(indirect(D3D12_INDIRECT_ARGUMENT_TYPE::DISPATCH_RAYS));
    assert!(error.contains("ExecuteIndirect") && error.contains("the list has no state object"), "{error}");
    assert_eq!(commands(), set);
}

/// Executes the list; the queue is made, too.
fn submit(script: &mut Script) {
    queue(script);
    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    let lists = [u64::from(LIST)];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, by_ref(&lists)], 0);
}

/// Buffers that come after the recording count, too; a recording has room for a thousand more ranges of addresses.
#[test]
fn addresses_are_those_of_the_execution() {
    let _alone = alone();
    for (more, fits) in [(1000, true), (1100, false)] {
        let mut script = prepared(VIEW, ADDRESS, 0x1000);
        execute(&mut script, 1, 0);
        for index in 0..more {
            let id = 100 + index;
            buffer(&mut script, id, D3D12_HEAP_TYPE::DEFAULT, 256);
            // Never side by side, so that no two are one range.
            let address = ADDRESS + 0x10_0000 * (1 + u64::from(index));
            script.call(id, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], address);
        }
        submit(&mut script);
        match play(script) {
            Ok(_) => assert!(fits),
            error => {
                let error = failure(error);
                assert!(
                    !fits && error.contains("ExecuteCommandLists") && error.contains("now there are 1101"),
                    "{error}"
                );
            }
        }
    }
}

/// Memory for one recording serves the next one, or is released: a large need does not lose the small piece.
#[test]
fn memory_of_recordings_is_neither_lost_nor_kept() {
    let _alone = alone();
    let before = reprise_null::live();
    let mut script = prepared(VIEW, ADDRESS, 2 << 20);
    execute(&mut script, 1, 0);
    for most in [1, 100_000, 1] {
        script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
        script.call(LIST, method("ID3D12GraphicsCommandList", "Reset"), &[u64::from(ALLOCATOR), 0], 0);
        script.call(ALLOCATOR, method("ID3D12CommandAllocator", "Reset"), &[], 0);
        execute(&mut script, most, 0);
    }
    play(script).unwrap();
    assert_eq!(reprise_null::live(), before);
}

/// As only a damaged trace has it: what is to be given back is gone.
#[test]
fn a_root_signature_that_went_is_not_given_back() {
    let _alone = alone();
    let mut script = prepared(VIEW, ADDRESS, 0x1000);
    let (mut slot, blob) = (0, [3u8; 40]);
    let words = [0, by_ref(&blob), 40, iid(interface("ID3D12RootSignature")), out(&mut slot, ROOT)];
    script.call(DEVICE, method("ID3D12Device", "CreateRootSignature"), &words, 0);
    let set = method("ID3D12GraphicsCommandList", "SetComputeRootSignature");
    script.call(LIST, set, &[u64::from(ROOT)], 0);
    script.call(ROOT, method("IUnknown", "Release"), &[], 0);
    execute(&mut script, 1, 0);
    let error = failure(play(script));
    assert!(error.contains("cannot be given back") && error.contains("41"), "{error}");
    assert_eq!(commands(), "SetComputeRootSignature", "nothing was recorded before that was known");
}

#[test]
fn commands_beyond_the_buffer_or_a_dispatch_are_told() {
    let _alone = alone();
    let mut script = prepared(VIEW, ADDRESS, 0x1000);
    execute(&mut script, 1, 0xff8);
    let report = play(script).unwrap();
    assert_eq!(report.difference_count, 1);
    assert!(report.differences[0].to_string().contains("no command lies whole"), "{:?}", report.differences);
    assert_eq!(commands(), "");

    // None at all is the program's own call.
    let mut script = prepared(VIEW, ADDRESS, 0x1000);
    execute(&mut script, 0, 0);
    assert_eq!(play(script).unwrap().difference_count, 0);
    assert_eq!(commands(), "ExecuteIndirect");

    // One dimension of a dispatch has 65,535 groups, of 64 commands each.
    let most = 65_535 * 64;
    for (count, fits) in [(most, true), (most + 1, false)] {
        let mut script = prepared(VIEW, ADDRESS, (most + 1) * 16);
        execute(&mut script, count, 0);
        match play(script) {
            Ok(_) => assert!(fits),
            error => assert!(!fits && failure(error).contains("4194241 indirect commands")),
        }
    }
}

const STATE: u32 = 42;

/// A list that dispatches rays by a state object whose records hold no addresses, and an identifier that the program asks for `before` it
/// does, or only before the list is executed.
fn traced(before: bool) -> Script {
    const PROPERTIES: &str = "ID3D12StateObjectProperties";
    let mut script = Script::new();
    device(&mut script);
    list(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x1000);
    script.call(BUFFER, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], ADDRESS);
    let mut slot = 0;
    let desc = D3D12_STATE_OBJECT_DESC { Type: D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE, ..Default::default() };
    let words = [by_ref(&desc), iid(interface("ID3D12StateObject")), out(&mut slot, STATE)];
    script.call(DEVICE, method("ID3D12Device5", "CreateStateObject"), &words, 0);
    let name: Vec<u16> = "generate\0".encode_utf16().collect();
    let ask = |script: &mut Script| {
        // Nothing that the null runtime would say.
        let identifier = [0x77u8; 32];
        let words = [name.as_ptr() as u64];
        script.call(STATE, method(PROPERTIES, "GetShaderIdentifier"), &words, by_ref(&identifier));
    };
    if before {
        ask(&mut script);
    }
    script.call(LIST, method("ID3D12GraphicsCommandList4", "SetPipelineState1"), &[STATE.into()], 0);
    let mut desc = D3D12_DISPATCH_RAYS_DESC { Width: 1, Height: 1, Depth: 1, ..Default::default() };
    desc.RayGenerationShaderRecord.StartAddress = ADDRESS;
    desc.RayGenerationShaderRecord.SizeInBytes = 32;
    script.call(LIST, method("ID3D12GraphicsCommandList4", "DispatchRays"), &[by_ref(&desc)], 0);
    if !before {
        ask(&mut script);
    }
    submit(&mut script);
    script
}

fn trace_rays(before: bool) -> Result<Report, Error> {
    log::take();
    let mut options = options(Convention::SysV);
    options.linked_runtime = Some(null());
    let mut world = World::new(options.load_runtime().unwrap());
    world.identifiers = Identifiers::new([(STATE, vec![([0x77; 32], Some(Vec::new()))])].into());
    world.indirect.follow();
    traced(before).play_in(world, &mut options)
}

/// Tables are used as they are where nothing is known to be another thing; what comes to be known until they are read must not differ.
#[test]
fn tables_that_were_taken_as_they_are_stay_right_or_are_refused() {
    let _alone = alone();
    let report = trace_rays(true).unwrap();
    assert_eq!((report.moved_tables, report.other_identifiers), (1, 1));
    let moved = commands();
    assert!(moved.contains("SetComputeRootUnorderedAccessView Dispatch ResourceBarrier"), "{moved}");
    let error = failure(trace_rays(false));
    assert!(error.contains("ExecuteCommandLists") && error.contains("were taken as they are"), "{error}");
}

/// As [`play`], with a look ahead for render passes.
fn play_ahead(script: Script) -> Result<Report, Error> {
    play_with(script, options(Convention::SysV))
}

/// What a check says that cannot be honoured.
fn foretold(script: Script) -> Vec<String> {
    let report = play_with(script, Options { check: true, ..options(Convention::SysV) }).unwrap();
    assert_eq!(report.refused, Some(report.difference_count));
    assert_eq!(commands(), "", "a check records nothing");
    report.differences.iter().map(ToString::to_string).collect()
}

fn play_with(mut script: Script, mut options: Options<'_>) -> Result<Report, Error> {
    log::take();
    options.linked_runtime = Some(null());
    let mut world = World::new(options.load_runtime().unwrap());
    world.indirect.follow();
    world.passes = Passes::find(&mut script.copy(), |_| false);
    script.play_in(world, &mut options)
}

fn pass(script: &mut Script, flags: u64, within: impl FnOnce(&mut Script)) {
    script.call(LIST, method("ID3D12GraphicsCommandList4", "BeginRenderPass"), &[0, 0, 0, flags], 0);
    within(script);
    script.call(LIST, method("ID3D12GraphicsCommandList4", "EndRenderPass"), &[], 0);
}

/// Replay's own commands stand before the pass, and each command finds its own copy.
#[test]
fn arguments_of_render_passes_are_moved_before_them() {
    let _alone = alone();
    let mut script = prepared(VIEW, ADDRESS, 0x1000);
    pass(&mut script, 0, |script| [0, 64].into_iter().for_each(|offset| execute(script, 1, offset)));
    assert_eq!(play_ahead(script).unwrap().moved_commands, 2);
    let commands = commands();
    let within = commands.split_once(" BeginRenderPass ").or_else(|| commands.split_once("BeginRenderPass"));
    let (before, within) = within.unwrap();
    assert_eq!(before.matches("Dispatch").count(), 2, "{commands}");
    assert!(within.ends_with("ExecuteIndirect ExecuteIndirect EndRenderPass") || !within.contains("Dispatch"));
    assert_eq!(within.matches("ExecuteIndirect").count(), 2, "{commands}");

    // What is not known before the pass is refused at its call.
    for (flags, written, why) in [(4, false, "from one list to another"), (0, true, "may be written within")] {
        let mut script = prepared(VIEW, ADDRESS, 0x1000);
        pass(&mut script, flags, |script| {
            if written {
                script.call(LIST, method("ID3D12GraphicsCommandList", "ResourceBarrier"), &[0, 0], 0);
            }
            execute(script, 1, 0);
        });
        let told = foretold(script.copy());
        let error = failure(play_ahead(script));
        assert!(error.contains("ExecuteIndirect") && error.contains(why), "{error}");
        assert_eq!(told, [error]);
    }
}

const BUNDLE: u32 = 43;
const BUNDLE_ALLOCATOR: u32 = 44;

/// Makes a bundle, and records it.
fn bundle(script: &mut Script, within: impl FnOnce(&mut Script)) {
    let (mut slot, kind) = (0, 1);
    let words = [kind, iid(interface("ID3D12CommandAllocator")), out(&mut slot, BUNDLE_ALLOCATOR)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommandAllocator"), &words, 0);
    let class = iid(interface("ID3D12GraphicsCommandList"));
    let words = [0, kind, u64::from(BUNDLE_ALLOCATOR), 0, class, out(&mut slot, BUNDLE)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommandList"), &words, 0);
    within(script);
    script.call(BUNDLE, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
}

fn execute_in(script: &mut Script, list: u32) {
    let words = [u64::from(SIGNATURE), 1, u64::from(BUFFER), 0, 0, 0];
    script.call(list, method("ID3D12GraphicsCommandList", "ExecuteIndirect"), &words, 0);
}

fn run(script: &mut Script) {
    let words = [u64::from(BUNDLE)];
    script.call(LIST, method("ID3D12GraphicsCommandList", "ExecuteBundle"), &words, 0);
}

/// What writes to memory itself is not read as it was before.
#[test]
fn arguments_that_a_bundle_writes_are_refused() {
    let _alone = alone();
    let write = |script: &mut Script| {
        let one = D3D12_WRITEBUFFERIMMEDIATE_PARAMETER { Dest: ADDRESS, Value: 7 };
        script.call(BUNDLE, method("ID3D12GraphicsCommandList2", "WriteBufferImmediate"), &[1, by_ref(&one), 0], 0);
    };
    // In the bundle itself.
    let mut script = prepared(VIEW, ADDRESS, 0x1000);
    bundle(&mut script, |script| {
        write(script);
        execute_in(script, BUNDLE);
    });
    let told = foretold(script.copy());
    let error = failure(play_ahead(script));
    assert!(error.contains("ExecuteIndirect") && error.contains("may be written within the bundle"), "{error}");
    assert_eq!(told, [error]);
    // After its commands it does no harm.
    let mut script = prepared(VIEW, ADDRESS, 0x1000);
    bundle(&mut script, |script| {
        execute_in(script, BUNDLE);
        write(script);
    });
    run(&mut script);
    assert_eq!(foretold(script.copy()), Vec::<String>::new());
    play_ahead(script).unwrap();
    // Before other commands of the pass that executes it.
    let mut script = prepared(VIEW, ADDRESS, 0x1000);
    bundle(&mut script, write);
    pass(&mut script, 0, |script| {
        run(script);
        execute(script, 1, 0);
    });
    let told = foretold(script.copy());
    let error = failure(play_ahead(script));
    assert!(error.contains("ExecuteIndirect") && error.contains("may be written within the render pass"), "{error}");
    assert_eq!(told, [error]);
}

/// A bundle that is recorded once its pass has begun cannot be written before it.
#[test]
fn a_bundle_of_after_the_beginning_of_its_pass_is_refused() {
    let _alone = alone();
    let mut script = prepared(VIEW, ADDRESS, 0x1000);
    pass(&mut script, 0, |script| {
        bundle(script, |script| execute_in(script, BUNDLE));
        run(script);
    });
    let told = foretold(script.copy());
    let error = failure(play_ahead(script));
    assert!(error.contains("ExecuteBundle") && error.contains("after its render pass began"), "{error}");
    assert_eq!(told, [error]);
}

/// Under `--patch-guess` what cannot be moved is used as it is.
#[test]
fn what_cannot_be_moved_is_used_where_guesses_are_asked_for() {
    let _alone = alone();
    let script = || {
        let mut script = prepared(VIEW, ADDRESS, 0x1000);
        pass(&mut script, 4, |script| execute(script, 1, 0));
        script
    };
    let mut options = options(Convention::SysV);
    options.patch_guess = true;
    let mut world = World::new(Options { linked_runtime: Some(null()), ..Options::default() }.load_runtime().unwrap());
    world.indirect.follow();
    world.passes = Passes::find(&mut script().copy(), |_| false);
    log::take();
    let report = script().play_in(world, &mut options).unwrap();
    assert_eq!(report.guesses.unwrap().used, 1);
    assert_eq!(commands(), "BeginRenderPass ExecuteIndirect EndRenderPass");
}

/// A bundle reads copies that the list writes whenever it executes the bundle, also before a render pass.
#[test]
fn arguments_of_bundles_are_moved_by_the_list() {
    let _alone = alone();
    for within in [false, true] {
        let mut script = prepared(VIEW, ADDRESS, 0x1000);
        bundle(&mut script, |script| execute_in(script, BUNDLE));
        match within {
            true => pass(&mut script, 0, |script| (0..2).for_each(|_| run(script))),
            false => (0..2).for_each(|_| run(&mut script)),
        }
        assert_eq!(foretold(script.copy()), Vec::<String>::new());
        play_ahead(script).unwrap();
        let commands = commands();
        let commands: Vec<&str> = commands.split(' ').collect();
        let at = |name: &str| commands.iter().position(|it| it.contains(name)).unwrap();
        let count = |name: &str| commands.iter().filter(|it| **it == name).count();
        assert!(at("Dispatch") < at("ExecuteBundle"), "{commands:?}");
        assert_eq!((count("ExecuteBundle"), count("Dispatch")), (2, if within { 1 } else { 2 }), "{commands:?}");
        // The copies go back to no state behind what reads them.
        assert_eq!(commands.last(), Some(&"ResourceBarrier"), "{commands:?}");
        assert!(!within || at("Dispatch") < at("BeginRenderPass"));
    }
}

/// A device that executes no commands that set root views moves no instances that pointers lead to: told at the build, and by a check.
#[test]
fn what_the_device_does_not_execute_is_refused_at_the_call() {
    const UNSUPPORTED: i32 = 0x8000_4001_u32 as i32;
    let _alone = alone();
    let script = || {
        let mut script = prepared(VIEW, ADDRESS, 0x1000);
        let mut desc = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC {
            DestAccelerationStructureData: ADDRESS,
            ScratchAccelerationStructureData: ADDRESS + 0x400,
            ..Default::default()
        };
        let inputs = &mut desc.Inputs;
        (inputs.Type, inputs.NumDescs) = (D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::TOP_LEVEL, 3);
        inputs.DescsLayout = D3D12_ELEMENTS_LAYOUT::ARRAY_OF_POINTERS;
        inputs.Anonymous.InstanceDescs = ADDRESS + 0x800;
        let build = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
        script.call(LIST, build, &[by_ref(&desc), 0, 0], 0);
        script
    };
    let before = reprise_null::live();
    assert_eq!(play_ahead(script()).unwrap().moved_instances, 3);
    let recorded = commands();
    assert!(recorded.starts_with("SetComputeRootSignature SetPipelineState ExecuteIndirect Close "), "{recorded}");

    let close = method("ID3D12GraphicsCommandList", "Close");
    control::on(close, 1, control::Action::Fail(UNSUPPORTED));
    let error = failure(play_ahead(script()));
    control::clear();
    let why = "instances that are named by pointers are moved by indirect commands that set root views, and this device executes none";
    assert!(error.contains("BuildRaytracingAccelerationStructure") && error.contains(why), "{error}");
    assert!(error.contains("E_NOTIMPL") && error.contains("VK_EXT_device_generated_commands"), "{error}");
    assert!(commands().ends_with("ExecuteIndirect Close"), "nothing of the build was recorded");
    control::on(close, 1, control::Action::Fail(UNSUPPORTED));
    let report = play_with(script(), Options { check: true, ..options(Convention::SysV) }).unwrap();
    control::clear();
    assert_eq!(report.differences.iter().map(ToString::to_string).collect::<Vec<_>>(), [error]);
    assert_eq!(reprise_null::live(), before);
}
