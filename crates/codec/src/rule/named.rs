//! Rules stated by name in the overlay: one arm per name.

use crate::shape::{Kind, Link, element};
use crate::wire::Reason;

/// The names that have an arm here.
pub(crate) const NAMES: &[&str] = &[];

pub(crate) fn kind(_name: &str, link: &Link<'_>) -> Kind {
    Kind::Elements(element(link.pointee.ty))
}

/// # Safety
/// As for [`Codec::count`](crate::Codec).
pub(crate) unsafe fn count(_name: &str, _link: &Link<'_>) -> Result<u64, Reason> {
    Err(Reason::NoRule)
}
