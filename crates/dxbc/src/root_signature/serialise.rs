//! The `RTS0` part, out.

use super::{Content, RootSignature, StaticSampler, Version};
use crate::container::{self, Tag};

/// Bytes of the header.
const HEADER: usize = 24;

impl RootSignature {
    /// A container with this root signature in a version; what the version cannot say is left out.
    pub fn to_container(&self, version: Version) -> Vec<u8> {
        container::build(&[(Tag::RTS0, &self.serialise(version))])
    }

    /// The contents of an `RTS0` part: header, parameters, their contents in order, static samplers.
    pub fn serialise(&self, version: Version) -> Vec<u8> {
        let contents_at = HEADER + self.parameters.len() * 12;
        let mut parameters = Vec::new();
        let mut contents = Vec::new();
        for parameter in &self.parameters {
            let at = (contents_at + contents.len() * 4) as u32;
            let kind = match &parameter.content {
                Content::Table(ranges) => {
                    contents.extend([ranges.len() as u32, at + 8]);
                    for range in ranges {
                        contents.extend([range.kind as u32, range.count, range.register, range.space]);
                        if version > Version::V1_0 {
                            contents.push(range.flags);
                        }
                        contents.push(range.offset);
                    }
                    0
                }
                Content::Constants(constants) => {
                    contents.extend([constants.register, constants.space, constants.count]);
                    1
                }
                Content::Descriptor(descriptor) => {
                    contents.extend([descriptor.register, descriptor.space]);
                    if version > Version::V1_0 {
                        contents.push(descriptor.flags);
                    }
                    descriptor.kind.parameter()
                }
            };
            parameters.extend([kind, parameter.visibility, at]);
        }
        let samplers_at = contents_at + contents.len() * 4;
        let (parameter_count, sampler_count) = (self.parameters.len() as u32, self.samplers.len() as u32);
        let header = [version as u32, parameter_count, HEADER as u32, sampler_count, samplers_at as u32, self.flags];
        let samplers = self.samplers.iter().flat_map(|sampler| words(sampler, version));
        header.into_iter().chain(parameters).chain(contents).chain(samplers).flat_map(u32::to_le_bytes).collect()
    }
}

fn words(s: &StaticSampler, version: Version) -> impl Iterator<Item = u32> {
    let all = [
        s.filter,
        s.address_u,
        s.address_v,
        s.address_w,
        s.mip_lod_bias,
        s.max_anisotropy,
        s.comparison,
        s.border_color,
        s.min_lod,
        s.max_lod,
        s.register,
        s.space,
        s.visibility,
        s.flags,
    ];
    all.into_iter().take(if version < Version::V1_2 { 13 } else { 14 })
}
