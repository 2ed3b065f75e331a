//! Times of the GPU's clock among read-back bytes: the comparison leaves them out, and nothing else.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::{
    D3D12_COMMAND_SIGNATURE_DESC, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_INDIRECT_ARGUMENT_DESC,
    D3D12_INDIRECT_ARGUMENT_TYPE as Kind, D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_QUERY_TYPE,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC as Question,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE as Info, D3D12_RESOURCE_FLAGS,
    D3D12_SUBRESOURCE_FOOTPRINT, D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_LOCATION_2, D3D12_TEXTURE_COPY_TYPE,
};
use reprise_d3d12::{interface, method};
use reprise_null::control;

use reprise_trace::apart::{self, Apart, Why};
use reprise_trace::fact;

use crate::tests::program::{
    DEVICE, FENCE, LIST, QUEUE, alone, buffer, buffer_desc, by_ref, device, fence, iid, list, options, out, queue,
};
use crate::tests::script::Script;
use crate::{Convention, Report};

const QUERIES: u32 = 80;
const READBACK: u32 = 81;
const MIDDLE: u32 = 82;
const SHADED: u32 = 83;
const SIGNATURE: u32 = 84;
const TIMES: D3D12_QUERY_TYPE = D3D12_QUERY_TYPE::TIMESTAMP;
const COUNTS: D3D12_QUERY_TYPE = D3D12_QUERY_TYPE::OCCLUSION;

/// Device, queue, list, a buffer that is read, one between, and one that shaders may write to.
fn begin() -> Script {
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    buffer(&mut script, READBACK, D3D12_HEAP_TYPE::READBACK, 0x100);
    buffer(&mut script, MIDDLE, D3D12_HEAP_TYPE::DEFAULT, 0x100);
    let mut slot = 0;
    let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    let mut desc = buffer_desc(0x100);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
    let resource = iid(interface("ID3D12Resource"));
    let words = [by_ref(&heap), 0, by_ref(&desc), 0, 0, resource, out(&mut slot, SHADED)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommittedResource"), &words, 0);
    let mut slot = 0;
    let desc = [1u32, 64, 0];
    let words = [desc.as_ptr() as u64, iid(interface("ID3D12QueryHeap")), out(&mut slot, QUERIES)];
    script.call(DEVICE, method("ID3D12Device", "CreateQueryHeap"), &words, 0);
    let mut address = 0x1000u64;
    script.call(READBACK, method("ID3D12Resource", "Map"), &[0, 0, core::ptr::from_mut(&mut address) as u64], 0);
    script
}

fn resolve(script: &mut Script, kind: D3D12_QUERY_TYPE, count: u64, buffer: u32, offset: u64) {
    let words = [u64::from(QUERIES), kind.0 as u64, 0, count, u64::from(buffer), offset];
    script.call(LIST, method("ID3D12GraphicsCommandList", "ResolveQueryData"), &words, 0);
}

fn copy(script: &mut Script, to: (u32, u64), from: (u32, u64), bytes: u64) {
    let words = [u64::from(to.0), to.1, u64::from(from.0), from.1, bytes];
    script.call(LIST, method("ID3D12GraphicsCommandList", "CopyBufferRegion"), &words, 0);
}

fn execute(script: &mut Script) {
    let lists = [u64::from(LIST)];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
}

/// The program saw ones in the buffer, where the null runtime has zeros.
fn read(script: &mut Script, offset: u64, bytes: usize) {
    script.memory(READBACK, 0, offset, &vec![1; bytes]);
    script.events.last_mut().unwrap().method = reprise_trace::record::OBSERVED;
}

/// Bytes compared, bytes that differ, and bytes of times.
fn counts(mut script: Script) -> (u64, u64, u64) {
    let report: Report = script.play(&mut options(Convention::SysV)).unwrap();
    assert_eq!(report.difference_count > 0, report.different_bytes > 0, "{:?}", report.differences);
    (report.compared_bytes, report.different_bytes, report.time_bytes)
}

/// What a control looks at: answers of queries apart from other bytes, and neither times nor nothing.
#[test]
fn answers_are_told_from_other_bytes() {
    let _alone = alone();
    let mut script = begin();
    resolve(&mut script, COUNTS, 2, MIDDLE, 0);
    copy(&mut script, (READBACK, 16), (MIDDLE, 0), 16);
    resolve(&mut script, TIMES, 2, READBACK, 32);
    execute(&mut script);
    // Others, others and answers, answers, answers and times, times.
    for (offset, bytes) in [(0, 16), (8, 16), (16, 16), (24, 16), (32, 16)] {
        read(&mut script, offset, bytes);
    }
    let mut parts = Vec::new();
    let mut options = options(Convention::SysV);
    options.on_read = Some(Box::new(|read| parts.push((read.values.is_some(), read.answers.is_some()))));
    script.play(&mut options).unwrap();
    drop(options);
    assert_eq!(parts, [(true, false), (true, true), (false, true), (false, true), (false, false)]);
}

/// What the capture found at a map is chance until a fence behind the work is seen, and an answer of the GPU from then on.
#[test]
fn what_is_mapped_before_the_gpu_is_done_is_not_compared() {
    let _alone = alone();
    for waits in [false, true] {
        let mut script = begin();
        fence(&mut script);
        copy(&mut script, (READBACK, 0), (MIDDLE, 0), 32);
        execute(&mut script);
        script.call(QUEUE, method("ID3D12CommandQueue", "Signal"), &[u64::from(FENCE), 3], 0);
        if waits {
            script.observe(FENCE, 3);
        }
        read(&mut script, 0, 32);
        let report: Report = script.play(&mut options(Convention::SysV)).unwrap();
        let (compared, early) = if waits { (32, 0) } else { (0, 32) };
        assert_eq!((report.compared_bytes, report.different_bytes, report.early_bytes), (compared, compared, early));
    }
}

/// Equal bytes tell nothing, either, where neither GPU has written them yet.
#[test]
fn what_is_equal_before_the_gpu_is_done_is_compared_where_it_stays_so() {
    let _alone = alone();
    for ends in [false, true] {
        let mut script = begin();
        fence(&mut script);
        copy(&mut script, (READBACK, 0), (MIDDLE, 0), 32);
        execute(&mut script);
        let signal = method("ID3D12CommandQueue", "Signal");
        script.call(QUEUE, signal, &[u64::from(FENCE), 3], 0);
        // The null runtime has zeros, and ends work at once: the replay's own signal, behind the program's, tells.
        script.memory(READBACK, 0, 0, &[0; 32]);
        script.events.last_mut().unwrap().method = reprise_trace::record::OBSERVED;
        if !ends {
            control::on(signal, 2, control::Action::Fail(-1));
        }
        let report: Report = script.play(&mut options(Convention::SysV)).unwrap();
        control::clear();
        let (compared, early) = if ends { (32, 0) } else { (0, 32) };
        assert_eq!((report.compared_bytes, report.different_bytes, report.early_bytes), (compared, 0, early));
    }
}

#[test]
fn times_are_not_compared_and_everything_beside_them_is() {
    let _alone = alone();
    let mut script = begin();
    resolve(&mut script, TIMES, 4, READBACK, 16);
    execute(&mut script);
    read(&mut script, 16, 32);
    assert_eq!(counts(script.copy()), (0, 0, 32));
    read(&mut script, 0, 64);
    assert_eq!(counts(script.copy()), (32, 32, 64));
    read(&mut script, 20, 8);
    assert_eq!(counts(script.copy()), (32, 32, 72));
    // What is equal is compared, whatever it is.
    script.memory(READBACK, 0, 16, &[0; 8]);
    script.events.last_mut().unwrap().method = reprise_trace::record::OBSERVED;
    assert_eq!(counts(script), (40, 32, 72));
}

#[test]
fn other_queries_are_compared() {
    let _alone = alone();
    let mut script = begin();
    resolve(&mut script, COUNTS, 2, READBACK, 0);
    execute(&mut script);
    read(&mut script, 0, 16);
    assert_eq!(counts(script), (16, 16, 0));
}

#[test]
fn a_list_writes_when_it_is_submitted() {
    let _alone = alone();
    let mut script = begin();
    resolve(&mut script, TIMES, 1, READBACK, 0);
    read(&mut script, 0, 8);
    assert_eq!(counts(script.copy()), (8, 8, 0), "not submitted yet");
    script.call(LIST, method("ID3D12GraphicsCommandList", "Reset"), &[3, 0], 0);
    execute(&mut script);
    read(&mut script, 0, 8);
    assert_eq!(counts(script), (16, 16, 0), "reset before it was");
}

#[test]
fn copies_carry_times_and_other_writes_end_them() {
    let _alone = alone();
    let mut script = begin();
    resolve(&mut script, TIMES, 4, MIDDLE, 32);
    copy(&mut script, (READBACK, 0), (MIDDLE, 40), 16);
    copy(&mut script, (READBACK, 64), (MIDDLE, 24), 16);
    execute(&mut script);
    read(&mut script, 0, 128);
    assert_eq!(counts(script.copy()), (104, 104, 24), "0 to 16 and 72 to 80");
    // The whole buffer, and then a count and a copy of something else.
    script.call(LIST, method("ID3D12GraphicsCommandList", "Reset"), &[3, 0], 0);
    let words = [u64::from(READBACK), u64::from(MIDDLE)];
    script.call(LIST, method("ID3D12GraphicsCommandList", "CopyResource"), &words, 0);
    resolve(&mut script, COUNTS, 1, READBACK, 32);
    copy(&mut script, (READBACK, 56), (MIDDLE, 0), 4);
    execute(&mut script);
    read(&mut script, 0, 128);
    assert_eq!(counts(script), (104 + 108, 104 + 108, 24 + 20), "40 to 56 and 60 to 64");
}

#[test]
fn a_texture_over_times_ends_them() {
    let _alone = alone();
    let mut script = begin();
    resolve(&mut script, TIMES, 16, READBACK, 0);
    let footprint = D3D12_SUBRESOURCE_FOOTPRINT { Width: 4, Height: 2, Depth: 1, RowPitch: 32, ..Default::default() };
    let placed = D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: 16, Footprint: footprint };
    let mut target = D3D12_TEXTURE_COPY_LOCATION {
        pResource: u64::from(READBACK) as _,
        Anonymous: D3D12_TEXTURE_COPY_LOCATION_2 { PlacedFootprint: placed },
        ..Default::default()
    };
    target.Type = D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT;
    let source = D3D12_TEXTURE_COPY_LOCATION { pResource: u64::from(MIDDLE) as _, ..Default::default() };
    let words = [by_ref(&target), 0, 0, 0, by_ref(&source), 0];
    script.call(LIST, method("ID3D12GraphicsCommandList", "CopyTextureRegion"), &words, 0);
    execute(&mut script);
    read(&mut script, 0, 128);
    assert_eq!(counts(script), (64, 64, 64));
}

/// Where a buffer lies that shaders may write to.
const SHADED_AT: u64 = 0x70_0000;

fn shaded_address(script: &mut Script) {
    let payload = [u64::from(reprise_trace::fact::ADDRESS_RANGE), SHADED_AT, 0x100];
    script.fact(SHADED, payload.iter().flat_map(|word| word.to_le_bytes()).collect());
}

#[test]
fn what_a_shader_may_have_written_is_compared() {
    let _alone = alone();
    let view = |script: &mut Script| {
        let words = [u64::from(SHADED), 0, 0, 0];
        script.call(DEVICE, method("ID3D12Device", "CreateUnorderedAccessView"), &words, 0);
    };
    let root = |script: &mut Script| {
        let words = [0, SHADED_AT + 16];
        script.call(LIST, method("ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView"), &words, 0);
    };
    for reach in [&view as &dyn Fn(&mut Script), &root] {
        for before in [true, false] {
            let mut script = begin();
            shaded_address(&mut script);
            if before {
                reach(&mut script);
            }
            resolve(&mut script, TIMES, 4, SHADED, 0);
            execute(&mut script);
            if !before {
                reach(&mut script);
            }
            script.call(LIST, method("ID3D12GraphicsCommandList", "Reset"), &[3, 0], 0);
            copy(&mut script, (READBACK, 0), (SHADED, 0), 32);
            execute(&mut script);
            read(&mut script, 0, 32);
            assert_eq!(counts(script), (32, 32, 0), "{before}");
        }
    }
}

/// Mesa lets shaders write to each buffer, by its flags.
#[test]
fn times_in_a_buffer_that_no_shader_got_at_are_not_compared() {
    let _alone = alone();
    let mut script = begin();
    shaded_address(&mut script);
    resolve(&mut script, TIMES, 4, SHADED, 0);
    copy(&mut script, (READBACK, 0), (SHADED, 0), 32);
    execute(&mut script);
    read(&mut script, 0, 64);
    assert_eq!(counts(script), (32, 32, 32));
}

/// Commands that only draw give shaders no address to write to; those that set a root descriptor for it, or trace rays, do.
#[test]
fn indirect_commands_may_write_where_their_signature_lets_them() {
    let _alone = alone();
    let played = |kinds: &[Kind]| {
        let mut script = begin();
        shaded_address(&mut script);
        let arguments: Vec<_> =
            kinds.iter().map(|kind| D3D12_INDIRECT_ARGUMENT_DESC { Type: *kind, ..Default::default() }).collect();
        let desc = D3D12_COMMAND_SIGNATURE_DESC {
            ByteStride: 128,
            NumArgumentDescs: arguments.len() as u32,
            pArgumentDescs: arguments.as_ptr(),
            ..Default::default()
        };
        let mut slot = 0;
        let words = [by_ref(&desc), 0, iid(interface("ID3D12CommandSignature")), out(&mut slot, SIGNATURE)];
        script.call(DEVICE, method("ID3D12Device", "CreateCommandSignature"), &words, 0);
        resolve(&mut script, TIMES, 4, SHADED, 0);
        let words = [u64::from(SIGNATURE), 0, u64::from(MIDDLE), 0, 0, 0];
        script.call(LIST, method("ID3D12GraphicsCommandList", "ExecuteIndirect"), &words, 0);
        copy(&mut script, (READBACK, 0), (SHADED, 0), 32);
        execute(&mut script);
        read(&mut script, 0, 32);
        counts(script)
    };
    assert_eq!(played(&[Kind::DRAW_INDEXED]), (0, 0, 32));
    assert_eq!(played(&[Kind::SHADER_RESOURCE_VIEW, Kind::DISPATCH]), (0, 0, 32));
    assert_eq!(played(&[Kind::INCREMENTING_CONSTANT, Kind::DRAW]), (0, 0, 32));
    assert_eq!(played(&[Kind::UNORDERED_ACCESS_VIEW, Kind::DISPATCH]), (32, 32, 0));
    assert_eq!(played(&[Kind::DISPATCH_RAYS]), (32, 32, 0));
}

/// A question about structures, whose answer lies at an address that a fact states.
fn question(kind: Info, at: u64) -> Question {
    Question { DestBuffer: at, InfoType: kind }
}

/// Sizes are each driver's own. They can only be written to buffers that shaders may write to, too.
#[test]
fn sizes_of_structures_are_not_compared() {
    const AT: u64 = SHADED_AT;
    let _alone = alone();
    let mut script = begin();
    shaded_address(&mut script);
    let emit = method("ID3D12GraphicsCommandList4", "EmitRaytracingAccelerationStructurePostbuildInfo");
    let structures = [AT, AT];
    for (question, count) in [(question(Info::COMPACTED_SIZE, AT + 8), 2), (question(Info::SERIALIZATION, AT + 64), 1)]
    {
        script.call(LIST, emit, &[by_ref(&question), count, structures.as_ptr() as u64], 0);
    }
    copy(&mut script, (READBACK, 0), (SHADED, 0), 128);
    execute(&mut script);
    read(&mut script, 0, 128);
    let report: Report = script.play(&mut options(Convention::SysV)).unwrap();
    assert_eq!((report.compared_bytes, report.different_bytes, report.size_bytes), (96, 96, 32));
    assert_eq!(report.time_bytes, 0);
}

/// A cut restores what was written before it, and says what that was.
#[test]
fn times_from_before_a_cut_are_times_until_something_else_is_written() {
    let _alone = alone();
    let told = |script: &mut Script, why: Why| {
        let parts = [Apart { bytes: 16..48, why }];
        script.fact(READBACK, [&u64::from(fact::APART).to_le_bytes()[..], &apart::payload(&parts)].concat());
    };
    let mut script = begin();
    told(&mut script, Why::Time);
    read(&mut script, 0, 64);
    assert_eq!(counts(script.copy()), (32, 32, 32));
    copy(&mut script, (READBACK, 16), (MIDDLE, 0), 16);
    execute(&mut script);
    read(&mut script, 0, 64);
    assert_eq!(counts(script), (32 + 48, 32 + 48, 32 + 16));
    // Answers are compared.
    let mut script = begin();
    told(&mut script, Why::Answer);
    read(&mut script, 0, 64);
    assert_eq!(counts(script), (64, 64, 0));
}
