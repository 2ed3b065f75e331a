//! Translated shaders in memory: those that this process used last.
//!
//! Programs make many pipelines of few shaders. Invariant: the modules together have no more bytes than the limit, and those that
//! were used longest ago go first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Spirv;
use crate::cache::Key;

/// Shaders by what they were translated from.
#[derive(Debug)]
pub struct Recent {
    /// Bytes of modules that it may hold.
    limit: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    shaders: HashMap<Key, Entry>,
    bytes: usize,
    /// Counts uses.
    now: u64,
}

#[derive(Debug)]
struct Entry {
    shader: Arc<Spirv>,
    used: u64,
}

fn size(shader: &Spirv) -> usize {
    4 * shader.words.len()
}

impl Recent {
    /// Without shaders, for modules of up to `limit` bytes together.
    pub fn new(limit: usize) -> Recent {
        Recent { limit, held: Mutex::default() }
    }

    /// The shader of this key, if it was used not long ago.
    pub fn get(&self, key: Key) -> Option<Arc<Spirv>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.now += 1;
        let now = held.now;
        let entry = held.shaders.get_mut(&key)?;
        entry.used = now;
        Some(entry.shader.clone())
    }

    /// Keeps a shader. A shader that is larger than three quarters of the limit is not kept.
    pub fn put(&self, key: Key, shader: Arc<Spirv>) {
        let (new, less) = (size(&shader), self.limit - self.limit / 4);
        if new > less {
            return;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.now += 1;
        let used = held.now;
        held.bytes += new;
        if let Some(old) = held.shaders.insert(key, Entry { shader, used }) {
            held.bytes -= size(&old.shader);
        }
        if held.bytes <= self.limit {
            return;
        }
        // A quarter goes at a time, so that a full table is not searched at each new shader.
        let mut by_use: Vec<(u64, Key)> = held.shaders.iter().map(|(key, entry)| (entry.used, *key)).collect();
        by_use.sort_unstable_by_key(|(used, _)| *used);
        for (_, oldest) in by_use {
            if held.bytes <= less {
                break;
            }
            if let Some(old) = held.shaders.remove(&oldest) {
                held.bytes -= size(&old.shader);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Stage;

    fn shader(words: usize) -> Arc<Spirv> {
        Arc::new(Spirv {
            words: vec![7; words],
            stage: Stage::Compute,
            entry: "main".into(),
            group: [1; 3],
            wave: [0; 3],
            uses_wave_size: false,
            patch_vertices: 0,
            patch_location_offset: 0,
        })
    }

    fn key(number: u32) -> Key {
        Key::of(&number.to_le_bytes())
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let recent = Recent::new(400);
        for number in 0..4 {
            recent.put(key(number), shader(25));
        }
        assert_eq!(recent.get(key(0)).unwrap().words.len(), 25);
        // Full: this one brings it down to three quarters, of which it is one.
        recent.put(key(4), shader(25));
        let there: Vec<u32> = (0..5).filter(|number| recent.get(key(*number)).is_some()).collect();
        assert_eq!(there, [0, 3, 4]);
    }

    #[test]
    fn replaced_and_large_shaders_do_not_count() {
        let recent = Recent::new(400);
        for _ in 0..9 {
            recent.put(key(1), shader(50));
        }
        recent.put(key(2), shader(101));
        assert!(recent.get(key(1)).is_some() && recent.get(key(2)).is_none());
        recent.put(key(3), shader(50));
        assert!(recent.get(key(1)).is_some() && recent.get(key(3)).is_some());
    }
}
