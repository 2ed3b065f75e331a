//! `reprise bisect`: the first build of a runtime or driver that plays a trace in another way, and the first call that differs.

use super::verify;
use crate::bisect::call;
use crate::bisect::journal::{self, Journal, Run};
use crate::bisect::report::{Answer, First};
use crate::bisect::search::{Search, Step, Verdict};
use crate::bisect::slower::{Compared, Stopwatch};
use crate::bisect::symptom::{self, Symptom};
use crate::bisect::tree::{Tree, Unbuilt};
use crate::divergence::{self, Side};
use crate::options::range::{self, Range};
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{self, Output};
use crate::timing::apart::Apart;
use crate::trace::boundary::Boundary;
use crate::trace::open::Source;
use crate::trial::candidate::{self, Candidate};
use crate::trial::outcome::{Ending, Outcome};
use crate::trial::play::Trials;
use crate::trial::reference::{Reference, Tolerance};
use anyhow::Context;
use reprise_replay::Options;
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::fmt::Display;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
The candidates have an order, from a good end to a bad one. The trace is played on them until the first bad one is found. A candidate
is bad if its replay is not like that of the good end: another picture, other bytes read back, a replay that fails, crashes or hangs,
with --validate other errors of Vulkan's validation. The search looks for the fault that the bad end shows: if that shows other pictures, a
candidate that crashes is skipped, as is one that does not build. The answer names the first call that differs, too.

Candidates are lines of a file, commits of a git tree, or only the two ends. A line is a runtime library (a path, or a name as for
--runtime), a Vulkan driver's file (it ends in .json), variables of the environment, or several of these:
  /builds/41/libvkd3d-proton-d3d12.so
  /builds/mesa-25.1/share/vulkan/icd.d/radeon_icd.x86_64.json
  RADV_DEBUG=nocompute /builds/42/libvkd3d-proton-d3d12.so

The build command runs in a clone of the tree, whose objects are shared with it; the tree itself is only read. It finds $OUT (a folder of
the commit's own, kept: a commit is built once), $SOURCE (the tree) and $COMMIT. --library is what it leaves, in $OUT or in the clone.

Examples:
  reprise bisect game.reprise --good old/libvkd3d-proton-d3d12.so --bad new/libvkd3d-proton-d3d12.so
  reprise bisect game.reprise --candidates builds.txt
  reprise bisect game.reprise --git vkd3d-proton --good v2.13 --bad master \\
      --build 'meson setup --prefix=$OUT --libdir=lib b; ninja -C b install' --library lib/libvkd3d-proton-d3d12.so
  reprise bisect game.reprise --good recorded --candidates builds.txt        the capture itself is the good one
  reprise bisect game.reprise --candidates builds.txt --repeat 5             a fault that shows now and then
  reprise bisect game.reprise --candidates builds.txt --command ./test.sh    the script decides
  reprise bisect game.reprise --candidates builds.txt --slower 10 --frames 100-110      the first build that is slower, and where
  reprise bisect game.reprise --candidates builds.txt --resume               go on after Ctrl-C

With --slower the replays of a candidate and of the good end take turns (--runs of each). A candidate is bad if its GPU surely works so much longer, as
in `reprise time --against`. Then the first frame, submission and operation that are slower are named, and the pipelines and shaders that account for it.

A script of --command finds $REPRISE_TRACE, $REPRISE_CANDIDATE and $REPRISE_RUNTIME, and the candidate's variables. It ends with 0 for
good, 1 to 124 for bad, 125 for neither; any other code ends the search.

Exit codes:
  0  the first bad candidate is found
  1  no answer: an end is not what it was said to be or cannot be judged, or the script ended the search
  2  wrong usage
  3  the trace cannot be read, or is damaged
  7  the first bad candidate is one of several: those before it were skipped";

/// Find the first build of a runtime or driver that plays a trace in another way, and the first call that differs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The trace
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The good end: a line as in a list, a line's number in it, or a commit; `recorded` is what the program saw at capture
    /// [default: the first line]
    #[arg(long, value_name = "A")]
    good: Option<String>,
    /// The bad end [default: the last line]
    #[arg(long, value_name = "B")]
    bad: Option<String>,
    /// A file with a candidate a line, in order
    #[arg(long, value_name = "FILE", conflicts_with = "git")]
    candidates: Option<PathBuf>,
    /// A git tree whose commits are built; merges are followed along first parents
    #[arg(long, value_name = "TREE", requires_all = ["build", "library", "good", "bad"])]
    git: Option<PathBuf>,
    /// What builds a commit, for `sh -c` in the checked-out tree
    #[arg(long, value_name = "COMMAND", requires = "git")]
    build: Option<String>,
    /// The runtime library, or the Vulkan driver's .json file, that the build leaves in $OUT or in the tree
    #[arg(long, value_name = "PATH", requires = "git")]
    library: Option<PathBuf>,
    /// Let a script decide, as `git bisect run` does, for `sh -c`
    #[arg(long, value_name = "SCRIPT", conflicts_with_all = ["validate", "max_step", "max_pixels"])]
    command: Option<String>,
    /// Runs of a candidate before it counts as good; one run that shows the fault makes it bad
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=64))]
    repeat: u64,
    /// How sure the answer has to be where results are flaky: good candidates are run again until then, 64 times at most
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    sure: f64,
    /// A run that takes longer hangs, and is ended
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
    timeout: f64,
    /// Compare errors of Vulkan's validation, too
    #[arg(long)]
    validate: bool,
    /// Accept a pixel if no channel of it differs by more than this many steps (a channel of 8 bits has 255); the good
    /// candidate then plays beside each other one, and what is read back is not compared
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    max_step: u32,
    /// Accept a frame if at most this many of its pixels differ (by more than --max-step)
    #[arg(long, value_name = "N", default_value_t = 0)]
    max_pixels: u64,
    /// Look for what makes the GPU work so many percent longer: as a whole, or at a pipeline that has a hundredth of it or more
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    #[arg(conflicts_with_all = ["command", "validate", "max_step", "max_pixels"])]
    slower: Option<u32>,
    /// With --slower: replays of a candidate, and as many of the good one in turns with them
    #[arg(long, value_name = "N", requires = "slower", default_value_t = 10, value_parser = clap::value_parser!(u32).range(5..=1000))]
    runs: u32,
    /// With --slower: frames whose submissions are timed: N, A-B or A- [default: all]
    #[arg(long, value_name = "A-B", requires = "slower", value_parser = range::frames)]
    frames: Option<Range>,
    /// The runtime of candidates that name none: ours, or as for `reprise replay`
    #[arg(long, value_name = "LIBRARY", default_value = "ours")]
    runtime: String,
    /// The Vulkan device, where our runtime is the one built in
    #[arg(long, value_name = "INDEX|NAME")]
    gpu: Option<String>,
    /// Do not look for the first call
    #[arg(long)]
    no_call: bool,
    /// The folder for builds and what replays say [default: TRACE.bisect in the current folder]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// The log, a line of JSON for each step [default: log.jsonl in the folder]
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Go on with the log of a bisect that was interrupted
    #[arg(long)]
    resume: bool,
    /// One JSON object: the answer
    #[arg(long)]
    json: bool,
}

/// What a list of candidates has to have.
const LIST: &str = "write one a line, the good one first and the bad one last, as in\n  old/libvkd3d-proton-d3d12.so\n  new/libvkd3d-proton-d3d12.so";

/// `--good recorded`.
const RECORDED: &str = "recorded";

/// All that a bisect works with.
struct Work<'a> {
    arguments: &'a Arguments,
    trials: Trials,
    /// With `--slower`.
    stopwatch: Option<Stopwatch>,
    candidates: Vec<Candidate>,
    tree: Option<Tree>,
    reference: Option<Reference>,
    journal: Journal,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let patience = Duration::try_from_secs_f64(arguments.timeout).context("--timeout").or_exit(exit::USAGE)?;
    if !(0.0..1.0).contains(&arguments.sure) {
        return Err(wrong("--sure is a probability: 0 or more, and below 1"));
    }
    let source = Source::new(arguments.trace.clone(), None);
    let trace = source.open()?;
    if let Some((first, _)) = arguments.frames {
        source.has_frame(&trace, first)?;
    }
    // A damaged trace plays in one way here and in another there.
    let hashes = verify::captured(&trace, &source)?;
    Met::of(&trace).sound(&arguments.trace)?;
    drop(trace);
    let name = arguments.trace.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = arguments.work.clone().unwrap_or_else(|| format!("{name}.bisect").into());
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string()).or_exit(exit::USAGE)?;
    // Builds run elsewhere.
    let folder = std::fs::canonicalize(&folder).with_context(|| folder.display().to_string()).or_exit(exit::USAGE)?;
    let tree = arguments.git.as_ref().zip(arguments.build.as_ref()).zip(arguments.library.as_ref());
    let tree = tree.map(|((source, build), library)| Tree {
        source: source.clone(),
        build: build.clone(),
        library: library.clone(),
        folder: folder.clone(),
    });
    let candidates = candidates(arguments, tree.as_ref())?;
    let tolerance = Tolerance { max_step: arguments.max_step, max_pixels: arguments.max_pixels };
    let recorded = arguments.good.as_deref() == Some(RECORDED);
    if recorded && arguments.slower.is_some() {
        return Err(wrong("--good recorded has no durations: --slower needs a good candidate"));
    }
    if recorded && (!tolerance.is_exact() || arguments.validate) {
        return Err(wrong(
            "--good recorded has hashes only: --max-step, --max-pixels and --validate need a good candidate",
        ));
    }
    let size = std::fs::metadata(&arguments.trace).map_or(0, |file| file.len());
    let mut asked = json!({
        "trace": arguments.trace, "bytes": size, "candidates": candidates.iter().map(|it| it.label.clone()).collect::<Json>(),
        "commits": candidates.iter().map(|it| it.commit.clone().unwrap_or_default()).collect::<Json>(), "build": arguments.build,
        "command": arguments.command, "runtime": arguments.runtime, "gpu": arguments.gpu,
        "validate": arguments.validate, "max_step": arguments.max_step, "max_pixels": arguments.max_pixels,
    });
    if let Some(slower) = arguments.slower {
        asked["slower"] = json!({ "percent": slower, "runs": arguments.runs, "frames": arguments.frames });
    }
    let log = arguments.log.clone().unwrap_or_else(|| folder.join("log.jsonl"));
    let trials = Trials {
        trace: arguments.trace.clone(),
        runtime: arguments.runtime.clone(),
        gpu: arguments.gpu.clone(),
        patience,
        tolerance,
        validate: arguments.validate,
        folder: folder.clone(),
    };
    let stopwatch = arguments.slower.map(|slower| Stopwatch {
        apart: Apart {
            trace: arguments.trace.clone(),
            rings: None,
            boundary: Boundary::default(),
            runtime: arguments.runtime.clone(),
            gpu: arguments.gpu.clone(),
            fence_timeout: Options::<'_>::FENCE_TIMEOUT.as_secs_f64(),
            patience: Some(patience),
            cpu: false,
            fresh: false,
        },
        frames: arguments.frames.unwrap_or((1, u64::MAX)),
        least: f64::from(slower) / 100.0,
        runs: arguments.runs,
    });
    let journal = Journal::open(&log, &asked, arguments.resume)?;
    let reference = match recorded {
        true => Some(Reference::Recorded(hashes.into_iter().map(|line| (line.frame, line.hash)).collect())),
        false => arguments.resume.then(|| Reference::read(&folder.join("reference"))).flatten(),
    };
    Work { arguments, trials, stopwatch, candidates, tree, reference, journal }.search()
}

fn wrong(message: impl Display) -> Failure {
    Failure::message(exit::USAGE, message)
}

/// The candidates from the good end to the bad one. What was recorded is the first of them, where it is the good end.
fn candidates(arguments: &Arguments, tree: Option<&Tree>) -> Result<Vec<Candidate>, Failure> {
    let recorded = arguments.good.as_deref() == Some(RECORDED);
    let capture = Candidate { label: "the capture".into(), ..Candidate::default() };
    let found = if let (Some(tree), Some(good), Some(bad)) = (tree, &arguments.good, &arguments.bad) {
        if recorded {
            return Err(wrong("--good recorded is for a list; of a tree name the good commit"));
        }
        tree.commits(good, bad)?
    } else if let Some(path) = &arguments.candidates {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string()).or_exit(exit::USAGE)?;
        let list = candidate::list(&text).map_err(|error| wrong(format!("{}: {error}", path.display())))?;
        if list.is_empty() {
            return Err(wrong(format!("{}: there is no candidate in it: {LIST}", path.display())));
        }
        let place = |name: &Option<String>, otherwise: usize| match name {
            None => Ok(otherwise),
            Some(name) => {
                let by_number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let place = list.iter().position(|it| it.label == *name).or(by_number).filter(|at| *at < list.len());
                place.ok_or_else(|| wrong(format!("{}: there is no candidate {name:?}", path.display())))
            }
        };
        let first = if recorded { 0 } else { place(&arguments.good, 0)? };
        let last = place(&arguments.bad, list.len() - 1)?;
        if first > last {
            return Err(wrong(format!("{}: the good candidate has to stand before the bad one", path.display())));
        }
        let between = list[first..=last].iter().cloned();
        if recorded { [capture].into_iter().chain(between).collect() } else { between.collect() }
    } else if let (Some(good), Some(bad)) = (&arguments.good, &arguments.bad) {
        let one = |line: &str| Candidate::of_line(line).map_err(|error| wrong(format!("{line}: {error}")));
        vec![if recorded { capture } else { one(good)? }, one(bad)?]
    } else {
        return Err(wrong("name candidates: --candidates FILE, --git TREE, or --good and --bad"));
    };
    match found.len() {
        0 | 1 => Err(wrong(format!("there is one candidate only: {LIST}"))),
        _ => Ok(found),
    }
}

impl Work<'_> {
    fn search(&mut self) -> Ended {
        let is_given = self.is_recorded();
        let search = Search {
            count: self.candidates.len(),
            repeat: self.arguments.repeat,
            sure: self.arguments.sure,
            first_is_given: is_given,
        };
        self.say(format_args!(
            "{} from {} to {}; the log is {}",
            output::plural(self.candidates.len() as u64, "candidate"),
            self.candidates[0].label,
            self.candidates[self.candidates.len() - 1].label,
            self.journal.path.display()
        ));
        if !self.journal.runs.is_empty() {
            self.say(format_args!("{} in the log", output::plural(self.journal.runs.len() as u64, "run")));
        }
        loop {
            let runs: Vec<(usize, Verdict)> =
                self.journal.runs.iter().map(|run| (run.candidate, run.verdict())).collect();
            match search.next(&runs) {
                Step::Run(candidate) => self.step(candidate)?,
                Step::Found(found) => {
                    let first = if self.arguments.no_call {
                        First::NotAsked
                    } else {
                        self.first(found.last_good, found.first_bad)?
                    };
                    let answer = Answer::new(&self.candidates, &self.journal.runs, found, self.symptom(), first);
                    let (json, lines) = (answer.json(), answer.lines(&self.arguments.trace));
                    let code = if answer.is_one() { 0 } else { exit::SEVERAL };
                    self.journal.answer(&json)?;
                    self.print(&if self.arguments.json { vec![json.to_string()] } else { lines })?;
                    return Ok(code);
                }
                Step::GoodIsBad => {
                    let why = match &self.stopwatch {
                        Some(_) => {
                            "the good candidate is slower than itself, so times say nothing here: try more --runs, or when nothing else runs"
                        }
                        None => "the good candidate does not play the same twice",
                    };
                    return self.no_answer(0, why);
                }
                Step::BadIsGood => {
                    let why = match &self.stopwatch {
                        Some(_) => "the bad candidate is not slower than the good one",
                        None => "the bad candidate plays like the good one",
                    };
                    return self.no_answer(self.candidates.len() - 1, why);
                }
                Step::EndIsSkipped(at) => return self.no_answer(at, "an end of the search cannot be judged"),
            }
        }
    }

    fn is_recorded(&self) -> bool {
        self.arguments.good.as_deref() == Some(RECORDED)
    }

    /// In what the bad end is unlike the good one, once that is known.
    fn symptom(&self) -> Option<Symptom> {
        let last = self.candidates.len() - 1;
        let bad = self.journal.runs.iter().find(|run| run.candidate == last && run.verdict() == Verdict::Bad)?;
        match (&self.arguments.command, self.arguments.slower) {
            (Some(_), _) => Some(Symptom::Command),
            (_, Some(_)) => Some(Symptom::Slower),
            (None, None) => Symptom::of(&bad.outcome),
        }
    }

    /// Runs a candidate once, and keeps what came of it.
    fn step(&mut self, at: usize) -> Result<(), Failure> {
        let candidate = self.candidates[at].clone();
        let looked_for = self.symptom();
        let began = Instant::now();
        let built = self.built(at)?;
        let (outcome, verdict) = match built {
            Err(unbuilt) => (Outcome::absent(unbuilt), Verdict::Skip),
            Ok(built) => match &self.arguments.command {
                Some(command) => self.ask(command, &built)?,
                None if self.stopwatch.is_some() => {
                    let outcome = self.time(&built)?.map_or_else(|ended| ended, |compared| compared.outcome());
                    let verdict = symptom::verdict(&outcome, Some(Symptom::Slower));
                    (outcome, verdict)
                }
                None => {
                    let outcome = self.play(at, &built, looked_for)?;
                    let verdict = match (at, outcome.ending) {
                        // What does not come to its end is no good end, and nothing to compare with.
                        (0, ending) if ending != Ending::Completed => Verdict::Skip,
                        (0, _) => symptom::verdict(&outcome, outcome.difference.as_ref().map(|_| Symptom::Results)),
                        _ => symptom::verdict(&outcome, looked_for),
                    };
                    (outcome, verdict)
                }
            },
        };
        let word = journal::word(verdict);
        self.say(format_args!("{word:<4}  {}: {outcome}", candidate.label));
        let seconds = began.elapsed().as_secs_f64();
        self.journal.keep(Run {
            candidate: at,
            label: candidate.label,
            verdict: word.into(),
            looked_for,
            outcome,
            seconds,
        })
    }

    /// Measures a candidate beside the good end.
    fn time(&self, candidate: &Candidate) -> Result<Result<Compared, Outcome>, Failure> {
        match self.built(0)? {
            Ok(good) => self.against(candidate, &good),
            Err(unbuilt) => Ok(Err(Outcome::absent(unbuilt))),
        }
    }

    fn against(&self, candidate: &Candidate, good: &Candidate) -> Result<Result<Compared, Outcome>, Failure> {
        match &self.stopwatch {
            Some(stopwatch) => stopwatch.compare(candidate, good),
            None => Ok(Err(Outcome::absent("nothing is timed"))),
        }
    }

    /// A candidate with its library or driver, or why there is none.
    fn built(&self, at: usize) -> Result<Result<Candidate, Unbuilt>, Failure> {
        match &self.tree {
            Some(tree) => tree.build(&self.candidates[at]),
            None => Ok(Ok(self.candidates[at].clone())),
        }
    }

    fn play(&mut self, at: usize, candidate: &Candidate, looked_for: Option<Symptom>) -> Result<Outcome, Failure> {
        if self.reference.is_none() {
            let good = match &self.tree {
                // It was built for its first run.
                Some(tree) => tree.build(&self.candidates[0])?.map_err(wrong)?,
                None => self.candidates[0].clone(),
            };
            let (outcome, reference) = self.trials.record(&good)?;
            if outcome.ending == Ending::Completed {
                let path = self.trials.folder.join("reference");
                reference.write(&path).with_context(|| path.display().to_string()).or_exit(exit::FAILED)?;
                self.reference = Some(reference);
            }
            if at == 0 {
                return Ok(Outcome { errors: Vec::new(), ..outcome });
            }
        }
        let Some(reference) = &self.reference else { return Ok(Outcome::absent("the good candidate does not play")) };
        let good = match &self.tree {
            Some(tree) => tree.build(&self.candidates[0])?.ok(),
            None => Some(self.candidates[0].clone()),
        };
        let to_the_end = looked_for != Some(Symptom::Results);
        self.trials.run(candidate, good.as_ref().filter(|_| !self.is_recorded()), reference, to_the_end)
    }

    /// Lets the user's script decide.
    fn ask(&self, command: &str, candidate: &Candidate) -> Result<(Outcome, Verdict), Failure> {
        let mut script = Command::new("sh");
        script.args(["-c", command]).stdin(Stdio::null()).stdout(std::io::stderr()).envs(candidate.variables.clone());
        script.env("REPRISE_TRACE", &self.arguments.trace).env("REPRISE_CANDIDATE", &candidate.label);
        script.env("REPRISE_RUNTIME", candidate.runtime(&self.arguments.runtime));
        let status = script.status().context("sh cannot be run").or_exit(exit::USAGE)?;
        let said = format!("the script ends with {status}");
        let outcome = |ending| Outcome { ending, said: said.clone(), difference: None, errors: Vec::new() };
        match status.code() {
            Some(0) => Ok((outcome(Ending::Completed), Verdict::Good)),
            Some(125) => Ok((outcome(Ending::Absent), Verdict::Skip)),
            Some(1..125) => Ok((outcome(Ending::Failed), Verdict::Bad)),
            _ => Err(Failure::message(exit::FAILED, format!("{}: {said}, which ends the search", candidate.label))),
        }
    }

    /// The first call at which the last good candidate and the first bad one part.
    fn first(&self, good: usize, bad: usize) -> Result<First, Failure> {
        let (Ok(good_side), Ok(bad_side)) = (self.built(good)?, self.built(bad)?) else {
            return Ok(First::NotFound("a candidate is gone".into()));
        };
        if self.stopwatch.is_some() {
            let trace = Source::new(self.arguments.trace.clone(), None).open()?;
            return Ok(match self.against(&bad_side, &good_side)? {
                Ok(compared) => First::Slower(compared.culprits(&trace)?),
                Err(ended) => First::NotFound(ended.to_string()),
            });
        }
        let found = match self.symptom() {
            Some(Symptom::Failed | Symptom::Crashed | Symptom::Hung) => call::of_the_end(&self.trials, &bad_side)?,
            Some(Symptom::Validation) => match self.reference.as_ref().and_then(Reference::errors) {
                Some(errors) => call::of_validation(&self.trials, &bad_side, errors)?,
                None => None,
            },
            _ if good == 0 && self.is_recorded() => {
                return Ok(First::NotFound("no candidate is good, so there is no replay to compare with".into()));
            }
            _ => {
                let side = |candidate: &Candidate| Side {
                    runtime: candidate.runtime(&self.arguments.runtime).to_owned(),
                    gpu: self.arguments.gpu.clone(),
                    variables: candidate.variables.clone(),
                };
                let options =
                    divergence::Options { targets: true, patience: Some(self.trials.patience), ..Default::default() };
                let comparison =
                    divergence::compare([&side(&good_side), &side(&bad_side)], &self.arguments.trace, options)?;
                return Ok(if comparison.is_equal() {
                    First::NotFound("two more replays are equal".into())
                } else {
                    First::Diverged(Box::new(comparison))
                });
            }
        };
        Ok(found
            .map_or_else(|| First::NotFound("it does not happen where each call is waited for".into()), First::Call))
    }

    fn no_answer(&mut self, at: usize, why: &str) -> Ended {
        let label = self.candidates[at].label.clone();
        let last = self.journal.runs.iter().rev().find(|run| run.candidate == at).map(|run| run.outcome.to_string());
        let last = last.unwrap_or_default();
        if self.arguments.json {
            let json = json!({ "found": false, "why": why, "candidate": label, "outcome": last });
            self.print(&[json.to_string()])?;
        }
        Err(Failure::message(exit::FAILED, format!("{why}: {label}: {last}")))
    }

    fn print(&self, lines: &[String]) -> Result<(), Failure> {
        let mut output = Output::new();
        let written = lines.iter().try_for_each(|line| output.line(line).map(|_| ())).and_then(|()| output.flush());
        written.map(|_| ()).context("cannot write to standard output").or_exit(exit::FAILED)
    }

    /// How far the search is, for people.
    fn say(&self, what: std::fmt::Arguments<'_>) {
        reprise_log::info(what);
    }
}
