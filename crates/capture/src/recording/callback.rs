//! Callbacks: functions of the program that the runtime calls. Calls of the API inside them are recorded as the program's own.
//!
//! Owns the stand-ins that the runtime gets in place of the program's functions. A stand-in sets the thread's depth to zero
//! while the program's function runs. Invariant: a stand-in lives as long as the process, because the runtime does not say when
//! it drops one.

use crate::Convention;
use crate::call::MAX_WORDS;
use crate::session::words;
use core::ffi::c_void;

/// The program's function, by its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signature {
    /// `void (category, severity, id, description, context)`.
    Message,
    /// `void (context)`.
    Destruction,
}

/// What a stand-in gets as its context.
struct StandIn {
    function: *const c_void,
    context: *mut c_void,
}

/// A stand-in on its way into the runtime.
pub(crate) struct Callback(*mut StandIn);

impl Callback {
    /// Ends the registration: the stand-in of one that failed is not needed.
    pub(crate) fn settle(self, registered: bool) {
        if !registered {
            // SAFETY: made by `replace`; the runtime refused it.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

/// Puts a stand-in into the words `function` and `context`; nothing where the program passes no function.
pub(crate) fn replace(
    convention: Convention,
    words: &mut [u64; MAX_WORDS],
    function: usize,
    context: usize,
    signature: Signature,
) -> Option<Callback> {
    if words[function] == 0 {
        return None;
    }
    let stand_in = StandIn { function: words[function] as *const c_void, context: words[context] as *mut c_void };
    let stand_in = Box::into_raw(Box::new(stand_in));
    words[context] = stand_in as u64;
    words[function] = match (convention, signature) {
        (Convention::Win64, Signature::Message) => message_win64 as *const c_void as u64,
        (Convention::Win64, Signature::Destruction) => destruction_win64 as *const c_void as u64,
        (Convention::SystemV | Convention::Itanium, Signature::Message) => message_sysv as *const c_void as u64,
        (Convention::SystemV | Convention::Itanium, Signature::Destruction) => destruction_sysv as *const c_void as u64,
    };
    Some(Callback(stand_in))
}

/// Runs the program's function: the thread is not inside the runtime meanwhile.
pub(crate) fn outside<T>(run: impl FnOnce() -> T) -> T {
    let here = words::words();
    let depth = here.depth.replace(0);
    here.callbacks.set(here.callbacks.get() + 1);
    let result = run();
    here.callbacks.set(here.callbacks.get() - 1);
    here.depth.set(depth);
    result
}

macro_rules! stand_ins {
    ($convention:literal, $message:ident, $destruction:ident) => {
        unsafe extern $convention fn $message(
            category: u32,
            severity: u32,
            id: u32,
            text: *const u8,
            stand_in: *mut StandIn,
        ) {
            // SAFETY: the runtime passes the context that `replace` gave it, and the function has this signature.
            unsafe {
                let StandIn { function, context } = *stand_in;
                let function = core::mem::transmute::<
                    *const c_void,
                    unsafe extern $convention fn(u32, u32, u32, *const u8, *mut c_void),
                >(function);
                outside(|| function(category, severity, id, text, context));
            }
        }
        unsafe extern $convention fn $destruction(stand_in: *mut StandIn) {
            // SAFETY: the runtime passes the context that `replace` gave it, and the function has this signature.
            unsafe {
                let StandIn { function, context } = *stand_in;
                let function =
                    core::mem::transmute::<*const c_void, unsafe extern $convention fn(*mut c_void)>(function);
                outside(|| function(context));
            }
        }
    };
}

stand_ins!("win64", message_win64, destruction_win64);
stand_ins!("sysv64", message_sysv, destruction_sysv);
