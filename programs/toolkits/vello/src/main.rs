//! A scene of Vello's, which draws paths by compute: a list of tiles from prefix sums, dispatches that a dispatch sizes.
//! Arguments: the backend (dx12, vulkan), a file for the last frame's texels, how many frames.
use vello::kurbo::{Affine, BezPath, Circle, Point, Rect, RoundedRect, Stroke};
use vello::peniko::color::palette::css;
use vello::peniko::{BlendMode, Color, Compose, Fill, Gradient, Mix};
use vello::{AaConfig, AaSupport, RenderParams, Renderer, RendererOptions, Scene};

const SIDE: u32 = 256;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let backends = if words[1] == "dx12" { wgpu::Backends::DX12 } else { wgpu::Backends::VULKAN };
    let (device, queue, name) = pollster::block_on(device(backends));
    let options = RendererOptions { antialiasing_support: AaSupport::all(), ..RendererOptions::default() };
    let mut renderer = Renderer::new(&device, options).expect("a renderer");
    let target = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let view = target.create_view(&wgpu::TextureViewDescriptor::default());
    let frames: u32 = words[3].parse().expect("how many frames");
    let mut texels = Vec::new();
    for frame in 0..frames {
        let antialiasing_method = [AaConfig::Area, AaConfig::Msaa8, AaConfig::Msaa16][frame as usize % 3];
        let params = RenderParams { base_color: css::MIDNIGHT_BLUE, width: SIDE, height: SIDE, antialiasing_method };
        renderer.render_to_texture(&device, &queue, &scene(frame), &view, &params).expect("a picture");
        texels = read(&device, &queue, &target);
    }
    let hash = texels
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    let colours: std::collections::BTreeSet<&[u8]> = texels.chunks(4).collect();
    std::fs::write(&words[2], &texels).expect("a file for the picture");
    println!("vello {hash:016x}, {} colours, {frames} frames on {name}", colours.len());
}

async fn device(backends: wgpu::Backends) -> (wgpu::Device, wgpu::Queue, String) {
    let mut description = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    description.backends = backends;
    let instance = wgpu::Instance::new(description);
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await.expect("an adapter");
    let wanted = wgpu::DeviceDescriptor { required_limits: wgpu::Limits::default(), ..Default::default() };
    let (device, queue) = adapter.request_device(&wanted).await.expect("a device");
    (device, queue, adapter.get_info().name)
}

/// Filled and stroked curves, gradients of three kinds, clips, blends, a blurred rectangle, and many small circles.
fn scene(frame: u32) -> Scene {
    let (mut scene, turned) = (Scene::new(), f64::from(frame) * 0.2);
    let sweep = Gradient::new_sweep((64.0, 64.0), 0.0, 6.3).with_stops([css::RED, css::GOLD, css::LIME, css::BLUE]);
    scene.fill(Fill::NonZero, Affine::IDENTITY, &sweep, None, &RoundedRect::new(8.0, 8.0, 120.0, 120.0, 24.0));
    let radial = Gradient::new_radial((190.0, 64.0), 60.0).with_stops([css::WHITE, css::PURPLE]);
    let star = star(Point::new(190.0, 64.0), 60.0, turned);
    scene.fill(Fill::EvenOdd, Affine::IDENTITY, &radial, None, &star);
    scene.stroke(&Stroke::new(3.0).with_dashes(0.0, [9.0, 5.0]), Affine::IDENTITY, css::CYAN, None, &star);
    scene.push_clip_layer(Fill::NonZero, Affine::IDENTITY, &Circle::new((64.0, 190.0), 56.0));
    for step in 0..400 {
        let (x, y) = (f64::from(step % 20) * 6.0 + 6.0, f64::from(step / 20) * 6.0 + 132.0);
        let colour = Color::from_rgba8((step % 251) as u8, (step * 7 % 253) as u8, 120, 200);
        scene.fill(Fill::NonZero, Affine::rotate_about(turned, (64.0, 190.0)), colour, None, &Circle::new((x, y), 2.6));
    }
    scene.pop_layer();
    let linear = Gradient::new_linear((132.0, 132.0), (250.0, 250.0)).with_stops([css::ORANGE, css::TEAL]);
    scene.fill(Fill::NonZero, Affine::IDENTITY, &linear, None, &Rect::new(136.0, 136.0, 250.0, 250.0));
    let blend = BlendMode::new(Mix::Difference, Compose::SrcOver);
    scene.push_layer(Fill::NonZero, blend, 0.8, Affine::IDENTITY, &Rect::new(132.0, 132.0, 256.0, 256.0));
    scene.draw_blurred_rounded_rect(Affine::IDENTITY, Rect::new(160.0, 160.0, 230.0, 230.0), css::WHITE, 10.0, 8.0);
    scene.fill(Fill::NonZero, Affine::IDENTITY, css::SALMON, None, &Circle::new((170.0, 170.0), 30.0));
    scene.pop_layer();
    scene
}

fn star(centre: Point, radius: f64, turned: f64) -> BezPath {
    let at = |step: f64| {
        let angle = turned + step * std::f64::consts::TAU * 2.0 / 5.0;
        centre + vello::kurbo::Vec2::new(angle.cos(), angle.sin()) * radius
    };
    let mut path = BezPath::new();
    path.move_to(at(0.0));
    for step in 1..5 {
        path.quad_to(centre, at(f64::from(step)));
    }
    path.close_path();
    path
}

fn read(device: &wgpu::Device, queue: &wgpu::Queue, target: &wgpu::Texture) -> Vec<u8> {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: u64::from(SIDE * SIDE * 4),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(SIDE * 4), rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(target.as_image_copy(), to, target.size());
    queue.submit([encoder.finish()]);
    buffer.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("the picture's bytes"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("the end of the work");
    let texels = buffer.slice(..).get_mapped_range().expect("mapped").to_vec();
    buffer.unmap();
    texels
}
