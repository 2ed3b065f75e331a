//! The trace's tables about the program: the meta object, and the ranges of GPU addresses.

use serde_json::{Map, Value};

use crate::fact;
use crate::file::cursor::Cursor;
use crate::file::layout::Range;
use crate::wanted_frames;

/// Most address ranges that the table keeps; further ones are in the events only.
const MAX_RANGES: usize = 1 << 20;

/// Meta and address ranges so far.
pub(super) struct SelfDescription {
    pub(super) meta: Map<String, Value>,
    pub(super) ranges: Vec<Range>,
}

impl SelfDescription {
    /// Takes a fact about `object` into account. `frames` have ended before it. The result says whether the fact tells what
    /// an address or a descriptor handle stands for.
    pub(super) fn fact(&mut self, object: u32, payload: &[u8], frames: u32) -> bool {
        let mut c = Cursor(payload);
        let (Some(kind), Some(_)) = (c.u32(), c.u32()) else { return false };
        match kind {
            fact::META => {
                let text = c.0.split(|&b| b == 0).next().unwrap_or(&[]);
                if let Ok(Value::Object(more)) = serde_json::from_slice(text) {
                    self.meta.extend(more);
                }
            }
            fact::ADDRESS_RANGE if self.ranges.len() < MAX_RANGES => {
                if let (Some(address), Some(bytes)) = (c.u64(), c.u64()) {
                    self.ranges.push((object, address, bytes));
                }
            }
            _ => wanted_frames::note(&mut self.meta, kind, c.u32().unwrap_or(0), frames),
        }
        matches!(kind, fact::ADDRESS_RANGE | fact::DESCRIPTOR_HEAP)
    }

    /// Adds the list of threads to the meta: each with its number, the system's number and its name. Threads that an earlier
    /// writer listed stay, unless the new list has them.
    pub(super) fn set_threads(&mut self, mut threads: Vec<Value>) {
        if let Some(Value::Array(earlier)) = self.meta.remove("threads") {
            let is_new = |e: &Value| threads.iter().all(|t| t["thread"] != e["thread"]);
            let mut earlier: Vec<Value> = earlier.into_iter().filter(is_new).collect();
            earlier.append(&mut threads);
            threads = earlier;
        }
        self.meta.insert("threads".into(), threads.into());
    }

    /// The table of address ranges as the file has it.
    pub(super) fn ranges_to_bytes(&self) -> Vec<u8> {
        let words = self.ranges.iter().flat_map(|(object, address, bytes)| [u64::from(*object), *address, *bytes]);
        words.flat_map(u64::to_le_bytes).collect()
    }
}
