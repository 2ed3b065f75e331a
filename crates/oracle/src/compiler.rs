//! Compilers of HLSL, behind a command of the user's.

use crate::form::Form;
use crate::hlsl::hlsl;
use crate::program::Program;
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command that is run as `COMMAND batch LIST`. Each line of the list is `fxc|dxc SOURCE ENTRY PROFILE OUTPUT`, and behind the
/// profile `:od` asks for no optimisation and `:16` for types of 16 bits. Of what does not compile, it leaves the messages in
/// `OUTPUT.failed`.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The command.
    pub command: PathBuf,
}

/// A program in a form, and where it lies compiled or will lie.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// What is compiled.
    pub program: &'a Program,
    /// How.
    pub form: Form,
    /// The file.
    pub blob: PathBuf,
}

impl Task<'_> {
    /// Removes what a compiler left.
    pub fn discard(&self) {
        // Either is there.
        let _ = std::fs::remove_file(&self.blob);
        let _ = std::fs::remove_file(failed(&self.blob));
    }
}

impl Compiler {
    /// Compiles all of them, in one process unless it ends early. `folder` is for the texts.
    ///
    /// # Errors
    /// When the command cannot be run. A program that does not compile has no file then.
    pub fn compile(&self, folder: &Path, tasks: &[Task<'_>]) -> Result<()> {
        let mut lines = Vec::new();
        for (number, task) in tasks.iter().enumerate() {
            let text = folder.join(format!("{number}.hlsl"));
            std::fs::write(&text, hlsl(task.program))?;
            let (compiler, profile) = (task.form.compiler, task.form.profile(task.program));
            lines.push(format!("{compiler} {} main {profile} {}", text.display(), task.blob.display()));
        }
        let (list, mut from) = (folder.join("compile.list"), 0);
        while from < lines.len() {
            std::fs::write(&list, lines[from..].join("\n") + "\n")?;
            let status = Command::new(&self.command)
                .arg("batch")
                .arg(&list)
                .status()
                .with_context(|| format!("cannot run {}", self.command.display()))?;
            let done =
                tasks[from..].iter().take_while(|task| task.blob.exists() || failed(&task.blob).exists()).count();
            ensure!(status.success() || done > 0, "{} batch: {status}", self.command.display());
            from += done;
            if let Some(task) = tasks.get(from) {
                // It ended the compiler.
                std::fs::write(failed(&task.blob), format!("the compiler ended: {status}"))?;
                from += 1;
            }
        }
        Ok(())
    }
}

/// Where the messages are about what does not compile.
pub(crate) fn failed(blob: &Path) -> PathBuf {
    let mut name = blob.as_os_str().to_owned();
    let _ = name.write_str(".failed");
    name.into()
}
