//! The consequences of a call: mappings that began, facts about new objects.
//!
//! Runs after the leave record and before the program's next instruction, so that no other code has seen the objects yet.

use crate::call::{Call, failed};
#[cfg(target_os = "linux")]
use crate::facts::adapter;
use crate::facts::{creation, records, removal};
use crate::model;
use crate::model::special::Special;
#[cfg(target_os = "linux")]
use crate::picture::{self, read_back};
use crate::recording::map;
use crate::recording::new_objects::Made;
use crate::session::surfaces::{self, Surface};
use crate::wrapper::object::{self, Chain, FOREIGN};
use core::ffi::c_void;
use std::sync::atomic::Ordering;

/// A `Map` has returned, and nothing is recorded of that yet.
///
/// # Safety
/// The call returned `result`.
pub(super) unsafe fn mapped(call: &Call<'_>, result: u64) {
    if !failed(call.method, result) {
        // SAFETY: the call succeeded.
        unsafe { map::apart(call) };
    }
}

/// Looks at what a call did.
///
/// # Safety
/// The call returned `result`; `made` are the objects it gave out, which are alive.
pub(super) unsafe fn after(call: &Call<'_>, special: Special, result: u64, made: &Made) {
    // SAFETY: the call succeeded where a mapping is looked at, and the objects are alive, as the caller says.
    unsafe {
        if special == Special::Map && !failed(call.method, result) {
            map::begun(call);
            #[cfg(target_os = "linux")]
            if picture::are_wanted() {
                read_back::mapped(call);
            }
        }
        records::after(call, special);
        removal::after(call, special, result);
        for (chain, new) in &made.chains {
            if *new {
                created(call, special, &**chain);
            }
        }
    }
}

/// Notes the queue that a new swap chain presents on.
fn presents_on(swap_chain: &Chain, queue: Option<&Chain>) {
    if let Some(queue) = queue {
        let queue = core::ptr::from_ref(queue.identity()).cast_mut();
        swap_chain.identity().queue.store(queue, Ordering::Relaxed);
    }
}

/// States what replay elsewhere needs to know of a new object.
///
/// # Safety
/// The chain is that of a live object, which `call` made.
unsafe fn created(call: &Call<'_>, special: Special, chain: &Chain) {
    let Some(family) = chain.identity().primary.interface else { return };
    let known = model::known();
    // The pointer may be that of an interface below the class, as `IUnknown` is: then it cannot be asked.
    let is = |class| model::derives(family, class) && chain.has(class);
    // SAFETY: the object is alive and of the class that its family says.
    unsafe {
        if is(known.device) {
            creation::device(chain);
            #[cfg(target_os = "linux")]
            adapter::of_device(chain);
        } else if is(known.resource) {
            creation::resource(chain, call.chain);
            creation::place(chain);
            map::hosted(call, chain);
        } else if is(known.heap) {
            creation::heap(chain);
            creation::place(chain);
            if call.method.get().name.starts_with("OpenExistingHeapFromAddress") {
                let address = call.words.first().map_or(0, |word| *word as usize);
                chain.identity().host.store(address, Ordering::Relaxed);
            }
        } else if is(known.state_object) {
            creation::groups(chain);
        } else if is(known.descriptor_heap) {
            creation::descriptor_heap(chain, call.chain);
        } else if is(known.swap_chain) && special == Special::ForDevice {
            let queue = call.words.first().map_or(core::ptr::null_mut(), |word| *word as *mut c_void);
            presents_on(chain, object::from_pointer(queue));
            if !chain.identity().is(FOREIGN) {
                surfaces::made(Surface::SwapChain(chain.id), None);
            }
        } else if is(known.vk_swap_chain) || is(known.swap_chain) && special == Special::ByQueue {
            // Their factory is an interface of the queue.
            presents_on(chain, call.chain);
            surfaces::made(Surface::SwapChain(chain.id), None);
        }
    }
}
