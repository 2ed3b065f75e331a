//! SPIR-V of a shader.

/// A shader as SPIR-V.
pub(crate) struct Translated {
    /// Of a library: the shader's name in HLSL.
    pub(crate) entry: Option<String>,
    pub(crate) words: Vec<u32>,
}
