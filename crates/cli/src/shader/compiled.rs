//! HLSL that edits name, compiled where there is a compiler.

use std::path::Path;

/// # Errors
/// Always so far: no compiler is called.
pub(crate) fn compile(name: &Path, stage: &str) -> Result<Vec<u8>, String> {
    Err(format!(
        "{} is HLSL, which is not compiled here: compile it for stage {stage} (dxc -T …_6_0 -Fo FILE), and name the DXIL or DXBC",
        name.display()
    ))
}
