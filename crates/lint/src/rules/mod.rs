//! The rules, a file each: its name, what it says, its source, and the check.
//!
//! Invariant: a rule says nothing where the recording leaves open whether the program is right.

use crate::rule::Rule;

pub(crate) mod barrier_arguments;
pub(crate) mod before_state;
pub(crate) mod descriptors;
pub(crate) mod draws;
pub(crate) mod events;
pub(crate) mod fences;
pub(crate) mod initialised;
pub(crate) mod layout;
pub(crate) mod lifetime;
pub(crate) mod race;
pub(crate) mod readback;
pub(crate) mod split;
pub(crate) mod stale;
pub(crate) mod tables;
pub(crate) mod unordered;
pub(crate) mod use_state;

/// All of them, in the order of reports.
pub(crate) static ALL: [&Rule; 31] = [
    &before_state::RULE,
    &use_state::RULE,
    &barrier_arguments::RULE,
    &split::RULE,
    &unordered::RULE,
    &unordered::STRUCTURE,
    &layout::BEFORE,
    &layout::USE,
    &layout::SCOPES,
    &race::RULE,
    &fences::UNREACHED,
    &fences::BACKWARDS,
    &lifetime::IN_FLIGHT,
    &lifetime::AFTER_RELEASE,
    &stale::ADDRESS,
    &stale::HANDLE,
    &lifetime::ALLOCATOR,
    &lifetime::OPEN,
    &tables::HEAP,
    &tables::END,
    &descriptors::UNWRITTEN,
    &descriptors::TYPE,
    &descriptors::RELEASED,
    &initialised::RULE,
    &readback::RULE,
    &draws::PIPELINE,
    &draws::SIGNATURE,
    &draws::ARGUMENTS,
    &draws::INPUT,
    &draws::TOPOLOGY,
    &events::RULE,
];
