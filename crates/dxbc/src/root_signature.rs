//! Root signatures as one model for all versions.
//!
//! Version 1.0 says nothing about descriptors and data: read as 1.1 it means that both may change at any time. Version 1.2
//! adds flags to static samplers. Numbers are those of the API (`D3D12_ROOT_PARAMETER_TYPE` and so on), kept as they are:
//! what a runtime refuses is said by [`RootSignature::check`], not by the parser.

mod check;
mod hlsl;
mod parse;
mod serialise;

pub use check::Fault;

/// `D3D_ROOT_SIGNATURE_VERSION`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u32)]
pub enum Version {
    /// Without flags on ranges and descriptors.
    V1_0 = 1,
    /// With them.
    V1_1 = 2,
    /// With flags on static samplers.
    V1_2 = 3,
}

impl Version {
    /// The version with this number.
    pub fn from_number(number: u32) -> Option<Version> {
        [Version::V1_0, Version::V1_1, Version::V1_2].into_iter().find(|version| *version as u32 == number)
    }
}

/// `D3D12_DESCRIPTOR_RANGE_FLAG_DESCRIPTORS_VOLATILE`.
pub const DESCRIPTORS_VOLATILE: u32 = 1;
/// `D3D12_DESCRIPTOR_RANGE_FLAG_DATA_VOLATILE`, and the same for root descriptors.
pub const DATA_VOLATILE: u32 = 2;
/// A range with this many descriptors has no end.
pub const UNBOUNDED: u32 = u32::MAX;
/// An offset with this value means: right behind the range before.
pub const APPEND: u32 = u32::MAX;

/// A root signature.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct RootSignature {
    /// `D3D12_ROOT_SIGNATURE_FLAGS`.
    pub flags: u32,
    /// In the order that gives them their indices.
    pub parameters: Vec<Parameter>,
    /// Samplers that need no descriptor.
    pub samplers: Vec<StaticSampler>,
}

/// A root parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Parameter {
    /// `D3D12_SHADER_VISIBILITY`.
    pub visibility: u32,
    /// What it holds.
    pub content: Content,
}

/// What a root parameter holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// A position in a descriptor heap: one dword.
    Table(Vec<Range>),
    /// Constants in place: a dword each.
    Constants(Constants),
    /// The address of a buffer: two dwords.
    Descriptor(Descriptor),
}

/// 32-bit constants in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Constants {
    /// Constant buffer register.
    pub register: u32,
    /// Register space.
    pub space: u32,
    /// Number of 32-bit values.
    pub count: u32,
}

/// What a descriptor describes; numbers of `D3D12_DESCRIPTOR_RANGE_TYPE`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u32)]
pub enum Kind {
    /// Shader resource view.
    Srv = 0,
    /// Unordered access view.
    Uav = 1,
    /// Constant buffer view.
    Cbv = 2,
    /// Sampler: in tables only.
    Sampler = 3,
}

impl Kind {
    /// The kind with this `D3D12_DESCRIPTOR_RANGE_TYPE`.
    pub fn from_range(number: u32) -> Option<Kind> {
        [Kind::Srv, Kind::Uav, Kind::Cbv, Kind::Sampler].into_iter().find(|kind| *kind as u32 == number)
    }

    /// The kind of a root descriptor with this `D3D12_ROOT_PARAMETER_TYPE`.
    pub fn from_parameter(number: u32) -> Option<Kind> {
        match number {
            2 => Some(Kind::Cbv),
            3 => Some(Kind::Srv),
            4 => Some(Kind::Uav),
            _ => None,
        }
    }

    /// `D3D12_ROOT_PARAMETER_TYPE` of a root descriptor of this kind.
    pub fn parameter(self) -> u32 {
        match self {
            Kind::Cbv => 2,
            Kind::Srv => 3,
            // A sampler cannot be one; the check says so.
            Kind::Uav | Kind::Sampler => 4,
        }
    }

    /// The flags that version 1.0 stands for.
    fn range_default(self) -> u32 {
        if self == Kind::Sampler { DESCRIPTORS_VOLATILE } else { DESCRIPTORS_VOLATILE | DATA_VOLATILE }
    }
}

/// A root descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Descriptor {
    /// What it describes.
    pub kind: Kind,
    /// Shader register.
    pub register: u32,
    /// Register space.
    pub space: u32,
    /// `D3D12_ROOT_DESCRIPTOR_FLAGS`.
    pub flags: u32,
}

/// A range of a descriptor table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// What its descriptors describe.
    pub kind: Kind,
    /// Number of descriptors, or [`UNBOUNDED`].
    pub count: u32,
    /// First shader register.
    pub register: u32,
    /// Register space.
    pub space: u32,
    /// `D3D12_DESCRIPTOR_RANGE_FLAGS`.
    pub flags: u32,
    /// Descriptors from the table's beginning, or [`APPEND`].
    pub offset: u32,
}

/// A static sampler; fields as in `D3D12_STATIC_SAMPLER_DESC1`, floats as their bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "named and explained by the API")]
pub struct StaticSampler {
    pub filter: u32,
    pub address_u: u32,
    pub address_v: u32,
    pub address_w: u32,
    pub mip_lod_bias: u32,
    pub max_anisotropy: u32,
    pub comparison: u32,
    pub border_color: u32,
    pub min_lod: u32,
    pub max_lod: u32,
    pub register: u32,
    pub space: u32,
    pub visibility: u32,
    /// `D3D12_SAMPLER_FLAGS`; since version 1.2.
    pub flags: u32,
}

impl RootSignature {
    /// What is left of it in a version: 1.0 forgets the flags of ranges and descriptors (reading it again gives what 1.0
    /// stands for), 1.0 and 1.1 those of static samplers.
    pub fn in_version(&self, version: Version) -> RootSignature {
        let mut copy = self.clone();
        if version < Version::V1_2 {
            copy.samplers.iter_mut().for_each(|sampler| sampler.flags = 0);
        }
        if version == Version::V1_0 {
            for parameter in &mut copy.parameters {
                match &mut parameter.content {
                    Content::Table(ranges) => {
                        ranges.iter_mut().for_each(|range| range.flags = range.kind.range_default())
                    }
                    Content::Descriptor(descriptor) => descriptor.flags = DATA_VOLATILE,
                    Content::Constants(_) => {}
                }
            }
        }
        copy
    }

    /// Dwords that the root arguments take; the API allows 64.
    pub fn cost(&self) -> u64 {
        let dwords = |parameter: &Parameter| match &parameter.content {
            Content::Table(_) => 1,
            Content::Constants(constants) => u64::from(constants.count),
            Content::Descriptor(_) => 2,
        };
        self.parameters.iter().map(dwords).sum()
    }
}

#[cfg(test)]
mod tests;
