//! The `RTS0` part, in.
//!
//! Header of six words: version, parameters and where they begin, static samplers and where they begin, flags. A parameter
//! is three words (type, visibility, offset of its contents). Offsets count from the part's beginning.

use super::{
    Constants, Content, DATA_VOLATILE, Descriptor, Kind, Parameter, Range, RootSignature, StaticSampler, Version,
};
use crate::container::{Container, Tag};
use crate::{Bytes, Malformed};

/// More than fit into any root signature: a parameter costs a dword or more of 64, but an empty table costs one too.
const MOST_PARAMETERS: u32 = 4096;
const MOST_RANGES: u32 = 1 << 20;
const MOST_SAMPLERS: u32 = 1 << 16;

impl RootSignature {
    /// Reads the root signature in a container, and its version.
    ///
    /// # Errors
    /// When the container or the part is malformed, or there is no such part.
    pub fn from_container(bytes: &[u8]) -> Result<(RootSignature, Version), Malformed> {
        let container = Container::parse(bytes)?;
        let part = container
            .part(Tag::RTS0)
            .ok_or_else(|| Malformed::new(0, "the container has no root signature (part RTS0)"))?;
        Self::parse(part.data).map_err(|error| Malformed::new(error.offset + part.offset, error.what))
    }

    /// Reads the contents of an `RTS0` part.
    ///
    /// # Errors
    /// When an offset, a count or a number of the API is impossible.
    pub fn parse(part: &[u8]) -> Result<(RootSignature, Version), Malformed> {
        let bytes = Bytes(part);
        let [version, parameter_count, parameters_at, sampler_count, samplers_at, flags] =
            bytes.words(0, "the root signature's header")?;
        let version = Version::from_number(version)
            .ok_or_else(|| Malformed::new(0, format!("root signature version {version} is not known")))?;
        bound(4, "parameters", parameter_count, MOST_PARAMETERS)?;
        bound(12, "static samplers", sampler_count, MOST_SAMPLERS)?;
        let mut budget = MOST_RANGES;
        let mut signature = RootSignature { flags, ..RootSignature::default() };
        for index in 0..parameter_count as usize {
            let at = place(parameters_at, index, 12);
            signature.parameters.push(parameter(bytes, at, version, &mut budget)?);
        }
        let size = if version < Version::V1_2 { 13 } else { 14 } * 4;
        for index in 0..sampler_count as usize {
            signature.samplers.push(sampler(bytes, place(samplers_at, index, size), version)?);
        }
        Ok((signature, version))
    }
}

fn bound(offset: usize, what: &str, count: u32, most: u32) -> Result<(), Malformed> {
    if count <= most { Ok(()) } else { Err(Malformed::new(offset, format!("{count} {what} are more than {most}"))) }
}

fn place(base: u32, index: usize, size: usize) -> usize {
    (base as usize).saturating_add(index.saturating_mul(size))
}

fn parameter(bytes: Bytes<'_>, at: usize, version: Version, budget: &mut u32) -> Result<Parameter, Malformed> {
    let [kind, visibility, contents] = bytes.words(at, "a root parameter")?;
    let contents = contents as usize;
    let content = match kind {
        0 => Content::Table(table(bytes, contents, version, budget)?),
        1 => {
            let [register, space, count] = bytes.words(contents, "root constants")?;
            Content::Constants(Constants { register, space, count })
        }
        _ => {
            let kind = Kind::from_parameter(kind)
                .ok_or_else(|| Malformed::new(at, format!("root parameter type {kind} is not known")))?;
            let [register, space] = bytes.words(contents, "a root descriptor")?;
            let flags = match version {
                Version::V1_0 => DATA_VOLATILE,
                _ => bytes.u32(contents.saturating_add(8), "a root descriptor's flags")?,
            };
            Content::Descriptor(Descriptor { kind, register, space, flags })
        }
    };
    Ok(Parameter { visibility, content })
}

fn table(bytes: Bytes<'_>, at: usize, version: Version, budget: &mut u32) -> Result<Vec<Range>, Malformed> {
    let [count, ranges_at] = bytes.words(at, "a descriptor table")?;
    // Tables may share their ranges, so that a small part could otherwise ask for endless ones.
    bound(at, "ranges in all tables", count, *budget)?;
    *budget -= count;
    let size = if version == Version::V1_0 { 20 } else { 24 };
    (0..count as usize).map(|index| range(bytes, place(ranges_at, index, size), version)).collect()
}

fn range(bytes: Bytes<'_>, at: usize, version: Version) -> Result<Range, Malformed> {
    let [number, count, register, space, fifth] = bytes.words(at, "a descriptor range")?;
    let kind = Kind::from_range(number)
        .ok_or_else(|| Malformed::new(at, format!("descriptor range type {number} is not known")))?;
    let (flags, offset) = match version {
        Version::V1_0 => (kind.range_default(), fifth),
        _ => (fifth, bytes.u32(at.saturating_add(20), "a descriptor range's offset")?),
    };
    Ok(Range { kind, count, register, space, flags, offset })
}

fn sampler(bytes: Bytes<'_>, at: usize, version: Version) -> Result<StaticSampler, Malformed> {
    let w: [u32; 13] = bytes.words(at, "a static sampler")?;
    let flags = match version {
        Version::V1_2 => bytes.u32(at.saturating_add(52), "a static sampler's flags")?,
        _ => 0,
    };
    Ok(StaticSampler {
        filter: w[0],
        address_u: w[1],
        address_v: w[2],
        address_w: w[3],
        mip_lod_bias: w[4],
        max_anisotropy: w[5],
        comparison: w[6],
        border_color: w[7],
        min_lod: w[8],
        max_lod: w[9],
        register: w[10],
        space: w[11],
        visibility: w[12],
        flags,
    })
}
