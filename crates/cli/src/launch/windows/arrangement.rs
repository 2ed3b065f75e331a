//! What is arranged for one run of a Windows program: libraries, environment, and somebody who puts everything back.

use crate::launch::mark::Mark;
use crate::launch::restorer::Restorer;
use crate::launch::windows::command_line::Carrier;
use crate::launch::windows::executable::Machine;
use crate::launch::windows::explanation::Known;
use crate::launch::windows::libraries::Libraries;
use crate::launch::windows::observer::Observer;
use crate::launch::windows::opened::Watch;
use crate::launch::windows::options::{Options, Place};
use crate::launch::windows::placement::Placement;
use crate::launch::windows::target::{Target, absolute};
use crate::launch::windows::{host_log, overrides};
use crate::launch::{processes, signal};
use crate::terminal::exit::{self, Failure};
use crate::terminal::output;
use reprise_environment::capture::HOST_LOG;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

const OVERRIDES: &str = "WINEDLLOVERRIDES";
/// What the game's container shows of the machine besides its own.
const SHARED: &str = "PRESSURE_VESSEL_FILESYSTEMS_RW";

/// What is arranged for one run.
#[derive(Debug)]
pub(crate) struct Arrangement {
    target: Target,
    placement: Option<Placement>,
    observer: Option<Observer>,
    /// Over the system's library, unless ours stands in its place.
    watch: Option<Watch>,
    host_log: PathBuf,
    mark: Mark,
    names: &'static [&'static str],
    in_system: bool,
    overrides: String,
}

/// What a run brings besides its program.
pub(crate) struct Equipment<'a> {
    /// What stands beside the program.
    pub(crate) libraries: &'a Libraries,
    /// How the processes of the run are known.
    pub(crate) mark: &'a Mark,
    /// Who puts folders back when this process is killed, once it could be started.
    pub(crate) restorer: Option<Restorer>,
    /// The file in which our libraries tell what happened.
    pub(crate) host_log: PathBuf,
}

impl Arrangement {
    /// Arranges everything, and says so in one line.
    ///
    /// # Errors
    /// Our libraries cannot stand where they have to.
    pub(crate) fn begin(
        target: Target,
        options: &Options,
        equipment: Equipment<'_>,
        quiet: bool,
    ) -> Result<Arrangement, Failure> {
        let fail = |message: String| Failure::message(exit::CAPTURE, message);
        let Equipment { libraries, mark, restorer, host_log } = equipment;
        let in_system = options.place == Place::System;
        let placement = if in_system {
            let prefix =
                target.prefix.as_ref().ok_or_else(|| fail("there is no prefix: set WINEPREFIX or HOME".into()))?;
            if target.carrier == Carrier::Proton {
                reprise_log::warning(
                    "--place system: Proton may put its own libraries there when it sets up the prefix",
                );
            }
            Placement::system(libraries, restorer, &prefix.system())
        } else {
            let first = target.program.as_deref().and_then(Path::parent).map(absolute);
            let first =
                first.filter(|_| target.executable.as_ref().is_some_and(|known| known.machine == Machine::Bits64));
            let roots: Vec<PathBuf> = target.root().iter().chain(&options.beside).map(|root| absolute(root)).collect();
            Placement::beside(libraries, restorer, first.as_deref(), &roots)
        };
        let placement = placement.map_err(fail)?;
        let existing = target.assigned.iter().rev().find(|(name, _)| name == OVERRIDES).map(|(_, value)| value.clone());
        let existing = existing.or_else(|| std::env::var_os(OVERRIDES)).unwrap_or_default();
        let merged = overrides::merge(&existing.to_string_lossy(), &libraries.overrides());
        if !merged.replaced.is_empty() {
            let replaced = merged.replaced.join(";");
            reprise_log::warning(format_args!(
                "{OVERRIDES}: {replaced} does not count in this run, because our libraries go first"
            ));
        }
        let _ = std::fs::remove_file(&host_log);
        let watch = target.prefix.as_ref().filter(|_| !in_system).and_then(Watch::begin);
        let observer = Observer::start(mark, target.prefix.clone(), &target.directory);
        let arrangement = Arrangement {
            target,
            placement: Some(placement),
            observer: Some(observer),
            watch,
            host_log,
            mark: mark.clone(),
            names: libraries.names,
            in_system,
            overrides: merged.value,
        };
        if !quiet {
            arrangement.tell();
        }
        Ok(arrangement)
    }

    fn tell(&self) {
        let name = self.target.program.as_deref().and_then(Path::file_name);
        let name = name.map_or_else(String::new, |name| format!(" {}", name.display()));
        let carrier = self.target.carrier.name();
        let folders: Vec<&Path> = self.placement.iter().flat_map(Placement::folders).collect();
        let place = match (self.in_system, &folders[..]) {
            (true, _) => "in the prefix's system folder".to_owned(),
            (false, [one]) => format!("in {}", one.display()),
            (false, [first, rest @ ..]) => {
                format!("in {} and {} more", first.display(), output::plural(rest.len() as u64, "folder"))
            }
            (false, []) => "nowhere".to_owned(),
        };
        reprise_log::info(format_args!(
            "Windows program{name} under {carrier}: {} {place} for this run",
            self.names.join(", ")
        ));
        if self.placement.as_ref().is_some_and(Placement::is_cut) {
            reprise_log::warning("there are more folders than were searched: name others with --beside");
        }
    }

    /// What the program's environment gets.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut environment =
            vec![(HOST_LOG, self.host_log.clone().into_os_string()), (OVERRIDES, OsString::from(&self.overrides))];
        if self.target.carrier == Carrier::Proton
            && let Some(folder) = self.mark.folder.parent()
        {
            let mut shared = folder.as_os_str().to_owned();
            if let Some(existing) = std::env::var_os(SHARED).filter(|existing| !existing.is_empty()) {
                shared.push(":");
                shared.push(existing);
            }
            environment.push((SHARED, shared));
        }
        environment
    }

    /// The words of the command line as they are to be run: one that sets the overrides gets ours, too.
    pub(crate) fn words(&self, words: &[OsString]) -> Vec<OsString> {
        let is_ours = |word: &OsString| word.to_str().is_some_and(|word| word.starts_with("WINEDLLOVERRIDES="));
        if !self.target.assigned.iter().any(|(name, _)| name == OVERRIDES) {
            return words.to_vec();
        }
        let own = OsString::from(format!("{OVERRIDES}={}", self.overrides));
        words.iter().map(|word| if is_ours(word) { own.clone() } else { word.clone() }).collect()
    }

    /// Waits until no Windows process of this run is left: a launcher may end before the program that it started. Signals are
    /// passed on to them; a second one ends the waiting.
    pub(crate) fn wait(&self) {
        const LOOK: Duration = Duration::from_millis(100);
        let (mut told, begun) = (false, signal::count());
        loop {
            let left = processes::of_windows(&self.mark);
            let Some(one) = left.iter().find(|process| !process.begins()).or(left.first()) else { return };
            if !told && !one.begins() {
                told = true;
                reprise_log::info(format_args!("waiting for {} (process {}), which still runs", one.name(), one.id));
            }
            signal::take().for_each(|signal| left.iter().for_each(|process| signal::send(process.id, signal)));
            if signal::count() >= begun + 2 {
                reprise_log::warning(format_args!("no longer waiting for {} (process {})", one.name(), one.id));
                return;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Puts everything back.
    pub(crate) fn end(mut self) -> Ended {
        let seen = self.observer.take().map(Observer::finish).unwrap_or_default();
        let replaced = self.placement.as_ref().map(Placement::replaced).unwrap_or_default();
        // Before the restorer ends, which removes the file.
        let told = host_log::take(&self.host_log);
        drop(self.placement.take());
        let opened = self.watch.take().map(Watch::finish).unwrap_or_default();
        let executable = self.target.executable.as_ref();
        let known = Known { executable, told, seen, opened, replaced, in_system: self.in_system };
        Ended { devices: known.told.devices, reason: known.reason() }
    }
}

/// What is known of a run that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Devices that our libraries saw made.
    pub(crate) devices: usize,
    /// Why there was none, or none was recorded, where that is so.
    pub(crate) reason: String,
}
