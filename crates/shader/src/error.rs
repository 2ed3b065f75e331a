//! Why a shader was not translated, in words for people.

use dxil_spirv_sys as sys;

use crate::interface::Class;
use reprise_dxbc::Stage;

/// Why a shader was not translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranslateError {
    /// The container is malformed; says what and where.
    #[error("the shader's container is malformed: {0}")]
    Container(String),
    /// The container's checksum is not that of its bytes.
    #[error("the shader's checksum is wrong: it was damaged, or made by something that does not sign DXBC")]
    Checksum,
    /// The container is well-formed, but holds no shader.
    #[error("the container has none of the parts DXIL, SHEX and SHDR")]
    NoShader,
    /// The shader is for another stage.
    #[error("the shader is of stage {found} (DXIL's numbers), the pipeline needs {wanted:?}")]
    Stage {
        /// The stage that the pipeline has it for.
        wanted: Stage,
        /// The stage in the container.
        found: u32,
    },
    /// The root signature says nothing about a register that the shader uses.
    #[error("the shader uses {letter}{register} in space {space}, which the root signature does not have", letter = class.letter())]
    Unbound {
        /// What kind of register.
        class: Class,
        /// Its space; `u32::MAX` with the register: the heap itself.
        space: u32,
        /// Its number.
        register: u32,
    },
    /// The translator cannot do it.
    #[error("the shader translator failed at {step} (code {code}): {log}")]
    Rejected {
        /// What it was asked to do.
        step: &'static str,
        /// Its error code.
        code: i32,
        /// What it said, shortened.
        log: String,
    },
    /// Code of ours panicked while it answered the translator.
    #[error("a callback of the shader translator panicked: a fault of this program")]
    Panicked,
    /// The process that translates died or did not answer.
    #[error("the process that translates shaders {0}")]
    Worker(String),
}

/// The error that a step of the translator ended with.
pub(crate) fn check(step: &'static str, code: i32) -> Result<(), TranslateError> {
    if code == sys::dxil_spv_result_DXIL_SPV_SUCCESS {
        return Ok(());
    }
    Err(TranslateError::Rejected { step, code, log: String::new() })
}
