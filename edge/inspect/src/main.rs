//! The program `reprise-inspect`, called as `reprise inspect`: shows a trace in a browser.
//!
//! It serves a page and an interface (`API.md`) on loopback. [`server`] is all that knows HTTP and who may ask; [`ask`] has the questions, a file
//! each; [`subject`] is a trace with what was found out about it; [`job`] does what takes long. Invariants: a request without the link's token
//! gets no answer. Text of a trace is sent as JSON strings only. Each question is bounded in time and in the size of its answer. What needs a GPU
//! is done by `reprise`, in another process.

mod answer;
mod ask;
mod attached;
mod job;
mod parameters;
mod server;
mod subject;

use anyhow::{Context, Result};
use clap::Parser;
use reprise_timeline::frames::FrameBoundary;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use subject::Subject;
use subject::side::Side;

const EXAMPLES: &str = "\
The page needs nothing from the network, and the trace leaves this machine in no way: the server listens on loopback only, and answers nobody who does
not have the link, which is new each time. What needs a replay (pictures, contents, meshes) is made by `reprise` in the background, on this
machine's GPU; everything else needs no GPU.

Examples:
  reprise inspect game.reprise                       prints the link
  reprise inspect --open game.reprise                opens it in the browser
  reprise inspect before.reprise --compare after.reprise
                                                     two traces side by side
  reprise inspect --replay --against-runtime vkd3d game.reprise
                                                     two replays of one trace side by side, on two runtimes
  reprise inspect --replay --env VK_DRIVER_FILES=/a/icd.json --against-env VK_DRIVER_FILES=/b/icd.json game.reprise
                                                     the same on two drivers
  reprise inspect --times before.times --times after.times game.reprise
                                                     what two runs of reprise time measured, beside each other
  ssh -t -L 8123:127.0.0.1:8123 host reprise inspect --port 8123 game.reprise
                                                     a trace on another machine

Ctrl-C ends it. Exit codes: 0 success, 2 wrong usage, 3 a trace cannot be read, 1 anything else.";

/// Look at a trace in a browser
#[derive(Debug, Parser)]
#[command(name = "reprise inspect", bin_name = "reprise inspect", version, after_help = EXAMPLES, max_term_width = 100)]
struct Arguments {
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// The port to listen on [default: one that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// A second trace, to compare with
    #[arg(long, value_name = "OTHER")]
    compare: Option<PathBuf>,
    /// Compare two replays of the trace; names as for reprise replay
    #[arg(long, conflicts_with_all = ["compare", "rings"])]
    replay: bool,
    /// The runtime that replays play on; of two, the first one [default: ours]
    #[arg(long, value_name = "LIBRARY")]
    runtime: Option<String>,
    /// The runtime of the second replay, or of the second trace [default: the first]
    #[arg(long, value_name = "LIBRARY")]
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
    /// What reprise time measured [default: TRACE.times, if it is there]; given twice, the view Costs compares both
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    times: Vec<PathBuf>,
    /// The folder with the rings of a capture whose writer died [default: TRACE.rings, if it is there]
    #[arg(long, value_name = "DIR")]
    rings: Option<PathBuf>,
    /// What ends a frame, whatever did when the trace was recorded: present, present=N, submissions or marker=REGEX, as for `reprise capture`
    /// [default: as recorded; submissions, where nothing ended a frame]
    #[arg(long, value_name = "WHAT", value_parser = FrameBoundary::named)]
    frame_boundary: Option<FrameBoundary>,
    /// Wait for a byte of standard input, and end with it: a page of another server opens this one
    #[arg(long, hide = true)]
    until_input_ends: bool,
    /// Remove the trace at the end: it is dropped onto a page
    #[arg(long, hide = true, requires = "until_input_ends")]
    dropped: bool,
    /// The trace
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
}

/// `NAME=VALUE`.
fn variable(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| "write it NAME=VALUE".to_owned())
}

impl Arguments {
    /// The folder that goes with this process, where there is one.
    fn folder(&self) -> Option<PathBuf> {
        self.trace.parent().filter(|_| self.dropped).map(Path::to_path_buf)
    }

    /// The arguments of another process that shows the same with these frames. Times are of the frames that were recorded, so they go along with
    /// those alone.
    fn again(&self, boundary: Option<&FrameBoundary>) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut option = |name: &str, value: OsString| words.push([name.into(), value].join(OsStr::new("=")));
        let text = |value: &Option<String>| value.clone().map(OsString::from);
        for (name, value) in [
            ("--frame-boundary", boundary.map(|boundary| boundary.to_string().into())),
            ("--compare", self.compare.clone().map(OsString::from)),
            ("--rings", self.rings.clone().map(OsString::from)),
            ("--runtime", text(&self.runtime)),
            ("--against-runtime", text(&self.against_runtime)),
            ("--gpu", text(&self.gpu)),
            ("--against-gpu", text(&self.against_gpu)),
        ] {
            value.into_iter().for_each(|value| option(name, value));
        }
        for (name, variables) in [("--env", &self.env), ("--against-env", &self.against_env)] {
            variables.iter().for_each(|(variable, value)| option(name, format!("{variable}={value}").into()));
        }
        let times = self.times.iter().filter(|_| boundary.is_none());
        times.for_each(|file| option("--times", file.clone().into()));
        for (name, given) in [("--replay", self.replay), ("--dropped", self.dropped)] {
            words.extend(given.then(|| OsString::from(name)));
        }
        words.extend(["--".into(), self.trace.clone().into()]);
        words
    }

    /// What the replays of both play on.
    ///
    /// # Errors
    /// There is no second one, or a GPU is stated for a runtime that takes none from us.
    fn sides(&self) -> Result<[Side; 2], String> {
        let second = [
            (self.against_runtime.is_some(), "--against-runtime"),
            (self.against_gpu.is_some(), "--against-gpu"),
            (!self.against_env.is_empty(), "--against-env"),
        ];
        if let Some((_, option)) = second.into_iter().find(|(given, _)| *given)
            && !self.replay
            && self.compare.is_none()
        {
            return Err(format!("{option} is for the second one: --replay compares two replays, --compare two traces"));
        }
        let first = Side { runtime: self.runtime.clone(), gpu: self.gpu.clone(), variables: self.env.clone() };
        let runtime = self.against_runtime.clone().or_else(|| self.runtime.clone());
        let mut second = Side { runtime, gpu: self.against_gpu.clone(), variables: self.against_env.clone() };
        if second.gpu.is_none() && second.is_ours() {
            second.gpu.clone_from(&self.gpu);
        }
        for (side, option) in [(&first, "--gpu"), (&second, "--against-gpu")] {
            if side.gpu.is_some() && !side.is_ours() {
                return Err(format!("{option} is for our own runtime, and {} plays there", side.label()));
            }
        }
        Ok([first, second])
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let [first, second] = match arguments.sides() {
        Ok(sides) => sides,
        Err(why) => {
            eprintln!("reprise: {why}");
            return ExitCode::from(2);
        }
    };
    let folder = arguments.folder();
    // Until the trace is there whole, this process waits. Whatever ends the one that receives it, ends the input.
    if arguments.until_input_ends && std::io::stdin().read_exact(&mut [0]).is_err() {
        end(folder.as_deref());
    }
    let mut files = vec![(&arguments.trace, arguments.rings.as_deref(), first)];
    files.extend(arguments.compare.as_ref().map(|other| (other, None, second.clone())));
    let mut subjects = Vec::new();
    for (file, rings, side) in files {
        match Subject::open(subjects.len(), file, rings, arguments.frame_boundary.as_ref(), side) {
            Ok(mut subject) => {
                subject.dropped = arguments.dropped;
                subjects.push(subject);
            }
            Err(error) => {
                let code = if error.is_usage { 2 } else { 3 };
                eprintln!("reprise: {:#}", error.error);
                return ExitCode::from(code);
            }
        }
    }
    if arguments.times.len() > 2 {
        eprintln!("reprise: --times is for one file, or for two that are compared");
        return ExitCode::from(2);
    }
    if let Some(Err(why)) = subjects.first().map(|subject| subject.take_times(&arguments.times)) {
        eprintln!("reprise: {why}");
        return ExitCode::from(3);
    }
    if arguments.replay {
        subjects.extend(subjects.first().map(|subject| subject.played_on(1, second)).into_iter().collect::<Vec<_>>());
    }
    match serve(arguments, subjects) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("reprise: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: Arguments, subjects: Vec<Subject>) -> Result<()> {
    let place = SocketAddr::from(([127, 0, 0, 1], arguments.port));
    let listener = std::net::TcpListener::bind(place).with_context(|| format!("cannot listen on {place}"))?;
    let link = server::Link::new(listener.local_addr()?.port())?;
    let shared = ask::Shared::new(subjects);
    // What most questions wait for begins at once.
    shared.begin();
    println!("{}", link.address());
    if arguments.until_input_ends {
        let folder = arguments.folder();
        std::thread::spawn(move || end_with_input(folder.as_deref()));
    }
    if arguments.open && !opened(&link.address()) {
        eprintln!("reprise: no browser could be started: open the link yourself");
    }
    let again = Box::new(move |boundary: Option<&FrameBoundary>| arguments.again(boundary));
    server::run(listener, link, shared, again).context("the server ended")
}

/// Waits until whoever started this program is gone.
fn end_with_input(folder: Option<&Path>) {
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    end(folder);
}

/// Ends, and takes the folder of a dropped trace along.
fn end(folder: Option<&Path>) -> ! {
    let ours = folder
        .filter(|folder| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("reprise-dropped-")));
    let _ = ours.map(std::fs::remove_dir_all);
    std::process::exit(0);
}

/// Whether a browser was started with the link.
fn opened(address: &str) -> bool {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "windows" => ("cmd", &["/C", "start", ""]),
        "macos" => ("open", &[]),
        _ => ("xdg-open", &[]),
    };
    let mut command = std::process::Command::new(program);
    command.args(before).arg(address).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_document_has_the_examples_of_the_help() {
        let document = include_str!("../../../docs/inspect.md");
        let examples = super::EXAMPLES.lines().filter(|line| line.starts_with("  reprise inspect "));
        let commands: Vec<&str> = examples.filter_map(|line| line.trim().split("  ").next()).collect();
        assert!(commands.len() > 3);
        for command in commands.iter().filter(|command| !command.contains("=/a/")) {
            assert!(document.lines().any(|line| line.split("  ").next() == Some(*command)), "{command}");
        }
    }
}
