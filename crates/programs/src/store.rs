//! The ways in which programs store to mapped memory: by single bytes and words, by copies, past the caches, and by calls of
//! the system that store for them.
//!
//! Invariant: whatever the way, the bytes that were handed in are in place when [`Ways::store`] returns; where a system does
//! not have a way, a copy stands for it, so that results are the same everywhere.

use crate::failure::Failure;
use crate::random::Random;
use core::ptr::NonNull;

/// What the ways need, one set for each thread.
pub(crate) struct Ways {
    #[cfg(unix)]
    system: system::System,
}

/// How many ways there are.
const COUNT: u32 = 8;

impl Ways {
    /// Opens what the calls read from.
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self {
            #[cfg(unix)]
            system: system::System::new().map_err(|error| Failure::Wrong(format!("pipe, file or socket: {error}")))?,
        })
    }

    /// Stores bytes by a way that `random` chooses.
    ///
    /// # Safety
    /// `to` is memory for so many bytes that the processor may store to, and that nothing else touches now.
    pub(crate) unsafe fn store(&mut self, random: &mut Random, to: NonNull<u8>, bytes: &[u8]) -> Result<(), Failure> {
        let way = random.below(COUNT);
        // SAFETY: the caller passes memory for so many bytes, which nothing else touches now.
        unsafe {
            match way {
                0 => bytes.iter().enumerate().for_each(|(at, byte)| to.add(at).write_volatile(*byte)),
                1 => words(to, bytes),
                2 => past_caches(to, bytes),
                #[cfg(unix)]
                4..=7 => {
                    let target = core::slice::from_raw_parts_mut(to.as_ptr(), bytes.len());
                    let done = self.system.read(way - 4, target, bytes);
                    return done.map_err(|error| Failure::Wrong(format!("way {way} of storing: {error}")));
                }
                _ => to.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()),
            }
        }
        Ok(())
    }
}

/// Eight bytes at a time, at whatever address: some straddle pages.
///
/// # Safety
/// As [`Ways::store`].
unsafe fn words(to: NonNull<u8>, bytes: &[u8]) {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        // SAFETY: `store` passes memory for all of the bytes.
        unsafe { to.add(at * 8).cast::<[u8; 8]>().write_unaligned(*word) };
    }
    for (at, byte) in rest.iter().enumerate() {
        // SAFETY: the bytes after the last whole word lie in the same memory.
        unsafe { to.add(words.len() * 8 + at).write(*byte) };
    }
}

/// Stores that go past the caches, as engines fill upload heaps; the bytes before and after the first and last sixteen that
/// lie right are copied.
unsafe fn past_caches(to: NonNull<u8>, bytes: &[u8]) {
    let lead = to.align_offset(16).min(bytes.len());
    let (lead, rest) = bytes.split_at(lead);
    let (wide, tail) = rest.as_chunks::<16>();
    // SAFETY: by the contract of `store`; what lies between lead and tail is aligned to 16.
    unsafe {
        to.copy_from_nonoverlapping(NonNull::from(lead).cast(), lead.len());
        let middle = to.add(lead.len());
        #[cfg(target_arch = "x86_64")]
        {
            use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
            for (at, piece) in wide.iter().enumerate() {
                let value = _mm_loadu_si128(piece.as_ptr().cast::<__m128i>());
                _mm_stream_si128(middle.add(at * 16).as_ptr().cast::<__m128i>(), value);
            }
            _mm_sfence();
        }
        #[cfg(not(target_arch = "x86_64"))]
        middle.copy_from_nonoverlapping(NonNull::from(wide).cast(), wide.len() * 16);
        middle.add(wide.len() * 16).copy_from_nonoverlapping(NonNull::from(tail).cast(), tail.len());
    }
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io::{self, IoSliceMut, PipeReader, PipeWriter, Read, Write};
    use std::os::unix::fs::FileExt;
    use std::os::unix::net::UnixDatagram;

    /// A pipe, a file without a name, and a socket.
    pub(super) struct System {
        reader: PipeReader,
        writer: PipeWriter,
        file: File,
        sender: UnixDatagram,
        receiver: UnixDatagram,
    }

    /// Most bytes that are handed over at a time: a pipe holds them.
    const PIECE: usize = 16 << 10;

    impl System {
        pub(super) fn new() -> io::Result<Self> {
            let file = tempfile::tempfile()?;
            let (reader, writer) = io::pipe()?;
            let (sender, receiver) = UnixDatagram::pair()?;
            Ok(Self { reader, writer, file, sender, receiver })
        }

        /// Has the system store the bytes to `to`, which is as long.
        pub(super) fn read(&mut self, way: u32, to: &mut [u8], bytes: &[u8]) -> io::Result<()> {
            for (to, bytes) in to.chunks_mut(PIECE).zip(bytes.chunks(PIECE)) {
                match way {
                    0 => {
                        self.writer.write_all(bytes)?;
                        self.reader.read_exact(to)?;
                    }
                    1 => {
                        self.file.write_all_at(bytes, 0)?;
                        self.file.read_exact_at(to, 0)?;
                    }
                    2 => {
                        self.sender.send(bytes)?;
                        whole(self.receiver.recv(to)?, bytes.len())?;
                    }
                    _ => {
                        self.writer.write_all(bytes)?;
                        let (first, second) = to.split_at_mut(bytes.len() / 3);
                        let mut lists = [IoSliceMut::new(first), IoSliceMut::new(second)];
                        whole(self.reader.read_vectored(&mut lists)?, bytes.len())?;
                    }
                }
            }
            Ok(())
        }
    }

    fn whole(came: usize, wanted: usize) -> io::Result<()> {
        if came == wanted { Ok(()) } else { Err(io::Error::other(format!("{came} bytes of {wanted}"))) }
    }
}
