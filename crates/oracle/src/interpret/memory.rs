//! Memory that threads share: what lies where, and whether an order decides it.

use super::Undefined;
use crate::program::Atomic;

/// Who has touched a cell since the last barrier.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Use {
    Nobody,
    Read(usize),
    ReadBySeveral,
    Own(usize),
    /// By any, with operations whose order does not show.
    Atomic(Atomic),
}

/// A word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    word: Option<u32>,
    used: Use,
}

impl Cell {
    pub(super) fn new(word: Option<u32>) -> Self {
        Self { word, used: Use::Nobody }
    }

    /// All that was done comes before what follows.
    pub(super) fn barrier(&mut self) {
        self.used = Use::Nobody;
    }

    pub(super) fn word(&self) -> Option<u32> {
        self.word
    }

    pub(super) fn read(&mut self, thread: usize) -> Result<u32, Undefined> {
        self.used = match self.used {
            Use::Nobody => Use::Read(thread),
            same @ (Use::Read(by) | Use::Own(by)) if by == thread => same,
            Use::Read(_) | Use::ReadBySeveral => Use::ReadBySeveral,
            Use::Own(_) | Use::Atomic(_) => return Err(Undefined("a race")),
        };
        self.word.ok_or(Undefined("a read of what is not written"))
    }

    pub(super) fn write(&mut self, thread: usize, word: u32) -> Result<(), Undefined> {
        self.own(thread)?;
        self.word = Some(word);
        Ok(())
    }

    fn own(&mut self, thread: usize) -> Result<(), Undefined> {
        match self.used {
            Use::Nobody => {}
            Use::Read(by) | Use::Own(by) if by == thread => {}
            _ => return Err(Undefined("a race")),
        }
        self.used = Use::Own(thread);
        Ok(())
    }

    /// Gives what was there before, where `wants` says that somebody looks.
    pub(super) fn atomic(
        &mut self,
        thread: usize,
        operation: Atomic,
        value: u32,
        wants: bool,
    ) -> Result<u32, Undefined> {
        let commutes = !wants && !matches!(operation, Atomic::Exchange | Atomic::CompareExchange(_));
        match self.used {
            Use::Nobody if commutes => self.used = Use::Atomic(operation),
            Use::Atomic(before) if commutes && before == operation => {}
            _ => self.own(thread)?,
        }
        let before = self.word.ok_or(Undefined("an atomic operation on what is not written"))?;
        self.word = Some(match operation {
            Atomic::Add => before.wrapping_add(value),
            Atomic::And => before & value,
            Atomic::Or => before | value,
            Atomic::Xor => before ^ value,
            Atomic::Min => before.min(value),
            Atomic::Max => before.max(value),
            Atomic::Exchange => value,
            Atomic::CompareExchange(compared) => {
                if before == compared {
                    value
                } else {
                    before
                }
            }
        });
        Ok(before)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_an_order_decides_is_undefined() {
        let mut cell = Cell::new(Some(1));
        cell.atomic(0, Atomic::Add, 2, false).unwrap();
        cell.atomic(1, Atomic::Add, 3, false).unwrap();
        assert!(cell.clone().read(0).is_err());
        assert!(cell.clone().atomic(1, Atomic::Xor, 1, false).is_err());
        assert!(cell.clone().atomic(1, Atomic::Add, 1, true).is_err());
        cell.barrier();
        assert_eq!((cell.read(0), cell.read(1)), (Ok(6), Ok(6)));
        assert!(cell.write(1, 0).is_err());
        cell.barrier();
        cell.write(1, 9).unwrap();
        assert!(cell.clone().write(0, 9).is_err());
        assert_eq!(cell.read(1), Ok(9));
        assert!(Cell::new(None).read(0).is_err());
    }
}
