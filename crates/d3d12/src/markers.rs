//! What the capture layer's own markers say of the lists that queues were given, as the bytes of a fact in a trace.
//!
//! The layer puts `WriteBufferImmediate` before and behind each operation ([`crate::operation::is_work`]) of direct, compute and copy
//! lists. Invariant: bytes that are not such a fact are none; a reader allocates no more than the bytes that are there stand for.

/// Why the markers were read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Why {
    /// A device was removed.
    #[default]
    Removed,
    /// Nothing moved for a while: see [`Markers::milliseconds`].
    Still,
    /// Something moved again after that.
    Moves,
}

/// What the markers say at one moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Markers {
    /// Why they were read.
    pub why: Why,
    /// For how long nothing had moved, in milliseconds.
    pub milliseconds: u32,
    /// The queues that they tell of, and how many submissions each was given by then.
    pub queues: Vec<(u32, u32)>,
    /// The lists of submissions that are not done. Lists of other submissions up to then are.
    pub lists: Vec<Marked>,
}

/// One run of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marked {
    /// Its id in the trace.
    pub list: u32,
    /// The queue's id.
    pub queue: u32,
    /// The submission among those of the queue, from 1.
    pub submission: u32,
    /// The list's place in the submission, from 0.
    pub index: u32,
    /// The last operation that the GPU came to; 0 for none.
    pub reached: u32,
    /// The last operation that is done, as are all before it.
    pub completed: u32,
    /// Operations that have markers.
    pub operations: u32,
}

/// Bytes before the queues.
const HEAD: usize = 16;
/// Bytes of a queue.
const QUEUE: usize = 8;
/// Bytes of a list.
const LIST: usize = 32;

impl Markers {
    /// The bytes of the fact.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut words = vec![self.why as u32, self.milliseconds, self.queues.len() as u32, self.lists.len() as u32];
        words.extend(self.queues.iter().flat_map(|(queue, submissions)| [*queue, *submissions]));
        for it in &self.lists {
            words.extend([it.list, it.queue, it.submission, it.index, it.reached, it.completed, it.operations, 0]);
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    /// The markers in the bytes of a fact; `None` where they are too short for what they say.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Markers> {
        let word = |at: usize| bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        let why = match word(0)? {
            0 => Why::Removed,
            1 => Why::Still,
            2 => Why::Moves,
            _ => return None,
        };
        let count = |at: usize| usize::try_from(word(at)?).ok();
        let (queues, lists) = (count(8)?, count(12)?);
        let behind = HEAD.checked_add(queues.checked_mul(QUEUE)?)?;
        if behind.checked_add(lists.checked_mul(LIST)?)? > bytes.len() {
            return None;
        }
        let queue = |index: usize| Some((word(HEAD + index * QUEUE)?, word(HEAD + index * QUEUE + 4)?));
        let list = |index: usize| {
            let word = |field: usize| word(behind + index * LIST + 4 * field);
            Some(Marked {
                list: word(0)?,
                queue: word(1)?,
                submission: word(2)?,
                index: word(3)?,
                reached: word(4)?,
                completed: word(5)?,
                operations: word(6)?,
            })
        };
        Some(Markers {
            why,
            milliseconds: word(4)?,
            queues: (0..queues).map(queue).collect::<Option<_>>()?,
            lists: (0..lists).map(list).collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Marked, Markers, Why};

    #[test]
    fn bytes_say_what_was_said_and_cut_ones_are_refused() {
        let list = |list| Marked { list, queue: 3, submission: 4, index: 1, reached: 9, completed: 8, operations: 10 };
        let some = Markers {
            why: Why::Still,
            milliseconds: 2000,
            queues: vec![(3, 4), (5, 0)],
            lists: vec![list(7), list(8)],
        };
        for markers in [Markers::default(), some.clone()] {
            assert_eq!(Markers::from_bytes(&markers.to_bytes()), Some(markers));
        }
        let bytes = some.to_bytes();
        for end in 0..bytes.len() {
            assert_eq!(Markers::from_bytes(&bytes[..end]), None, "{end}");
        }
        for at in [0, 8, 12] {
            let mut lies = bytes.clone();
            lies[at..at + 4].fill(0xff);
            assert_eq!(Markers::from_bytes(&lies), None, "{at}");
        }
    }
}
