//! What a runtime is told of heaps before it makes a device.

use crate::heaps::most_views;
use crate::tests::program::{DEVICE, by_ref, device, iid, out};
use crate::tests::script::Script;
use reprise_d3d12::types::{
    D3D12_DESCRIPTOR_HEAP_DESC, D3D12_DESCRIPTOR_HEAP_FLAGS as Flags, D3D12_DESCRIPTOR_HEAP_TYPE as Type,
};
use reprise_d3d12::{interface, method};

const CREATE: &str = "CreateDescriptorHeap";

fn heap(script: &mut Script, number: u32, kind: Type, flags: Flags, count: u32) -> u64 {
    let desc = D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: count, Flags: flags, NodeMask: 0 };
    let mut slot = 0;
    let words = [by_ref(&desc), iid(interface("ID3D12DescriptorHeap")), out(&mut slot, number)];
    script.call(DEVICE, method("ID3D12Device", CREATE), &words, 0)
}

/// Of heaps that shaders do not see, and of samplers, none counts; nor does one behind the end of the replay.
#[test]
fn the_largest_heap_of_views_that_shaders_see() {
    let mut script = Script::new();
    device(&mut script);
    heap(&mut script, 40, Type::CBV_SRV_UAV, Flags::SHADER_VISIBLE, 10);
    heap(&mut script, 41, Type::CBV_SRV_UAV, Flags::SHADER_VISIBLE, 5000);
    heap(&mut script, 42, Type::CBV_SRV_UAV, Flags::NONE, 70_000);
    heap(&mut script, 43, Type::RTV, Flags::NONE, 6000);
    heap(&mut script, 44, Type::SAMPLER, Flags::SHADER_VISIBLE, 2048);
    let last = heap(&mut script, 45, Type::CBV_SRV_UAV, Flags::SHADER_VISIBLE, 9000);
    script.rewind();
    assert_eq!(most_views(&mut script, |event| event.number >= last), 5000);
    script.rewind();
    assert_eq!(most_views(&mut script, |_| false), 9000);
    assert_eq!(most_views(&mut Script::new(), |_| false), 0);
}
