//! What a runtime said of a device that was removed, as the bytes of a fact in a trace.
//!
//! The capture layer asks once: the reason, DRED's breadcrumbs and the address of a fault. Invariant: bytes that are not such a fact are
//! no removal; a reader allocates no more than the bytes that are there stand for.

/// Results by which calls tell that the device is gone: `DXGI_ERROR_DEVICE_REMOVED`, `_HUNG`, `_RESET` and
/// `DXGI_ERROR_DRIVER_INTERNAL_ERROR`.
pub const REASONS: [u32; 4] = [0x887a_0005, 0x887a_0006, 0x887a_0007, 0x887a_0020];

/// A device was removed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Removal {
    /// What `GetDeviceRemovedReason` returned.
    pub reason: u32,
    /// What `GetAutoBreadcrumbsOutput` returned; `E_NOINTERFACE` where the device has no DRED.
    pub breadcrumbs: u32,
    /// What `GetPageFaultAllocationOutput` returned, likewise.
    pub fault: u32,
    /// The address of the fault; 0 for none.
    pub address: u64,
    /// Lists that the GPU had not completed, as DRED knows them.
    pub lists: Vec<Unfinished>,
}

/// A list that the GPU was given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unfinished {
    /// Its id in the trace; 0 where the program has let go of it.
    pub list: u32,
    /// The queue's, likewise.
    pub queue: u32,
    /// How many of its operations are completed.
    pub completed: u32,
    /// All of them, in order: `D3D12_AUTO_BREADCRUMB_OP`, 255 for numbers above.
    pub operations: Vec<u8>,
}

/// Bytes before the lists.
const HEAD: usize = 24;
/// Bytes before a list's operations.
const LIST: usize = 16;

impl Removal {
    /// The bytes of the fact.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [self.reason, self.breadcrumbs, self.fault, self.lists.len() as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(self.address.to_le_bytes());
        for list in &self.lists {
            for word in [list.list, list.queue, list.completed, list.operations.len() as u32] {
                bytes.extend(word.to_le_bytes());
            }
            bytes.extend(&list.operations);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        bytes
    }

    /// The removal in the bytes of a fact; `None` where they are too short for what they say.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Removal> {
        let word = |at: usize| bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        let address = u64::from(word(16)?) | u64::from(word(20)?) << 32;
        let mut removal =
            Removal { reason: word(0)?, breadcrumbs: word(4)?, fault: word(8)?, address, lists: Vec::new() };
        let mut at = HEAD;
        for _ in 0..word(12)? {
            let count = usize::try_from(word(at + 12)?).ok()?;
            let operations = bytes.get(at + LIST..)?.get(..count)?.to_vec();
            let (list, queue, completed) = (word(at)?, word(at + 4)?, word(at + 8)?);
            removal.lists.push(Unfinished { list, queue, completed, operations });
            at = (at + LIST + count).next_multiple_of(8);
        }
        Some(removal)
    }
}

#[cfg(test)]
mod tests {
    use super::{Removal, Unfinished};

    fn removal() -> Removal {
        let list = |list, count: u8| Unfinished { list, queue: 3, completed: 2, operations: (0..count).collect() };
        Removal {
            reason: 0x887a_0006,
            breadcrumbs: 0,
            fault: 1,
            address: 1 << 40,
            lists: vec![list(7, 0), list(8, 13), list(9, 8)],
        }
    }

    #[test]
    fn bytes_say_what_was_said() {
        for removal in [Removal::default(), removal()] {
            assert_eq!(Removal::from_bytes(&removal.to_bytes()), Some(removal));
        }
    }

    #[test]
    fn bytes_that_are_cut_off_or_lie_are_refused() {
        let bytes = removal().to_bytes();
        // The last list ends at a multiple of 8, so that no byte of filling is there to be missed.
        for end in 0..bytes.len() {
            assert_eq!(Removal::from_bytes(&bytes[..end]), None, "{end}");
        }
        let mut many = bytes.clone();
        many[12..16].fill(0xff);
        assert_eq!(Removal::from_bytes(&many), None);
        let mut long = bytes;
        long[24 + 12..24 + 16].fill(0xff);
        assert_eq!(Removal::from_bytes(&long), None);
    }
}
