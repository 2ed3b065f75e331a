//! `REPRISE_FAULT`: an operation of the GPU that never ends, or at which the device is lost. It serves tests of tools that
//! report such faults.
//!
//! The operation is chosen by its number among those that the process records: draws, dispatches, copies, clears, resolves, builds,
//! executed bundles and indirect commands, from 1. Right before it stands a gate (`reprise_gpu::gate`). With `hang` nothing else
//! happens. With `lost` the device counts as removed once the GPU has come to the gate, and with `page-fault` it also says at which
//! address. Invariant: the driver is never asked for anything that hangs a GPU.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use reprise_com::Object;
use reprise_com::result::{DXGI_ERROR_DEVICE_HUNG, DXGI_ERROR_DEVICE_REMOVED};
use reprise_gpu::gate::{self, Gate};

use crate::device::Device;
use crate::environment::fault::{Fault, Kind};
use crate::environment::settings;
use crate::list::recording::Recording;

/// Operations recorded so far.
static RECORDED: AtomicU64 = AtomicU64::new(0);

/// A list records an operation next: puts the gate before it where it is the one.
pub(super) fn before_operation(device: &Object<Device>, recording: &mut Recording) {
    let Some(fault) = settings().fault else { return };
    if RECORDED.fetch_add(1, Ordering::Relaxed) + 1 != fault.operation {
        return;
    }
    match Gate::new(&device.gpu) {
        Ok(gate) => {
            recording.put(&gate);
            reprise_log::warning(format_args!("REPRISE_FAULT: operation {} has a fault before it", fault.operation));
            let device = device.keep();
            thread::spawn(move || happen(fault, &gate, &device));
        }
        Err(error) => reprise_log::error(format_args!("REPRISE_FAULT has no effect: {error}")),
    }
}

/// On a thread of its own: what follows once the GPU is at the gate.
fn happen(fault: Fault, gate: &Gate, device: &Device) {
    let then = || match fault.kind {
        Kind::Hang => {}
        Kind::Lost => device.remove(DXGI_ERROR_DEVICE_HUNG),
        Kind::PageFault(address) => {
            device.faulted(address);
            device.remove(DXGI_ERROR_DEVICE_REMOVED);
        }
        Kind::Released => {
            match device.trail.last_released() {
                Some(address) => device.faulted(address),
                None => reprise_log::error("REPRISE_FAULT: no released object is remembered, so there is no address"),
            }
            device.remove(DXGI_ERROR_DEVICE_REMOVED);
        }
    };
    if gate.when_reached(then) {
        gate.open_at_last(if fault.kind == Kind::Hang { gate::LONGEST } else { gate::LONGEST_LOST });
    }
}
