//! Layouts of the parameters of meta commands. Pure.
//!
//! There is one: DirectStorage's, which decompresses GDeflate. No header has its structures; names and types are what runtimes say in
//! `EnumerateMetaCommandParameters`.

use reprise_d3d12::model::Guid;
use reprise_d3d12::types::{D3D12_META_COMMAND_PARAMETER_STAGE as Stage, D3D12_META_COMMAND_PARAMETER_TYPE as Type};
use reprise_gpu::encoder::inflation::{Bytes, Inflation};

use crate::{Error, Result};

/// DirectStorage's decompression.
pub const DIRECT_STORAGE: Guid = Guid::from_u128(0x1bddd090_c47e_459c_8f81_42c9f97a5308);

/// What the command is called.
pub const NAME: &[u16] = &units::<14>("DirectStorage");

/// Streams of one execution, at most: descriptions have 16 bits for them.
pub const MOST_STREAMS: u64 = 0xffff;

/// Text as UTF-16 with a zero behind it. Only ASCII.
const fn units<const UNITS: usize>(text: &str) -> [u16; UNITS] {
    let bytes = text.as_bytes();
    assert!(bytes.len() + 1 == UNITS, "text and zero");
    let mut units = [0; UNITS];
    let mut at = 0;
    while at < bytes.len() {
        units[at] = bytes[at] as u16;
        at += 1;
    }
    units
}

/// A parameter: 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// UTF-16 with a zero behind it.
    pub name: &'static [u16],
    /// A number or an address.
    pub kind: Type,
    /// The command writes what is there.
    pub written: bool,
}

macro_rules! parameters {
    ($($name:literal $kind:ident $written:literal;)*) => {
        &[$(Parameter {
            name: &units::<{ $name.len() + 1 }>($name),
            kind: Type::$kind,
            written: $written,
        }),*]
    };
}

const CREATION: &[Parameter] = parameters! {
    "Version" UINT64 false;
    "Format" UINT64 false;
    "MaxStreams" UINT64 false;
    "Flags" UINT64 false;
};

const EXECUTION: &[Parameter] = parameters! {
    "InputBuffer" GPU_VIRTUAL_ADDRESS false;
    "InputBufferSize" UINT64 false;
    "OutputBuffer" GPU_VIRTUAL_ADDRESS true;
    "OutputBufferSize" UINT64 false;
    "ControlBuffer" GPU_VIRTUAL_ADDRESS false;
    "ControlBufferSize" UINT64 false;
    "ScratchBuffer" GPU_VIRTUAL_ADDRESS true;
    "ScratchBufferSize" UINT64 false;
    "StreamCount" UINT64 false;
    "StatusBuffer" GPU_VIRTUAL_ADDRESS true;
    "StatusBufferSize" UINT64 false;
};

/// The parameters of a stage; `None` for what is no stage.
pub fn parameters(stage: Stage) -> Option<&'static [Parameter]> {
    match stage {
        Stage::CREATION => Some(CREATION),
        Stage::INITIALIZATION => Some(&[]),
        Stage::EXECUTION => Some(EXECUTION),
        _ => None,
    }
}

/// The words of a stage's parameters. What lies behind them is not looked at.
fn words<const WORDS: usize>(bytes: &[u8]) -> Option<[u64; WORDS]> {
    let bytes = bytes.get(..8 * WORDS)?;
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    Some(core::array::from_fn(|_| words.next().unwrap_or(0)))
}

/// Why a meta command cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not all parameters are there.
    Short,
    /// Another algorithm.
    Other,
}

/// What creation parameters ask for: streams of an execution, at most.
///
/// # Errors
/// Parameters are missing, or ask for what is not here.
pub fn creation(bytes: &[u8]) -> core::result::Result<u64, Refusal> {
    let [version, format, streams, _flags] = words::<4>(bytes).ok_or(Refusal::Short)?;
    match (version, format) {
        (1, 1) if streams <= MOST_STREAMS => Ok(streams),
        _ => Err(Refusal::Other),
    }
}

/// What execution parameters ask for.
///
/// # Errors
/// Parameters are missing, or there are more streams than the command was made for.
pub fn execution(bytes: &[u8], most: u64) -> Result<Inflation> {
    let words = words::<11>(bytes).ok_or(Error::Invalid("ExecuteMetaCommand without all parameters of the command"))?;
    let [input, input_size, output, output_size, control, control_size, _, _, streams, status, status_size] = words;
    let streams = u32::try_from(streams).ok().filter(|streams| u64::from(*streams) <= most);
    let streams = streams.ok_or(Error::Invalid("ExecuteMetaCommand of more streams than the command was made for"))?;
    let bytes = |address: u64, size: u64| if address == 0 { Bytes::default() } else { Bytes { address, size } };
    Ok(Inflation {
        input: bytes(input, input_size),
        output: bytes(output, output_size),
        control: bytes(control, control_size),
        status: bytes(status, status_size),
        streams,
    })
}

/// `D3D12_FEATURE_QUERY_META_COMMAND`: 16 bytes come in (version, streams, nothing, format), and 24 go out (version, streams at most,
/// nothing, bytes of scratch memory, nothing). All zero where the question asks for what is not here.
pub fn query(asked: &[u8]) -> Option<[u8; 24]> {
    let [head, format] = words::<2>(asked)?;
    let (version, streams) = (head as u16, (head >> 16) as u16);
    let mut answer = [0; 24];
    if version == 1 && format == 1 {
        answer[..2].copy_from_slice(&version.to_le_bytes());
        answer[2..4].copy_from_slice(&streams.to_le_bytes());
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn names_end_with_zero() {
        let text = |units: &[u16]| {
            let (zero, text) = units.split_last().unwrap();
            assert_eq!(*zero, 0);
            String::from_utf16(text).unwrap()
        };
        assert_eq!(text(NAME), "DirectStorage");
        let names = |stage| parameters(stage).unwrap().iter().map(|one| text(one.name)).collect::<Vec<_>>();
        assert_eq!(names(Stage::CREATION), ["Version", "Format", "MaxStreams", "Flags"]);
        assert_eq!(names(Stage::EXECUTION)[8..], ["StreamCount", "StatusBuffer", "StatusBufferSize"]);
        assert!(names(Stage::INITIALIZATION).is_empty() && parameters(Stage(3)).is_none());
    }

    #[test]
    fn only_this_version_and_format_are_made() {
        assert_eq!(creation(&bytes(&[1, 1, 16, 0])), Ok(16));
        // A flag that nobody knows changes nothing; bytes behind are not looked at.
        assert_eq!(creation(&bytes(&[1, 1, 16, 8, 9])), Ok(16));
        assert_eq!(creation(&bytes(&[0, 1, 16, 0])), Err(Refusal::Other));
        assert_eq!(creation(&bytes(&[1, 0, 16, 0])), Err(Refusal::Other));
        assert_eq!(creation(&bytes(&[1, 1, 0x10000, 0])), Err(Refusal::Other));
        assert_eq!(creation(&bytes(&[1, 1, 16])), Err(Refusal::Short));
        assert_eq!(creation(&[]), Err(Refusal::Short));
    }

    #[test]
    fn executions_have_eleven_words() {
        let all = [0x1000, 1, 0x2000, 2, 0x3000, 3, 0x4000, 4, 5, 0, 6];
        let made = execution(&bytes(&all), 5).unwrap();
        assert_eq!(made.input, Bytes { address: 0x1000, size: 1 });
        assert_eq!(made.output, Bytes { address: 0x2000, size: 2 });
        assert_eq!(made.control, Bytes { address: 0x3000, size: 3 });
        // Nowhere is nothing, whatever the size says.
        assert_eq!(made.status, Bytes::default());
        assert_eq!(made.streams, 5);
        assert!(execution(&bytes(&all), 4).is_err());
        assert!(execution(&bytes(&all[..10]), 5).is_err());
        let many = [0, 0, 0, 0, 0, 0, 0, 0, 1 << 32, 0, 0];
        assert!(execution(&bytes(&many), u64::MAX).is_err());
    }

    #[test]
    fn questions_have_their_answer() {
        let answer = |words: &[u64]| query(&bytes(words)).unwrap();
        let halves =
            |answer: [u8; 24]| [u16::from_le_bytes([answer[0], answer[1]]), u16::from_le_bytes([answer[2], answer[3]])];
        assert_eq!(halves(answer(&[0x10_0001, 1])), [1, 16]);
        assert_eq!(answer(&[0x10_0001, 1])[4..], [0; 20], "no scratch memory");
        assert_eq!(answer(&[0x10_0002, 1]), [0; 24]);
        assert_eq!(answer(&[0x10_0001, 2]), [0; 24]);
        assert_eq!(query(&bytes(&[1])), None);
    }
}
