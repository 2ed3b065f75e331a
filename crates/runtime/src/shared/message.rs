//! What a handle says of its object to other devices and processes. Pure.
//!
//! A message is of one build of this library for another build of the same: its first words say which. Whoever gets one checks what it
//! says as if a program had asked for such an object. Invariant: nothing of a message leads anywhere by itself.

use reprise_d3d12::types::{
    D3D12_CPU_PAGE_PROPERTY, D3D12_FENCE_FLAGS, D3D12_HEAP_DESC, D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES,
    D3D12_HEAP_TYPE, D3D12_MEMORY_POOL, D3D12_MIP_REGION, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION,
    D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES, D3D12_TEXTURE_LAYOUT, DXGI_FORMAT, DXGI_SAMPLE_DESC,
};
use reprise_gpu::memory::outside::Described;

/// The first word of every message.
const MAGIC: u64 = u64::from_le_bytes(*b"reprise\x01");

/// Which Vulkan device the memory is of: its adapter and its driver, as Vulkan names them.
pub(super) type Origin = [u8; 32];

/// An object, as others must know it.
pub(super) enum Message {
    /// An object that only its own process and device can open.
    Private,
    /// A heap, whose memory comes along.
    Heap { origin: Origin, desc: D3D12_HEAP_DESC, memory: Described },
    /// A committed resource, whose memory comes along.
    Resource {
        origin: Origin,
        desc: D3D12_RESOURCE_DESC1,
        properties: D3D12_HEAP_PROPERTIES,
        flags: D3D12_HEAP_FLAGS,
        state: D3D12_RESOURCE_STATES,
        /// Its blocks may be seen as texels.
        texels: bool,
        memory: Described,
    },
    /// A fence, whose page comes along.
    Fence { flags: D3D12_FENCE_FLAGS },
}

/// Words behind each other.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    fn number(&mut self, number: i32) {
        self.word(number as u32 as u64);
    }

    fn properties(&mut self, it: &D3D12_HEAP_PROPERTIES) {
        let D3D12_HEAP_PROPERTIES { Type, CPUPageProperty, MemoryPoolPreference, CreationNodeMask, VisibleNodeMask } =
            *it;
        [Type.0, CPUPageProperty.0, MemoryPoolPreference.0].into_iter().for_each(|number| self.number(number));
        [CreationNodeMask, VisibleNodeMask].into_iter().for_each(|mask| self.word(mask.into()));
    }

    fn memory(&mut self, it: &Described) {
        let Described { allocated, size, type_index, dedicated, mapped } = *it;
        [allocated, size, type_index.into(), dedicated.into(), mapped.into()]
            .into_iter()
            .for_each(|word| self.word(word));
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*first))
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.word()?).ok()
    }

    fn number(&mut self) -> Option<i32> {
        self.small().map(|word| word as i32)
    }

    fn flag(&mut self) -> Option<bool> {
        self.word().filter(|word| *word <= 1).map(|word| word == 1)
    }

    fn origin(&mut self) -> Option<Origin> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn properties(&mut self) -> Option<D3D12_HEAP_PROPERTIES> {
        Some(D3D12_HEAP_PROPERTIES {
            Type: D3D12_HEAP_TYPE(self.number()?),
            CPUPageProperty: D3D12_CPU_PAGE_PROPERTY(self.number()?),
            MemoryPoolPreference: D3D12_MEMORY_POOL(self.number()?),
            CreationNodeMask: self.small()?,
            VisibleNodeMask: self.small()?,
        })
    }

    fn memory(&mut self) -> Option<Described> {
        Some(Described {
            allocated: self.word()?,
            size: self.word()?,
            type_index: self.small()?,
            dedicated: self.flag()?,
            mapped: self.flag()?,
        })
    }
}

impl Message {
    /// As bytes.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.word(MAGIC);
        let mut build = [0; 16];
        build.iter_mut().zip(env!("CARGO_PKG_VERSION").bytes()).for_each(|(to, from)| *to = from);
        out.0.extend(build);
        match self {
            Message::Private => out.word(0),
            Message::Heap { origin, desc, memory } => {
                out.word(1);
                out.0.extend(origin);
                let D3D12_HEAP_DESC { SizeInBytes, Properties, Alignment, Flags } = desc;
                out.word(*SizeInBytes);
                out.properties(Properties);
                out.word(*Alignment);
                out.number(Flags.0 as i32);
                out.memory(memory);
            }
            Message::Resource { origin, desc, properties, flags, state, texels, memory } => {
                out.word(2);
                out.0.extend(origin);
                out.number(desc.Dimension.0);
                [desc.Alignment, desc.Width, desc.Height.into(), desc.DepthOrArraySize.into(), desc.MipLevels.into()]
                    .into_iter()
                    .for_each(|word| out.word(word));
                [desc.Format.0, desc.SampleDesc.Count as i32, desc.SampleDesc.Quality as i32, desc.Layout.0]
                    .into_iter()
                    .for_each(|number| out.number(number));
                let region = desc.SamplerFeedbackMipRegion;
                [desc.Flags.0, region.Width, region.Height, region.Depth]
                    .into_iter()
                    .for_each(|word| out.word(word.into()));
                out.properties(properties);
                out.number(flags.0 as i32);
                out.number(state.0 as i32);
                out.word((*texels).into());
                out.memory(memory);
            }
            Message::Fence { flags } => {
                out.word(3);
                out.number(flags.0 as i32);
            }
        }
        out.0
    }

    /// The message of bytes that anybody may have written; `None` where another library did, or another build of this one.
    pub(super) fn read(bytes: &[u8]) -> Option<Message> {
        const HEAD: usize = 24;
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        if head != &Message::Private.write()[..HEAD] {
            return None;
        }
        let from = &mut Reader(rest);
        let message = match from.word()? {
            0 => Message::Private,
            1 => Message::Heap {
                origin: from.origin()?,
                desc: D3D12_HEAP_DESC {
                    SizeInBytes: from.word()?,
                    Properties: from.properties()?,
                    Alignment: from.word()?,
                    Flags: D3D12_HEAP_FLAGS(from.number()? as _),
                },
                memory: from.memory()?,
            },
            2 => Message::Resource {
                origin: from.origin()?,
                desc: D3D12_RESOURCE_DESC1 {
                    Dimension: D3D12_RESOURCE_DIMENSION(from.number()?),
                    Alignment: from.word()?,
                    Width: from.word()?,
                    Height: from.small()?,
                    DepthOrArraySize: u16::try_from(from.word()?).ok()?,
                    MipLevels: u16::try_from(from.word()?).ok()?,
                    Format: DXGI_FORMAT(from.number()? as _),
                    SampleDesc: DXGI_SAMPLE_DESC { Count: from.small()?, Quality: from.small()? },
                    Layout: D3D12_TEXTURE_LAYOUT(from.number()?),
                    Flags: D3D12_RESOURCE_FLAGS(from.number()? as _),
                    SamplerFeedbackMipRegion: D3D12_MIP_REGION {
                        Width: from.small()?,
                        Height: from.small()?,
                        Depth: from.small()?,
                    },
                },
                properties: from.properties()?,
                flags: D3D12_HEAP_FLAGS(from.number()? as _),
                state: D3D12_RESOURCE_STATES(from.number()? as _),
                texels: from.flag()?,
                memory: from.memory()?,
            },
            3 => Message::Fence { flags: D3D12_FENCE_FLAGS(from.number()? as _) },
            _ => return None,
        };
        from.0.is_empty().then_some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_was_said_and_a_damaged_one_nothing() {
        let memory = Described { allocated: 1 << 20, size: 70_000, type_index: 3, dedicated: true, mapped: false };
        let properties =
            D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, CreationNodeMask: 1, ..Default::default() };
        let (origin, flags) = (core::array::from_fn(|at| at as u8), D3D12_HEAP_FLAGS::SHARED);
        let desc = D3D12_RESOURCE_DESC1 {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: 1 << 40,
            Height: 7,
            DepthOrArraySize: 2,
            MipLevels: 3,
            Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
            Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS,
            ..Default::default()
        };
        let state = D3D12_RESOURCE_STATES::COPY_DEST;
        let all = [
            Message::Private,
            Message::Heap {
                origin,
                desc: D3D12_HEAP_DESC { SizeInBytes: 5, Properties: properties, Alignment: 6, Flags: flags },
                memory,
            },
            Message::Resource { origin, desc, properties, flags, state, texels: true, memory },
            Message::Fence { flags: D3D12_FENCE_FLAGS::SHARED },
        ];
        let Some(Message::Resource { desc: read, memory: there, .. }) = Message::read(&all[2].write()) else {
            panic!("a resource")
        };
        assert_eq!((read.Width, read.Height, read.MipLevels, read.Format), (1 << 40, 7, 3, desc.Format));
        assert_eq!((read.Flags, there), (desc.Flags, memory));
        for message in all {
            let bytes = message.write();
            // Every word is written where it is read from.
            let again = Message::read(&bytes).map(|read| read.write());
            assert_eq!(again.as_ref(), Some(&bytes));
            for length in 0..bytes.len() {
                assert!(Message::read(&bytes[..length]).is_none(), "cut");
            }
            assert!(Message::read(&[&bytes[..], &[0]].concat()).is_none(), "longer");
            for head in 0..24 {
                let mut other = bytes.clone();
                other[head] ^= 1;
                assert!(Message::read(&other).is_none(), "of another library or build");
            }
        }
    }
}
