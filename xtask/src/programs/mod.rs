//! `cargo xtask programs`: which library runs which of our Direct3D 12 test programs, and do they agree?
//!
//! Invariant: ends with an exit code other than 0 when a program failed anywhere, gave another hash than the one that
//! `expected.txt` states, or was replayed with another result; unless that file says so of the library, or the library says so.

mod controls;
mod expected;
mod grid;
mod replays;
mod table;

use crate::cargo;
use crate::debian::Place;
use anyhow::{Context, Result, bail, ensure};
use controls::Controls;
use expected::Expected;
use replays::Replays;
use reprise_testing::crash::{Crash, Teller, repetitions};
use reprise_testing::{artifact, program};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
pub(crate) use table::Table;
use table::{Cell, Outcome};

/// A program that does not end by then hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// What is built.
pub(crate) const PACKAGES: [&str; 2] = ["reprise-programs", "reprise-runtime-library"];
const FORMS: [&str; 2] = ["dxbc", "dxil"];
/// What is run when nothing is named.
const LIBRARIES: [&str; 2] = ["ours", "vkd3d"];

struct Options {
    libraries: Vec<String>,
    /// All if empty.
    programs: Vec<String>,
    json: Option<PathBuf>,
    /// Capture what passes, and replay it on every library.
    replay: bool,
    /// Capture what passes, and look whether a change of what the GPU does would be noticed; golden traces, too, where no program is named.
    control: bool,
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let mut packages = PACKAGES.to_vec();
    if options.replay || options.control {
        packages.extend(["reprise", "reprise-capture"]);
    }
    let folder = cargo::build("programs", &packages)?;
    let scratch = scratch()?;
    let mut runs = Runs::new(&folder, Place::default())?;
    let mut table = Table::new(Expected::read()?);
    let mut replays = match options.replay {
        true => Some(Replays::new(&folder, scratch.clone(), &options.libraries)?),
        false => None,
    };
    let mut controls = options.control.then(|| Controls::new(&folder, &scratch));
    if let (Some(controls), true) = (&mut controls, options.programs.is_empty()) {
        options.libraries.iter().try_for_each(|library| controls.add_golden(library))?;
    }
    for name in runs.listed(&options.programs)? {
        for library in &options.libraries {
            for form in FORMS {
                let outcome = runs.one(&name, library, form)?;
                println!("programs: {name} on {library} with {form}: {outcome}");
                if let (Some(replays), Outcome::Hash(_)) = (&mut replays, &outcome) {
                    replays.add(&name, library, form)?;
                }
                if let (Some(controls), Outcome::Hash(_)) = (&mut controls, &outcome) {
                    controls.add_program(&name, library, form)?;
                }
                table.add(Cell { program: name.clone(), library: library.clone(), form, outcome });
            }
        }
    }
    println!("\n{table}");
    print!("{}", repetitions(runs.repeated.iter()));
    let mut wrong = table.wrong();
    let mut json = serde_json::json!({ "runs": table.json() });
    if let Some(replays) = replays {
        println!("\n{replays}");
        let excuses = replays.excuses(&table);
        if !excuses.is_empty() {
            println!("\nNot equal where the program itself does not come out right on the library:");
            excuses.iter().for_each(|line| println!("  {line}"));
        }
        wrong += replays.wrong(&table);
        json["replays"] = replays.json();
    }
    if let Some(controls) = controls {
        println!("\n{controls}");
        wrong += controls.wrong();
        json["controls"] = controls.json();
    }
    if let Some(path) = &options.json {
        json["wrong"] = wrong.into();
        let text = serde_json::to_string_pretty(&json)?;
        std::fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    ensure!(wrong == 0, "{wrong} of them are wrong");
    Ok(())
}

/// Programs on one library at a place, with shaders of both forms; all of them if none is named. `folder` has what was built.
pub(crate) fn at(place: Place, folder: &Path, library: &Path, programs: &[String]) -> Result<Table> {
    let mut runs = Runs::new(folder, place)?;
    let mut table = Table::new(Expected::read()?);
    let library = library.to_string_lossy();
    for program in runs.listed(programs)? {
        for form in FORMS {
            let outcome = runs.one(&program, &library, form)?;
            println!("programs: {program} with {form}: {outcome}");
            table.add(Cell { program: program.clone(), library: library.to_string(), form, outcome });
        }
    }
    print!("{}", repetitions(runs.repeated.iter()));
    Ok(table)
}

/// Where this task leaves files.
fn scratch() -> Result<PathBuf> {
    let scratch = artifact::workspace().join("target/programs");
    std::fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
    Ok(scratch)
}

/// Some libraries leave caches where they are run, and remark on much.
fn quiet(command: &mut Command) {
    command.current_dir(std::env::temp_dir());
    command.envs([("VKD3D_DEBUG", "none"), ("VKD3D_SHADER_DEBUG", "none"), ("VKD3D_SHADER_CACHE_PATH", "0")]);
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options =
            Self { libraries: Vec::new(), programs: Vec::new(), json: None, replay: false, control: false };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let mut value = || rest.next().cloned().with_context(|| format!("{option} needs a value"));
            match option.as_str() {
                "--library" => options.libraries.push(library(value()?)?),
                "--program" => options.programs.push(value()?),
                "--replay" => options.replay = true,
                "--control" => options.control = true,
                "--json" => options.json = Some(value()?.into()),
                other => {
                    bail!(
                        "programs takes --library LIBRARY, --program NAME, --replay, --control and --json FILE (got {other:?})"
                    )
                }
            }
        }
        if options.libraries.is_empty() {
            options.libraries = LIBRARIES.map(str::to_owned).to_vec();
        }
        Ok(options)
    }
}

/// A file is named from where the task is run, the programs run elsewhere; a name is left to the programs.
fn library(wanted: String) -> Result<String> {
    if !wanted.contains('/') {
        return Ok(wanted);
    }
    let path = std::path::absolute(&wanted).with_context(|| format!("{wanted:?} is no path"))?;
    Ok(path.to_string_lossy().into_owned())
}

/// The programs, run where each tells whose crash it was.
struct Runs {
    programs: PathBuf,
    place: Place,
    teller: Teller,
    /// Of each run that crashed in the driver and was repeated: the frame that shows it.
    repeated: Vec<String>,
}

impl Runs {
    fn new(folder: &Path, place: Place) -> Result<Runs> {
        let teller = Teller::build(&scratch()?)?;
        Ok(Runs { programs: folder.join("reprise-programs"), place, teller, repeated: Vec::new() })
    }

    /// The names of those that are wanted; of all if none is named.
    fn listed(&self, wanted: &[String]) -> Result<Vec<String>> {
        let finished = program::run_quietly(self.command().arg("--list"), PATIENCE)?;
        ensure!(finished.status.success(), "reprise-programs --list ended with {}", finished.status);
        let text = finished.text();
        let all = text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
        let named: Vec<String> = all.filter(|name| wanted.is_empty() || wanted.contains(name)).collect();
        ensure!(!named.is_empty(), "there is no such program");
        Ok(named)
    }

    fn command(&self) -> Command {
        let mut command = self.place.command(&self.programs, Path::new("/tmp"));
        quiet(&mut command);
        command
    }

    /// Runs a program; again where it crashed in the driver, which lavapipe does at times.
    fn one(&mut self, name: &str, library: &str, form: &str) -> Result<Outcome> {
        const REPETITIONS: u32 = 3;
        for _ in 0..REPETITIONS {
            let (outcome, crash) = attempt(self, name, library, form)?;
            match crash {
                Some(crash) if crash.driver => {
                    println!("programs: {name} on {library} with {form}: {outcome}; again");
                    self.repeated.push(crash.frame);
                }
                _ => return Ok(outcome),
            }
        }
        Ok(attempt(self, name, library, form)?.0)
    }
}

fn attempt(runs: &Runs, name: &str, library: &str, form: &str) -> Result<(Outcome, Option<Crash>)> {
    let mut command = runs.command();
    command.args([name, "--library", library, "--shaders", form]).env("LD_PRELOAD", runs.teller.preload());
    let finished = program::run_quietly(&mut command, PATIENCE)?;
    let errors = finished.errors();
    let said = errors.lines().rev().find(|line| line.starts_with("reprise-programs: ")).unwrap_or("").trim();
    let said = said.trim_start_matches("reprise-programs: ").trim_start_matches(&format!("{name}: ")).to_owned();
    let crash = finished.status.code().is_none().then(|| Crash::find(&errors)).flatten();
    let outcome = match finished.status.code() {
        Some(0) => match finished.text().trim().strip_prefix(name).map(str::trim) {
            Some(hash) => Outcome::Hash(hash.to_owned()),
            None => Outcome::Failed(format!("printed {:?}", finished.text())),
        },
        Some(2) => bail!("{said}"),
        Some(3) => Outcome::Cannot(said.trim_start_matches("cannot run here: ").to_owned()),
        _ if finished.timed_out => Outcome::Failed(format!("no end within {} s", PATIENCE.as_secs())),
        Some(_) => Outcome::Failed(said),
        // Under validation that ends it, the rule says more than the frame.
        None => Outcome::Crashed(match (broken_rule(&errors), &crash) {
            (Some(rule), _) => rule.to_owned(),
            (None, Some(crash)) => format!("{} in {}", finished.status, crash.frame),
            (None, None) => finished.status.to_string(),
        }),
    };
    Ok((outcome, crash))
}

/// What the validation layer says of the rule that was broken.
fn broken_rule(errors: &str) -> Option<&str> {
    errors.lines().find_map(|line| line.find("validation error").map(|at| &line[at..]))
}
