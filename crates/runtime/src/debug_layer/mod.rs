//! The debug layer, as far as programs can see it: `ID3D12Debug` to 6 ([`layer`]), and what objects answer that were made with it
//! ([`info_queue`], [`device`]; lists and queues
//! have theirs beside them).
//!
//! It checks nothing. Programs that insist on it run, and their own checks see what our runtime has to say ([`crate::message`]).
//! Invariant: an object answers these interfaces only where its device was made while the layer was on, as on Windows. Switching it on later
//! removes no device, unlike there.

pub(crate) mod assertions;
pub mod device;
pub mod info_queue;
pub mod layer;

use reprise_com::Facet;

/// The facets of a new device: information queue and both interfaces of debug devices.
pub(crate) fn device_facets() -> [Facet; 3] {
    [info_queue::new_facet(), device::new_facet(), device::new_parameters_facet()]
}
