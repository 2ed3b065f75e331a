//! Where the addresses lie among the arguments of a command. Pure.

use reprise_d3d12::types::{D3D12_INDIRECT_ARGUMENT_DESC, D3D12_INDIRECT_ARGUMENT_TYPE as Argument};

/// The arguments of a command signature whose commands hold addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// 32-bit words from one command to the next.
    pub(crate) stride: u32,
    /// Words of a command that are read.
    pub(crate) size: u32,
    /// A bit for each word that begins an address.
    pub(crate) addresses: [u32; Layout::WORDS as usize / 32],
    /// The word at which the description of a dispatch of rays begins: what lies at its addresses holds more that has to be right.
    pub(crate) rays: Option<u32>,
}

impl Layout {
    /// Words of a command at most: more than root arguments, vertex buffers and an index buffer can fill.
    const WORDS: u32 = 256;

    /// Instances of an acceleration structure: 64 bytes each, the last 8 of which are an address
    /// (`D3D12_RAYTRACING_INSTANCE_DESC`).
    pub(crate) const INSTANCES: Layout =
        Layout { stride: 16, size: 16, addresses: [1 << 14, 0, 0, 0, 0, 0, 0, 0], rays: None };

    /// What a signature says; `None` where no argument holds an address. An error is what can be made, but not be used where
    /// buffers lie elsewhere.
    pub(crate) fn of(
        stride: u32,
        arguments: impl IntoIterator<Item = D3D12_INDIRECT_ARGUMENT_DESC>,
    ) -> Option<Result<Self, &'static str>> {
        let mut layout = Self { stride: stride / 4, size: 0, addresses: [0; Self::WORDS as usize / 32], rays: None };
        let mut found = None;
        for argument in arguments {
            // Words, and those of them that begin addresses.
            let (words, addresses): (u32, &[u32]) = match argument.Type {
                Argument::DRAW => (4, &[]),
                Argument::DRAW_INDEXED => (5, &[]),
                Argument::DISPATCH | Argument::DISPATCH_MESH => (3, &[]),
                // SAFETY: a structure of numbers, which this type has.
                Argument::CONSTANT => (unsafe { argument.Anonymous.Constant.Num32BitValuesToSet }, &[]),
                Argument::VERTEX_BUFFER_VIEW | Argument::INDEX_BUFFER_VIEW => (4, &[0]),
                Argument::CONSTANT_BUFFER_VIEW | Argument::SHADER_RESOURCE_VIEW | Argument::UNORDERED_ACCESS_VIEW => {
                    (2, &[0])
                }
                Argument::INCREMENTING_CONSTANT => (0, &[]),
                // `D3D12_DISPATCH_RAYS_DESC`: the tables of ray generation, misses, hit groups and callable shaders.
                Argument::DISPATCH_RAYS => {
                    layout.rays = Some(layout.size);
                    (26, &[0, 4, 10, 16])
                }
                _ => return Some(Err("an indirect argument of a kind that is not known")),
            };
            for word in addresses.iter().map(|word| layout.size.saturating_add(*word)) {
                let bit = layout.addresses.get_mut(word as usize / 32);
                found = Some(bit.map(|bits| *bits |= 1 << (word % 32)));
            }
            layout.size = layout.size.saturating_add(words);
        }
        match found? {
            Some(()) if layout.size <= Self::WORDS && layout.size <= layout.stride => Some(Ok(layout)),
            _ => Some(Err("indirect commands with more arguments than there can be")),
        }
    }

    /// How many commands, of `most`, lie whole in a buffer of so many bytes.
    pub(crate) fn fit(&self, most: u32, bytes: u64, offset: u64) -> u32 {
        let (size, stride) = (u64::from(self.size) * 4, u64::from(self.stride) * 4);
        let Some(beyond_first) = bytes.checked_sub(offset).and_then(|left| left.checked_sub(size)) else { return 0 };
        most.min(u32::try_from(1 + beyond_first / stride).unwrap_or(u32::MAX))
    }

    /// The addresses among the arguments of commands, with the command of each.
    pub(crate) fn addresses_in(&self, bytes: &[u8]) -> Vec<(u32, u64)> {
        let words: Vec<u32> =
            (0..self.size).filter(|word| self.addresses[*word as usize / 32] >> (word % 32) & 1 != 0).collect();
        let commands = bytes.chunks((self.stride as usize * 4).max(1)).zip(0u32..);
        let at = |bytes: &[u8], word: u32| {
            let address = bytes.get(word as usize * 4..)?.first_chunk()?;
            Some(u64::from_le_bytes(*address))
        };
        let each = commands
            .flat_map(|(bytes, command)| words.iter().filter_map(move |word| Some((command, at(bytes, *word)?))));
        each.collect()
    }

    /// Bytes of so many commands.
    pub(crate) fn bytes(&self, commands: u32) -> u64 {
        u64::from(commands) * u64::from(self.stride) * 4
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn argument(kind: Argument) -> D3D12_INDIRECT_ARGUMENT_DESC {
        D3D12_INDIRECT_ARGUMENT_DESC { Type: kind, ..Default::default() }
    }

    fn constants(count: u32) -> D3D12_INDIRECT_ARGUMENT_DESC {
        let mut made = argument(Argument::CONSTANT);
        made.Anonymous.Constant.Num32BitValuesToSet = count;
        made
    }

    #[test]
    fn addresses_are_found_behind_what_comes_before() {
        let all = [
            constants(3),
            argument(Argument::CONSTANT_BUFFER_VIEW),
            argument(Argument::INCREMENTING_CONSTANT),
            argument(Argument::VERTEX_BUFFER_VIEW),
            argument(Argument::INDEX_BUFFER_VIEW),
            argument(Argument::DRAW_INDEXED),
        ];
        let layout = Layout::of(80, all).unwrap().unwrap();
        assert_eq!((layout.stride, layout.size), (20, 18));
        assert_eq!(layout.addresses, [1 << 3 | 1 << 5 | 1 << 9, 0, 0, 0, 0, 0, 0, 0]);
        let far = [constants(40), argument(Argument::UNORDERED_ACCESS_VIEW), argument(Argument::DISPATCH)];
        assert_eq!(Layout::of(180, far).unwrap().unwrap().addresses[1], 1 << 8);
    }

    /// `D3D12_DISPATCH_RAYS_DESC` by the API's headers: 16 bytes, three times 24, three words, and padding.
    #[test]
    fn dispatches_of_rays_name_four_tables() {
        use reprise_d3d12::types::D3D12_DISPATCH_RAYS_DESC as Desc;
        let layout = Layout::of(108, [constants(1), argument(Argument::DISPATCH_RAYS)]).unwrap().unwrap();
        let miss = core::mem::offset_of!(Desc, MissShaderTable) as u32 / 4;
        let hit = core::mem::offset_of!(Desc, HitGroupTable) as u32 / 4;
        let callable = core::mem::offset_of!(Desc, CallableShaderTable) as u32 / 4;
        assert_eq!(layout.addresses[0], 1 << 1 | 1 << (1 + miss) | 1 << (1 + hit) | 1 << (1 + callable));
        assert_eq!((layout.rays, layout.size as usize), (Some(1), 1 + size_of::<Desc>() / 4));
    }

    #[test]
    fn addresses_are_read_where_they_are_translated() {
        let layout = Layout::of(16, [constants(1), argument(Argument::SHADER_RESOURCE_VIEW)]).unwrap().unwrap();
        let bytes: Vec<u8> = [1u32, 2, 3, 4, 5, 6, 7].into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(layout.addresses_in(&bytes), [(0, 3 << 32 | 2), (1, 7 << 32 | 6)]);
        assert_eq!(layout.addresses_in(&bytes[..24]), [(0, 3 << 32 | 2)]);
    }

    #[test]
    fn what_holds_no_address_needs_nothing() {
        assert_eq!(Layout::of(12, [argument(Argument::DISPATCH)]), None);
        assert_eq!(Layout::of(24, [constants(1), argument(Argument::DRAW_INDEXED)]), None);
    }

    #[test]
    fn what_cannot_be_translated_is_refused() {
        let refused = |stride, all: &[_]| Layout::of(stride, all.iter().copied()).unwrap().is_err();
        assert!(refused(8, &[constants(1), argument(Argument::SHADER_RESOURCE_VIEW)]), "beyond the stride");
        assert!(refused(4096, &[constants(300), argument(Argument::SHADER_RESOURCE_VIEW)]));
        assert!(refused(4096, &[constants(u32::MAX), argument(Argument::SHADER_RESOURCE_VIEW)]));
        assert!(refused(4096, &[argument(Argument(99))]));
    }

    #[test]
    fn only_whole_commands_are_copied() {
        let layout = Layout::of(16, [argument(Argument::SHADER_RESOURCE_VIEW)]).unwrap().unwrap();
        assert_eq!([7, 8, 23, 24, 40].map(|bytes| layout.fit(9, bytes, 0)), [0, 1, 1, 2, 3]);
        assert_eq!(layout.fit(2, 4096, 64), 2);
        assert_eq!(layout.fit(2, 64, 64), 0);
        assert_eq!(layout.fit(2, 64, 65), 0);
        assert_eq!(layout.bytes(3), 48);
    }
}
