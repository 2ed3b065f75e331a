//! The last uses of a resource, queue by queue: what uses of other queues are compared with.

use crate::scene::Place;
use crate::subresource::Subresources;
use std::collections::BTreeMap;

/// By queue.
pub(crate) type Marks = BTreeMap<u32, Last>;

/// Uses of one submission.
#[derive(Debug, Default)]
pub(crate) struct Last {
    /// Its number on the queue.
    pub(crate) number: u64,
    pub(crate) uses: Vec<Mark>,
}

/// A use.
#[derive(Debug)]
pub(crate) struct Mark {
    pub(crate) place: Place,
    pub(crate) subresources: Subresources,
    /// Exactly these bytes of a buffer: first, and how many.
    pub(crate) bytes: Option<(u64, u64)>,
    pub(crate) writes: bool,
    /// In words.
    pub(crate) what: &'static str,
}
