//! What the command line of the task asks for.

use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;

const USAGE: &str = "debug [--trace FILE|FOLDER]... [--programs] [--generated] [--compiler PROGRAM [--seed N] [--shaders N]] \
                     [--only TEXT] [--calls N] [--jobs N] [--timeout SECONDS] [--limit SECONDS] [--control] [--json FILE] [--resume FILE] [--build FOLDER]";

/// Which shaders are run, and how.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// Traces, and folders of them.
    pub(super) traces: Vec<PathBuf>,
    /// Our test programs, in both forms.
    pub(super) programs: bool,
    /// The generated shaders that are kept compiled.
    pub(super) generated: bool,
    /// A compiler, for generated shaders of other seeds.
    pub(super) compiler: Option<PathBuf>,
    pub(super) seed: u64,
    pub(super) shaders: usize,
    /// Traces and programs with this in their names.
    pub(super) only: Option<String>,
    /// Calls of each shader of a trace.
    pub(super) calls: usize,
    pub(super) jobs: usize,
    /// Of one run of a shader, in seconds.
    pub(super) timeout: u64,
    /// Of all runs, in seconds: no shader begins afterwards, and the table is of those before.
    pub(super) limit: Option<u64>,
    /// What is equal runs once more, with other inputs.
    pub(super) control: bool,
    pub(super) json: Option<PathBuf>,
    /// Keeps what sources came to: those that it has are counted, and do not run again.
    pub(super) resume: Option<PathBuf>,
    /// Where `reprise` and `reprise-programs` are.
    pub(super) build: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments after the task's name.
    pub(super) fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            traces: Vec::new(),
            programs: false,
            generated: false,
            compiler: None,
            seed: 1,
            shaders: 100,
            only: None,
            calls: 1,
            jobs: 1,
            timeout: 120,
            limit: None,
            control: false,
            json: None,
            resume: None,
            build: None,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{argument} needs a value: {USAGE}"));
            let number = |text: &String| text.parse().with_context(|| format!("{argument} takes a number"));
            match argument.as_str() {
                "--trace" => options.traces.push(value()?.into()),
                "--programs" => options.programs = true,
                "--generated" => options.generated = true,
                "--control" => options.control = true,
                "--compiler" => options.compiler = Some(value()?.into()),
                "--seed" => options.seed = number(value()?)? as u64,
                "--shaders" => options.shaders = number(value()?)?,
                "--only" => options.only = Some(value()?.clone()),
                "--calls" => options.calls = number(value()?)?,
                "--jobs" => options.jobs = number(value()?)?,
                "--timeout" => options.timeout = number(value()?)? as u64,
                "--limit" => options.limit = Some(number(value()?)? as u64),
                "--json" => options.json = Some(value()?.into()),
                "--resume" => options.resume = Some(value()?.into()),
                "--build" => options.build = Some(value()?.into()),
                other => bail!("unknown argument {other:?}: {USAGE}"),
            }
        }
        let any = !options.traces.is_empty() || options.programs || options.generated || options.compiler.is_some();
        ensure!(any, "name shaders by --trace, --programs, --generated or --compiler: {USAGE}");
        ensure!(options.calls > 0 && options.jobs > 0, "--calls and --jobs take at least 1");
        Ok(options)
    }

    /// Whether something of this name is asked for.
    pub(super) fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&arguments).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn options_are_read() {
        let options = parse("--trace a --trace b --generated --calls 3 --control --only gears --resume runs").unwrap();
        assert_eq!((options.traces.len(), options.calls, options.jobs), (2, 3, 1));
        assert_eq!(options.resume, Some("runs".into()));
        assert!(options.generated && options.control && !options.programs);
        assert!(options.wants("v3/gears") && !options.wants("v3/heaps"));
        for (line, reason) in [
            ("", "name shaders"),
            ("--jobs 2", "name shaders"),
            ("--programs --calls 0", "at least 1"),
            ("--programs --calls x", "takes a number"),
            ("--trace", "needs a value"),
            ("--other", "unknown argument"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(reason), "{line}: {error}");
        }
    }
}
