//! `reprise suite`: regression suites of traces.

use super::diff::variable;
use crate::control::Outcome;
use crate::metric::Metric;
use crate::suite::golden;
use crate::suite::manifest::{ANY, Entry, Golden, Manifest, Profile, check_name};
use crate::suite::play::{self, Setting, Shown, Status, Tested};
use crate::suite::profile;
use crate::suite::tell;
use crate::suite::timed::Watch;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{Output, plural};
use crate::terminal::place;
use crate::terminal::{output, whole_file};
use crate::trace::open::Source;
use anyhow::Context;
use reprise_replay::FrameRanges;
use reprise_view::damage::Met;
use reprise_whole_file::Whole;
use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const EXAMPLES: &str = "\
A suite is a folder: suite.toml, the traces, and golden results, one for each driver that is tested. A golden result has the hash of
each frame and of what the program read back; where its metric is not exact it has the pictures, too. Which golden result counts is
decided by the names of the adapter and driver that the trace ran on: that with the longest name in them, then `any`.

Metrics: exact (every byte, read-backs included), max-step=N (channels differ by N steps at most), psnr=DECIBELS and ssim=N (at least),
flip=N (mean of NVIDIA's FLIP error, at most). Read-backs are compared where the metric is exact.

A golden result that nothing can upset tests nothing: add plays the trace once more with a GPU that does nothing, and where that makes
no difference with one that does something else, as verify --control does. Where neither makes one, it refuses.

time keeps how long the GPU works at each trace, and run --time compares: a trace is slower where the whole, or a pipeline that has at least
a hundredth of it, surely takes 10 % longer (--slower) than the profile says. Profiles are of one machine: each has the name of the adapter,
or one that --profile gives; on a software rasteriser name the machine.

Examples:
  reprise suite add tests/traces game.reprise --reason 'Mesa 25.1, looked at by hand'
  reprise suite add tests/traces game.reprise --driver radv --metric max-step=1 --reason 'RDNA rounds otherwise'
  reprise suite run tests/traces --gpu 0 --jobs 4 --junit results.xml
  VK_DRIVER_FILES=$PWD/build/radeon_icd.json reprise suite run tests/traces --github
  reprise suite run tests/traces --runtime build/libvkd3d-proton-d3d12.so --json results.json
  reprise suite update tests/traces --reason 'fixed the order of blends' --only game
  reprise suite list tests/traces
  reprise suite time tests/traces --reason 'Mesa 25.1 on the RX 6800'
  reprise suite run tests/traces --time

docs/suites.md shows a suite in the CI of a driver.

Exit codes:
  0  all passed
  1  a trace differs, is slower, does not come to its end, or has no golden result or profile for this driver (unless --allow-missing)
  2  wrong usage
  3  the suite, or a trace that is added, cannot be read or is damaged
  8  add, update: nothing shows that a GPU that does something else would be told apart from this one (unless --unchecked)";

/// Keep traces with golden results, and test drivers and runtimes with them
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Add(Add),
    Run(Run),
    Update(Update),
    Time(Time),
    List(List),
}

/// What plays.
#[derive(Clone, Debug, clap::Args)]
struct Playing {
    /// The Direct3D 12 library: ours, or as for `reprise replay`
    #[arg(long, value_name = "LIBRARY", default_value = "ours")]
    runtime: String,
    /// The Vulkan device, where our runtime is the one built in
    #[arg(long, value_name = "INDEX|NAME")]
    gpu: Option<String>,
    /// A variable of the replays' environment; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// A replay that takes longer hangs, and is ended
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
    timeout: f64,
    /// The golden result of this name, whatever the device is called; to add: the name of the new one [default: the first word of the
    /// driver's name]
    #[arg(long, value_name = "NAME")]
    driver: Option<String>,
}

/// Add a trace, or a golden result of another driver, by playing it here
#[derive(Debug, clap::Args)]
struct Add {
    /// The folder, made if absent
    #[arg(value_name = "SUITE")]
    suite: PathBuf,
    /// The trace; it is copied into the folder, unless it is there
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Its name in the suite [default: that of the file]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Why this is right: who looked at it, on what
    #[arg(long, value_name = "TEXT", default_value = "first recording")]
    reason: String,
    /// exact, max-step=N, psnr=N, ssim=N or flip=N
    #[arg(long, value_name = "METRIC", default_value = "exact")]
    metric: Metric,
    /// The frames that are compared, as in 1-3,10 [default: all]
    #[arg(long, value_name = "A-B,N")]
    frames: Option<String>,
    /// Add it, though nothing shows that something else would be told from it; suite.toml keeps that
    #[arg(long)]
    unchecked: bool,
    /// Leave the trace where it is, and keep its path
    #[arg(long)]
    in_place: bool,
    #[command(flatten)]
    playing: Playing,
}

/// Play the traces, and compare them with their golden results
#[derive(Debug, clap::Args)]
struct Run {
    /// The folder
    #[arg(value_name = "SUITE")]
    suite: PathBuf,
    /// Only traces with one of these names; * stands for anything; repeatable
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Replays at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Write the results as JUnit's XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print GitHub's annotations: `::error` lines
    #[arg(long)]
    github: bool,
    /// Write the results as one JSON object; - is standard output, in the place of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The folder for pictures that differ, and what replays say
    #[arg(long, value_name = "DIR", default_value = "reprise-results")]
    results: PathBuf,
    /// A trace without a golden result for this driver is no failure
    #[arg(long)]
    allow_missing: bool,
    /// Also measure how long the GPU works at each, and compare with the profile that `time` recorded
    #[arg(long)]
    time: bool,
    /// So many percent longer are slower [default: what the profile was recorded with]
    #[arg(long, value_name = "PERCENT", requires = "time", value_parser = clap::value_parser!(u32).range(1..=1000))]
    slower: Option<u32>,
    #[command(flatten)]
    watching: Watching,
    #[command(flatten)]
    playing: Playing,
}

/// How traces are measured.
#[derive(Clone, Debug, clap::Args)]
struct Watching {
    /// Replays that are measured, of each trace: with fewer than five chance decides [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(5..=60))]
    runs: Option<u32>,
    /// The name of the profile [default: the adapter's]
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

impl Watching {
    fn runs(&self) -> u32 {
        self.runs.unwrap_or(10)
    }
}

/// Keep how long the GPU works at each trace: a profile, which `run --time` compares with
#[derive(Debug, clap::Args)]
struct Time {
    /// The folder
    #[arg(value_name = "SUITE")]
    suite: PathBuf,
    /// Why these times are those to keep: what they were measured on
    #[arg(long, value_name = "TEXT", default_value = "first recording")]
    reason: String,
    /// Only traces with one of these names; * stands for anything; repeatable
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// `run --time` calls slower what takes so many percent longer
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    slower: u32,
    #[command(flatten)]
    watching: Watching,
    #[command(flatten)]
    playing: Playing,
}

/// Record golden results anew: of traces that differ, on the driver that they run on here
#[derive(Debug, clap::Args)]
struct Update {
    /// The folder
    #[arg(value_name = "SUITE")]
    suite: PathBuf,
    /// Why the new results are right
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Only traces with one of these names; * stands for anything; repeatable
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Record it, though nothing shows that something else would be told from it; suite.toml keeps that
    #[arg(long)]
    unchecked: bool,
    /// Use this metric from now on
    #[arg(long, value_name = "METRIC")]
    metric: Option<Metric>,
    #[command(flatten)]
    playing: Playing,
}

/// List traces and golden results
#[derive(Debug, clap::Args)]
struct List {
    /// The folder
    #[arg(value_name = "SUITE")]
    suite: PathBuf,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    match &arguments.action {
        Action::Add(add) => self::add(add),
        Action::Run(run) => test(run),
        Action::Update(update) => self::update(update),
        Action::Time(time) => self::time(time),
        Action::List(list) => self::list(list),
    }
}

fn wrong(message: impl Display) -> Failure {
    Failure::message(exit::USAGE, message)
}

impl Playing {
    fn setting(&self, suite: &Path, results: &Path) -> Result<Setting, Failure> {
        let patience = Duration::try_from_secs_f64(self.timeout).context("--timeout").or_exit(exit::USAGE)?;
        Ok(Setting {
            suite: suite.to_owned(),
            runtime: self.runtime.clone(),
            gpu: self.gpu.clone(),
            variables: self.env.clone(),
            patience,
            driver: self.driver.clone(),
            results: results.to_owned(),
            watch: None,
        })
    }
}

/// How a golden result is recorded.
#[derive(Clone, Copy)]
struct Recording {
    /// One that is there goes.
    replace: bool,
    /// Nothing has to show that something else would be told from it.
    unchecked: bool,
}

/// Plays a trace, and makes what it shows a golden result; of a driver that has one, only to replace it.
fn record(
    setting: &Setting,
    entry: &Entry,
    (metric, reason): (Metric, &str),
    driver: Option<String>,
    Recording { replace, unchecked }: Recording,
) -> Result<Golden, Failure> {
    let frames = play::frames(entry).map_err(wrong)?;
    let folder = tempfile::tempdir().context("no temporary folder").or_exit(exit::FAILED)?;
    let trace = setting.suite.join(&entry.file);
    let shown = setting.show(&trace, &frames, folder.path(), |_| metric.needs_pictures())?;
    let shown = shown.complete().map_err(|why| Failure::message(exit::FAILED, format!("{}: {why}", entry.name)))?;
    if shown.seen.is_empty() {
        let message = format!("{}: nothing to compare: it presents nothing and reads nothing back", entry.name);
        return Err(Failure::message(exit::FAILED, message));
    }
    if metric.needs_pictures() && shown.seen.iter().all(|seen| seen.picture().is_none()) {
        return Err(wrong(format!("{}: {metric} compares pictures, and the trace presents none", entry.name)));
    }
    let driver = driver.unwrap_or_else(|| of_device(&shown));
    check_name(&driver).map_err(wrong)?;
    if !replace && entry.goldens.iter().any(|golden| golden.driver == driver) {
        let message = format!(
            "{} has a golden result for {driver}, which stays: `reprise suite update` replaces it where it differs, and --driver names another",
            entry.name
        );
        return Err(wrong(message));
    }
    if !unchecked {
        check(&entry.name, &setting.control(&trace, &frames, metric, (&shown, folder.path())))?;
    }
    let place = PathBuf::from("golden").join(&entry.name).join(&driver);
    let pictures = metric.needs_pictures().then(|| folder.path());
    let device = if shown.device.is_empty() { "a device that its runtime does not name" } else { &shown.device };
    let recorded_on = format!("{device}; {}", shown.runtime);
    golden::write(&setting.suite.join(&place), shown.seen, pictures)?;
    let (metric, reason) = (metric.to_string(), reason.to_owned());
    Ok(Golden { driver, metric, reason, recorded_on, unchecked, folder: place })
}

/// Refuses a golden result that nothing is told from, and says what of another one is not.
fn check(name: &str, control: &Outcome) -> Result<(), Failure> {
    if control.is_blind() || control.failed.is_some() {
        let message = format!(
            "{name}: nothing shows that a GPU that does something else would be told from this one ({}); --unchecked records \
             it all the same, and suite.toml says so",
            control.lines().join("; ")
        );
        return Err(Failure::message(exit::UNNOTICED, message));
    }
    if !control.holds() {
        control.lines().iter().for_each(|line| reprise_log::warning(format_args!("{name}: {line}")));
    }
    Ok(())
}

/// A name for a driver: the first word of its own.
fn of_device(shown: &Shown) -> String {
    let driver = shown.device.split_once(", driver ").map(|(_, driver)| driver).unwrap_or_default();
    let word: String =
        driver.chars().take_while(|letter| letter.is_ascii_alphanumeric() || "._-".contains(*letter)).collect();
    if check_name(&word).is_ok() { word } else { ANY.to_owned() }
}

fn add(add: &Add) -> Ended {
    let source = Source::new(add.trace.clone(), None);
    let trace = source.open()?;
    source.check(&trace, |_| ())?;
    Met::of(&trace).sound(&add.trace)?;
    drop(trace);
    if let Some(frames) = &add.frames {
        frames.parse::<FrameRanges>().context("--frames").or_exit(exit::USAGE)?;
    }
    let stem = add.trace.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = add.name.clone().unwrap_or(stem);
    check_name(&name).map_err(wrong)?;
    std::fs::create_dir_all(&add.suite).with_context(|| add.suite.display().to_string()).or_exit(exit::FAILED)?;
    let mut manifest = match add.suite.join("suite.toml").exists() {
        true => Manifest::read(&add.suite)?,
        false => Manifest::default(),
    };
    let hash = play::hash(&add.trace).map_err(wrong)?;
    let setting = add.playing.setting(&add.suite, &add.suite)?;
    let mut copy = None;
    let entry = match manifest.traces.iter().position(|entry| entry.name == name) {
        Some(at) if manifest.traces[at].hash != hash => {
            return Err(wrong(format!("{name} is there already, and is another trace: choose another --name")));
        }
        Some(at) if add.frames.is_some() && add.frames != manifest.traces[at].frames => {
            return Err(wrong(format!("{name} is there already, with other frames: choose another --name")));
        }
        Some(at) => at,
        None => {
            let (file, is_copy) = file_of(add, &name, &hash)?;
            copy = is_copy.then(|| add.suite.join(&file));
            let frames = add.frames.clone();
            let (goldens, profiles) = (Vec::new(), Vec::new());
            manifest.traces.push(Entry { name: name.clone(), file, hash, frames, goldens, profiles });
            manifest.traces.len() - 1
        }
    };
    let driver = add.playing.driver.clone();
    let recording = Recording { replace: false, unchecked: add.unchecked };
    let golden =
        record(&setting, &manifest.traces[entry], (add.metric, &add.reason), driver, recording).inspect_err(|_| {
            // A trace that is in no manifest would only lie there.
            let _ = copy.map(std::fs::remove_file);
        })?;
    let fits = |device: &str| golden.driver == ANY || device.to_lowercase().contains(&golden.driver.to_lowercase());
    if !fits(&golden.recorded_on) {
        reprise_log::warning(format_args!(
            "{name}: the golden for {} is recorded on {}",
            golden.driver, golden.recorded_on
        ));
    }
    let said = format!("{name}: golden for {} ({}), recorded on {}", golden.driver, golden.metric, golden.recorded_on);
    let goldens = &mut manifest.traces[entry].goldens;
    goldens.retain(|other| !other.driver.eq_ignore_ascii_case(&golden.driver));
    goldens.push(golden);
    manifest.write(&add.suite)?;
    print(&[said])?;
    Ok(0)
}

/// Where the trace of an entry is, as the suite's folder sees it, and whether it was copied there. A file that no entry names is
/// not replaced: it may be the only one.
fn file_of(add: &Add, name: &str, hash: &str) -> Result<(PathBuf, bool), Failure> {
    let real =
        |path: &Path| std::fs::canonicalize(path).with_context(|| path.display().to_string()).or_exit(exit::USAGE);
    let (suite, trace) = (real(&add.suite)?, real(&add.trace)?);
    if let Ok(inside) = trace.strip_prefix(&suite) {
        return Ok((inside.to_owned(), false));
    }
    if add.in_place {
        return Ok((trace, false));
    }
    let file = PathBuf::from("traces").join(format!("{name}.reprise"));
    let target = suite.join(&file);
    if target.exists() {
        if play::hash(&target).is_ok_and(|there| there == hash) {
            return Ok((file, false));
        }
        let message = format!(
            "{} is there already, is another trace, and suite.toml does not name it: choose another --name, or move it away",
            target.display()
        );
        return Err(wrong(message));
    }
    let copied = std::fs::create_dir_all(suite.join("traces")).and_then(|()| std::fs::copy(&trace, &target));
    copied.with_context(|| target.display().to_string()).or_exit(exit::FAILED)?;
    Ok((file, true))
}

/// Whether one of the patterns fits; * stands for anything.
fn is_meant(only: &[String], name: &str) -> bool {
    only.is_empty() || only.iter().any(|pattern| fits(pattern.as_bytes(), name.as_bytes()))
}

fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => (0..=name.len()).any(|skipped| fits(rest, &name[skipped..])),
        (Some((letter, pattern)), Some((other, name))) => letter == other && fits(pattern, name),
        _ => false,
    }
}

/// The traces of a suite that are meant.
fn meant<'m>(manifest: &'m Manifest, suite: &Path, only: &[String]) -> Result<Vec<&'m Entry>, Failure> {
    let meant: Vec<&Entry> = manifest.traces.iter().filter(|entry| is_meant(only, &entry.name)).collect();
    if meant.is_empty() {
        return Err(wrong(format!("{}: no trace is meant (`reprise suite list` shows them)", suite.display())));
    }
    Ok(meant)
}

fn test(run: &Run) -> Ended {
    let manifest = Manifest::read(&run.suite)?;
    let entries = meant(&manifest, &run.suite, &run.only)?;
    let (suite, mut names) = (std::fs::canonicalize(&run.suite).ok(), HashSet::new());
    run.junit.as_deref().map_or(Ok(()), place::named)?;
    for path in run.junit.iter().chain(run.json.iter().filter(|path| path.as_os_str() != "-")) {
        let is_within = |suite: &PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(suite));
        if suite.as_ref().is_some_and(is_within) {
            return Err(wrong(format!("{} is a file of the suite: name another to write", path.display())));
        }
        place::apart(&mut names, path)?;
        // Results that cannot be written are lost after an hour of replays.
        let whole = Whole::begin(path).with_context(|| format!("cannot write {}", path.display()));
        whole.or_exit(exit::USAGE).map(drop)?;
    }
    if run.time && run.jobs > 1 {
        return Err(wrong("--time measures one replay at a time: leave --jobs out"));
    }
    if !run.time && (run.watching.runs.is_some() || run.watching.profile.is_some()) {
        return Err(wrong("--runs and --profile are for --time, which is not asked for"));
    }
    run.watching.profile.as_deref().map_or(Ok(()), check_name).map_err(wrong)?;
    let watch = || Watch { runs: run.watching.runs(), slower: run.slower, name: run.watching.profile.clone() };
    let watch = run.time.then(watch);
    let setting = Setting { watch, ..run.playing.setting(&run.suite, &run.results)? };
    let all = play_all(&setting, &entries, run.jobs.into());
    let name = run.suite.display().to_string();
    if let Some(path) = &run.junit {
        let written = whole_file::write(path, tell::junit(&name, &all).as_bytes());
        written.with_context(|| path.display().to_string()).or_exit(exit::FAILED)?;
    }
    let json = tell::json(&name, &run.playing.runtime, &all);
    let mut lines = tell::table(&all);
    match &run.json {
        Some(path) if path.as_os_str() == "-" => lines = vec![json.to_string()],
        Some(path) => {
            let written = whole_file::write(path, format!("{json:#}\n").as_bytes());
            written.with_context(|| path.display().to_string()).or_exit(exit::FAILED)?;
        }
        None => {}
    }
    if run.github {
        lines.extend(tell::github(&all, !run.allow_missing));
    }
    print(&lines)?;
    if all.iter().any(|it| it.status == Status::Differs) {
        reprise_log::info(format_args!(
            "the pictures that differ are in {}; where they are right: reprise suite update {} --reason WHY",
            run.results.display(),
            run.suite.display()
        ));
    }
    let passes = |it: &Tested| it.status == Status::Passed || it.status.is_missing() && run.allow_missing;
    Ok(if all.iter().all(passes) { 0 } else { exit::FAILED })
}

/// Plays all of them, several at a time; the results stand in the order of the traces.
fn play_all(setting: &Setting, entries: &[&Entry], jobs: usize) -> Vec<Tested> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(entries.len()) {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tested = setting.test(entry);
                    reprise_log::info(format_args!("{:<9}  {}", tested.status.word(), tested.name));
                    if let Ok(mut done) = done.lock() {
                        done.push(tested);
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|tested| entries.iter().position(|entry| entry.name == tested.name));
    done
}

fn update(update: &Update) -> Ended {
    let mut manifest = Manifest::read(&update.suite)?;
    let results = tempfile::tempdir().context("no temporary folder").or_exit(exit::FAILED)?;
    let setting = update.playing.setting(&update.suite, results.path())?;
    let names: Vec<String> =
        meant(&manifest, &update.suite, &update.only)?.iter().map(|entry| entry.name.clone()).collect();
    let mut lines = Vec::new();
    for at in 0..manifest.traces.len() {
        if !names.contains(&manifest.traces[at].name) {
            continue;
        }
        let tested = setting.test(&manifest.traces[at]);
        let name = &tested.name;
        let Some(old) = tested.golden.as_ref().filter(|_| tested.status != Status::Failed) else {
            lines.push(format!("{name}: left as it is: {}", tested.why()));
            continue;
        };
        let metric = update.metric.unwrap_or_else(|| play::metric(old));
        if tested.status == Status::Passed && metric == play::metric(old) {
            lines.push(format!("{name}: passes, left as it is"));
            continue;
        }
        let driver = Some(old.driver.clone());
        let recording = Recording { replace: true, unchecked: update.unchecked || old.unchecked };
        let golden = record(&setting, &manifest.traces[at], (metric, &update.reason), driver, recording)?;
        lines.push(format!("{name}: golden for {} recorded anew; it was: {}", golden.driver, tested.why()));
        let goldens = &mut manifest.traces[at].goldens;
        if let Some(place) = goldens.iter_mut().find(|other| other.driver == golden.driver) {
            *place = golden;
        }
        // Each is kept as it is done: the folder has changed already.
        manifest.write(&update.suite)?;
    }
    print(&lines)?;
    Ok(0)
}

/// Records profiles, and replaces those of the same name.
fn time(time: &Time) -> Ended {
    if time.playing.driver.is_some() {
        return Err(wrong("--driver names a golden result: --profile names what is recorded here"));
    }
    let mut manifest = Manifest::read(&time.suite)?;
    let results = tempfile::tempdir().context("no temporary folder").or_exit(exit::FAILED)?;
    let setting = time.playing.setting(&time.suite, results.path())?;
    let names: Vec<String> =
        meant(&manifest, &time.suite, &time.only)?.iter().map(|entry| entry.name.clone()).collect();
    time.watching.profile.as_deref().map_or(Ok(()), check_name).map_err(wrong)?;
    let mut all = true;
    for name in names {
        let Some(entry) = manifest.traces.iter_mut().find(|entry| entry.name == name) else { continue };
        match timed(time, &setting, entry) {
            Ok((profile, said)) => {
                entry.profiles.retain(|other| other.name != profile.name);
                entry.profiles.push(profile);
                // Each is kept as it is done: the folder has changed already.
                manifest.write(&time.suite)?;
                print(&[format!("{name}: {said}")])?;
            }
            // As in `run`, the others are not to blame.
            Err(why) => {
                reprise_log::error(format_args!("{name}: {why}"));
                all = false;
            }
        }
    }
    Ok(if all { 0 } else { exit::FAILED })
}

/// Measures a trace and writes its file of times; the profile, and what to say of it.
fn timed(time: &Time, setting: &Setting, entry: &Entry) -> Result<(Profile, String), String> {
    let trace = play::check(&setting.suite, entry)?;
    // One replay tells the device, and whether the trace comes to its end there.
    let shown = setting.show(&trace, &play::frames(entry)?, &setting.results, |_| false);
    let shown = shown.map_err(|failure| failure.to_string())?.complete()?;
    let times = setting.measure(entry, time.watching.runs())?;
    let name = time.watching.profile.clone().unwrap_or_else(|| profile::of_adapter(&shown.device));
    let folder = PathBuf::from("golden").join(&entry.name).join("times");
    let file = folder.join(format!("{name}.times"));
    let path = setting.suite.join(&file);
    let written = std::fs::create_dir_all(setting.suite.join(folder)).and_then(|()| times.save(&path));
    written.map_err(|error| format!("{}: {error}", path.display()))?;
    let device = if shown.device.is_empty() { "a device that its runtime does not name" } else { &shown.device };
    let mut said = format!("{:.3} ms on {name}, the median of {} replays", profile::total(&times), times.runs.len());
    // What has no time now is not missed later.
    for (reason, calls) in times.runs.last().iter().flat_map(|run| &run.untimed) {
        said += &format!("; not timed: {}: {reason}", plural(calls.len() as u64, "submission"));
    }
    let recorded_on = format!("{device}; {}", shown.runtime);
    let (slower, reason) = (time.slower, time.reason.clone());
    Ok((Profile { name, slower, reason, recorded_on, file }, said))
}

fn list(list: &List) -> Ended {
    let manifest = Manifest::read(&list.suite)?;
    if list.json {
        let json = serde_json::to_value(&manifest).context("cannot write JSON").or_exit(exit::FAILED)?;
        print(&[json.to_string()])?;
        return Ok(0);
    }
    let mut lines = Vec::new();
    for entry in &manifest.traces {
        let size = std::fs::metadata(list.suite.join(&entry.file));
        let size = size.map_or_else(|_| "missing".to_owned(), |file| output::bytes(file.len()));
        let frames = entry.frames.as_ref().map_or_else(String::new, |frames| format!(", frames {frames}"));
        lines.push(format!("{} ({}, {size}{frames})", entry.name, entry.file.display()));
        for golden in &entry.goldens {
            let Golden { driver, metric, reason, recorded_on, unchecked, .. } = golden;
            let unchecked = if *unchecked { "; unchecked" } else { "" };
            lines.push(format!("  {driver}: {metric}; {reason}; recorded on {recorded_on}{unchecked}"));
        }
        for Profile { name, slower, reason, recorded_on, .. } in &entry.profiles {
            lines.push(format!("  times of {name}: {slower} % are slower; {reason}; recorded on {recorded_on}"));
        }
    }
    print(&lines)?;
    Ok(0)
}

fn print(lines: &[String]) -> Result<(), Failure> {
    let mut output = Output::new();
    let written = lines.iter().try_for_each(|line| output.line(line).map(|_| ())).and_then(|()| output.flush());
    written.map(|_| ()).context("cannot write to standard output").or_exit(exit::FAILED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_names() {
        for (pattern, name, fit) in
            [("a*", "abc", true), ("*", "", true), ("a", "ab", false), ("*b*c", "abxc", true), ("*b", "abc", false)]
        {
            assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), fit, "{pattern} {name}");
        }
    }
}
