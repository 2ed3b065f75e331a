//! The shader through which textures are looked at.

use crate::shader::compiled;
use reprise_edit::Source;
use std::path::PathBuf;

/// A pixel shader of the user's.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ShaderChoice {
    /// Show what this pixel shader makes of the texture: DXIL, DXBC, or HLSL, which dxc compiles. It has the texels as t0, and what they are in b0
    #[arg(long = "shader", value_name = "FILE")]
    pub(crate) shader: Option<PathBuf>,
    /// The function of HLSL
    #[arg(long, value_name = "NAME", default_value = "main", requires = "shader")]
    pub(crate) shader_entry: String,
}

impl ShaderChoice {
    /// The compiled shader.
    ///
    /// # Errors
    /// The file cannot be read, or the compiler refuses it.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, String> {
        let Some(file) = &self.shader else { return Ok(None) };
        let bytes =
            std::fs::read(file).map_err(|error| format!("--shader {}: cannot be read: {error}", file.display()))?;
        if bytes.starts_with(b"DXBC") {
            return Ok(Some(bytes));
        }
        let source = Source { stage: "PS", entry: &self.shader_entry };
        compiled::compile(file, source).map(Some).map_err(|error| format!("--shader {error:#}"))
    }
}
