//! Decompression of GDeflate: what the kernel `inflate.comp` works on.
//!
//! A control buffer says how many streams there are, and where each begins in the input and in the output, in bytes. A stream is a header of
//! 8 bytes, a word per tile (the size of the last tile's input, then where the others begin, counted from behind the table), and the
//! tiles' input. Invariant: nothing outside of the sizes that are given here is touched, whatever the memory holds.

use ash::vk;

use crate::encoder::Encoder;
use crate::encoder::kernels::{Images, Push, push};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::scope::{Gathered, Scope};

/// Bytes at an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The first one's address.
    pub address: u64,
    /// How many.
    pub size: u64,
}

/// Streams of GDeflate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inflation {
    /// What is compressed.
    pub input: Bytes,
    /// Room for what comes out.
    pub output: Bytes,
    /// The number of streams, and two words for each; at a multiple of 4.
    pub control: Bytes,
    /// A word for each stream: 0, or what is wrong with it; at a multiple of 4. May be too small, or empty.
    pub status: Bytes,
    /// Streams at most.
    pub streams: u32,
}

/// Groups of a dispatch, about.
const GROUPS: u32 = 4096;
/// Groups of a stream, at least and at most; a group takes tile after tile.
const OF_STREAM: [u32; 2] = [4, 1024];
/// Rows of groups; a row takes stream after stream.
const ROWS: u32 = 32768;

impl Inflation {
    /// Streams for which the control buffer has room.
    fn streams(&self) -> u32 {
        let room = (self.control.size / 4).saturating_sub(1) / 2;
        self.streams.min(u32::try_from(room).unwrap_or(u32::MAX))
    }

    /// Words of statuses.
    fn statuses(&self) -> u32 {
        u32::try_from(self.status.size / 4).unwrap_or(u32::MAX).min(self.streams)
    }

    fn block(&self) -> Push {
        let half = |address: u64| [address as u32, (address >> 32) as u32];
        // Offsets have 32 bits, so no stream can use more.
        let size = |bytes: Bytes| u32::try_from(bytes.size).unwrap_or(u32::MAX);
        let ([a, b], [c, d]) = (half(self.input.address), half(self.output.address));
        let ([e, f], [g, h]) = (half(self.control.address), half(self.status.address));
        push([a, b, c, d, e, f, g, h, size(self.input), size(self.output), self.streams(), self.statuses()])
    }

    fn groups(&self) -> [u32; 3] {
        let streams = self.streams();
        let [least, most] = OF_STREAM;
        [(GROUPS / streams.max(1)).clamp(least, most), streams.min(ROWS), 1]
    }
}

const SHADERS: Scope = Scope {
    stages: vk::PipelineStageFlags2::COMPUTE_SHADER,
    access: vk::AccessFlags2::from_raw(
        vk::AccessFlags2::SHADER_READ.as_raw() | vk::AccessFlags2::SHADER_WRITE.as_raw(),
    ),
};

impl Encoder {
    /// Decompresses streams; statuses of all of them are written. What a shader may do with the memory before and behind, the caller's
    /// barriers say.
    ///
    /// # Errors
    /// Vulkan cannot make the pipelines.
    pub fn inflate(&mut self, work: &Inflation) -> Result<()> {
        let statuses = work.statuses();
        if statuses != 0 {
            let Bytes { address, .. } = work.status;
            let all = u32::MAX;
            let zeros = push([0, 0, 0, 0, address as u32, (address >> 32) as u32, statuses, 1, all, all]);
            self.run(Kernel::Fill, Images::default(), &zeros, crate::encoder::rows(statuses.into()))?;
            self.barriers(&Gathered { before: SHADERS, after: SHADERS });
        }
        if work.streams() != 0 {
            self.run(Kernel::Inflate, Images::default(), &work.block(), work.groups())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_those_that_all_have_room_for() {
        let bytes = |size| Bytes { address: 1 << 40, size };
        let work = |control, status| Inflation {
            control: bytes(control),
            status: bytes(status),
            input: bytes(1 << 33),
            output: bytes(100),
            streams: 5,
        };
        // A count, then 8 bytes for each stream; what is cut off is none.
        for (control, streams) in [(0, 0), (3, 0), (4, 0), (11, 0), (12, 1), (43, 4), (44, 5), (1 << 40, 5)] {
            assert_eq!(work(control, 0).streams(), streams, "{control}");
        }
        for (status, words) in [(0, 0), (7, 1), (20, 5), (1 << 40, 5)] {
            assert_eq!(work(44, status).statuses(), words, "{status}");
        }
        assert_eq!(work(44, 8).block()[..12], [0, 256, 0, 256, 0, 256, 0, 256, u32::MAX, 100, 5, 2]);
    }

    #[test]
    fn every_stream_has_a_group() {
        for streams in [1, 2, 100, 65_535, 1 << 20] {
            let control = Bytes { address: 4, size: 1 << 30 };
            let [groups, rows, _] = Inflation { control, streams, ..Default::default() }.groups();
            // Every device has at least 65535 groups in a direction.
            assert!((4..=1024).contains(&groups) && (1..=streams.min(65_535)).contains(&rows), "{streams}");
        }
    }
}
