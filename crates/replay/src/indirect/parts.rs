//! Objects of replay's own on one device: programs, command signatures, buffers.

use reprise_d3d12::description::buffer;
use reprise_d3d12::types::{
    D3D12_COMMAND_SIGNATURE_DESC, D3D12_COMPUTE_PIPELINE_STATE_DESC, D3D12_HEAP_TYPE,
    D3D12_INDIRECT_ARGUMENT_DESC as Argument, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES, D3D12_SHADER_BYTECODE,
};
use reprise_d3d12::{interface, method};

use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::replay_objects::{address, committed, create};

/// A piece of scratch memory.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) buffer: u64,
    pub(super) offset: u64,
    pub(super) address: u64,
    /// An earlier command of the list reads the same buffer.
    pub(super) again: bool,
}

/// Translated arguments of a command: the copy's buffer and offset, and how many commands lie there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Prepared {
    pub(crate) buffer: u64,
    pub(crate) offset: u64,
    pub(crate) commands: u32,
}

/// A root signature and a compute pipeline of replay's own.
pub(crate) struct Program {
    pub(crate) root: u64,
    pub(crate) pipeline: u64,
}

impl Program {
    /// Of a compiled shader that holds its root signature.
    pub(crate) fn new(runtime: &Runtime, device: u64, shader: &[u8]) -> Result<Self, String> {
        let class = interface("ID3D12RootSignature");
        let root = create(runtime, device, "a root signature", class, |iid, out| {
            let words = vec![0, shader.as_ptr() as u64, shader.len() as u64, iid, out];
            (method("ID3D12Device", "CreateRootSignature"), words)
        })?;
        let desc = D3D12_COMPUTE_PIPELINE_STATE_DESC {
            pRootSignature: root.pointer() as *mut _,
            CS: D3D12_SHADER_BYTECODE { pShaderBytecode: shader.as_ptr().cast(), BytecodeLength: shader.len() as u64 },
            ..Default::default()
        };
        let class = interface("ID3D12PipelineState");
        let pipeline = create(runtime, device, "a compute pipeline", class, |iid, out| {
            let words = vec![core::ptr::from_ref(&desc) as u64, iid, out];
            (method("ID3D12Device", "CreateComputePipelineState"), words)
        })?;
        Ok(Self { root: root.into_pointer(), pipeline: pipeline.into_pointer() })
    }

    pub(crate) fn release(self, runtime: &Runtime) {
        [self.pipeline, self.root].into_iter().for_each(|pointer| runtime.release(pointer));
    }
}

/// A program that makes commands, and their signature.
pub(super) struct Maker {
    pub(super) program: Program,
    pub(super) signature: u64,
}

impl Maker {
    /// `of` is the program that the commands dispatch.
    pub(super) fn new(
        runtime: &Runtime,
        device: u64,
        shader: &[u8],
        of: &Program,
        (arguments, words): (&[Argument], u32),
    ) -> Result<Self, String> {
        let desc = D3D12_COMMAND_SIGNATURE_DESC {
            ByteStride: 4 * words,
            NumArgumentDescs: arguments.len() as u32,
            pArgumentDescs: arguments.as_ptr(),
            ..Default::default()
        };
        let class = interface("ID3D12CommandSignature");
        let signature = create(runtime, device, "a command signature", class, |iid, out| {
            let words = vec![core::ptr::from_ref(&desc) as u64, of.root, iid, out];
            (method("ID3D12Device", "CreateCommandSignature"), words)
        })?;
        let program = Program::new(runtime, device, shader)?;
        Ok(Self { program, signature: signature.into_pointer() })
    }

    pub(super) fn release(self, runtime: &Runtime) {
        runtime.release(self.signature);
        self.program.release(runtime);
    }
}

/// Programs that follow addresses, of one device. They are made when they are first needed.
#[derive(Default)]
pub(super) struct Followers {
    pub(super) dispatches: Option<Maker>,
    pub(super) pointers: Option<Maker>,
    /// How many tables of indirect dispatches had no room, and how many have been copied: a buffer of two words, and its address.
    pub(super) totals: Option<(u64, u64)>,
}

impl Followers {
    /// The buffer with the totals of indirect dispatches, where there were any.
    pub(super) fn totals(&self) -> Option<u64> {
        self.totals.map(|(buffer, _)| buffer)
    }

    pub(super) fn release(self, runtime: &Runtime) {
        [self.dispatches, self.pointers].into_iter().flatten().for_each(|maker| maker.release(runtime));
        self.totals.into_iter().for_each(|(buffer, _)| runtime.release(buffer));
    }
}

/// A buffer that shaders can write, and its address.
pub(super) fn writable(runtime: &Runtime, device: u64, bytes: u64) -> Result<(u64, u64), String> {
    let desc = buffer(bytes, D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
    let made = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &desc, D3D12_RESOURCE_STATES::COMMON)?;
    let address = address(runtime, made.pointer());
    Ok((made.into_pointer(), address))
}
