//! Shaders as text. They come from strangers, and what reads them is not made for that: each in a process of its own.

use crate::ours;
use crate::shader::dxc;
use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::{Context, bail};
use std::io::Write;
use std::process::{Command, Stdio};

/// How a shader is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    /// In the notation of LLVM: DXIL as it is, older code (DXBC) as our translator reads it
    Ours,
    /// DXIL as Microsoft's compiler writes it; needs libdxcompiler.so (REPRISE_DXCOMPILER: another path)
    Dxc,
    /// SPIR-V as our translator makes it, with each class and space of registers in a table of its own; needs spirv-dis
    Spirv,
}

impl Form {
    /// What files of this form end with.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Form::Ours => "ll",
            Form::Dxc => "dxc.ll",
            Form::Spirv => "spvasm",
        }
    }

    /// Its names in the index: of the file, and of why there is none.
    pub(crate) fn members(self) -> (&'static str, &'static str) {
        match self {
            Form::Ours => ("disassembled", "disassembly_error"),
            Form::Dxc => ("disassembled_dxc", "disassembly_error_dxc"),
            Form::Spirv => ("disassembled_spirv", "disassembly_error_spirv"),
        }
    }

    /// As the command line has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Form::Ours => "ours",
            Form::Dxc => "dxc",
            Form::Spirv => "spirv",
        }
    }

    /// Whether what it needs is on this machine.
    ///
    /// # Errors
    /// A usage failure that says what is missing, and where it comes from.
    pub(crate) fn check(self) -> Result<(), Failure> {
        match self {
            Form::Ours => Ok(()),
            Form::Dxc => dxc::check().or_exit(exit::USAGE),
            Form::Spirv => {
                let asked = Command::new("spirv-dis").arg("--version").stdout(Stdio::null()).status();
                let missing = "--disassemble=spirv: there is no program spirv-dis; install spirv-tools";
                asked.map(|_| ()).context(missing).or_exit(exit::USAGE)
            }
        }
    }

    /// The text of a shader, in this process. `entry`: of a library this one of its shaders alone.
    ///
    /// # Errors
    /// What whoever reads it says.
    pub(crate) fn read(self, shader: &[u8], entry: Option<&str>) -> anyhow::Result<Vec<u8>> {
        match self {
            Form::Ours | Form::Dxc if entry.is_some() => {
                bail!("--entry is for SPIR-V: other texts are of the whole library")
            }
            Form::Ours => Ok(ours::disassemble(shader)?.into_bytes()),
            Form::Dxc => dxc::disassemble(&dxc::library(), shader),
            Form::Spirv => {
                let all = ours::translated(shader, entry)?;
                all.iter().map(text).collect::<anyhow::Result<Vec<_>>>().map(|texts| texts.join(&b'\n'))
            }
        }
    }
}

/// A module in words; one of a library begins with the shader's name.
fn text(shader: &ours::Translated) -> anyhow::Result<Vec<u8>> {
    let bytes: Vec<u8> = shader.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut command = Command::new("spirv-dis");
    let text = through(command.args(["--no-color", "-"]), &bytes).context("spirv-dis")?;
    let name = shader.entry.as_ref().map_or_else(String::new, |entry| format!("; {entry}\n"));
    Ok([name.into_bytes(), text].concat())
}

/// The text of a shader, by `reprise disassemble`.
///
/// # Errors
/// What that says, or how it died.
pub(crate) fn of(shader: &[u8], form: Form) -> anyhow::Result<Vec<u8>> {
    let mut command = Command::new(std::env::current_exe()?);
    through(command.arg("disassemble").arg(form.name()), shader)
}

/// What a program makes of bytes.
fn through(command: &mut Command, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("no process can be started")?;
    // It reads all before it writes anything; one that is gone shows below.
    let written = child.stdin.take().map(|mut input| input.write_all(bytes));
    let finished = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&finished.stderr);
    match finished.status.code() {
        Some(0) if matches!(written, Some(Ok(()))) => Ok(finished.stdout),
        Some(_) => bail!("{}", said.trim().trim_start_matches("reprise: ")),
        None => bail!("what reads it died on it ({})", finished.status),
    }
}
