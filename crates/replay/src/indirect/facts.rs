//! What the shader that moves tables of shader records reads: identifiers with the layouts of their records, and descriptor heaps. Pure.

use std::collections::HashMap;
use std::fmt;

/// Bytes of a shader's identifier: `D3D12_SHADER_IDENTIFIER_SIZE_IN_BYTES`.
pub(crate) const IDENTIFIER: usize = 32;

/// A field of a record that has to be right for this device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Field {
    /// The 32-bit word of the record that it begins at.
    pub(crate) word: u32,
    /// Whether it is a handle of a descriptor table; else it is an address.
    pub(crate) handle: bool,
}

/// A shader's identifier, and what its records hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Identifier {
    pub(crate) recorded: [u8; IDENTIFIER],
    pub(crate) here: [u8; IDENTIFIER],
    pub(crate) fields: Vec<Field>,
}

/// A descriptor heap that shaders see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Heap {
    /// The first handle at capture, and one past the last.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The first handle here.
    pub(crate) here: u64,
    /// Bytes from one handle to the next: at capture, and here.
    pub(crate) increments: [u32; 2],
}

/// All that shader records may hold, as of a point of the trace.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Facts {
    identifiers: Vec<Identifier>,
    heaps: Vec<Heap>,
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} identifiers, {} heaps", self.identifiers.len(), self.heaps.len())
    }
}

/// Words of an identifier's row: both forms, and the place of its layout.
const ROW: usize = 17;
const HEAP_ROW: usize = 8;
/// Words before all rows.
const HEADER: usize = 4;

fn words(bytes: &[u8; IDENTIFIER]) -> [u32; 8] {
    core::array::from_fn(|word| u32::from_le_bytes(core::array::from_fn(|byte| bytes[4 * word + byte])))
}

impl Facts {
    /// Of identifiers that are all different, and heaps that do not overlap.
    pub(crate) fn new(mut identifiers: Vec<Identifier>, mut heaps: Vec<Heap>) -> Facts {
        // The shader compares the last word first.
        identifiers.sort_unstable_by_key(|it| {
            let mut key = words(&it.recorded);
            key.reverse();
            key
        });
        identifiers.dedup_by(|left, right| left.recorded == right.recorded);
        heaps.sort_unstable_by_key(|heap| heap.start);
        Facts { identifiers, heaps }
    }

    /// Whether records are right as they are, but for addresses.
    pub(crate) fn are_as_recorded(&self) -> bool {
        self.identifiers.iter().all(|it| it.recorded == it.here)
            && (self.heaps_are_as_recorded() || !self.have(|field| field.handle))
    }

    fn heaps_are_as_recorded(&self) -> bool {
        self.heaps.iter().all(|heap| heap.start == heap.here && heap.increments[0] == heap.increments[1])
    }

    /// Whether some record holds addresses.
    pub(crate) fn have_addresses(&self) -> bool {
        self.have(|field| !field.handle)
    }

    fn have(&self, which: impl Fn(&Field) -> bool) -> bool {
        self.identifiers.iter().flat_map(|it| &it.fields).any(which)
    }

    /// As the shader reads them.
    pub(crate) fn words(&self) -> Vec<u32> {
        let rows = HEADER;
        let heaps = rows + ROW * self.identifiers.len();
        let mut layouts = heaps + HEAP_ROW * self.heaps.len();
        let mut out = vec![self.identifiers.len() as u32, rows as u32, self.heaps.len() as u32, heaps as u32];
        let mut tail: Vec<u32> = Vec::new();
        // Most shaders have one of few layouts.
        let mut known: HashMap<&[Field], u32> = HashMap::new();
        for it in &self.identifiers {
            let place = *known.entry(&it.fields).or_insert_with(|| {
                let place = layouts as u32;
                tail.push(it.fields.len() as u32);
                tail.extend(it.fields.iter().map(|field| 2 * field.word + u32::from(field.handle)));
                layouts += 1 + it.fields.len();
                place
            });
            out.extend(words(&it.recorded));
            out.extend(words(&it.here));
            out.push(place);
        }
        for heap in &self.heaps {
            let both = |value: u64| [value as u32, (value >> 32) as u32];
            out.extend([heap.start, heap.end, heap.here].into_iter().flat_map(both));
            out.extend(heap.increments);
        }
        out.extend(tail);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identifier(name: u8, here: u8, fields: &[Field]) -> Identifier {
        Identifier { recorded: [name; IDENTIFIER], here: [here; IDENTIFIER], fields: fields.to_vec() }
    }

    #[test]
    fn rows_are_sorted_and_layouts_shared() {
        let (address, handle) = (Field { word: 8, handle: false }, Field { word: 10, handle: true });
        let mut small = identifier(1, 5, &[address, handle]);
        // The last word decides, whatever the first ones are.
        small.recorded[0] = 0xff;
        let all = vec![identifier(3, 3, &[address, handle]), small.clone(), identifier(2, 2, &[])];
        let heap = Heap { start: 0x1_0000_0040, end: 0x1_0000_0080, here: 0x2_0000_0000, increments: [32, 64] };
        let facts = Facts::new(all, vec![heap]);
        let words = facts.words();
        let heaps = 4 + 3 * 17;
        assert_eq!(words[..4], [3, 4, 1, heaps as u32]);
        assert_eq!(words[4], 0x0101_01ff);
        assert_eq!(words[4 + 8], 0x0505_0505);
        assert_eq!(words[heaps..heaps + 8], [0x40, 1, 0x80, 1, 0, 2, 32, 64]);
        let layouts: Vec<u32> = (0..3).map(|row| words[4 + 17 * row + 16]).collect();
        assert_eq!(layouts[0], layouts[2]);
        let at = layouts[0] as usize;
        assert_eq!((words[at], &words[at + 1..at + 3]), (2, &[16, 21][..]));
        assert_eq!(words[layouts[1] as usize], 0);
        assert!(!facts.are_as_recorded() && facts.have_addresses());
        let same = Facts::new(vec![identifier(2, 2, &[address])], vec![heap]);
        assert!(same.are_as_recorded(), "no record has a handle");
    }
}
