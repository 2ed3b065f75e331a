//! Sizes and alignments of another device, for tests: with `REPRISE_INFLATE=seed` resources in heaps need more, at random.
//!
//! A capture plays on such a device only if its heaps are laid out anew. Acceleration structures and their builds' scratch memory need more,
//! too; what a build was told to need beyond what it does is overwritten on the GPU, so that a structure in too little room spoils
//! what lies behind it. Invariants: placed resources must keep to the sizes that the
//! program got; the seed and the description alone decide, so the program gets the same answer each time; the API allows every
//! answer: buffers stay at 64 KiB, textures lie at powers of two up to 4 MiB, and the small alignment may be refused.

use reprise_d3d12::types::{
    D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_FLAGS as Flags,
};

use crate::resource::desc::{self, ALIGNMENT, ALIGNMENT_MULTISAMPLED};
use crate::resource::room::Room;

/// The room of a complete description where `seed` is set. Pure.
pub fn inflated(seed: u64, desc: &D3D12_RESOURCE_DESC1, room: Room) -> Room {
    // Tight alignments are the point of their flag.
    if desc::has(desc, Flags::USE_TIGHT_ALIGNMENT) {
        return room;
    }
    let mut state = seed;
    let fields = [
        desc.Dimension.0 as u64,
        desc.Width,
        desc.Height.into(),
        desc.DepthOrArraySize.into(),
        desc.MipLevels.into(),
        desc.Format.0 as u64,
        desc.SampleDesc.Count.into(),
        desc.Flags.0 as u64,
    ];
    for field in fields {
        state = scrambled(state ^ field);
    }
    // From once to four times as much, by eighths.
    let size = room.size.saturating_add((room.size / 8).saturating_mul(state % 25));
    let alignment = match desc.Dimension {
        Dimension::BUFFER => room.alignment,
        _ => {
            let choices = [ALIGNMENT, 4 * ALIGNMENT, 16 * ALIGNMENT, ALIGNMENT_MULTISAMPLED];
            let keeps_small = room.alignment < ALIGNMENT && (state >> 16).is_multiple_of(2);
            if keeps_small {
                room.alignment
            } else {
                room.alignment.max(choices[(state >> 8) as usize % choices.len()])
            }
        }
    };
    match size.checked_next_multiple_of(alignment) {
        Some(size) => Room { size, alignment },
        None => room,
    }
}

/// The size of an acceleration structure, or of a build's scratch memory, where `seed` is set: from once to four times as much, by
/// eighths. Pure.
pub fn enlarged(seed: u64, size: u64) -> u64 {
    size.saturating_add((size / 8).saturating_mul(scrambled(seed ^ size) % 25))
}

/// SplitMix64.
fn scrambled(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::resource::desc::ALIGNMENT_SMALL;

    proptest! {
        #[test]
        fn answers_are_legal_and_the_same_each_time(
            seed in any::<u64>(), width in 1u64..1 << 40, buffer in any::<bool>(), granules in 1u64..1 << 20, kind in 0usize..3
        ) {
            let desc = D3D12_RESOURCE_DESC1 {
                Dimension: if buffer { Dimension::BUFFER } else { Dimension::TEXTURE2D },
                Width: width,
                ..Default::default()
            };
            let alignment = if buffer { ALIGNMENT } else { [ALIGNMENT_SMALL, ALIGNMENT, ALIGNMENT_MULTISAMPLED][kind] };
            let room = Room { size: granules * alignment, alignment };
            let new = inflated(seed, &desc, room);
            prop_assert_eq!(new, inflated(seed, &desc, room));
            prop_assert!(new.size >= room.size && new.size < 5 * room.size + ALIGNMENT_MULTISAMPLED);
            prop_assert!(new.size.is_multiple_of(new.alignment));
            prop_assert!(new.alignment.is_power_of_two() && new.alignment <= ALIGNMENT_MULTISAMPLED);
            prop_assert!(new.alignment >= room.alignment && (!buffer || new.alignment == ALIGNMENT));
        }
    }

    #[test]
    fn seeds_and_descriptions_differ() {
        let room = Room { size: 64 * ALIGNMENT, alignment: ALIGNMENT };
        let texture =
            |width| D3D12_RESOURCE_DESC1 { Dimension: Dimension::TEXTURE2D, Width: width, ..Default::default() };
        let all: Vec<Room> = (0..64).map(|n| inflated(n / 8, &texture(n % 8), room)).collect();
        let distinct: std::collections::BTreeSet<_> = all.iter().map(|room| (room.size, room.alignment)).collect();
        assert!(distinct.len() > 32, "{distinct:?}");
    }
}
