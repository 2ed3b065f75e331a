//! `boundaries`: two swap chains of the queue's factory, and markers of PIX on the queue and in lists, for tests of what ends a frame.
//!
//! Each step shows a frame of the first chain. Every third one shows one of the second chain, too. Before a step the queue gets a marker,
//! and a list that holds an event runs twice.

use super::Program;
use super::presents::{Chain, desc};
use crate::com::call;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::stage::Stage;

pub(super) const PROGRAM: Program =
    Program { name: "boundaries", about: "two swap chains, and markers on a queue and in lists", run };

const STEPS: u32 = 6;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let chains = [Chain::new(stage, &desc(64, 48, 2))?, Chain::new(stage, &desc(40, 32, 2))?];
    let (mut list, mut digest) = (List::direct(&stage.device)?, Digest::new());
    for step in 0..STEPS {
        let wide: Vec<u16> = format!("Frame {step}").encode_utf16().chain([0]).collect();
        call!(stage.queue.com, "ID3D12CommandQueue", "SetMarker", 0u32, wide.as_ptr(), wide.len() as u32 * 2);
        let bytes = format!("pass of {step}\0");
        let mut passes = List::direct(&stage.device)?;
        call!(passes.com, "ID3D12GraphicsCommandList", "BeginEvent", 1u32, bytes.as_ptr(), bytes.len() as u32);
        call!(passes.com, "ID3D12GraphicsCommandList", "EndEvent");
        passes.close()?;
        // Twice, and not at once: a marker in a list counts with each run.
        for _ in 0..2 {
            stage.queue.execute(&[&passes]);
            stage.queue.finish()?;
        }
        chains[0].frames(stage, &mut list, &mut digest, step..step + 1)?;
        if step % 3 == 2 {
            chains[1].frames(stage, &mut list, &mut digest, 100 + step..101 + step)?;
        }
    }
    Ok(digest)
}
