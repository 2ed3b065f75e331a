//! The traces that are looked at: given ones, those of our test programs, and those of generated shaders.

use super::options::Options;
use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use reprise_oracle::{Compiler, Form, Machine, Outcome, Program, Task, corpus, generate};
use reprise_testing::{artifact, program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Generated shaders in a trace: each replay of it makes all of their pipelines.
const BATCH: usize = 4;
/// A program that does not end by then hangs.
const PATIENCE: Duration = Duration::from_secs(300);
const FORMS: [&str; 2] = ["dxbc", "dxil"];

/// A trace, or what one is made of.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Trace(PathBuf),
    Program {
        name: String,
        form: &'static str,
    },
    /// Generated shaders by their numbers in a list.
    Generated(Vec<(Program, Form, PathBuf)>),
}

impl Source {
    /// By what a file that keeps its runs knows it: a trace that was captured anew has another size.
    pub(super) fn key(&self) -> String {
        let bytes = match self {
            Source::Trace(trace) => std::fs::metadata(trace).ok().map(|file| file.len()),
            Source::Program { .. } | Source::Generated(_) => None,
        };
        bytes.map_or_else(|| self.title(), |bytes| format!("{}, {bytes} bytes", self.title()))
    }

    /// Its name for people.
    pub(super) fn title(&self) -> String {
        match self {
            Source::Trace(trace) => title(trace),
            Source::Program { name, form } => format!("{name}.{form}"),
            Source::Generated(shaders) => {
                let name = |shader: Option<&(Program, Form, PathBuf)>| {
                    shader.map_or_else(String::new, |(program, form, _)| format!("{}.{form}", program.seed))
                };
                format!("seeds {} to {}", name(shaders.first()), name(shaders.last()))
            }
        }
    }
}

/// What was built, and a folder for what is made.
pub(super) struct Workshop {
    pub(super) folder: PathBuf,
    scratch: tempfile::TempDir,
}

impl Workshop {
    pub(super) fn new(options: &Options) -> Result<Self> {
        let folder = match &options.build {
            Some(folder) => std::path::absolute(folder)?,
            None => {
                let packages = ["reprise", "reprise-capture", "reprise-runtime-library", "reprise-programs"];
                cargo::build("debug", &packages)?
            }
        };
        Ok(Self { folder, scratch: tempfile::tempdir()? })
    }

    /// All that is asked for.
    pub(super) fn sources(&self, options: &Options) -> Result<Vec<Source>> {
        let mut all = Vec::new();
        for path in &options.traces {
            ensure!(path.exists(), "there is no {}", path.display());
            all.extend(traces(path)?.into_iter().filter(|trace| options.wants(&title(trace))).map(Source::Trace));
        }
        if options.programs {
            let mut command = Command::new(self.folder.join("reprise-programs"));
            let listed = program::run_quietly(command.arg("--list"), PATIENCE)?;
            ensure!(listed.status.success(), "reprise-programs --list: {}", listed.errors());
            let text = listed.text();
            let names = text.lines().filter_map(|line| line.split_whitespace().next());
            for name in names.filter(|name| options.wants(name)) {
                all.extend(FORMS.map(|form| Source::Program { name: name.to_owned(), form }));
            }
        }
        if options.generated {
            let folder = artifact::workspace().join(corpus::FOLDER);
            let programs = corpus::read(&folder)?;
            all.extend(batches(corpus::tasks(&folder, &programs)));
        }
        if let Some(compiler) = &options.compiler {
            let end = options.seed + options.shaders as u64;
            let programs: Vec<Program> = (options.seed..end).map(generate).collect();
            let folder = self.scratch.path().join("generated");
            std::fs::create_dir_all(&folder)?;
            let tasks = corpus::tasks(&folder, &programs);
            Compiler { command: compiler.clone() }.compile(&folder, &tasks)?;
            let made: Vec<Task<'_>> = tasks.into_iter().filter(|task| task.blob.exists()).collect();
            ensure!(!made.is_empty(), "the compiler takes none of the generated shaders");
            println!("debug: {} generated shaders are compiled", made.len());
            all.extend(batches(made));
        }
        Ok(all)
    }

    /// The trace of a source. `None`: the device lacks what the program needs.
    pub(super) fn trace(&self, number: usize, source: &Source) -> Result<Option<PathBuf>> {
        let trace = self.scratch.path().join(format!("{number}.reprise"));
        match source {
            Source::Trace(trace) => Ok(Some(trace.clone())),
            Source::Program { name, form } => {
                let mut command = Command::new(self.folder.join("reprise"));
                command.args(self.capture(&trace).into_iter().skip(1)).arg(self.folder.join("reprise-programs"));
                command.args([name, "--shaders", form, "--library"]).arg(self.library());
                let title = source.title();
                let finished = program::run_quietly(&mut command, PATIENCE)?;
                let has_trace = trace.metadata().is_ok_and(|file| file.len() != 0);
                match finished.status.code() {
                    Some(0) => Ok(Some(trace)),
                    Some(3) => Ok(None),
                    // What it drew before is there all the same.
                    _ if has_trace => {
                        println!("debug: {title} fails by itself: {}", finished.errors().trim_end());
                        Ok(Some(trace))
                    }
                    _ => bail!("{title} cannot be captured: {}", finished.errors().trim_end()),
                }
            }
            Source::Generated(shaders) => {
                let machine = Machine {
                    programs: self.folder.join("reprise-programs"),
                    library: self.library(),
                    under: self.capture(&trace),
                };
                let folder = tempfile::tempdir_in(&self.scratch)?;
                let tasks: Vec<Task<'_>> = shaders
                    .iter()
                    .map(|(program, form, blob)| Task { program, form: *form, blob: blob.clone() })
                    .collect();
                for (task, outcome) in tasks.iter().zip(machine.run(folder.path(), &tasks)?) {
                    if let Outcome::NotRun(why) = outcome {
                        println!("debug: {} is not run: {why}", task.blob.display());
                    }
                }
                Ok(Some(trace))
            }
        }
    }

    /// Removes a trace that was made here.
    pub(super) fn discard(&self, trace: &Path) {
        if trace.starts_with(self.scratch.path()) {
            // It is in a folder that goes, too.
            let _ = std::fs::remove_file(trace);
        }
    }

    fn library(&self) -> PathBuf {
        self.folder.join("libreprise_d3d12.so")
    }

    /// The command line that captures what follows it.
    fn capture(&self, trace: &Path) -> Vec<OsString> {
        let reprise = self.folder.join("reprise");
        let words: [&std::ffi::OsStr; 6] = [
            reprise.as_os_str(),
            "capture".as_ref(),
            "--force".as_ref(),
            "-o".as_ref(),
            trace.as_os_str(),
            "--".as_ref(),
        ];
        words.map(OsString::from).to_vec()
    }
}

/// Shaders of one batch in one trace.
fn batches(tasks: Vec<Task<'_>>) -> Vec<Source> {
    let own = |task: &Task<'_>| (task.program.clone(), task.form, task.blob.clone());
    tasks.chunks(BATCH).map(|batch| Source::Generated(batch.iter().map(own).collect())).collect()
}

/// The traces in a folder and in those below it, or the one that is given.
fn traces(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut all = Vec::new();
    for entry in std::fs::read_dir(path).with_context(|| path.display().to_string())? {
        let entry = entry?.path();
        if entry.is_dir() {
            all.extend(traces(&entry)?);
        } else if entry.extension() == Some("reprise".as_ref()) {
            all.push(entry);
        }
    }
    all.sort();
    Ok(all)
}

/// A trace's name with its folder's.
fn title(trace: &Path) -> String {
    let folder = trace.parent().and_then(Path::file_name).unwrap_or_default();
    Path::new(folder).join(trace.file_stem().unwrap_or_default()).display().to_string()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_looked_through() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("b")).unwrap();
        for name in ["a.reprise", "a.json", "b/c.reprise"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = traces(folder.path()).unwrap();
        assert_eq!(found, [folder.path().join("a.reprise"), folder.path().join("b/c.reprise")]);
        assert_eq!(title(&found[1]), "b/c");
        assert_eq!(traces(&found[1]).unwrap(), [found[1].clone()]);
    }
}
