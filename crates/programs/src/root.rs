//! Root signatures, stated as data and serialised by the library itself.

use crate::com::{Com, Word, call, create, succeeded};
use crate::device::Device;
use crate::failure::Failure;
use core::ffi::c_void;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::types::*;
use reprise_d3d12::{function, interface};

/// One root parameter. Registers are of space 0 unless a range says otherwise; all stages see it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameter<'a> {
    /// `count` values of 32 bits at `b[register]`.
    Constants { register: u32, count: u32 },
    /// A constant buffer by address.
    Cbv(u32),
    /// A raw or structured buffer to read, by address.
    Srv(u32),
    /// A raw or structured buffer to write, by address.
    Uav(u32),
    /// Ranges of descriptors that follow each other.
    Table(&'a [Range]),
}

/// A range of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) kind: D3D12_DESCRIPTOR_RANGE_TYPE,
    pub(crate) register: u32,
    pub(crate) space: u32,
    /// [`Range::UNBOUNDED`]: up to the end of the heap.
    pub(crate) count: u32,
}

impl Range {
    pub(crate) const UNBOUNDED: u32 = u32::MAX;

    /// Resources to read from `t[register]` on.
    pub(crate) const fn srv(register: u32, count: u32) -> Self {
        Self { kind: D3D12_DESCRIPTOR_RANGE_TYPE::SRV, register, space: 0, count }
    }

    /// Resources to write from `u[register]` on.
    pub(crate) const fn uav(register: u32, count: u32) -> Self {
        Self { kind: D3D12_DESCRIPTOR_RANGE_TYPE::UAV, register, space: 0, count }
    }

    /// Constant buffers from `b[register]` on.
    pub(crate) const fn cbv(register: u32, count: u32) -> Self {
        Self { kind: D3D12_DESCRIPTOR_RANGE_TYPE::CBV, register, space: 0, count }
    }

    /// Samplers from `s[register]` on.
    pub(crate) const fn sampler(register: u32, count: u32) -> Self {
        Self { kind: D3D12_DESCRIPTOR_RANGE_TYPE::SAMPLER, register, space: 0, count }
    }

    /// The same in another register space.
    pub(crate) const fn in_space(self, space: u32) -> Self {
        Self { space, ..self }
    }
}

/// What a pipeline is given, in which form.
pub(crate) struct RootSignature {
    pub(crate) com: Com,
}

impl RootSignature {
    /// For compute.
    pub(crate) fn compute(device: &Device, parameters: &[Parameter<'_>]) -> Result<Self, Failure> {
        Self::new(device, parameters, &[], D3D12_ROOT_SIGNATURE_FLAGS::NONE)
    }

    /// For graphics with vertex buffers.
    pub(crate) fn graphics(
        device: &Device,
        parameters: &[Parameter<'_>],
        samplers: &[D3D12_STATIC_SAMPLER_DESC],
    ) -> Result<Self, Failure> {
        Self::new(device, parameters, samplers, D3D12_ROOT_SIGNATURE_FLAGS::ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT)
    }

    /// Serialises version 1.0 through the library, and makes the object from the bytes.
    pub(crate) fn new(
        device: &Device,
        parameters: &[Parameter<'_>],
        samplers: &[D3D12_STATIC_SAMPLER_DESC],
        flags: D3D12_ROOT_SIGNATURE_FLAGS,
    ) -> Result<Self, Failure> {
        let ranges: Vec<Vec<D3D12_DESCRIPTOR_RANGE>> = parameters.iter().map(Parameter::ranges).collect();
        let described: Vec<D3D12_ROOT_PARAMETER> =
            parameters.iter().zip(&ranges).map(|(parameter, ranges)| parameter.describe(ranges)).collect();
        let desc = D3D12_ROOT_SIGNATURE_DESC {
            NumParameters: described.len() as u32,
            pParameters: described.as_ptr(),
            NumStaticSamplers: samplers.len() as u32,
            pStaticSamplers: samplers.as_ptr(),
            Flags: flags,
        };
        Self::of_blob(device, &serialize(device, &desc)?)
    }

    /// The same of version 1.2, whose samplers have flags.
    pub(crate) fn versioned(
        device: &Device,
        parameters: &[Parameter<'_>],
        samplers: &[D3D12_STATIC_SAMPLER_DESC1],
        flags: D3D12_ROOT_SIGNATURE_FLAGS,
    ) -> Result<Self, Failure> {
        let ranges: Vec<Vec<D3D12_DESCRIPTOR_RANGE1>> =
            parameters.iter().map(|parameter| parameter.ranges().iter().map(newer_range).collect()).collect();
        let described: Vec<D3D12_ROOT_PARAMETER1> =
            parameters.iter().zip(&ranges).map(|(parameter, ranges)| parameter.describe_newer(ranges)).collect();
        let mut desc = D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
            Version: D3D_ROOT_SIGNATURE_VERSION::VERSION_1_2,
            ..Default::default()
        };
        desc.Anonymous.Desc_1_2 = D3D12_ROOT_SIGNATURE_DESC2 {
            NumParameters: described.len() as u32,
            pParameters: described.as_ptr(),
            NumStaticSamplers: samplers.len() as u32,
            pStaticSamplers: samplers.as_ptr(),
            Flags: flags,
        };
        Self::of_blob(device, &serialize_versioned(device, &desc)?)
    }

    fn of_blob(device: &Device, blob: &Com) -> Result<Self, Failure> {
        let bytes = call!(blob, "ID3DBlob", "GetBufferPointer") as *const u8;
        let size = call!(blob, "ID3DBlob", "GetBufferSize");
        let com = create!(
            device.com, "ID3D12Device", "CreateRootSignature", 0u32, bytes, size; "ID3D12RootSignature"
        )?;
        Ok(Self { com })
    }
}

impl Parameter<'_> {
    fn ranges(&self) -> Vec<D3D12_DESCRIPTOR_RANGE> {
        let Self::Table(ranges) = self else { return Vec::new() };
        let describe = |range: &Range| D3D12_DESCRIPTOR_RANGE {
            RangeType: range.kind,
            NumDescriptors: range.count,
            BaseShaderRegister: range.register,
            RegisterSpace: range.space,
            // Right behind the range before.
            OffsetInDescriptorsFromTableStart: u32::MAX,
        };
        ranges.iter().map(describe).collect()
    }

    /// The description; it points to `ranges`, which are this parameter's.
    fn describe(&self, ranges: &[D3D12_DESCRIPTOR_RANGE]) -> D3D12_ROOT_PARAMETER {
        let mut parameter = D3D12_ROOT_PARAMETER::default();
        let descriptor = |register| D3D12_ROOT_DESCRIPTOR { ShaderRegister: register, RegisterSpace: 0 };
        parameter.ParameterType = match *self {
            Self::Constants { register, count } => {
                let constants =
                    D3D12_ROOT_CONSTANTS { ShaderRegister: register, RegisterSpace: 0, Num32BitValues: count };
                parameter.Anonymous.Constants = constants;
                D3D12_ROOT_PARAMETER_TYPE::TYPE_32BIT_CONSTANTS
            }
            Self::Cbv(register) => {
                parameter.Anonymous.Descriptor = descriptor(register);
                D3D12_ROOT_PARAMETER_TYPE::TYPE_CBV
            }
            Self::Srv(register) => {
                parameter.Anonymous.Descriptor = descriptor(register);
                D3D12_ROOT_PARAMETER_TYPE::TYPE_SRV
            }
            Self::Uav(register) => {
                parameter.Anonymous.Descriptor = descriptor(register);
                D3D12_ROOT_PARAMETER_TYPE::TYPE_UAV
            }
            Self::Table(_) => {
                parameter.Anonymous.DescriptorTable = D3D12_ROOT_DESCRIPTOR_TABLE {
                    NumDescriptorRanges: ranges.len() as u32,
                    pDescriptorRanges: ranges.as_ptr(),
                };
                D3D12_ROOT_PARAMETER_TYPE::TYPE_DESCRIPTOR_TABLE
            }
        };
        parameter
    }

    /// The same of version 1.1 and later.
    fn describe_newer(&self, ranges: &[D3D12_DESCRIPTOR_RANGE1]) -> D3D12_ROOT_PARAMETER1 {
        let mut parameter =
            D3D12_ROOT_PARAMETER1 { ParameterType: self.describe(&[]).ParameterType, ..Default::default() };
        match *self {
            Self::Constants { register, count } => {
                parameter.Anonymous.Constants =
                    D3D12_ROOT_CONSTANTS { ShaderRegister: register, RegisterSpace: 0, Num32BitValues: count };
            }
            Self::Cbv(register) | Self::Srv(register) | Self::Uav(register) => {
                parameter.Anonymous.Descriptor =
                    D3D12_ROOT_DESCRIPTOR1 { ShaderRegister: register, ..Default::default() };
            }
            Self::Table(_) => {
                parameter.Anonymous.DescriptorTable = D3D12_ROOT_DESCRIPTOR_TABLE1 {
                    NumDescriptorRanges: ranges.len() as u32,
                    pDescriptorRanges: ranges.as_ptr(),
                };
            }
        }
        parameter
    }
}

/// A range of version 1.1 and later, whose descriptors stay while lists use them.
fn newer_range(range: &D3D12_DESCRIPTOR_RANGE) -> D3D12_DESCRIPTOR_RANGE1 {
    D3D12_DESCRIPTOR_RANGE1 {
        RangeType: range.RangeType,
        NumDescriptors: range.NumDescriptors,
        BaseShaderRegister: range.BaseShaderRegister,
        RegisterSpace: range.RegisterSpace,
        Flags: D3D12_DESCRIPTOR_RANGE_FLAGS::NONE,
        OffsetInDescriptorsFromTableStart: range.OffsetInDescriptorsFromTableStart,
    }
}

/// The signature as the library writes it.
fn serialize(device: &Device, desc: &D3D12_ROOT_SIGNATURE_DESC) -> Result<Com, Failure> {
    let version = D3D_ROOT_SIGNATURE_VERSION::VERSION_1_0.0.into();
    write(device, function("D3D12SerializeRootSignature"), &[(&raw const *desc).into(), version])
}

/// The same of a description that says its version.
fn serialize_versioned(device: &Device, desc: &D3D12_VERSIONED_ROOT_SIGNATURE_DESC) -> Result<Com, Failure> {
    write(device, function("D3D12SerializeVersionedRootSignature"), &[(&raw const *desc).into()])
}

/// Calls a function that takes a description, which leads to live arrays, and gives a blob or an error.
fn write(device: &Device, serialize: MethodId, description: &[Word]) -> Result<Com, Failure> {
    const BLOB: InterfaceId = interface("ID3DBlob");
    let runtime = device.com.runtime();
    let (mut blob, mut error): (*mut c_void, *mut c_void) = (core::ptr::null_mut(), core::ptr::null_mut());
    let words = [description, &[(&raw mut blob).into(), (&raw mut error).into()]].concat();
    // SAFETY: the description leads to live arrays; the outputs are places of ours.
    let result = unsafe { runtime.call(serialize, &words) }?;
    // SAFETY: the call fills both with null or an object that is ours to release.
    let (blob, _error) = unsafe { (Com::new(runtime, BLOB, blob), Com::new(runtime, BLOB, error)) };
    succeeded(serialize, result)?;
    blob.ok_or_else(|| Failure::Wrong(format!("{} succeeds and gives nothing", serialize.get().name)))
}
