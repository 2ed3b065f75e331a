//! The last uses of a resource by each queue, for races between queues.

use crate::scene::Place;
use crate::subresource::Subresources;
use std::collections::BTreeMap;

/// The last uses of a resource, by queue.
pub(crate) type Marks = BTreeMap<u32, Last>;

/// Uses of one submission.
#[derive(Debug, Default)]
pub(crate) struct Last {
    /// Its number on the queue.
    pub(crate) number: u64,
    pub(crate) uses: Vec<Mark>,
}

/// One use.
#[derive(Debug)]
pub(crate) struct Mark {
    pub(crate) place: Place,
    pub(crate) subresources: Subresources,
    pub(crate) bytes: Option<(u64, u64)>,
    pub(crate) writes: bool,
    pub(crate) what: &'static str,
}
