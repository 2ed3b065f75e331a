//! `REPRISE_FAULT`: an operation of the GPU that never ends, or at which the device is lost. For tests of what tells about such things.
//!
//! The operation is chosen by its number among those that the process records: draws, dispatches, copies, clears, resolves, builds,
//! executed bundles and indirect commands, from 1. Right before it stands a gate (`reprise_gpu::gate`). With `hang` nothing else
//! happens. With `lost` the device counts as removed once the GPU has come to the gate, and with `page-fault` it also says at which
//! address. Invariant: the driver is never asked for anything that hangs a GPU.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use reprise_com::Object;
use reprise_com::result::{DXGI_ERROR_DEVICE_HUNG, DXGI_ERROR_DEVICE_REMOVED};
use reprise_gpu::gate::Gate;

use crate::device::Device;
use crate::environment::settings;
use crate::list::Recording;

/// What goes wrong, and at which operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    kind: Kind,
    operation: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Hang,
    Lost,
    /// At this GPU virtual address.
    PageFault(u64),
}

/// Operations recorded so far.
static RECORDED: AtomicU64 = AtomicU64::new(0);

impl Fault {
    /// Reads `hang@N`, `lost@N` or `page-fault@N:ADDRESS`, the address in hexadecimal digits.
    pub fn of(text: &str) -> Option<Fault> {
        let (kind, place) = text.split_once('@')?;
        let (number, address) = match place.split_once(':') {
            Some((number, address)) => (number, Some(address.strip_prefix("0x").unwrap_or(address))),
            None => (place, None),
        };
        let kind = match (kind, address) {
            ("hang", None) => Kind::Hang,
            ("lost", None) => Kind::Lost,
            ("page-fault", Some(address)) => Kind::PageFault(u64::from_str_radix(address, 16).ok()?),
            _ => return None,
        };
        Some(Fault { kind, operation: number.parse().ok().filter(|number| *number > 0)? })
    }
}

/// A list records an operation next: puts the gate before it where it is the one.
pub(crate) fn before_operation(device: &Object<Device>, recording: &mut Recording) {
    let Some(fault) = settings().fault else { return };
    if RECORDED.fetch_add(1, Ordering::Relaxed) + 1 != fault.operation {
        return;
    }
    match Gate::new(&device.gpu) {
        Ok(gate) => {
            recording.put(&gate);
            reprise_log::warning(format_args!("REPRISE_FAULT: operation {} has a fault before it", fault.operation));
            let device = device.keep();
            thread::spawn(move || fault.happen(&gate, &device));
        }
        Err(error) => reprise_log::error(format_args!("REPRISE_FAULT has no effect: {error}")),
    }
}

impl Fault {
    /// On a thread of its own: what follows once the GPU is at the gate.
    fn happen(self, gate: &Gate, device: &Device) {
        let then = || match self.kind {
            Kind::Hang => {}
            Kind::Lost => device.remove(DXGI_ERROR_DEVICE_HUNG),
            Kind::PageFault(address) => {
                device.faulted(address);
                device.remove(DXGI_ERROR_DEVICE_REMOVED);
            }
        };
        if gate.when_reached(then) {
            gate.open_at_last();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Kind};

    #[test]
    fn faults_are_read() {
        let fault = |kind, operation| Some(Fault { kind, operation });
        assert_eq!(Fault::of("hang@3"), fault(Kind::Hang, 3));
        assert_eq!(Fault::of("lost@10000"), fault(Kind::Lost, 10_000));
        assert_eq!(Fault::of("page-fault@1:0x7f00"), fault(Kind::PageFault(0x7f00), 1));
        assert_eq!(Fault::of("page-fault@1:7f00"), fault(Kind::PageFault(0x7f00), 1));
        for wrong in ["", "hang", "hang@", "hang@0", "hang@-1", "hang@1:7f", "page-fault@1", "page-fault@1:x", "burn@1"] {
            assert_eq!(Fault::of(wrong), None, "{wrong}");
        }
    }
}
