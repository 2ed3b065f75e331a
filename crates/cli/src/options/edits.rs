//! Which edits, as the command line says them.

use crate::shader::compiled;
use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::output::plural;
use crate::trace::open;
use anyhow::Context;
use reprise_edit::{Edits, Error, Plan, Source};
use reprise_trace::read::Trace;
use reprise_trace::trace_writer::FileOutput;
use reprise_view::damage::Met;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Edits of a trace.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Said {
    /// A file of edits, one a line; files that it names are looked for beside it. May be given several times
    #[arg(long = "edit", visible_alias = "edits", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// An edit, as a line of such a file. May be given several times; these come behind those of files
    #[arg(short = 'e', long = "edit-line", value_name = "EDIT")]
    lines: Vec<String>,
}

impl Said {
    /// Whether there is any.
    pub(crate) fn is_there(&self) -> bool {
        !self.files.is_empty() || !self.lines.is_empty()
    }

    /// Has the source be the edited trace, if there are edits: a file that goes with what is given back.
    ///
    /// # Errors
    /// The trace cannot be read, an edit is none or cannot be done, or the file cannot be written.
    pub(crate) fn apply(&self, source: &mut open::Source) -> Result<Option<TempDir>, Failure> {
        if !self.is_there() {
            return Ok(None);
        }
        let edits = self.edits()?;
        let trace = source.open()?;
        Met::of(&trace).sound(&source.trace)?;
        let plan = plan(&trace, &source.trace, &edits)?;
        let folder = tempfile::tempdir().context("no temporary folder for the edited trace").or_exit(exit::FAILED)?;
        let name = source.trace.with_extension("edited.reprise");
        let file = folder.path().join(name.file_name().unwrap_or("edited.reprise".as_ref()));
        let cannot = || format!("cannot write {}", file.display());
        let output = FileOutput::create(&file).with_context(cannot).or_exit(exit::FAILED)?;
        reprise_edit::write(&trace, &plan, output).map_err(|error| failure(&source.trace, error))?;
        Met::of(&trace).sound(&source.trace)?;
        (source.trace, source.rings) = (file, None);
        Ok(Some(folder))
    }

    /// The edits, files first.
    ///
    /// # Errors
    /// A usage failure when a file cannot be read, or a line is no edit.
    pub(crate) fn edits(&self) -> Result<Edits, Failure> {
        let mut edits = Edits::default();
        for file in &self.files {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).context(name.clone()).or_exit(exit::USAGE)?;
            let folder = file.parent().unwrap_or(Path::new(""));
            let mut beside = |name: &Path| read(&folder.join(name));
            let read = Edits::parse(&text, &name, &mut beside).or_exit(exit::USAGE)?;
            edits = edits.and(read.within(folder));
        }
        for (number, line) in (1..).zip(&self.lines) {
            let name = if self.lines.len() == 1 { "-e".to_owned() } else { format!("-e number {number}") };
            edits = edits.and(Edits::parse(line, &name, &mut read).or_exit(exit::USAGE)?);
        }
        Ok(edits)
    }
}

/// Says of an edited trace that what its capture recorded is of the trace before: results of calls, frames, and what was read back. A trace
/// that cannot be opened is told of by whoever needs it.
pub(crate) fn tell(source: &open::Source) {
    let Ok(trace) = source.open() else { return };
    let Some(edited) = trace.meta().get("edited") else { return };
    let edits = edited["edits"].as_array().map_or(0, Vec::len) as u64;
    reprise_log::warning(format_args!(
        "{}: edited ({}). Its frames, results and bytes that were read back are those of the capture, before that: differences are expected",
        source.trace.display(),
        plural(edits, "edit"),
    ));
}

fn read(name: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(name).map_err(|error| format!("{} cannot be read: {error}", name.display()))
}

/// Checks edits against a trace.
///
/// # Errors
/// The trace cannot be read, or an edit cannot be done.
pub(crate) fn plan(trace: &Trace, path: &Path, edits: &Edits) -> Result<Plan, Failure> {
    let mut files = |name: &Path, source: Option<Source<'_>>| match source {
        Some(source) => compiled::compile(name, source).map_err(|error| format!("{error:#}")),
        None => read(name),
    };
    reprise_edit::plan(trace, edits, &mut files).map_err(|error| failure(path, error))
}

/// A failure to edit, with its exit code.
pub(crate) fn failure(path: &Path, error: Error) -> Failure {
    match error {
        Error::Trace(what) => Failure::message(exit::TRACE, format!("{}: {what}", path.display())),
        error => Failure::message(exit::FAILED, error),
    }
}
