//! A window whose frames are presented: a square moves through them, and some are read back before they are presented.

use crate::digest::Digest;
use crate::gpu::{self, Gpu};
use crate::picture::{Painter, SQUARE, Square};
use anyhow::{Context, Result, bail, ensure};
use std::sync::Arc;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};

/// Unless the user says otherwise.
pub(crate) const FRAMES: u32 = 300;
/// So many are between two that are read back.
const READ_EVERY: u32 = 60;
const SIZE: [u32; 2] = [640, 480];
/// A surface that is not to be had so often in a row is no surface.
const PATIENCE: u32 = 50;

/// What the program does with DXGI's object of frame latency.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Latency {
    /// It does not ask for one.
    Ignored,
    /// It waits for it before each frame.
    Awaited,
}

pub(crate) fn run(frames: u32, latency: Latency) -> Result<Digest> {
    let events = EventLoop::new().context("no event loop")?;
    let mut program = Program { frames, latency, shown: None, digest: Digest::new(), ended: None };
    events.run_app(&mut program).context("the event loop failed")?;
    program.ended.context("the window was closed before the last frame")??;
    Ok(program.digest)
}

struct Program {
    frames: u32,
    latency: Latency,
    shown: Option<Shown>,
    digest: Digest,
    /// `None` while frames are left.
    ended: Option<Result<()>>,
}

/// The window with what is drawn to it.
struct Shown {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    gpu: Gpu,
    painter: Painter,
    configuration: wgpu::SurfaceConfiguration,
    frame: u32,
    failures: u32,
}

impl ApplicationHandler for Program {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.shown.is_none() {
            match Shown::new(events, self.latency) {
                Ok(shown) => self.shown = Some(shown),
                Err(error) => self.end(events, Err(error)),
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::RedrawRequested => {
                let Some(shown) = &mut self.shown else { return };
                match shown.draw(self.frames, &mut self.digest) {
                    Ok(()) if shown.frame < self.frames => shown.window.request_redraw(),
                    Ok(()) => self.end(events, Ok(())),
                    Err(error) => self.end(events, Err(error)),
                }
            }
            _ => {}
        }
    }
}

impl Program {
    fn end(&mut self, events: &ActiveEventLoop, how: Result<()>) {
        self.ended = Some(how);
        self.shown = None;
        events.exit();
    }
}

impl Shown {
    fn new(events: &ActiveEventLoop, latency: Latency) -> Result<Self> {
        let size = winit::dpi::PhysicalSize::new(SIZE[0], SIZE[1]);
        let wanted = Window::default_attributes().with_title("reprise").with_inner_size(size).with_resizable(false);
        let window = Arc::new(events.create_window(wanted).context("no window")?);
        let instance = gpu::instance(match latency {
            Latency::Ignored => wgpu::Dx12UseFrameLatencyWaitableObject::None,
            Latency::Awaited => wgpu::Dx12UseFrameLatencyWaitableObject::Wait,
        });
        let surface = instance.create_surface(Arc::clone(&window)).context("no surface")?;
        let gpu = Gpu::of(&instance, Some(&surface))?;
        let format = wgpu::TextureFormat::Bgra8Unorm;
        let mut configuration =
            surface.get_default_config(&gpu.adapter, SIZE[0], SIZE[1]).context("the adapter has no such surface")?;
        configuration.usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        configuration.format = format;
        configuration.present_mode = wgpu::PresentMode::AutoVsync;
        surface.configure(&gpu.device, &configuration);
        let painter = Painter::new(&gpu, format, SIZE);
        window.request_redraw();
        Ok(Self { window, surface, gpu, painter, configuration, frame: 0, failures: 0 })
    }

    /// Draws and presents the next frame, unless the surface has none right now.
    fn draw(&mut self, frames: u32, digest: &mut Digest) -> Result<()> {
        use wgpu::CurrentSurfaceTexture as Current;
        let texture = match self.surface.get_current_texture() {
            Current::Success(texture) | Current::Suboptimal(texture) => texture,
            other => {
                self.failures += 1;
                ensure!(self.failures < PATIENCE, "frame {}: the surface gives {other:?}", self.frame);
                self.surface.configure(&self.gpu.device, &self.configuration);
                return Ok(());
            }
        };
        self.failures = 0;
        let squares = squares(self.frame);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.painter.paint(&self.gpu, &mut encoder, &texture.texture, &squares);
        let read = self.frame.is_multiple_of(READ_EVERY) || self.frame + 1 == frames;
        let copy = read.then(|| self.painter.copy(&self.gpu, &mut encoder, &texture.texture));
        self.gpu.queue.submit([encoder.finish()]);
        if let Some(copy) = copy {
            let pixels = self.painter.pixels(&self.gpu, &copy)?;
            if let Err(error) = self.painter.check(&squares, &pixels) {
                bail!("frame {}: {error}", self.frame);
            }
            digest.add(&pixels);
        }
        self.window.pre_present_notify();
        self.gpu.queue.present(texture);
        self.frame += 1;
        Ok(())
    }
}

/// A row of squares that grows, and one that runs over it.
fn squares(frame: u32) -> Vec<Square> {
    let [columns, rows] = SIZE.map(|side| side / SQUARE);
    let row = (0..=frame % columns).map(|column| Square { column, row: rows / 2, depth: 8, texel: column });
    let runner = Square { column: frame % columns, row: frame / columns % rows, depth: 4, texel: frame % 64 };
    row.chain(std::iter::once(runner)).collect()
}
