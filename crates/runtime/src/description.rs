//! Root signature descriptions: the API's structures with their pointers, to the model and back.
//!
//! Invariant: a [`Description`] never moves what its structures point to.

use reprise_d3d12::types::*;
use reprise_dxbc::root_signature::{
    Constants, Content, Descriptor, Kind, Parameter, Range, RootSignature, StaticSampler, Version,
};

use crate::{Error, Result};

/// What `D3D12_ROOT_PARAMETER_TYPE` calls a table.
const TABLE: u32 = D3D12_ROOT_PARAMETER_TYPE::TYPE_DESCRIPTOR_TABLE.0 as u32;
/// What it calls constants.
const CONSTANTS: u32 = D3D12_ROOT_PARAMETER_TYPE::TYPE_32BIT_CONSTANTS.0 as u32;

/// What a program describes.
///
/// # Errors
/// When a version, a kind or a missing array makes it impossible to say what is meant.
///
/// # Safety
/// The description's pointers lead to as many elements as it says.
pub unsafe fn read(desc: &D3D12_VERSIONED_ROOT_SIGNATURE_DESC) -> Result<(RootSignature, Version)> {
    let version = Version::from_number(desc.Version.0 as u32).ok_or(Error::Invalid("root signature version"))?;
    // SAFETY: the version names the member; the members begin alike.
    let signature = unsafe {
        match version {
            Version::V1_0 => read_1_0(&desc.Anonymous.Desc_1_0)?,
            Version::V1_1 => {
                let desc = &desc.Anonymous.Desc_1_1;
                let parameters = read_parameters_1(desc.pParameters, desc.NumParameters)?;
                let samplers = array(desc.pStaticSamplers, desc.NumStaticSamplers)?.iter().map(sampler).collect();
                RootSignature { flags: desc.Flags.0, parameters, samplers }
            }
            Version::V1_2 => {
                let desc = &desc.Anonymous.Desc_1_2;
                let parameters = read_parameters_1(desc.pParameters, desc.NumParameters)?;
                let samplers = array(desc.pStaticSamplers, desc.NumStaticSamplers)?.iter().map(sampler1).collect();
                RootSignature { flags: desc.Flags.0, parameters, samplers }
            }
        }
    };
    Ok((signature, version))
}

/// What a program describes in version 1.0.
///
/// # Errors
/// As [`read`].
///
/// # Safety
/// As [`read`].
pub unsafe fn read_1_0(desc: &D3D12_ROOT_SIGNATURE_DESC) -> Result<RootSignature> {
    // SAFETY: the caller promises: the description's pointers lead to as many elements as it says.
    unsafe {
        let parameters = read_parameters_0(desc.pParameters, desc.NumParameters)?;
        let samplers = array(desc.pStaticSamplers, desc.NumStaticSamplers)?.iter().map(sampler).collect();
        // Puts in the flags that version 1.0 stands for.
        Ok(RootSignature { flags: desc.Flags.0, parameters, samplers }.in_version(Version::V1_0))
    }
}

/// Parameters of a version, in both directions. Version 1.0 differs in that ranges and descriptors have no flags.
macro_rules! parameters {
    (
        $read:ident, $write:ident, $parameter:ident, $table:ident, $range:ident, $descriptor:ident
        $(, $range_flags:ident, $descriptor_flags:ident)?
    ) => {
        /// # Safety
        /// The parameters' pointers lead to as many elements as they say.
        unsafe fn $read(parameters: *const $parameter, count: u32) -> Result<Vec<Parameter>> {
            let range = |range: &$range| {
                Ok(Range {
                    kind: range_kind(range.RangeType)?,
                    count: range.NumDescriptors,
                    register: range.BaseShaderRegister,
                    space: range.RegisterSpace,
                    flags: 0 $(| { let $range_flags(flags) = range.Flags; flags })?,
                    offset: range.OffsetInDescriptorsFromTableStart,
                })
            };
            let parameter = |parameter: &$parameter| {
                // SAFETY: the caller promises: the parameters' pointers lead to as many elements as they say; the
                // parameter's type names the union's member.
                let content = unsafe {
                    match parameter.ParameterType.0 as u32 {
                        TABLE => {
                            let table = &parameter.Anonymous.DescriptorTable;
                            let ranges = array(table.pDescriptorRanges, table.NumDescriptorRanges)?.iter().map(range);
                            Content::Table(ranges.collect::<Result<_>>()?)
                        }
                        CONSTANTS => constants(&parameter.Anonymous.Constants),
                        number => {
                            let descriptor = &parameter.Anonymous.Descriptor;
                            Content::Descriptor(Descriptor {
                                kind: parameter_kind(number)?,
                                register: descriptor.ShaderRegister,
                                space: descriptor.RegisterSpace,
                                flags: 0 $(| { let $descriptor_flags(flags) = descriptor.Flags; flags })?,
                            })
                        }
                    }
                };
                Ok(Parameter { visibility: parameter.ShaderVisibility.0 as u32, content })
            };
            // SAFETY: the caller promises: the parameters' pointers lead to as many elements as they say.
            unsafe { array(parameters, count)? }.iter().map(parameter).collect()
        }

        fn $write(parameter: &Parameter, held: &mut Vec<Box<[$range]>>) -> $parameter {
            let mut desc = $parameter {
                ShaderVisibility: D3D12_SHADER_VISIBILITY(parameter.visibility as i32),
                ..Default::default()
            };
            let range = |range: &Range| $range {
                RangeType: D3D12_DESCRIPTOR_RANGE_TYPE(range.kind as i32),
                NumDescriptors: range.count,
                BaseShaderRegister: range.register,
                RegisterSpace: range.space,
                $(Flags: $range_flags(range.flags),)?
                OffsetInDescriptorsFromTableStart: range.offset,
            };
            let kind = match &parameter.content {
                Content::Table(ranges) => {
                    let ranges: Box<[$range]> = ranges.iter().map(range).collect();
                    desc.Anonymous.DescriptorTable =
                        $table { NumDescriptorRanges: ranges.len() as u32, pDescriptorRanges: first(&ranges) };
                    held.push(ranges);
                    TABLE
                }
                Content::Constants(constants) => {
                    desc.Anonymous.Constants = constants_desc(constants);
                    CONSTANTS
                }
                Content::Descriptor(descriptor) => {
                    desc.Anonymous.Descriptor = $descriptor {
                        ShaderRegister: descriptor.register,
                        RegisterSpace: descriptor.space,
                        $(Flags: $descriptor_flags(descriptor.flags),)?
                    };
                    descriptor.kind.parameter()
                }
            };
            desc.ParameterType = D3D12_ROOT_PARAMETER_TYPE(kind as i32);
            desc
        }
    };
}

parameters!(
    read_parameters_0,
    parameter_0,
    D3D12_ROOT_PARAMETER,
    D3D12_ROOT_DESCRIPTOR_TABLE,
    D3D12_DESCRIPTOR_RANGE,
    D3D12_ROOT_DESCRIPTOR
);
parameters!(
    read_parameters_1,
    parameter_1,
    D3D12_ROOT_PARAMETER1,
    D3D12_ROOT_DESCRIPTOR_TABLE1,
    D3D12_DESCRIPTOR_RANGE1,
    D3D12_ROOT_DESCRIPTOR1,
    D3D12_DESCRIPTOR_RANGE_FLAGS,
    D3D12_ROOT_DESCRIPTOR_FLAGS
);

/// # Safety
/// `first` is null or leads to `count` elements.
pub(crate) unsafe fn array<'a, T>(first: *const T, count: u32) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(Error::Invalid("an array of a root signature is missing"));
    }
    // SAFETY: the caller promises: `first` is null or leads to `count` elements.
    Ok(unsafe { core::slice::from_raw_parts(first, count as usize) })
}

fn range_kind(kind: D3D12_DESCRIPTOR_RANGE_TYPE) -> Result<Kind> {
    Kind::from_range(kind.0 as u32).ok_or(Error::Invalid("descriptor range type"))
}

fn parameter_kind(number: u32) -> Result<Kind> {
    Kind::from_parameter(number).ok_or(Error::Invalid("root parameter type"))
}

fn constants(constants: &D3D12_ROOT_CONSTANTS) -> Content {
    Content::Constants(Constants {
        register: constants.ShaderRegister,
        space: constants.RegisterSpace,
        count: constants.Num32BitValues,
    })
}

fn sampler(desc: &D3D12_STATIC_SAMPLER_DESC) -> StaticSampler {
    StaticSampler {
        filter: desc.Filter.0 as u32,
        address_u: desc.AddressU.0 as u32,
        address_v: desc.AddressV.0 as u32,
        address_w: desc.AddressW.0 as u32,
        mip_lod_bias: desc.MipLODBias.to_bits(),
        max_anisotropy: desc.MaxAnisotropy,
        comparison: desc.ComparisonFunc.0 as u32,
        border_color: desc.BorderColor.0 as u32,
        min_lod: desc.MinLOD.to_bits(),
        max_lod: desc.MaxLOD.to_bits(),
        register: desc.ShaderRegister,
        space: desc.RegisterSpace,
        visibility: desc.ShaderVisibility.0 as u32,
        flags: 0,
    }
}

fn sampler1(desc: &D3D12_STATIC_SAMPLER_DESC1) -> StaticSampler {
    // SAFETY: the newer structure is the older one with flags behind it, in C layout.
    let base = unsafe { &*core::ptr::from_ref(desc).cast::<D3D12_STATIC_SAMPLER_DESC>() };
    StaticSampler { flags: desc.Flags.0, ..sampler(base) }
}

fn sampler_desc(sampler: &StaticSampler) -> D3D12_STATIC_SAMPLER_DESC1 {
    D3D12_STATIC_SAMPLER_DESC1 {
        Filter: D3D12_FILTER(sampler.filter as i32),
        AddressU: D3D12_TEXTURE_ADDRESS_MODE(sampler.address_u as i32),
        AddressV: D3D12_TEXTURE_ADDRESS_MODE(sampler.address_v as i32),
        AddressW: D3D12_TEXTURE_ADDRESS_MODE(sampler.address_w as i32),
        MipLODBias: f32::from_bits(sampler.mip_lod_bias),
        MaxAnisotropy: sampler.max_anisotropy,
        ComparisonFunc: D3D12_COMPARISON_FUNC(sampler.comparison as i32),
        BorderColor: D3D12_STATIC_BORDER_COLOR(sampler.border_color as i32),
        MinLOD: f32::from_bits(sampler.min_lod),
        MaxLOD: f32::from_bits(sampler.max_lod),
        ShaderRegister: sampler.register,
        RegisterSpace: sampler.space,
        ShaderVisibility: D3D12_SHADER_VISIBILITY(sampler.visibility as i32),
        Flags: D3D12_SAMPLER_FLAGS(sampler.flags),
    }
}

fn sampler_desc_0(sampler: &StaticSampler) -> D3D12_STATIC_SAMPLER_DESC {
    let desc = sampler_desc(sampler);
    // SAFETY: the newer structure begins with the older one, in C layout; both are plain data.
    unsafe { *core::ptr::from_ref(&desc).cast() }
}

/// A description in one version, and the arrays it points to.
pub struct Description {
    desc: Box<D3D12_VERSIONED_ROOT_SIGNATURE_DESC>,
    /// Held for the pointers into them.
    _arrays: Arrays,
}

#[derive(Default)]
struct Arrays {
    ranges: Vec<Box<[D3D12_DESCRIPTOR_RANGE]>>,
    ranges1: Vec<Box<[D3D12_DESCRIPTOR_RANGE1]>>,
    parameters: Box<[D3D12_ROOT_PARAMETER]>,
    parameters1: Box<[D3D12_ROOT_PARAMETER1]>,
    samplers: Box<[D3D12_STATIC_SAMPLER_DESC]>,
    samplers1: Box<[D3D12_STATIC_SAMPLER_DESC1]>,
}

// SAFETY: the pointers lead into the arrays beside them, which never change.
unsafe impl Send for Description {}
// SAFETY: the pointers lead into the arrays beside them, which never change.
unsafe impl Sync for Description {}

impl core::fmt::Debug for Description {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Description({})", self.desc.Version.0)
    }
}

impl Description {
    /// The structures that say this in a version; what the version cannot say is left out.
    pub fn new(signature: &RootSignature, version: Version) -> Description {
        let mut arrays = Arrays::default();
        let flags = D3D12_ROOT_SIGNATURE_FLAGS(signature.flags);
        let mut desc = Box::new(D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
            Version: D3D_ROOT_SIGNATURE_VERSION(version as i32),
            ..Default::default()
        });
        if version == Version::V1_0 {
            arrays.parameters = signature.parameters.iter().map(|one| parameter_0(one, &mut arrays.ranges)).collect();
        } else {
            arrays.parameters1 = signature.parameters.iter().map(|one| parameter_1(one, &mut arrays.ranges1)).collect();
        }
        if version == Version::V1_2 {
            arrays.samplers1 = signature.samplers.iter().map(sampler_desc).collect();
        } else {
            arrays.samplers = signature.samplers.iter().map(sampler_desc_0).collect();
        }
        match version {
            Version::V1_0 => {
                desc.Anonymous.Desc_1_0 = D3D12_ROOT_SIGNATURE_DESC {
                    NumParameters: arrays.parameters.len() as u32,
                    pParameters: first(&arrays.parameters),
                    NumStaticSamplers: arrays.samplers.len() as u32,
                    pStaticSamplers: first(&arrays.samplers),
                    Flags: flags,
                }
            }
            Version::V1_1 => {
                desc.Anonymous.Desc_1_1 = D3D12_ROOT_SIGNATURE_DESC1 {
                    NumParameters: arrays.parameters1.len() as u32,
                    pParameters: first(&arrays.parameters1),
                    NumStaticSamplers: arrays.samplers.len() as u32,
                    pStaticSamplers: first(&arrays.samplers),
                    Flags: flags,
                }
            }
            Version::V1_2 => {
                desc.Anonymous.Desc_1_2 = D3D12_ROOT_SIGNATURE_DESC2 {
                    NumParameters: arrays.parameters1.len() as u32,
                    pParameters: first(&arrays.parameters1),
                    NumStaticSamplers: arrays.samplers1.len() as u32,
                    pStaticSamplers: first(&arrays.samplers1),
                    Flags: flags,
                }
            }
        }
        Description { desc, _arrays: arrays }
    }

    /// The structure; valid while the description lives.
    pub fn get(&self) -> &D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
        &self.desc
    }
}

/// As programs expect it: null for none.
fn first<T>(array: &[T]) -> *const T {
    if array.is_empty() { core::ptr::null() } else { array.as_ptr() }
}

fn constants_desc(constants: &Constants) -> D3D12_ROOT_CONSTANTS {
    D3D12_ROOT_CONSTANTS {
        ShaderRegister: constants.register,
        RegisterSpace: constants.space,
        Num32BitValues: constants.count,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod against;
#[cfg(test)]
mod tests;
