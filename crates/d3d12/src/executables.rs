//! Our runtime tells by private data what the driver made of a pipeline state's shaders: registers, instructions, bytes of code.
//!
//! | call | of | means |
//! |---|---|---|
//! | `SetPrivateData` | a device | pipeline states that are made from now on keep what the driver says; `S_OK`, or `S_FALSE` where it says nothing (no `VK_KHR_pipeline_executable_properties`) |
//! | `GetPrivateData` | a pipeline state, a state object | its [`Executable`]s, as [`write`] has them; `DXGI_ERROR_NOT_FOUND` where none are kept |
//!
//! As for [`crate::place`], a library that does not know the id keeps what it is given, and has nothing of a pipeline state.
//!
//! ```
//! use reprise_d3d12::executables::{Executable, Statistic, Value, read, write};
//!
//! let statistic = Statistic { name: "Registers".into(), about: "of a thread".into(), value: Value::Whole(24) };
//! let one = Executable { name: "main".into(), stages: 0x20, lanes: 32, statistics: vec![statistic] };
//! let bytes = write(&[one.clone()]);
//! assert_eq!(read(&bytes), Some(vec![one]));
//! assert_eq!(read(&bytes[1..]), None);
//! ```

use crate::model::Guid;

/// The id.
pub static ID: Guid =
    Guid { data1: 0x51c2_e0a7, data2: 0x6f3d, data3: 0x4b86, data4: [0xb1, 0x0e, 0x94, 0x5a, 0xd7, 0x23, 0x6c, 0x1f] };

/// What the driver runs for one stage of a pipeline, or for several that it made one of.
#[derive(Clone, Debug, PartialEq)]
pub struct Executable {
    /// As the driver calls it.
    pub name: String,
    /// Stages that it is of, in the bits of `VkShaderStageFlagBits`.
    pub stages: u32,
    /// Lanes of a wave; 0 where the driver does not say.
    pub lanes: u32,
    /// In the driver's order.
    pub statistics: Vec<Statistic>,
}

/// One number of the driver's.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistic {
    /// As the driver calls it.
    pub name: String,
    /// What it is, in the driver's words.
    pub about: String,
    /// The number.
    pub value: Value,
}

/// A number, by its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Yes or no.
    Truth(bool),
    /// A whole number with a sign.
    Signed(i64),
    /// A whole number.
    Whole(u64),
    /// Any number.
    Real(f64),
}

/// All as bytes: a count, then for each name, stages, lanes, a count of statistics, and for each of these name, words about it, kind and eight
/// bytes. Numbers are u32, little endian; a text is its length in bytes and UTF-8.
pub fn write(all: &[Executable]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let word = |bytes: &mut Vec<u8>, word: usize| bytes.extend((word as u32).to_le_bytes());
    let text = |bytes: &mut Vec<u8>, text: &str| {
        word(bytes, text.len());
        bytes.extend(text.as_bytes());
    };
    word(&mut bytes, all.len());
    for one in all {
        text(&mut bytes, &one.name);
        word(&mut bytes, one.stages as usize);
        word(&mut bytes, one.lanes as usize);
        word(&mut bytes, one.statistics.len());
        for statistic in &one.statistics {
            text(&mut bytes, &statistic.name);
            text(&mut bytes, &statistic.about);
            let (kind, value) = match statistic.value {
                Value::Truth(value) => (0, u64::from(value)),
                Value::Signed(value) => (1, value.cast_unsigned()),
                Value::Whole(value) => (2, value),
                Value::Real(value) => (3, value.to_bits()),
            };
            word(&mut bytes, kind);
            bytes.extend(value.to_le_bytes());
        }
    }
    bytes
}

/// What [`write`] wrote; `None` of other bytes.
pub fn read(bytes: &[u8]) -> Option<Vec<Executable>> {
    let mut rest = Rest(bytes);
    // Counts are not trusted: each element is read before the next has room.
    let mut all = Vec::new();
    for _ in 0..rest.word()? {
        let (name, stages, lanes) = (rest.text()?, rest.word()?, rest.word()?);
        let mut statistics = Vec::new();
        for _ in 0..rest.word()? {
            let (name, about, kind) = (rest.text()?, rest.text()?, rest.word()?);
            let value = u64::from_le_bytes(*rest.take(8)?.first_chunk()?);
            let value = match kind {
                0 => Value::Truth(value != 0),
                1 => Value::Signed(value.cast_signed()),
                2 => Value::Whole(value),
                3 => Value::Real(f64::from_bits(value)),
                _ => return None,
            };
            statistics.push(Statistic { name, about, value });
        }
        all.push(Executable { name, stages, lanes, statistics });
    }
    rest.0.is_empty().then_some(all)
}

/// Bytes that are not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.word()? as usize;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}
