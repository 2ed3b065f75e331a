//! `steps`: a program that presents nothing and marks its steps, as simulations and offline renderers do, for tests of frames that end by
//! markers. Each step runs two lists, reads its target back, and sets the marker `Step N` on the queue when that is done.

use super::Program;
use crate::com::call;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program = Program { name: "steps", about: "marked steps, and no presents", run };

const STEPS: u32 = 5;
const WIDTH: u32 = 64;
const HEIGHT: u32 = 48;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let target = Target::new(&stage.device, DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT)?;
    let mut digest = Digest::new();
    for step in 0..STEPS {
        // Colours that eight bits hold, and a bar that moves.
        let (ground, mark) = ([0, step as u8 * 40, 255, 255], [255, 255, step as u8 * 40, 255]);
        let bar = Area::at(step * 10, 8, 9, 32);
        for (pass, colour, areas) in [("ground", ground, &[][..]), ("bar", mark, &[bar])] {
            let mut list = List::direct(&stage.device)?;
            let text = format!("{pass} of {step}\0");
            call!(list.com, "ID3D12GraphicsCommandList", "BeginEvent", 1u32, text.as_ptr(), text.len() as u32);
            list.clear_view(target.view(), colour.map(|channel| f32::from(channel) / 255.0), areas);
            call!(list.com, "ID3D12GraphicsCommandList", "EndEvent");
            stage.queue.run(&mut list)?;
        }
        let mut list = List::direct(&stage.device)?;
        let mut expected = Picture::new(WIDTH, HEIGHT, ground);
        expected.fill(bar, mark);
        target.check(stage, &mut list, &format!("step {step}"), &expected, &mut digest)?;
        let wide: Vec<u16> = format!("Step {step}").encode_utf16().chain([0]).collect();
        call!(stage.queue.com, "ID3D12CommandQueue", "SetMarker", 0u32, wide.as_ptr(), wide.len() as u32 * 2);
    }
    Ok(digest)
}
