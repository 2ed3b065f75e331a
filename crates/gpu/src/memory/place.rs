//! Places: where an allocation lies, in words that a later process on the same driver can ask for.
//!
//! [`Place::bytes`] is what a trace keeps. Only [`Place::of`] reads it, and every number in it may be a stranger's: it is checked against
//! the request before anything is made. Pure.

/// What the bytes begin with: the runtime, and the form of what follows.
const TAG: [u8; 8] = *b"REPRISE1";

/// How an allocation came to its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Pages of the process, which the device sees at the process's own addresses.
    Pages,
    /// Vulkan's opaque capture addresses (`bufferDeviceAddressCaptureReplay`): of the memory, 0 where there is none, and of the buffer.
    Opaque {
        /// `vkGetDeviceMemoryOpaqueCaptureAddress`.
        memory: u64,
        /// `vkGetBufferOpaqueCaptureAddress`.
        buffer: u64,
    },
}

/// What shares an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Many slices, not one.
    pub shared: bool,
    /// What the program can map.
    pub mappable: bool,
    /// Heaps, not buffers.
    pub heaps: bool,
}

/// How an allocation came to its address, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// How it came there.
    pub way: Way,
    /// What shares it.
    pub class: Class,
}

/// Where the bytes of a heap or buffer lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The allocation's origin.
    pub origin: Origin,
    /// Vulkan's memory type.
    pub type_index: u32,
    /// The allocation's first address.
    pub base: u64,
    /// Bytes of the allocation.
    pub allocated: u64,
    /// First byte within the allocation.
    pub offset: u64,
    /// Bytes of the heap or buffer.
    pub size: u64,
}

/// A driver, by the UUID that Vulkan gives for its build.
pub type Driver = [u8; 16];

/// Bytes of the tag and the driver, with which places begin.
pub const HEADER: usize = 24;

/// Bytes of a place.
pub const BYTES: usize = HEADER + 16 + 6 * 8;

/// What the places of this runtime on a driver begin with.
pub fn header(driver: &Driver) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(&TAG);
    bytes[8..].copy_from_slice(driver);
    bytes
}

impl Place {
    /// For a trace, as [`reprise_d3d12::place::range`] reads it: header, way u32, class u32, memory type u32, 0 u32, then u64 each: base, allocated bytes, offset, bytes, and the
    /// opaque addresses of memory and buffer.
    pub fn bytes(&self, driver: &Driver) -> [u8; BYTES] {
        let (way, memory, buffer) = match self.origin.way {
            Way::Pages => (1, 0, 0),
            Way::Opaque { memory, buffer } => (2, memory, buffer),
        };
        let Class { shared, mappable, heaps } = self.origin.class;
        let class = u32::from(shared) | u32::from(mappable) << 1 | u32::from(heaps) << 2;
        let words = [way, class, self.type_index, 0];
        let longs = [self.base, self.allocated, self.offset, self.size, memory, buffer];
        let all = header(driver).into_iter();
        let all = all.chain(words.into_iter().flat_map(u32::to_le_bytes));
        let mut all = all.chain(longs.into_iter().flat_map(u64::to_le_bytes));
        core::array::from_fn(|_| all.next().unwrap_or(0))
    }

    /// What a trace kept, where this runtime wrote it on this driver.
    pub fn of(bytes: &[u8], driver: &Driver) -> Option<Place> {
        let bytes: &[u8; BYTES] = bytes.get(..BYTES)?.try_into().ok()?;
        if bytes[..HEADER] != header(driver) {
            return None;
        }
        let word = |at: usize| bytes[HEADER + at * 4..].first_chunk().map_or(0, |four| u32::from_le_bytes(*four));
        let long =
            |at: usize| bytes[HEADER + 16 + at * 8..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
        let way = match word(0) {
            1 => Way::Pages,
            2 => Way::Opaque { memory: long(4), buffer: long(5) },
            _ => return None,
        };
        let has = |bit: u32| word(1) & (1 << bit) != 0;
        let class = Class { shared: has(0), mappable: has(1), heaps: has(2) };
        let place = Place {
            origin: Origin { way, class },
            type_index: word(2),
            base: long(0),
            allocated: long(1),
            offset: long(2),
            size: long(3),
        };
        let inside = place.offset.checked_add(place.size).is_some_and(|end| end <= place.allocated);
        (inside && place.base != 0 && place.base.checked_add(place.allocated).is_some()).then_some(place)
    }

    /// The first address of the heap or buffer.
    pub fn address(&self) -> u64 {
        self.base.wrapping_add(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DRIVER: Driver = [7; 16];

    fn class(bits: u8) -> Class {
        Class { shared: bits & 1 != 0, mappable: bits & 2 != 0, heaps: bits & 4 != 0 }
    }

    proptest! {
        #[test]
        fn what_is_kept_is_found(
            opaque: Option<(u64, u64)>, bits: u8, type_index: u32,
            base in 1u64..1 << 47, offset in 0u64..1 << 40, size in 0u64..1 << 40, more in 0u64..1 << 40
        ) {
            let way = opaque.map_or(Way::Pages, |(memory, buffer)| Way::Opaque { memory, buffer });
            let origin = Origin { way, class: class(bits) };
            let place = Place { origin, type_index, base, allocated: offset + size + more, offset, size };
            let bytes = place.bytes(&DRIVER);
            prop_assert_eq!(Place::of(&bytes, &DRIVER), Some(place));
            prop_assert_eq!(reprise_d3d12::place::range(&bytes), Some((place.address(), size)));
            // A trace's facts are padded.
            prop_assert_eq!(Place::of(&[&bytes[..], &[0; 8]].concat(), &DRIVER), Some(place));
            prop_assert_eq!(Place::of(&bytes, &[8; 16]), None, "another driver");
            prop_assert_eq!(Place::of(&bytes[..BYTES - 1], &DRIVER), None, "cut short");
            let mut other = bytes;
            other[7] = b'2';
            prop_assert_eq!(Place::of(&other, &DRIVER), None, "another form");
        }

        #[test]
        fn no_bytes_give_a_place_that_overflows(mut bytes: [u8; BYTES - HEADER], way in 0u8..4) {
            bytes[..4].copy_from_slice(&[way, 0, 0, 0]);
            let all = [&header(&DRIVER)[..], &bytes[..]].concat();
            if let Some(place) = Place::of(&all, &DRIVER) {
                prop_assert!(place.offset + place.size <= place.allocated && place.base + place.allocated > place.base);
            }
        }
    }
}
