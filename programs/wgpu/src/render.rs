//! A picture without a window: instances, indices, a texture, depth; read back and compared with what the processor knows.

use crate::digest::Digest;
use crate::gpu::Gpu;
use crate::picture::{self, Painter, SQUARE, Square};
use anyhow::Result;

const SIZE: [u32; 2] = [256, 256];

pub(crate) fn run() -> Result<Digest> {
    let gpu = Gpu::new()?;
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
    let target = picture::texture(&gpu, format, SIZE, usage);
    let painter = Painter::new(&gpu, format, SIZE);
    let squares = squares();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    painter.paint(&gpu, &mut encoder, &target, &squares);
    let copy = painter.copy(&gpu, &mut encoder, &target);
    gpu.queue.submit([encoder.finish()]);
    let pixels = painter.pixels(&gpu, &copy)?;
    painter.check(&squares, &pixels)?;
    let mut digest = Digest::new();
    digest.add(&pixels);
    Ok(digest)
}

/// Two of three places have a square, and every fifth a second one behind or before it.
fn squares() -> Vec<Square> {
    let columns = SIZE[0] / SQUARE;
    let places = (0..columns * (SIZE[1] / SQUARE)).filter(|place| place % 3 != 0);
    let square = |place: u32, depth: u32, texel: u32| Square {
        column: place % columns,
        row: place / columns,
        depth,
        texel: texel % 64,
    };
    places
        .flat_map(|place| {
            let second = (place % 5 == 0).then(|| square(place, if place % 2 == 0 { 2 } else { 12 }, place + 7));
            std::iter::once(square(place, 8, place)).chain(second)
        })
        .collect()
}
