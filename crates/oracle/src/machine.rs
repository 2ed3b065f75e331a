//! Compiled programs run on a runtime.

use crate::compiler::{Task, failed};
use crate::layout;
use anyhow::{Context, Result, ensure};
use reprise_testing::{artifact, program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A runtime, and the program that runs shaders on it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// `reprise-programs`.
    pub programs: PathBuf,
    /// A Direct3D 12 library.
    pub library: PathBuf,
    /// A program that runs it with these arguments, and with its command line behind them; empty: nothing does.
    pub under: Vec<OsString>,
}

/// What came of a program in a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The compiler does not take it.
    NotCompiled(String),
    /// The runtime does not.
    NotRun(String),
    /// The words of its output.
    Words(Vec<u32>),
}

/// For all shaders of one process.
const PATIENCE: Duration = Duration::from_secs(900);

impl Machine {
    /// Runs what is compiled, in one process unless it ends early. `folder` is for inputs and outputs.
    ///
    /// # Errors
    /// When files cannot be written, or the program cannot be run.
    pub fn run(&self, folder: &Path, tasks: &[Task<'_>]) -> Result<Vec<Outcome>> {
        let mut outcomes = vec![Outcome::NotRun(String::new()); tasks.len()];
        let mut waiting = Vec::new();
        for (number, task) in tasks.iter().enumerate() {
            if !task.blob.exists() {
                let said = std::fs::read(failed(&task.blob)).unwrap_or_default();
                outcomes[number] = Outcome::NotCompiled(String::from_utf8_lossy(&said).into_owned());
                continue;
            }
            let (constants, input) = layout::inputs(task.program);
            let words: Vec<u8> = constants.iter().chain(&input).flat_map(|word| word.to_le_bytes()).collect();
            let (input, output) = (folder.join(format!("{number}.in")), folder.join(format!("{number}.out")));
            std::fs::write(&input, words)?;
            let line = format!(
                "{} {} {} {} {} {}",
                task.blob.display(),
                input.display(),
                output.display(),
                constants.len(),
                layout::output_words(task.program),
                task.program.groups
            );
            waiting.push((number, output, line));
        }
        let mut waiting = waiting.as_slice();
        while !waiting.is_empty() {
            let said = self.run_list(folder, waiting.iter().map(|(.., line)| line.as_str()))?;
            let mut lines = said.lines();
            for (number, output, _) in waiting {
                waiting = &waiting[1..];
                outcomes[*number] = match lines.next().and_then(|line| line.split_once(": ")) {
                    Some((_, "ok")) => Outcome::Words(words(output)?),
                    Some((_, reason)) => Outcome::NotRun(reason.to_owned()),
                    None => {
                        outcomes[*number] = Outcome::NotRun("the process ended".to_owned());
                        break;
                    }
                };
            }
        }
        Ok(outcomes)
    }

    /// What the program says of each line.
    fn run_list<'a>(&self, folder: &Path, lines: impl Iterator<Item = &'a str>) -> Result<String> {
        let list = folder.join("run.list");
        std::fs::write(&list, lines.map(|line| format!("{line}\n")).collect::<String>())?;
        let mut line = self.under.iter().map(OsString::as_os_str).chain([self.programs.as_os_str()]);
        let mut command = Command::new(line.next().unwrap_or_default());
        command.args(line);
        let (few, views) = artifact::FEW_VIEWS;
        command.arg("--dispatched").arg(&list).arg("--library").arg(&self.library).current_dir(folder);
        // What another process compiled is no proof of this one.
        command.env(few, views).env("MESA_SHADER_CACHE_DISABLE", "true");
        // Lavapipe compiles a shader three times as fast where it does not optimise it, and each runs once.
        command.env("GALLIVM_PERF", "nopt").env("LP_NATIVE_VECTOR_WIDTH", "128");
        let finished = program::run_quietly(&mut command, PATIENCE)?;
        let begun = finished.status.code() != Some(2);
        ensure!(begun, "{}: {}", self.programs.display(), finished.errors());
        Ok(finished.text())
    }
}

fn words(output: &Path) -> Result<Vec<u32>> {
    let bytes = std::fs::read(output).with_context(|| format!("cannot read {}", output.display()))?;
    Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}
