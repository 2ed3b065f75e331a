//! Groups of options that several commands share, and what the commands make of them.

pub(crate) mod adapter;
pub(crate) mod checking_descriptors;
pub(crate) mod checking_nan;
pub(crate) mod custom_view;
pub(crate) mod diagnosing;
pub(crate) mod edits;
pub(crate) mod logging;
pub(crate) mod measure;
pub(crate) mod range;
pub(crate) mod screenshot;
pub(crate) mod selection;
pub(crate) mod single_calls;
pub(crate) mod structure;
pub(crate) mod texture_part;
pub(crate) mod window;
