//! New images leave `UNDEFINED` with the next submission, whoever makes it. Needs a Vulkan 1.3 driver (lavapipe does).
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Public};
use reprise_d3d12::types::*;
use reprise_gpu::queue::Recorded;
use reprise_runtime::Device;
use reprise_runtime::queue::CommandQueue;
use reprise_runtime::resource::Resource;
use reprise_runtime::resource::create::{Initial, Wanted, committed, placed};
use reprise_runtime::resource::heap;

fn texture(flags: D3D12_RESOURCE_FLAGS) -> D3D12_RESOURCE_DESC1 {
    D3D12_RESOURCE_DESC1 {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: 16,
        Height: 16,
        DepthOrArraySize: 1,
        MipLevels: 1,
        Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Flags: flags,
        ..Default::default()
    }
}

const DEFAULT: D3D12_HEAP_PROPERTIES = D3D12_HEAP_PROPERTIES {
    Type: D3D12_HEAP_TYPE::DEFAULT,
    CPUPageProperty: D3D12_CPU_PAGE_PROPERTY(0),
    MemoryPoolPreference: D3D12_MEMORY_POOL(0),
    CreationNodeMask: 0,
    VisibleNodeMask: 0,
};

fn wanted(desc: &mut D3D12_RESOURCE_DESC1) -> Wanted<'_> {
    Wanted { desc, initial: Initial::State(D3D12_RESOURCE_STATES::COMMON), clear: None, castable: &[] }
}

fn image(device: &Object<Device>, flags: D3D12_RESOURCE_FLAGS) -> Public<Resource> {
    committed(device, &DEFAULT, D3D12_HEAP_FLAGS::NONE, &mut wanted(&mut texture(flags))).unwrap()
}

fn queue(device: &Object<Device>, kind: D3D12_COMMAND_LIST_TYPE) -> Public<CommandQueue> {
    let desc = D3D12_COMMAND_QUEUE_DESC { Type: kind, ..Default::default() };
    Object::make(CommandQueue::new(device, &desc, reprise_runtime::queue::facets()).unwrap())
}

/// A closed list that names these images and records nothing.
fn list(images: &[&Object<Resource>]) -> Vec<Arc<Recorded>> {
    let first_uses = images.iter().map(|image| image.image().unwrap().clone()).collect();
    vec![Arc::new(Recorded::new(vk::CommandBuffer::null(), first_uses, None, ()))]
}

#[test]
fn an_image_that_no_list_names_begins_with_the_next_submission() {
    let device = reprise_runtime::entry::device::independent().unwrap();
    let queue = queue(&device, D3D12_COMMAND_LIST_TYPE::COPY);
    let sampled = image(&device, D3D12_RESOURCE_FLAGS::NONE);
    let target = image(&device, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET);
    assert!(!sampled.is_begun() && !target.is_begun());
    queue.execute(list(&[]));
    queue.drain();
    assert!(sampled.is_begun() && target.is_begun());
    assert!(sampled.image().unwrap().begin().is_none(), "the transition is made once");
}

#[test]
fn a_placed_target_begins_where_it_is_named() {
    let device = reprise_runtime::entry::device::independent().unwrap();
    let queue = queue(&device, D3D12_COMMAND_LIST_TYPE::DIRECT);
    let desc = D3D12_HEAP_DESC { SizeInBytes: 1 << 20, Properties: DEFAULT, Alignment: 0, ..Default::default() };
    let heap = heap::create(&device, &desc).unwrap();
    let place = |offset: u64, flags: D3D12_RESOURCE_FLAGS| {
        placed(&device, &heap, offset, &mut wanted(&mut texture(flags))).unwrap()
    };
    let target = place(0, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET);
    let sampled = place(1 << 19, D3D12_RESOURCE_FLAGS::NONE);
    queue.execute(list(&[]));
    queue.drain();
    assert!(sampled.is_begun());
    assert!(!target.is_begun(), "another resource may live in its memory");
    queue.execute(list(&[&target]));
    queue.drain();
    assert!(target.is_begun());
}

/// Every queue stands behind the transitions of the others, and none waits for ever.
#[test]
fn queues_and_creations_run_side_by_side() {
    let device = reprise_runtime::entry::device::independent().unwrap();
    let kinds = [D3D12_COMMAND_LIST_TYPE::DIRECT, D3D12_COMMAND_LIST_TYPE::COMPUTE, D3D12_COMMAND_LIST_TYPE::COPY];
    std::thread::scope(|scope| {
        for kind in kinds {
            let device: &Object<Device> = &device;
            scope.spawn(move || {
                let queue = queue(device, kind);
                for turn in 0..50 {
                    let used = image(device, D3D12_RESOURCE_FLAGS::NONE);
                    // Released without ever being used.
                    drop(image(device, D3D12_RESOURCE_FLAGS::NONE));
                    queue.execute(list(&[&used]));
                    if turn % 8 == 0 {
                        queue.drain();
                        assert!(used.is_begun());
                    }
                    queue.execute(list(&[]));
                    queue.drain();
                }
            });
        }
    });
}
