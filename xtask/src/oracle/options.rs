//! What the command line of the task asks for.

use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;

const USAGE: &str = "oracle --compiler PROGRAM [--seed N] [--shaders N] [--reduce N] [--library PATH] [--narrow] [--corpus]; PROGRAM is run as \
                     PROGRAM batch LIST, with fxc|dxc SOURCE ENTRY PROFILE OUTPUT in each line";

/// How shaders are to be tried.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) compiler: PathBuf,
    /// Of the first program; the others follow.
    pub(super) seed: u64,
    /// Programs; each becomes two or four shaders.
    pub(super) shaders: usize,
    /// How many findings are made small.
    pub(super) reduce: usize,
    /// The runtime; ours, freshly built, if not given.
    pub(super) library: Option<PathBuf>,
    /// With types of 16 bits.
    pub(super) narrow: bool,
    /// Make the corpus anew, of these seeds.
    pub(super) corpus: bool,
}

impl Options {
    /// Reads the arguments after the task's name.
    pub(super) fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            compiler: PathBuf::new(),
            seed: 1,
            shaders: 100,
            reduce: 3,
            library: None,
            narrow: false,
            corpus: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{argument} needs a value: {USAGE}"));
            match argument.as_str() {
                "--compiler" => options.compiler = value()?.into(),
                "--seed" => options.seed = value()?.parse().context("--seed takes a number")?,
                "--shaders" => options.shaders = value()?.parse().context("--shaders takes a number")?,
                "--reduce" => options.reduce = value()?.parse().context("--reduce takes a number")?,
                "--library" => options.library = Some(value()?.into()),
                "--narrow" => options.narrow = true,
                "--corpus" => options.corpus = true,
                other => bail!("unknown argument {other:?}: {USAGE}"),
            }
        }
        ensure!(!options.compiler.as_os_str().is_empty(), "--compiler is missing: {USAGE}");
        ensure!(options.shaders > 0, "--shaders 0 tries nothing");
        Ok(options)
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
        let options = parse("--compiler c --seed 9 --shaders 5 --reduce 0").unwrap();
        assert_eq!((options.seed, options.shaders, options.reduce), (9, 5, 0));
        assert!(parse("--seed 9").unwrap_err().contains("--compiler is missing"));
        assert!(parse("--compiler c --shaders 0").is_err());
        assert!(parse("--compiler c --seed x").unwrap_err().contains("--seed takes a number"));
    }
}
