//! Pipeline states.

use crate::com::{Com, create};
use crate::failure::Failure;
use crate::root::RootSignature;
use crate::shader::Shader;
use crate::stage::Stage;
use reprise_d3d12::types::*;

/// A pipeline state.
pub(crate) struct Pipeline {
    pub(crate) com: Com,
}

impl Pipeline {
    /// A compute pipeline.
    pub(crate) fn compute(stage: &Stage, root: &RootSignature, shader: &Shader) -> Result<Self, Failure> {
        Self::of_bytes(stage, root, stage.shader(shader))
    }

    /// A compute pipeline of a shader from elsewhere.
    pub(crate) fn of_bytes(stage: &Stage, root: &RootSignature, shader: &[u8]) -> Result<Self, Failure> {
        let desc = D3D12_COMPUTE_PIPELINE_STATE_DESC {
            pRootSignature: root.com.as_ptr(),
            CS: D3D12_SHADER_BYTECODE { pShaderBytecode: shader.as_ptr().cast(), BytecodeLength: shader.len() as u64 },
            ..Default::default()
        };
        let com = create!(
            stage.device.com, "ID3D12Device", "CreateComputePipelineState", &raw const desc; "ID3D12PipelineState"
        )?;
        Ok(Self { com })
    }
}

/// A shader as descriptions hold it.
pub(crate) fn bytecode(bytes: &'static [u8]) -> D3D12_SHADER_BYTECODE {
    D3D12_SHADER_BYTECODE { pShaderBytecode: bytes.as_ptr().cast(), BytecodeLength: bytes.len() as u64 }
}
