//! What a program names after it is gone, or although it was never there, and what replay passes in its place.
//!
//! Runtimes let much of this pass: an address that no shader reads, a descriptor that nobody uses, a heap that lives longer than the buffer
//! in it. The rule: what the program's runtime let pass, replay makes as well as it can, names once, and goes on. Invariant: nothing that is
//! passed in the place of something else makes the GPU fault or wait.

pub(crate) mod departed;
pub(crate) mod nowhere;
pub(crate) mod pipelines;
pub(crate) mod ranges;
pub(crate) mod stand_ins;

use std::collections::HashSet;

use departed::Departed;
use nowhere::Nowhere;
use pipelines::WithoutPipeline;
use ranges::Ranges;
use stand_ins::StandIns;

use crate::runtime::Runtime;
use crate::runtime::com::Com;

/// What is known of what is gone, and what replay passes for it.
#[derive(Default)]
pub(crate) struct Remains {
    pub(crate) departed: Departed,
    /// Addresses of buffers.
    pub(crate) ranges: Ranges,
    /// Handles of the processor in descriptor heaps.
    pub(crate) handles: Ranges,
    pub(crate) stand_ins: StandIns,
    pub(crate) without_pipeline: WithoutPipeline,
    /// Lists whose last `Close` failed at capture: nothing of them ran.
    pub(crate) unclosed: HashSet<u32>,
    nowhere: Vec<Nowhere>,
}

impl Remains {
    /// The part of a device. Takes over the reference that `device` is.
    pub(crate) fn nowhere(&mut self, runtime: &Runtime, device: u64) -> &mut Nowhere {
        let known = self.nowhere.iter().position(|it| it.device() == device);
        let at = match known {
            Some(at) => {
                runtime.release(device);
                at
            }
            None => {
                self.nowhere.push(Nowhere::new(device));
                self.nowhere.len() - 1
            }
        };
        &mut self.nowhere[at]
    }

    /// Whether an address is one of zeros that are passed for something.
    pub(crate) fn is_zeros(&self, address: u64) -> bool {
        self.nowhere.iter().any(|it| it.is_zeros(address))
    }

    /// Whether a handle is that of null targets that are passed for something.
    pub(crate) fn is_null_target(&self, handle: u64) -> bool {
        self.nowhere.iter().any(|it| it.is_target(handle))
    }

    /// Gives everything back; nothing is in use.
    pub(crate) fn release(&mut self, runtime: &Runtime) {
        self.stand_ins.release(runtime);
        self.nowhere.drain(..).for_each(|it| it.release(runtime));
    }
}
