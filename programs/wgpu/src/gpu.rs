//! The device, on Direct3D 12 and nothing else, and what programs read back from it.

use anyhow::{Context, Result};
use std::sync::mpsc;

/// Room for views in bind groups that live at a time.
const VIEWS: u32 = 10_000;

/// A device with its queue.
pub(crate) struct Gpu {
    pub(crate) adapter: wgpu::Adapter,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

/// wgpu with its Direct3D 12 backend. Shaders are compiled by `d3dcompiler_47.dll`, or by what wgpu's own variable names:
/// `WGPU_DX12_COMPILER=dxc` is `dxcompiler.dll` beside the program.
pub(crate) fn instance(latency: wgpu::Dx12UseFrameLatencyWaitableObject) -> wgpu::Instance {
    let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
    wanted.backends = wgpu::Backends::DX12;
    wanted.backend_options.dx12.shader_compiler = wgpu::Dx12Compiler::from_env().unwrap_or(wgpu::Dx12Compiler::Fxc);
    wanted.backend_options.dx12.latency_waitable_object = latency;
    wgpu::Instance::new(wanted)
}

impl Gpu {
    /// A device without a window.
    pub(crate) fn new() -> Result<Self> {
        Self::of(&instance(wgpu::Dx12UseFrameLatencyWaitableObject::None), None)
    }

    /// A device that presents to a surface.
    pub(crate) fn of(instance: &wgpu::Instance, surface: Option<&wgpu::Surface<'_>>) -> Result<Self> {
        let wanted = wgpu::RequestAdapterOptions { compatible_surface: surface, ..Default::default() };
        let adapter = pollster::block_on(instance.request_adapter(&wanted)).context("no adapter of Direct3D 12")?;
        // wgpu makes a descriptor heap for this limit; the usual million takes Wine 6 GB of memory on lavapipe.
        let required_limits = wgpu::Limits { max_non_sampler_bindings: VIEWS, ..Default::default() };
        let wanted = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted)).context("no device")?;
        // The default handler ends the process with a panic, which names the call.
        Ok(Self { adapter, device, queue })
    }

    /// A buffer with these words in it.
    pub(crate) fn buffer(&self, words: &[u32], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let size = size_of_val(words) as u64;
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let wanted = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&wanted);
        self.queue.write_buffer(&buffer, 0, &bytes(words));
        buffer
    }

    /// A buffer that the processor reads.
    pub(crate) fn readback(&self, size: u64) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let wanted = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        self.device.create_buffer(&wanted)
    }

    /// What such a buffer holds once everything submitted is done.
    pub(crate) fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>> {
        let (sender, mapped) = mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver lives until the message is there.
            let _ = sender.send(result);
        });
        self.device.poll(wgpu::PollType::wait_indefinitely()).context("the device does not become idle")?;
        mapped.recv().context("nobody answers the mapping")?.context("cannot map")?;
        let view = buffer.get_mapped_range(..).context("no mapped range")?;
        let bytes = view.to_vec();
        drop(view);
        buffer.unmap();
        Ok(bytes)
    }
}

/// Words as little-endian bytes.
pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Little-endian bytes as words.
pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
