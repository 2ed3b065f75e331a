//! Bytes that the GPU wrote, which a trace has as stores of the program: they are not stored, and nothing else is left out. The null
//! runtime's GPU writes nothing, so what is not stored is zero.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::{
    D3D12_CPU_PAGE_PROPERTY, D3D12_HEAP_DESC, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_MEMORY_POOL,
    D3D12_RESOURCE_FLAGS, D3D12_WRITEBUFFERIMMEDIATE_PARAMETER,
};
use reprise_d3d12::{interface, method};
use reprise_trace::fact;

use crate::tests::program::{
    ADDRESS, BUFFER, DEVICE, LIST, QUEUE, alone, buffer, buffer_desc, by_ref, device, iid, list, options, out, queue,
};
use crate::tests::script::Script;
use crate::{Convention, Report};

const BOTH: u32 = 81;
const OTHER: u32 = 82;
const MEMORY: u32 = 83;

fn cached() -> D3D12_HEAP_PROPERTIES {
    D3D12_HEAP_PROPERTIES {
        Type: D3D12_HEAP_TYPE::CUSTOM,
        CPUPageProperty: D3D12_CPU_PAGE_PROPERTY::WRITE_BACK,
        MemoryPoolPreference: D3D12_MEMORY_POOL::L0,
        ..Default::default()
    }
}

/// Device, queue, list, a buffer that is copied from, and one that program and GPU write.
fn begin() -> Script {
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x1000);
    both(&mut script);
    script
}

fn both(script: &mut Script) {
    let (heap, mut desc, mut slot) = (cached(), buffer_desc(0x1000), 0);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
    let words = [by_ref(&heap), 0, by_ref(&desc), 0, 0, iid(interface("ID3D12Resource")), out(&mut slot, BOTH)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommittedResource"), &words, 0);
    let range = [ADDRESS, 0x1000u64].iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    stated(script, BOTH, fact::ADDRESS_RANGE, &range);
    map(script, BOTH);
}

fn stated(script: &mut Script, object: u32, kind: u32, bytes: &[u8]) {
    let mut payload = u64::from(kind).to_le_bytes().to_vec();
    payload.extend(bytes);
    script.fact(object, payload);
}

fn map(script: &mut Script, id: u32) {
    let mut address = 0x1000u64;
    script.call(id, method("ID3D12Resource", "Map"), &[0, 0, core::ptr::from_mut(&mut address) as u64], 0);
}

fn copy(script: &mut Script, to: u32, offset: u64, bytes: u64) {
    let words = [u64::from(to), offset, u64::from(BUFFER), 0, bytes];
    script.call(LIST, method("ID3D12GraphicsCommandList", "CopyBufferRegion"), &words, 0);
}

fn execute(script: &mut Script) {
    let lists = [u64::from(LIST)];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
}

fn store(script: &mut Script, offset: u64, bytes: &[u8]) {
    script.memory(BOTH, 0, offset, bytes);
}

fn see(script: &mut Script, offset: u64, bytes: &[u8]) {
    script.memory(BOTH, 0, offset, bytes);
    script.events.last_mut().unwrap().method = reprise_trace::record::OBSERVED;
}

fn play(mut script: Script) -> Report {
    script.play(&mut options(Convention::SysV)).unwrap()
}

/// Bytes compared, of them such that work had written, bytes that differ, and bytes that were not stored.
fn counts(script: Script) -> [u64; 4] {
    let report = play(script);
    [report.compared_bytes, report.gpu_written_bytes, report.different_bytes, report.untold_bytes]
}

/// What a page holds after the GPU wrote its bytes 64 to 96, found as a store of the program, and seen by it then.
#[test]
fn what_the_gpu_wrote_is_not_stored_over_what_it_writes_here() {
    let _alone = alone();
    let mut script = begin();
    copy(&mut script, BOTH, 64, 32);
    execute(&mut script);
    store(&mut script, 0, &[7; 256]);
    see(&mut script, 0, &[7; 256]);
    // The program's bytes are stored, the GPU's are missing here.
    assert_eq!(counts(script), [256, 32, 32, 32]);
}

/// What no record shows is compared with nothing: bytes that work surely wrote, and others that it may have written.
fn uncompared(script: Script) -> Vec<(u32, u64, Option<u64>)> {
    play(script).uncompared.iter().map(|it| (it.object, it.bytes, it.perhaps)).collect()
}

#[test]
fn what_no_record_shows_is_counted() {
    let _alone = alone();
    // Half of what a copy wrote is shown.
    let mut script = begin();
    copy(&mut script, BOTH, 64, 64);
    execute(&mut script);
    see(&mut script, 0, &[0; 96]);
    assert_eq!(uncompared(script), [(BOTH, 32, Some(0))]);
    // All of it, by a second record.
    let mut script = begin();
    copy(&mut script, BOTH, 64, 64);
    execute(&mut script);
    see(&mut script, 0, &[0; 96]);
    see(&mut script, 96, &[0; 32]);
    assert_eq!(uncompared(script), []);
    // A record from before the work shows nothing of it, and what is not submitted writes nothing.
    let mut script = begin();
    see(&mut script, 0, &[0; 256]);
    copy(&mut script, BOTH, 64, 64);
    execute(&mut script);
    copy(&mut script, BOTH, 512, 64);
    assert_eq!(uncompared(script), [(BOTH, 64, Some(0))]);
}

/// A store of the program hides what work had written from every later record.
#[test]
fn what_is_stored_over_before_a_look_is_counted() {
    let _alone = alone();
    for (look, bytes) in [(false, 16), (true, 0)] {
        let mut script = begin();
        stated(&mut script, BOTH, fact::MAPPING_MODE, br#"{"mode":"mprotect","stores":"told"}"#);
        copy(&mut script, BOTH, 0, 64);
        execute(&mut script);
        if look {
            see(&mut script, 0, &[0; 64]);
        }
        store(&mut script, 0, &[9; 16]);
        script.call(LIST, method("ID3D12GraphicsCommandList", "Reset"), &[0, 0], 0);
        execute(&mut script);
        see(&mut script, 0, &[9; 16]);
        see(&mut script, 16, &[0; 48]);
        let expected = (bytes > 0).then_some((BOTH, bytes, Some(0)));
        assert_eq!(uncompared(script), Vec::from_iter(expected), "{look}");
    }
}

/// What shaders reach is counted apart, without what is known for sure. It stays when the resource goes.
#[test]
fn what_shaders_reach_is_counted_apart() {
    let _alone = alone();
    for gone in [false, true] {
        let mut script = begin();
        copy(&mut script, BOTH, 0, 64);
        let words = [0, ADDRESS];
        script.call(LIST, method("ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView"), &words, 0);
        execute(&mut script);
        see(&mut script, 32, &[0; 64]);
        if gone {
            script.call(BOTH, method("IUnknown", "Release"), &[], 0);
        }
        assert_eq!(uncompared(script), [(BOTH, 32, Some(0x1000 - 96))], "{gone}");
    }
}

/// Without work the same records are a program that reads what it stored.
#[test]
fn what_no_work_wrote_is_the_programs() {
    let _alone = alone();
    let mut script = begin();
    copy(&mut script, BOTH, 64, 32);
    store(&mut script, 0, &[7; 256]);
    see(&mut script, 0, &[7; 256]);
    execute(&mut script);
    assert_eq!(counts(script), [256, 0, 0, 0]);
}

/// A ring: the GPU writes, the program looks, and fills the same bytes anew.
#[test]
fn what_is_stored_after_a_look_is_the_programs() {
    let _alone = alone();
    let mut script = begin();
    for round in 1..4 {
        copy(&mut script, BOTH, 0, 256);
        execute(&mut script);
        see(&mut script, 0, &[0; 256]);
        store(&mut script, 0, &[round; 256]);
        see(&mut script, 0, &[round; 256]);
        script.call(LIST, method("ID3D12GraphicsCommandList", "Reset"), &[0, 0], 0);
        store(&mut script, 0, &[0; 256]);
    }
    assert_eq!(counts(script), [6 * 256, 3 * 256, 0, 0]);
}

/// A store that the program is not seen to find there is not known to be the GPU's; where the trace says that it cannot be told, it is
/// not stored.
#[test]
fn what_nobody_looks_at_is_stored_unless_the_trace_says_that_it_is_not_told() {
    let _alone = alone();
    for (said, untold) in [(None, 0), (Some("told"), 0), (Some("untold"), 64)] {
        let mut script = begin();
        if let Some(said) = said {
            stated(&mut script, BOTH, fact::MAPPING_MODE, format!(r#"{{"mode":"x","stores":"{said}"}}"#).as_bytes());
        }
        copy(&mut script, BOTH, 64, 64);
        execute(&mut script);
        store(&mut script, 0, &[9; 256]);
        execute(&mut script);
        see(&mut script, 0, &[0; 256]);
        let [.., untold_bytes] = counts(script);
        assert_eq!(untold_bytes, untold, "{said:?}");
    }
}

/// A program that has mapped what the GPU wrote may have stored over it.
#[test]
fn what_is_stored_after_a_map_is_the_programs() {
    let _alone = alone();
    let mut script = begin();
    stated(&mut script, BOTH, fact::MAPPING_MODE, br#"{"mode":"compare","stores":"untold"}"#);
    copy(&mut script, BOTH, 64, 64);
    execute(&mut script);
    map(&mut script, BOTH);
    store(&mut script, 0, &[9; 256]);
    execute(&mut script);
    see(&mut script, 0, &[9; 256]);
    assert_eq!(counts(script), [256, 64, 0, 0]);
}

/// What each kind of work writes.
#[test]
fn every_kind_of_work_is_known() {
    let _alone = alone();
    let word = D3D12_WRITEBUFFERIMMEDIATE_PARAMETER { Dest: ADDRESS + 16, Value: 1 };
    type Work<'a> = &'a dyn Fn(&mut Script);
    let works: [(&str, u64, Work<'_>); 5] = [
        ("copy", 32, &|script| copy(script, BOTH, 0, 32)),
        ("predicated copy", 32, &|script| {
            let predicate = [u64::from(BUFFER), 0, 0];
            script.call(LIST, method("ID3D12GraphicsCommandList", "SetPredication"), &predicate, 0);
            copy(script, BOTH, 0, 32);
        }),
        ("word", 4, &|script| {
            let words = [1, by_ref(&word), 0];
            script.call(LIST, method("ID3D12GraphicsCommandList2", "WriteBufferImmediate"), &words, 0);
        }),
        ("whole buffer", 256, &|script| {
            let words = [u64::from(BOTH), u64::from(BUFFER)];
            script.call(LIST, method("ID3D12GraphicsCommandList", "CopyResource"), &words, 0);
        }),
        ("root descriptor", 256, &|script| {
            let words = [0, ADDRESS];
            script.call(LIST, method("ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView"), &words, 0);
        }),
    ];
    for (name, bytes, work) in works {
        let mut script = begin();
        work(&mut script);
        execute(&mut script);
        store(&mut script, 0, &[3; 256]);
        see(&mut script, 0, &[3; 256]);
        assert_eq!(counts(script), [256, bytes, bytes, bytes], "{name}");
    }
}

/// A heap that both write.
fn heap(script: &mut Script, properties: D3D12_HEAP_PROPERTIES) {
    let desc = D3D12_HEAP_DESC { SizeInBytes: 1 << 20, Properties: properties, ..Default::default() };
    let mut slot = 0;
    let words = [by_ref(&desc), iid(interface("ID3D12Heap")), out(&mut slot, MEMORY)];
    script.call(DEVICE, method("ID3D12Device", "CreateHeap"), &words, 0);
}

/// A write to a reserved resource may go to any byte of the heaps of its tiles; without tiles, and in a heap that no CPU sees, there is
/// nothing to compare.
#[test]
fn what_is_written_by_tiles_shows_in_their_heap() {
    let _alone = alone();
    let hidden = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    let all = (MEMORY, 0, Some((1 << 20) - 96));
    for (properties, tiles, expected) in [(cached(), true, Some(all)), (cached(), false, None), (hidden, true, None)] {
        let mut script = begin();
        heap(&mut script, properties);
        let (desc, resource, mut slots) = (buffer_desc(0x1_0000), iid(interface("ID3D12Resource")), [0; 2]);
        let words = [by_ref(&desc), 0, 0, resource, out(&mut slots[0], OTHER)];
        script.call(DEVICE, method("ID3D12Device", "CreateReservedResource"), &words, 0);
        if tiles {
            let words = [u64::from(OTHER), 0, 0, 0, u64::from(MEMORY), 0, 0, 0, 0, 0];
            script.call(QUEUE, method("ID3D12CommandQueue", "UpdateTileMappings"), &words, 0);
        }
        if properties.Type != D3D12_HEAP_TYPE::DEFAULT {
            let place = [u64::from(MEMORY), 0, by_ref(&desc), 0, 0, resource, out(&mut slots[1], OTHER + 10)];
            script.call(DEVICE, method("ID3D12Device", "CreatePlacedResource"), &place, 0);
            map(&mut script, OTHER + 10);
        }
        copy(&mut script, OTHER, 64, 32);
        execute(&mut script);
        if properties.Type != D3D12_HEAP_TYPE::DEFAULT {
            script.memory(OTHER + 10, 0, 0, &[0; 96]);
            script.events.last_mut().unwrap().method = reprise_trace::record::OBSERVED;
        }
        assert_eq!(uncompared(script), Vec::from_iter(expected), "{tiles}");
    }
}

/// Work writes the memory, whichever of the resources in it the program maps.
#[test]
fn placed_resources_share_what_is_known() {
    let _alone = alone();
    let mut script = begin();
    heap(&mut script, cached());
    for (id, offset) in [(OTHER, 0u64), (OTHER + 10, 0)] {
        let (desc, mut slot) = (buffer_desc(0x1000), 0);
        let resource = iid(interface("ID3D12Resource"));
        let words = [u64::from(MEMORY), offset, by_ref(&desc), 0, 0, resource, out(&mut slot, id)];
        script.call(DEVICE, method("ID3D12Device", "CreatePlacedResource"), &words, 0);
    }
    map(&mut script, OTHER + 10);
    copy(&mut script, OTHER, 64, 32);
    execute(&mut script);
    script.memory(OTHER + 10, 0, 0, &[5; 128]);
    script.memory(OTHER + 10, 0, 0, &[5; 128]);
    script.events.last_mut().unwrap().method = reprise_trace::record::OBSERVED;
    let [compared, written, _, untold] = counts(script);
    assert_eq!([compared, written, untold], [128, 32, 32]);
}
