//! The validation layer is really asked about synchronisation: a hazard is an error that is counted. Needs a Vulkan 1.3 driver
//! (lavapipe does), and Khronos' validation layer.
#![allow(clippy::unwrap_used)]

use std::process::Command;

use ash::vk;
use reprise_d3d12::types::*;
use reprise_gpu::validation;
use reprise_runtime::resource::create::{Initial, Wanted, committed};
use reprise_testing::{missing, require};

const NAME: &str = "a_hazard_is_an_error";

#[test]
fn a_hazard_is_an_error() {
    if std::env::var_os("REPRISE_VALIDATION").is_some() {
        return hazard();
    }
    if require(missing::validation_layer()).is_none() {
        return;
    }
    // Settings are read once a process.
    let test = std::env::current_exe().unwrap();
    let output =
        Command::new(test).args(["--exact", NAME, "--nocapture"]).env("REPRISE_VALIDATION", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("SYNC-HAZARD-WRITE-AFTER-WRITE"), "{said}");
    assert!(said.lines().any(|line| line.contains("Vulkan validation: 1 errors")), "{said}");
}

/// Two copies to the same bytes, and nothing between.
fn hazard() {
    let device = reprise_runtime::entry::device::independent().expect("is there a Vulkan 1.3 driver?");
    let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    let mut desc = D3D12_RESOURCE_DESC1 {
        Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
        Width: 256,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        ..Default::default()
    };
    let initial = Initial::State(D3D12_RESOURCE_STATES::COPY_DEST);
    let mut wanted = Wanted { desc: &mut desc, initial, clear: None, castable: &[] };
    let resource = committed(&device, &heap, D3D12_HEAP_FLAGS::NONE, &mut wanted).unwrap();
    let buffer = resource.buffer().unwrap();
    let before = validation::said();
    let pool = vk::CommandPoolCreateInfo::default().queue_family_index(device.families.graphics.index);
    // SAFETY: plain Vulkan, recorded and never submitted; the buffer lives.
    unsafe {
        let vk = &device.vk;
        let pool = vk.create_command_pool(&pool, None).unwrap();
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let list = vk.allocate_command_buffers(&info).unwrap()[0];
        vk.begin_command_buffer(list, &vk::CommandBufferBeginInfo::default()).unwrap();
        vk.cmd_fill_buffer(list, buffer.vk(), buffer.offset(), 256, 1);
        vk.cmd_fill_buffer(list, buffer.vk(), buffer.offset(), 256, 2);
        vk.end_command_buffer(list).unwrap();
        vk.destroy_command_pool(pool, None);
    }
    assert_eq!(validation::said().errors, before.errors + 1);
}
