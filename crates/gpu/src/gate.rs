//! Gates: places in a command buffer where the GPU stops until the CPU lets it go on. They stand in for operations that never end, so that
//! what a stuck GPU leads to can be tested without a stuck GPU.
//!
//! Invariant: every gate opens at last: when the device goes, when the process ends, or after [`LONGEST`]. So no GPU is held up longer than
//! that, and no process waits for ever for its device (NVIDIA's driver waits for the GPU when the process ends).

use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

use ash::vk;

use crate::error::Result;
use crate::logical::Logical;

/// The longest time that a gate stays closed.
pub const LONGEST: Duration = Duration::from_secs(120);
/// The longest time that a gate stays closed behind which a device is lost: nothing waits for the GPU of a lost device. Programs notice the
/// loss by their next call, unless the driver lets them wait for the GPU in it (lavapipe does where views are destroyed).
pub const LONGEST_LOST: Duration = Duration::from_secs(20);
/// The longest time that the end of a process waits for what stood behind its gates.
#[cfg(unix)]
const FINISH: Duration = Duration::from_secs(10);
/// Between two looks at whether the GPU has come to a gate.
const LOOK: Duration = Duration::from_millis(1);

/// Devices with gates, for the end of the process.
static DEVICES: Mutex<Vec<Weak<Logical>>> = Mutex::new(Vec::new());

unsafe extern "C" {
    /// The C library's: runs a function when the process ends, the last one that was registered first.
    safe fn atexit(function: extern "C" fn()) -> i32;
}

extern "C" fn open_all() {
    for logical in DEVICES.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade) {
        if logical.gates.open_all(&logical.vk) {
            let_finish(&logical);
        }
        // It may be the last one that holds the device, which then stays: nothing else may run at the end of the process.
        core::mem::forget(logical);
    }
}

/// Waits for what stood behind the gates, [`FINISH`] at most. A driver that computes on the CPU does that on threads of this process, and
/// crashes where the process's end takes away the compiler that it is using (lavapipe).
#[cfg(unix)]
fn let_finish(logical: &Arc<Logical>) {
    let (sender, done) = std::sync::mpsc::channel();
    let device = logical.clone();
    let waiting = std::thread::Builder::new().spawn(move || {
        // SAFETY: the device is alive. Vulkan wants that nobody else uses its queues meanwhile; a thread that submits while the process
        // ends may, which is no worse than that its driver goes under it. Only processes with a gate come here.
        _ = unsafe { device.vk.device_wait_idle() };
        core::mem::forget(device);
        _ = sender.send(());
    });
    if waiting.is_ok() {
        _ = done.recv_timeout(FINISH);
    }
}

/// Windows has ended the other threads by now, those of drivers too.
#[cfg(windows)]
fn let_finish(_: &Arc<Logical>) {}

/// One gate.
pub struct Gate {
    logical: Arc<Logical>,
    /// Set by the GPU when everything before the gate is done.
    reached: vk::Event,
    /// Set by the CPU to let the GPU go on.
    open: vk::Event,
}

impl Gate {
    /// A closed gate. Its events are left to the device's end, because the GPU may use them until then.
    ///
    /// # Errors
    /// Vulkan makes no events.
    pub fn new(logical: &Arc<Logical>) -> Result<Gate> {
        let event = || {
            // SAFETY: a description without pointers.
            let event = unsafe { logical.vk.create_event(&vk::EventCreateInfo::default(), None) };
            logical.check("vkCreateEvent", event)
        };
        let (reached, open) = (event()?, event()?);
        logical.gates.add(open);
        static ONCE: Once = Once::new();
        // The driver is loaded by now, so that its own functions run after this one.
        ONCE.call_once(|| _ = atexit(open_all));
        DEVICES.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(logical));
        Ok(Gate { logical: logical.clone(), reached, open })
    }

    /// Records the gate.
    ///
    /// # Safety
    /// The command buffer is of this device, is being recorded, and stands outside of rendering.
    pub unsafe fn record(&self, buffer: vk::CommandBuffer) {
        let everything = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the events are alive; the command buffer is as the caller promises.
        unsafe {
            self.logical.vk.cmd_set_event(buffer, self.reached, everything);
            let host = vk::PipelineStageFlags::HOST;
            self.logical.vk.cmd_wait_events(buffer, &[self.open], host, everything, &[], &[], &[]);
        }
    }

    /// Waits until the GPU has come to the gate, then runs `then`, and keeps the gate closed. `false` where it did not come within
    /// [`LONGEST`], or the gates were opened.
    pub fn when_reached(&self, then: impl FnOnce()) -> bool {
        let start = Instant::now();
        while start.elapsed() < LONGEST && self.is_closed() {
            // SAFETY: the event is alive.
            if unsafe { self.logical.vk.get_event_status(self.reached) } == Ok(true) {
                then();
                return true;
            }
            std::thread::sleep(LOOK);
        }
        false
    }

    /// Opens the gate after this time, if nothing opens it before.
    pub fn open_at_last(&self, after: Duration) {
        let start = Instant::now();
        while self.is_closed() {
            if start.elapsed() >= after {
                self.logical.gates.open_all(&self.logical.vk);
            }
            std::thread::sleep(100 * LOOK);
        }
    }

    fn is_closed(&self) -> bool {
        self.logical.gates.contains(self.open)
    }
}
