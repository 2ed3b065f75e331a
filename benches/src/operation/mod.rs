//! Operations of a runtime whose cost is measured one by one, System V libraries only.
//!
//! An [`Operation`] runs itself a number of times in a loop of its own, so that the loop and the dispatch to it are not in
//! the figures; what it needs is made before. Lists are recorded and never executed, except by the operations of queues.

mod acceleration;
mod descriptor;
mod indirect;
mod mesh;
mod pipeline;
mod queue;
mod rate;
mod record;
mod resource;
mod state_object;
mod tile;

use crate::com::{Library, WIN64};
use crate::make::Maker;
use crate::stage::Stage;
use anyhow::Result;

/// Whose time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The calling thread's.
    Thread,
    /// All threads': part of the work is done by others.
    Process,
}

/// What is measured.
pub struct Operation {
    /// What it does, in the API's words.
    pub name: &'static str,
    /// Whose time counts.
    pub clock: Clock,
    /// How often it runs in a round.
    pub number: u32,
    /// Runs before the clock starts.
    pub before: Box<dyn Fn()>,
    /// Runs the operation as often as it is told.
    pub run: Box<dyn Fn(u32)>,
}

impl Operation {
    fn new(name: &'static str, number: u32, run: impl Fn(u32) + 'static) -> Operation {
        Operation { name, clock: Clock::Thread, number, before: Box::new(|| {}), run: Box::new(run) }
    }

    fn after(mut self, before: impl Fn() + 'static) -> Operation {
        self.before = Box::new(before);
        self
    }

    fn of_all_threads(mut self) -> Operation {
        self.clock = Clock::Process;
        self
    }
}

/// All operations on one library, in the order of the report.
///
/// # Errors
/// Something that they need could not be made.
///
/// # Safety
/// The library is a D3D12 runtime in System V.
pub unsafe fn all(library: Library) -> Result<Vec<Operation>> {
    // SAFETY: the caller passes a D3D12 runtime in System V; the objects are its own and live as long as the process.
    unsafe {
        // What is measured lives as long as the process.
        let stage: &'static Stage = Box::leak(Box::new(Stage::new::<WIN64>(library, true)?));
        let make = Maker::<WIN64>::of(library, stage.device);
        let mut all = record::all(stage, &make)?;
        all.extend(indirect::all(stage, &make)?);
        all.extend(descriptor::all(stage, &make)?);
        all.extend(resource::all(stage, &make)?);
        all.extend(queue::all(stage, &make)?);
        all.extend(pipeline::all(stage, &make)?);
        // What a device lacks has no row.
        all.extend(tile::all(stage, &make)?);
        all.extend(mesh::all(stage, &make)?);
        all.extend(rate::all(stage, &make)?);
        all.extend(acceleration::all(stage, &make)?);
        all.extend(state_object::all(&make)?);
        Ok(all)
    }
}

/// Numbers below `count` that jump about: each once in `count` steps, `count` being a power of two.
fn scattered(i: u32, count: u32) -> u32 {
    i.wrapping_mul(0x9e37_79b1) & (count - 1)
}
