//! Rules stated by name in the overlay, where each is explained: one arm per name.

use crate::frame::read_word;
use crate::objects::Objects;
use crate::shape::{Kind, Link, element, through};
use crate::wire::Reason;
use reprise_d3d12::model::Type;

/// Most bytes of a record that a callee reads. The API's records have 32 KiB at most.
const RECORD_BYTES: u64 = 64 << 10;

/// The names that have an arm here.
pub(crate) const NAMES: &[&str] = &[
    "OneInBuffer",
    "SamplePositions",
    "NodeRecords",
    "NodeInputs",
    "ExperimentalConfiguration",
    "QueryData",
    "VkNext",
];

pub(crate) fn kind(name: &str, link: &Link<'_>) -> Kind {
    let plain = Kind::Elements(element(link.pointee.ty));
    match name {
        "ExperimentalConfiguration" if link.frame.named("pConfigurationStructSizes") == Some(0) => Kind::Skip,
        "ExperimentalConfiguration" | "NodeRecords" => Kind::Elements(Type::U8),
        // All results are made of 64-bit numbers, but for two of the rare video statistics.
        "QueryData" => Kind::Elements(Type::U64),
        "VkNext" => Kind::Tagged,
        _ => plain,
    }
}

/// Bytes from element to element in memory, where that is not an element's size.
pub(crate) fn step(name: &str, link: &Link<'_>) -> Option<u64> {
    if name == "NodeInputs" { link.frame.named("NodeInputStrideInBytes") } else { None }
}

/// # Safety
/// As for [`Codec::count`](crate::Codec).
pub(crate) unsafe fn count(name: &str, link: &Link<'_>, objects: &dyn Objects) -> Result<u64, Reason> {
    let frame = link.frame;
    let sibling = |name: &str| frame.named(name).ok_or(Reason::NoRule);
    match name {
        "OneInBuffer" => {
            // SAFETY: the frame is over native memory; the API reads the buffer's size through the next parameter.
            let room = unsafe { buffer(link) }?;
            Ok(u64::from(room >= u64::from(link.pointee.ty.size(frame.structs))))
        }
        "SamplePositions" => sibling("NumSamplesPerPixel")?.checked_mul(sibling("NumPixels")?).ok_or(Reason::TooLarge),
        "NodeRecords" => {
            let (records, stride) = (sibling("NumRecords")?, sibling("RecordStrideInBytes")?);
            // What lies between the end of the last record and the next stride is not the program's.
            let last = match objects.record_bytes(sibling("EntrypointIndex")? as u32) {
                Some(bytes) => bytes,
                None if stride == 0 && records != 0 => return Err(Reason::SizeUnknown),
                None => stride,
            };
            if records == 0 || last == 0 {
                return Ok(0);
            }
            let before = (records - 1).checked_mul(stride).ok_or(Reason::TooLarge)?;
            before.checked_add(last).ok_or(Reason::TooLarge)
        }
        "NodeInputs" => sibling("NumNodeInputs"),
        "ExperimentalConfiguration" => {
            let (sizes, features) = (sibling("pConfigurationStructSizes")?, sibling("NumFeatures")?);
            if sizes == 0 {
                return Err(Reason::NoCount);
            }
            // SAFETY: the API demands one 32-bit size per feature.
            Ok((0..features).map(|i| unsafe { read_word((sizes as *const u8).wrapping_add(i as usize * 4), 4) }).sum())
        }
        "QueryData" => {
            let words = match sibling("Type")? {
                // D3D12_QUERY_TYPE: occlusion, binary occlusion, timestamp.
                0..=2 => 1,
                // D3D12_QUERY_DATA_PIPELINE_STATISTICS.
                3 => 11,
                // D3D12_QUERY_DATA_SO_STATISTICS, one number per stream.
                4..=7 => 2,
                // D3D12_QUERY_DATA_VIDEO_DECODE_STATISTICS.
                8 => 4,
                // D3D12_QUERY_DATA_PIPELINE_STATISTICS1.
                10 => 14,
                _ => return Err(Reason::NoRule),
            };
            Ok(sibling("NumQueries")? * words)
        }
        "VkNext" => Ok(1),
        _ => Err(Reason::NoRule),
    }
}

/// Bytes that the storage behind a rebuilt input of `bytes` must have: the callee alone knows how many it reads.
///
/// # Errors
/// The callee reads bytes that are not among those.
pub(crate) fn room(name: &str, link: &Link<'_>, bytes: u64) -> Result<u64, &'static str> {
    let number = |name: &str| link.frame.named(name).unwrap_or(0);
    match name {
        "NodeRecords" => match (number("NumRecords"), number("RecordStrideInBytes")) {
            (0, _) => Ok(0),
            // Captures from before 24 November 2026 took records times stride for the size.
            (_, 0) if bytes == 0 => {
                Err("one record stands for all (RecordStrideInBytes is 0), and its bytes are not in the trace")
            }
            (records, stride) => Ok((records - 1).saturating_mul(stride).saturating_add(RECORD_BYTES)),
        },
        _ => Ok(0),
    }
}

/// Bytes that the storage behind an output must have, where that is more than its elements: what their pointers name lies
/// behind them in the same buffer.
///
/// # Safety
/// As for [`Codec::count`](crate::Codec).
pub(crate) unsafe fn storage(name: &str, link: &Link<'_>) -> u64 {
    match name {
        // SAFETY: the frame is over native memory; the API reads the buffer's size through the next parameter.
        "OneInBuffer" => unsafe { buffer(link) }.unwrap_or(0),
        _ => 0,
    }
}

/// The size of a buffer, that the next parameter points to.
unsafe fn buffer(link: &Link<'_>) -> Result<u64, Reason> {
    let own = link.frame.fields.iter().position(|f| std::ptr::eq(f, link.field)).ok_or(Reason::NoRule)?;
    // SAFETY: the API reads the buffer's size through the next parameter, a valid pointer or null.
    unsafe { through(link.frame, own + 1) }
}
