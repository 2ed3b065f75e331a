//! The contents of mapped memory, page by page.
//!
//! Invariant: pages take no more room than the bytes that the trace states; copies of a state share equal pages.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// The pages of all subresources that something was stored to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Contents {
    /// By resource, subresource and number of the page; each has [`PAGE`] bytes. Where there is none, all bytes are 0.
    pages: BTreeMap<(u32, u32, u64), Arc<[u8]>>,
}

impl Contents {
    /// Stores bytes from an offset on.
    pub fn store(&mut self, resource: u32, subresource: u32, offset: u64, mut bytes: &[u8]) {
        let mut at = offset;
        while !bytes.is_empty() {
            let (number, start) = (at / PAGE as u64, (at % PAGE as u64) as usize);
            let (part, rest) = bytes.split_at(bytes.len().min(PAGE - start));
            let page = self.pages.entry((resource, subresource, number)).or_insert_with(|| Arc::new([0; PAGE]));
            // A stored page of another length is a damaged one.
            if page.len() != PAGE {
                *page = Arc::new([0; PAGE]);
            }
            Arc::make_mut(page)[start..start + part.len()].copy_from_slice(part);
            // Only a damaged trace has stores at the end of all numbers.
            let Some(next) = at.checked_add(part.len() as u64) else { return };
            (at, bytes) = (next, rest);
        }
    }

    /// Bytes of a subresource from an offset on, as many as `bytes` has. What nothing was stored to is 0.
    pub fn read(&self, resource: u32, subresource: u32, offset: u64, bytes: &mut [u8]) {
        let mut at = offset;
        for part in Parts(bytes, offset) {
            match self.pages.get(&(resource, subresource, at / PAGE as u64)) {
                Some(page) => {
                    let start = (at % PAGE as u64) as usize;
                    part.copy_from_slice(page.get(start..start + part.len()).unwrap_or(&[0; PAGE][..part.len()]));
                }
                None => part.fill(0),
            }
            at = at.saturating_add(part.len() as u64);
        }
    }

    /// The pages of a subresource, by rising number: the first byte's offset, and the bytes.
    pub fn pages(&self, resource: u32, subresource: u32) -> impl Iterator<Item = (u64, &[u8])> {
        let range = (resource, subresource, 0)..=(resource, subresource, u64::MAX);
        self.pages.range(range).map(|((.., number), page)| (number.saturating_mul(PAGE as u64), &page[..]))
    }

    pub(crate) fn forget(&mut self, resource: u32) {
        let keys: Vec<_> =
            self.pages.range((resource, 0, 0)..=(resource, u32::MAX, u64::MAX)).map(|(key, _)| *key).collect();
        for key in keys {
            self.pages.remove(&key);
        }
    }
}

/// Parts of a buffer that each lie within a page.
struct Parts<'b>(&'b mut [u8], u64);

impl<'b> Iterator for Parts<'b> {
    type Item = &'b mut [u8];
    fn next(&mut self) -> Option<&'b mut [u8]> {
        let Parts(rest, at) = self;
        let length = rest.len().min(PAGE - (*at % PAGE as u64) as usize);
        let (part, behind) = std::mem::take(rest).split_at_mut(length);
        *rest = behind;
        *at = at.saturating_add(length as u64);
        (length > 0).then_some(part)
    }
}
