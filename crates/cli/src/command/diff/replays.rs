//! `reprise diff --replay`: plays a trace twice, on two runtimes, devices or drivers, and says where they diverge.

use crate::divergence::{self, Options, Side, wanted};
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::Output;
use crate::trace::boundary::Boundary;
use anyhow::Context;
use std::path::Path;
use std::time::Duration;

/// Which replays are compared.
#[derive(Debug, clap::Args)]
pub(crate) struct Replays {
    /// Play the one trace twice and compare what is presented and read back; names as for reprise replay
    #[arg(long)]
    pub(super) replay: bool,
    /// The first runtime [default: ours]
    #[arg(long, value_name = "LIBRARY")]
    runtime: Option<String>,
    /// The second runtime [default: the first]
    #[arg(long, visible_alias = "against", value_name = "LIBRARY")]
    against_runtime: Option<String>,
    /// The Vulkan device of the first, where it is ours
    #[arg(long, value_name = "INDEX|NAME")]
    gpu: Option<String>,
    /// The Vulkan device of the second, where it is ours [default: that of the first]
    #[arg(long, value_name = "INDEX|NAME")]
    against_gpu: Option<String>,
    /// A variable of the first one's environment, as in VK_DRIVER_FILES=/builds/41/radeon_icd.json; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// A variable of the second one's environment; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    against_env: Vec<(String, String)>,
    /// In the frame where they diverge, find the draw, dispatch, copy, resolve or clear that left the difference, say which pixels of
    /// which target differ, and what was bound
    #[arg(long)]
    targets: bool,
    /// Continue after the first difference, and list every frame and every read-back that differs
    #[arg(long)]
    all: bool,
    /// With --json: say how far it is, and each difference as soon as it is known, as lines of JSON on standard error
    #[arg(long, requires = "json")]
    progress: bool,
    /// End with standard input: who started this and goes away takes the replays along
    #[arg(long, hide = true)]
    until_input_ends: bool,
    /// A replay that takes longer is ended, and the comparison with it
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
}

/// `NAME=VALUE`.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| "write it NAME=VALUE".to_owned())
}

impl Replays {
    /// The first option that makes sense with `--replay` only, if one is given.
    pub(super) fn option(&self) -> Option<&'static str> {
        let given = [
            (self.runtime.is_some(), "--runtime"),
            (self.against_runtime.is_some(), "--against-runtime"),
            (self.gpu.is_some(), "--gpu"),
            (self.against_gpu.is_some(), "--against-gpu"),
            (!self.env.is_empty(), "--env"),
            (!self.against_env.is_empty(), "--against-env"),
            (self.targets, "--targets"),
            (self.all, "--all"),
            (self.progress, "--progress"),
            (self.until_input_ends, "--until-input-ends"),
            (self.timeout.is_some(), "--timeout"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    fn sides(&self) -> [Side; 2] {
        let first = self.runtime.clone().unwrap_or_else(|| "ours".into());
        let second = self.against_runtime.clone().unwrap_or_else(|| first.clone());
        let gpu = self.against_gpu.as_ref().or(self.gpu.as_ref().filter(|_| second == "ours"));
        [
            Side { runtime: first, gpu: self.gpu.clone(), variables: self.env.clone() },
            Side { runtime: second, gpu: gpu.cloned(), variables: self.against_env.clone() },
        ]
    }
}

pub(crate) fn run(replays: &Replays, file: &Path, boundary: &Boundary, as_json: bool) -> Ended {
    if replays.until_input_ends {
        wanted::until_input_ends();
    }
    let patience = replays.timeout.map(Duration::from_secs);
    let boundary = boundary.clone();
    let options = Options { targets: replays.targets, all: replays.all, lines: replays.progress, patience, boundary };
    let [first, second] = replays.sides();
    let comparison = divergence::compare([&first, &second], file, options)?;
    if comparison.is_nothing() {
        let what = "nothing was compared: neither replay presents a frame or reads anything back";
        return Err(Failure::message(exit::TROUBLE, format!("{}: {what}", file.display())));
    }
    let mut output = Output::new();
    let colour = output.colour();
    let lines = if as_json { vec![comparison.json().to_string()] } else { comparison.lines(colour, true) };
    for line in lines {
        output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)?;
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(if comparison.is_equal() { 0 } else { exit::DIFFERENT })
}
