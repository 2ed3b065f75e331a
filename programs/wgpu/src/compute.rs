//! Numbers through a compute shader: each is mixed as often as it says itself, so invocations take ways of their own.

use crate::digest::Digest;
use crate::gpu::{Gpu, bytes, words};
use anyhow::{Result, ensure};

const SHADER: &str = include_str!("compute.wgsl");
/// Of a workgroup, as the shader has it.
const GROUP: u32 = 64;
const COUNT: u32 = 1024;
const SALT: u32 = 0x9e37_79b9;

pub(crate) fn run() -> Result<Digest> {
    let gpu = Gpu::new()?;
    let mixer = Mixer::new(&gpu);
    let input: Vec<u32> = (0..COUNT).map(|index| index.wrapping_mul(SALT)).collect();
    let output = mixer.mix(&gpu, &input, SALT)?;
    check(&input, SALT, &output)?;
    let mut digest = Digest::new();
    digest.add_words(&output);
    Ok(digest)
}

/// Wrong unless the output is what the processor computes.
pub(crate) fn check(input: &[u32], salt: u32, output: &[u32]) -> Result<()> {
    let expected: Vec<u32> = input.iter().map(|&number| mixed(number, salt)).collect();
    let wrong = output.iter().zip(&expected).position(|(got, expected)| got != expected);
    ensure!(output.len() == expected.len() && wrong.is_none(), "element {wrong:?} of {} is wrong", output.len());
    Ok(())
}

/// The shader's computation.
fn mixed(number: u32, salt: u32) -> u32 {
    let mut value = number;
    for round in 0..(number & 31) {
        value = (value ^ (value >> 15)).wrapping_mul(0x2c1b_3c6d).wrapping_add(salt ^ round);
    }
    value
}

/// The pipeline.
pub(crate) struct Mixer {
    pipeline: wgpu::ComputePipeline,
}

impl Mixer {
    /// Compiles the shader.
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let source = wgpu::ShaderSource::Wgsl(SHADER.into());
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("mix"),
            layout: None,
            module: &module,
            entry_point: Some("mix_all"),
            compilation_options: Default::default(),
            cache: None,
        });
        Self { pipeline }
    }

    /// Runs it; the number of words is a multiple of the workgroup's.
    pub(crate) fn mix(&self, gpu: &Gpu, input: &[u32], salt: u32) -> Result<Vec<u32>> {
        let size = size_of_val(input) as u64;
        let numbers = gpu.buffer(input, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
        let salts = gpu.buffer(&[salt, 0, 0, 0], wgpu::BufferUsages::UNIFORM);
        let results = gpu.readback(size);
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: numbers.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: salts.as_entire_binding() },
            ],
        });
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(input.len() as u32 / GROUP, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&numbers, 0, &results, 0, size);
        gpu.queue.submit([encoder.finish()]);
        let output = words(&gpu.read(&results)?);
        ensure!(bytes(&output).len() as u64 == size, "{} bytes came back instead of {size}", output.len() * 4);
        Ok(output)
    }
}
