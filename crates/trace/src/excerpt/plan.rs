//! What of a recording is kept.

use crate::read::{Event, ReadError, Trace};
use crate::record::Kind;

/// Where the part begins that is kept whole: at the latest of the three.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct From {
    /// The first call.
    pub call: u64,
    /// The first frame, from 0.
    pub frame: u32,
    /// The first trace of the recording.
    pub input: usize,
}

impl From {
    /// Whether the part has begun at this event of the trace with this number.
    pub fn has_begun(&self, input: usize, event: &Event<'_>) -> bool {
        let called =
            self.call == 0 || event.number > self.call || (event.kind == Kind::Enter && event.number == self.call);
        input >= self.input && event.frame >= self.frame && called
    }
}

/// Says what of a recording is needed.
pub trait Reduce: Send + Sync {
    /// Plans an excerpt. Whatever is not kept is of no use behind `from`.
    ///
    /// # Errors
    /// A trace cannot be read.
    fn plan(&self, inputs: &[Trace], from: From) -> Result<Plan, ReadError>;
}

/// Something that the excerpt says and the recording does not, because it sums up what is left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Put {
    /// Bytes that the program stored to mapped memory.
    Store(Store),
    /// The program saw a fence at this completed value.
    Observe {
        /// Id of the fence.
        fence: u32,
        /// The value.
        value: u64,
    },
}

/// What a range of mapped memory holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Store {
    /// Id of the resource.
    pub resource: u32,
    /// Index of the subresource.
    pub subresource: u32,
    /// First byte, from the subresource's beginning.
    pub offset: u64,
    /// What is there.
    pub bytes: Vec<u8>,
}

/// Which events of a recording are kept. Events are counted from 0, over all of its traces.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// A bit for each event before [`Plan::whole_from`].
    kept: Vec<u64>,
    /// Everything from this event on is kept.
    pub whole_from: u64,
    /// What stands before which event, by rising event.
    pub put: Vec<(u64, Put)>,
}

impl Plan {
    /// Keeps an event.
    pub fn keep(&mut self, event: u64) {
        let word = (event / 64) as usize;
        if self.kept.len() <= word {
            self.kept.resize(word + 1, 0);
        }
        self.kept[word] |= 1 << (event % 64);
    }

    /// Whether an event is kept.
    pub fn keeps(&self, event: u64) -> bool {
        event >= self.whole_from || self.kept.get((event / 64) as usize).is_some_and(|w| w >> (event % 64) & 1 != 0)
    }
}
