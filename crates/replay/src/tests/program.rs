//! The hand-made program of these tests: its objects, the answers it got, and the null runtime's log of it.
#![allow(clippy::unwrap_used)]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D12_COMMAND_QUEUE_DESC, D3D12_DESCRIPTOR_HEAP_DESC, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_HEAP_PROPERTIES,
    D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES,
};
use reprise_d3d12::{description, function, interface, method};
use reprise_null::{Value, control, full_name, log};

use crate::tests::script::Script;
use crate::{Convention, Error, Options, Report};

/// The null runtime's log is the process's: one replay at a time.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    log::take();
    control::clear();
    turn
}

pub(crate) const DEVICE: u32 = 1;
pub(crate) const QUEUE: u32 = 2;
pub(crate) const ALLOCATOR: u32 = 3;
pub(crate) const LIST: u32 = 4;
pub(crate) const BUFFER: u32 = 5;
pub(crate) const HEAP: u32 = 6;
pub(crate) const FENCE: u32 = 7;

/// What the "program" was told; nothing that the null runtime would say.
pub(crate) const ADDRESS: u64 = 0x7700_0000_1000;
pub(crate) const CPU: u64 = 0x5500_0000;
pub(crate) const GPU: u64 = 0x6600_0000;
pub(crate) const INCREMENT: u64 = 48;

pub(crate) fn iid(id: InterfaceId) -> u64 {
    core::ptr::from_ref(&id.get().iid) as u64
}

pub(crate) fn out(slot: &mut u64, id: u32) -> u64 {
    *slot = u64::from(id);
    core::ptr::from_mut(slot) as u64
}

pub(crate) fn buffer_desc(bytes: u64) -> D3D12_RESOURCE_DESC {
    description::buffer(bytes, D3D12_RESOURCE_FLAGS::NONE)
}

/// Makes a heap of so many render targets, whose first handle was recorded as `CPU`.
pub(crate) fn target_heap(script: &mut Script, id: u32, count: u32) {
    let kind = D3D12_DESCRIPTOR_HEAP_TYPE::RTV;
    let desc = D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: count, ..Default::default() };
    let mut slot = 0;
    let words = [by_ref(&desc), iid(interface("ID3D12DescriptorHeap")), out(&mut slot, id)];
    script.call(DEVICE, method("ID3D12Device", "CreateDescriptorHeap"), &words, 0);
    let mut start = CPU;
    let pointer = core::ptr::from_mut(&mut start) as u64;
    script.call(id, method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart"), &[pointer], pointer);
    script.call(DEVICE, method("ID3D12Device", "GetDescriptorHandleIncrementSize"), &[kind.0 as u64], INCREMENT);
}

pub(crate) fn by_ref<T>(value: &T) -> u64 {
    core::ptr::from_ref(value) as u64
}

pub(crate) fn device(script: &mut Script) {
    let mut slot = 0;
    let words = [0, 0xb000, iid(interface("ID3D12Device")), out(&mut slot, DEVICE)];
    script.call(0, function("D3D12CreateDevice"), &words, 0);
}

pub(crate) fn queue(script: &mut Script) {
    let mut slot = 0;
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let words = [by_ref(&desc), iid(interface("ID3D12CommandQueue")), out(&mut slot, QUEUE)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommandQueue"), &words, 0);
}

pub(crate) fn list(script: &mut Script) {
    let mut slot = 0;
    let words = [0, iid(interface("ID3D12CommandAllocator")), out(&mut slot, ALLOCATOR)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommandAllocator"), &words, 0);
    let words = [0, 0, u64::from(ALLOCATOR), 0, iid(interface("ID3D12GraphicsCommandList")), out(&mut slot, LIST)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommandList"), &words, 0);
}

pub(crate) fn buffer(script: &mut Script, id: u32, heap_type: D3D12_HEAP_TYPE, bytes: u64) {
    let mut slot = 0;
    let heap = D3D12_HEAP_PROPERTIES { Type: heap_type, ..Default::default() };
    let desc = buffer_desc(bytes);
    // The states that the API demands of the two heap types.
    let readback = heap_type == D3D12_HEAP_TYPE::READBACK;
    let state = if readback { D3D12_RESOURCE_STATES::COPY_DEST } else { D3D12_RESOURCE_STATES::GENERIC_READ };
    let resource = iid(interface("ID3D12Resource"));
    let words = [by_ref(&heap), 0, by_ref(&desc), u64::from(state.0), 0, resource, out(&mut slot, id)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommittedResource"), &words, 0);
}

pub(crate) fn fence(script: &mut Script) {
    let mut slot = 0;
    let words = [0, 0, iid(interface("ID3D12Fence")), out(&mut slot, FENCE)];
    script.call(DEVICE, method("ID3D12Device", "CreateFence"), &words, 0);
}

pub(crate) fn release(script: &mut Script, id: u32, left: u64) {
    script.call(id, method("IUnknown", "Release"), &[], left);
}

pub(crate) fn options<'a>(convention: Convention) -> Options<'a> {
    Options { convention: Some(convention), fence_wait_timeout: Duration::from_millis(20), ..Options::default() }
}

/// Calls that the null runtime saw, by name, without those that only manage references.
pub(crate) fn seen() -> Vec<String> {
    let names = log::take().into_iter().map(|call| full_name(call.method));
    names.filter(|name| !name.starts_with("IUnknown::")).collect()
}

/// The one logged call of this name.
pub(crate) fn logged(calls: &[log::Call], name: &str) -> log::Call {
    let mut found = calls.iter().filter(|call| full_name(call.method) == name);
    let call = found.next().unwrap_or_else(|| panic!("{name} was not called")).clone();
    assert!(found.next().is_none(), "{name} was called more than once");
    call
}

pub(crate) fn bits(value: &Value) -> u64 {
    match value {
        Value::Bits { bits, .. } => *bits,
        Value::List(items) if items.len() == 1 => bits(&items[0]),
        other => panic!("{other:?} is no number"),
    }
}

pub(crate) fn failure(result: Result<Report, Error>) -> String {
    result.expect_err("the replay went through").to_string()
}
