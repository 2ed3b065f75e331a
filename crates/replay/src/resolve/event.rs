//! Event handles of replay's own, one for each that the program used, up to a limit.
//!
//! The program's handles mean nothing here, but a runtime signals the handle that it gets. Invariant: an event lives until
//! the replay ends, because a runtime's own threads may signal it late. Replay waits for no event but one of its own, and never long.

use std::collections::HashMap;
use std::ffi::c_void;
use std::time::Duration;

use crate::runtime::Runtime;

/// How events are made for a runtime.
enum Maker {
    /// libvkd3d has a kind of its own.
    Vkd3d { create: unsafe extern "C" fn() -> *mut c_void, destroy: unsafe extern "C" fn(*mut c_void) },
    /// The number of an eventfd (vkd3d-proton's native library), or a Windows event.
    System,
}

/// Events by recorded handle.
pub(crate) struct Events {
    maker: Maker,
    by_recorded: HashMap<u64, u64>,
    /// For replay's own waits.
    own: Option<Alarm>,
}

/// An event that replay itself waits for. It may have been signalled for an earlier wait: whoever wakes looks why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm(u64);

impl Alarm {
    /// The event, for the runtime.
    pub(crate) fn handle(self) -> u64 {
        self.0
    }

    /// Waits until somebody signals, at most so long.
    pub(crate) fn wait(self, longest: Duration) {
        system::wait(self.0, longest);
    }
}

impl Events {
    /// The event for replay's own waits, where it can wait for those of the runtime.
    pub(crate) fn alarm(&mut self) -> Option<Alarm> {
        if self.own.is_none() && system::WAITS && matches!(self.maker, Maker::System) {
            self.own = Some(Alarm(system::create())).filter(|event| event.0 != 0);
        }
        self.own
    }

    /// As many events as there are at most. Programs that make an event for each wait have more handles: these share events.
    const MOST: usize = 1024;

    pub(crate) fn new(runtime: &Runtime) -> Self {
        let maker = match (runtime.symbol("vkd3d_create_event"), runtime.symbol("vkd3d_destroy_event")) {
            // SAFETY: libvkd3d-utils declares these two so, in the platform's own convention.
            (Some(create), Some(destroy)) => unsafe {
                Maker::Vkd3d {
                    create: core::mem::transmute::<*const c_void, unsafe extern "C" fn() -> *mut c_void>(create),
                    destroy: core::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_void)>(destroy),
                }
            },
            _ => Maker::System,
        };
        Self { maker, by_recorded: HashMap::new(), own: None }
    }

    /// The event that stands for a recorded handle.
    pub(crate) fn replayed(&mut self, recorded: u64) -> Result<u64, String> {
        if let Some(&event) = self.by_recorded.get(&recorded) {
            return Ok(event);
        }
        if self.by_recorded.len() >= Self::MOST {
            // Nothing waits for one of these, so that any will do.
            let any = self.by_recorded.values().next();
            return any.copied().ok_or_else(|| "no event could be made".to_owned());
        }
        let event = match &self.maker {
            // SAFETY: no requirements.
            Maker::Vkd3d { create, .. } => unsafe { create() as u64 },
            Maker::System => system::create(),
        };
        if event == 0 {
            return Err("no event could be made".into());
        }
        self.by_recorded.insert(recorded, event);
        Ok(event)
    }
}

impl Events {
    /// Leaves all events to the end of the process, for work that may still signal them.
    pub(crate) fn leak(&mut self) {
        self.by_recorded.clear();
        self.own = None;
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        for &event in self.by_recorded.values().chain(self.own.as_ref().map(|own| &own.0)) {
            match &self.maker {
                // SAFETY: made by `create`, destroyed once; the runtime's objects are gone by now.
                Maker::Vkd3d { destroy, .. } => unsafe { destroy(event as *mut c_void) },
                Maker::System => system::destroy(event),
            }
        }
    }
}

#[cfg(unix)]
mod system {
    use std::time::Duration;

    /// Whether [`wait`] wakes when somebody signals.
    pub(super) const WAITS: bool = true;

    pub(super) fn wait(event: u64, longest: Duration) {
        let mut file = libc::pollfd { fd: event as i32, events: libc::POLLIN, revents: 0 };
        let mut signals = 0u64;
        // SAFETY: one entry of ours; then eight bytes of ours, as eventfd asks. Without a signal the read fails at once.
        unsafe {
            libc::poll(&raw mut file, 1, longest.as_millis() as i32);
            libc::read(event as i32, (&raw mut signals).cast(), size_of::<u64>());
        }
    }

    pub(super) fn create() -> u64 {
        // SAFETY: no requirements. Number 0 would mean no event; it is taken by standard input or given once, and then kept.
        let file = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if file == 0 {
            return create();
        }
        u64::try_from(file).unwrap_or(0)
    }

    pub(super) fn destroy(event: u64) {
        // SAFETY: the file is ours and closed once.
        unsafe { libc::close(event as i32) };
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::c_void;
    use std::time::Duration;

    /// Not asked for here: pauses are taken.
    pub(super) const WAITS: bool = false;

    pub(super) fn wait(_event: u64, longest: Duration) {
        std::thread::sleep(longest);
    }

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn CreateEventA(security: *const c_void, manual: i32, initial: i32, name: *const c_void) -> *mut c_void;
        fn CloseHandle(handle: *mut c_void) -> i32;
    }

    pub(super) fn create() -> u64 {
        // SAFETY: all arguments may be null.
        unsafe { CreateEventA(core::ptr::null(), 0, 0, core::ptr::null()) as u64 }
    }

    pub(super) fn destroy(event: u64) {
        // SAFETY: the handle is ours and closed once.
        unsafe { CloseHandle(event as *mut c_void) };
    }
}
