//! Command signatures: what the arguments of indirect commands are made of.

use crate::buffer::Buffer;
use crate::com::{Com, Null, Word, call, create};
use crate::device::Device;
use crate::failure::Failure;
use crate::list::List;
use crate::root::RootSignature;
use reprise_d3d12::types::*;

/// A command signature.
pub(crate) struct CommandSignature {
    pub(crate) com: Com,
    /// Bytes from one set of arguments to the next.
    pub(crate) stride: u32,
}

impl CommandSignature {
    /// Makes a signature; `root` where arguments change root parameters.
    pub(crate) fn new(
        device: &Device,
        root: Option<&RootSignature>,
        arguments: &[D3D12_INDIRECT_ARGUMENT_DESC],
        stride: u32,
    ) -> Result<Self, Failure> {
        let desc = D3D12_COMMAND_SIGNATURE_DESC {
            ByteStride: stride,
            NumArgumentDescs: arguments.len() as u32,
            pArgumentDescs: arguments.as_ptr(),
            NodeMask: 0,
        };
        let root = root.map(|root| &root.com);
        let com = create!(
            device.com, "ID3D12Device", "CreateCommandSignature", &raw const desc, root; "ID3D12CommandSignature"
        )?;
        Ok(Self { com, stride })
    }
}

/// An argument that says nothing more than its kind.
pub(crate) fn argument(kind: D3D12_INDIRECT_ARGUMENT_TYPE) -> D3D12_INDIRECT_ARGUMENT_DESC {
    D3D12_INDIRECT_ARGUMENT_DESC { Type: kind, ..Default::default() }
}

/// The view of a vertex buffer.
pub(crate) fn vertex_buffer(slot: u32) -> D3D12_INDIRECT_ARGUMENT_DESC {
    let mut desc = argument(D3D12_INDIRECT_ARGUMENT_TYPE::VERTEX_BUFFER_VIEW);
    desc.Anonymous.VertexBuffer = D3D12_INDIRECT_ARGUMENT_DESC_1_0 { Slot: slot };
    desc
}

/// `count` root constants from the first on.
pub(crate) fn constants(parameter: u32, count: u32) -> D3D12_INDIRECT_ARGUMENT_DESC {
    let mut desc = argument(D3D12_INDIRECT_ARGUMENT_TYPE::CONSTANT);
    desc.Anonymous.Constant = D3D12_INDIRECT_ARGUMENT_DESC_1_1 {
        RootParameterIndex: parameter,
        DestOffsetIn32BitValues: 0,
        Num32BitValuesToSet: count,
    };
    desc
}

/// A root constant that is the command's number.
pub(crate) fn number(parameter: u32, at: u32) -> D3D12_INDIRECT_ARGUMENT_DESC {
    let mut desc = argument(D3D12_INDIRECT_ARGUMENT_TYPE::INCREMENTING_CONSTANT);
    desc.Anonymous.IncrementingConstant =
        D3D12_INDIRECT_ARGUMENT_DESC_1_5 { RootParameterIndex: parameter, DestOffsetIn32BitValues: at };
    desc
}

/// The address of a root constant buffer.
pub(crate) fn cbv(parameter: u32) -> D3D12_INDIRECT_ARGUMENT_DESC {
    let mut desc = argument(D3D12_INDIRECT_ARGUMENT_TYPE::CONSTANT_BUFFER_VIEW);
    desc.Anonymous.ConstantBufferView = D3D12_INDIRECT_ARGUMENT_DESC_1_2 { RootParameterIndex: parameter };
    desc
}

/// The address of a root buffer to read.
pub(crate) fn srv(parameter: u32) -> D3D12_INDIRECT_ARGUMENT_DESC {
    let mut desc = argument(D3D12_INDIRECT_ARGUMENT_TYPE::SHADER_RESOURCE_VIEW);
    desc.Anonymous.ShaderResourceView = D3D12_INDIRECT_ARGUMENT_DESC_1_3 { RootParameterIndex: parameter };
    desc
}

/// The address of a root buffer to write.
pub(crate) fn uav(parameter: u32) -> D3D12_INDIRECT_ARGUMENT_DESC {
    let mut desc = argument(D3D12_INDIRECT_ARGUMENT_TYPE::UNORDERED_ACCESS_VIEW);
    desc.Anonymous.UnorderedAccessView = D3D12_INDIRECT_ARGUMENT_DESC_1_4 { RootParameterIndex: parameter };
    desc
}

impl List {
    /// Runs at most `most` commands, whose arguments begin `offset` bytes into a buffer; `count` is where their number is.
    pub(crate) fn execute_indirect(
        &mut self,
        signature: &CommandSignature,
        most: u32,
        (arguments, offset): (&Buffer, u64),
        count: Option<(&Buffer, u64)>,
    ) {
        let (buffer, at) = count.map_or((Word::from(Null), 0), |(buffer, at)| (Word::from(&buffer.com), at));
        call!(
            self.com,
            "ID3D12GraphicsCommandList",
            "ExecuteIndirect",
            &signature.com,
            most,
            &arguments.com,
            offset,
            buffer,
            at
        );
    }
}
