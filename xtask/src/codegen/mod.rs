//! The generator of the API model.

/// Runs `cargo xtask codegen` with the arguments after the task's name.
pub(crate) fn run(_arguments: &[String]) -> anyhow::Result<()> {
    anyhow::bail!("the generator is not part of this version")
}
