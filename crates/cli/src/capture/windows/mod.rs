//! Windows programs under Wine and Proton: what a command line brings to run, what is arranged for that run alone, and why nothing
//! was recorded where that is so.
//!
//! Invariant: when a capture has ended, however it did, the program's folders and the prefix are as they were, or a journal beside
//! what is not says how it is put back ([`journal`]).

pub(crate) mod command_line;
pub(crate) mod executable;
pub(crate) mod explanation;
pub(crate) mod folders;
pub(crate) mod host_log;
pub(crate) mod journal;
pub(crate) mod libraries;
pub(crate) mod observer;
pub(crate) mod overrides;
pub(crate) mod placement;
pub(crate) mod prefix;
pub(crate) mod processes;
pub(crate) mod restorer;

use crate::capture::signal;
use crate::terminal::exit::{self, Failure};
use command_line::{Carrier, Line};
use executable::{Executable, Machine};
use explanation::{Known, NARROW};
use observer::Observer;
use placement::Placement;
use prefix::Prefix;
use reprise_environment::capture::HOST_LOG;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

const OVERRIDES: &str = "WINEDLLOVERRIDES";
/// What the game's container shows of the machine besides its own.
const SHARED: &str = "PRESSURE_VESSEL_FILESYSTEMS_RW";

/// Where our libraries stand
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Place {
    /// Beside the program, and beside other programs in folders below
    #[default]
    Program,
    /// In the prefix, for programs that look at their folder or load the system's libraries
    System,
}

/// Windows programs
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Windows programs (under Wine or Proton)")]
pub(crate) struct Options {
    /// Where the capture libraries stand while the program runs
    #[arg(long, value_enum, value_name = "WHERE", default_value_t)]
    place: Place,
    /// They stand beside the programs in and below this folder, too: for a launcher whose game lies elsewhere
    #[arg(long, value_name = "FOLDER")]
    beside: Vec<PathBuf>,
    /// Put back what captures that were killed left in this folder and below it, and capture nothing
    #[arg(long, value_name = "FOLDER", exclusive = true)]
    pub(crate) clean_up: Option<PathBuf>,
}

/// A Windows program that is to be captured.
#[derive(Debug)]
pub(crate) struct Target {
    carrier: Carrier,
    program: Option<PathBuf>,
    executable: Option<Executable>,
    prefix: Option<Prefix>,
    /// `NAME=VALUE` words of the command line, which `env` puts into the environment after us.
    assigned: Vec<(String, OsString)>,
    directory: PathBuf,
}

impl Target {
    /// What a command line brings to run; `None` for native programs.
    ///
    /// # Errors
    /// A Windows program that is not captured, and why.
    pub(crate) fn of(words: &[OsString], options: &Options) -> Result<Option<Target>, Failure> {
        let refuse = |message: String| Err(Failure::message(exit::CANNOT_RUN, message));
        let assigned = assignments(words);
        let set = |name: &str| {
            let assigned = assigned.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.clone());
            assigned.or_else(|| std::env::var_os(name)).map(PathBuf::from)
        };
        let prefix = Prefix::of(set);
        let directory = std::env::current_dir().unwrap_or_default();
        let locate = |word: &OsStr| {
            let prefix = prefix.as_ref()?;
            prefix.locate(word, &directory).filter(|path| Executable::read(path).is_some())
        };
        let is_system = |path: &Path| prefix.as_ref().is_some_and(|prefix| prefix.is_system(path));
        let windows = match command_line::line(words, &locate, &is_system) {
            Line::Native => return Ok(None),
            Line::Unreachable(what) => return refuse(what.to_owned()),
            Line::Windows(windows) => windows,
        };
        let executable = windows.program.as_deref().and_then(Executable::read);
        let shown = windows.program.as_deref().unwrap_or(Path::new("")).display();
        match executable.as_ref().map(|executable| executable.machine) {
            None | Some(Machine::Bits64) => {}
            // A launcher of 32 bits may start a program of 64.
            Some(Machine::Bits32) if options.place == Place::System || !options.beside.is_empty() => {}
            Some(Machine::Bits32) if windows.program.as_deref().is_some_and(has_wide_beside) => {}
            Some(machine) => {
                let what = match machine {
                    Machine::Bits32 => {
                        format!("{shown} is a 32-bit program, and no other lies beside or below it; {NARROW}")
                    }
                    Machine::Arm64 => format!("{shown} is a program for ARM64: only those for x86-64 are captured"),
                    _ => format!("{shown} is a program for another processor: only those for x86-64 are captured"),
                };
                // Whatever is given a file need not run it.
                if windows.carrier == Carrier::Other {
                    reprise_log::warning(format_args!("{what}; captured as a native program"));
                    return Ok(None);
                }
                return refuse(what);
            }
        }
        if windows.program.is_none() && options.place == Place::Program && options.beside.is_empty() {
            return refuse(format!(
                "no word of the command names a Windows program that is there, so the capture libraries have no place: name the \
                 program's file, or its folder with --beside, or take --place system (this is {})",
                windows.carrier.name()
            ));
        }
        let (carrier, program) = (windows.carrier, windows.program);
        Ok(Some(Target { carrier, program, executable, prefix, assigned, directory }))
    }

    /// The name that a trace gets, where there is a better one than that of what runs the program.
    pub(crate) fn name(&self) -> Option<&OsStr> {
        self.program.as_deref().and_then(Path::file_stem)
    }

    /// Whether a native program may be captured as well: only whoever runs it knows.
    pub(crate) fn may_be_native(&self) -> bool {
        self.carrier == Carrier::Other
    }

    /// Whether the program sees a folder of ours. Steam's container has its own of some.
    pub(crate) fn sees(&self, folder: &Path) -> bool {
        if self.carrier != Carrier::Proton {
            return true;
        }
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let shared = [Path::new("/tmp"), Path::new("/dev/shm")];
        shared.into_iter().chain(home.as_deref()).any(|place| folder.starts_with(place))
    }

    /// The folder whose programs may be started by the one on the command line.
    fn root(&self) -> Option<PathBuf> {
        let folder = self.program.as_deref()?.parent()?;
        let installed = std::env::var_os("STEAM_COMPAT_INSTALL_PATH").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(PathBuf::from);
        match installed.filter(|installed| folder.starts_with(installed)) {
            Some(installed) => Some(installed),
            None if folders::is_common(&absolute(folder), home.as_deref()) => None,
            None => Some(folder.to_owned()),
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn has_wide_beside(program: &Path) -> bool {
    program.parent().is_some_and(|folder| !folders::below(folder).folders.is_empty())
}

/// The `NAME=VALUE` words behind `env`.
fn assignments(words: &[OsString]) -> Vec<(String, OsString)> {
    let behind = words.iter().skip_while(|word| Path::new(word).file_name() != Some(OsStr::new("env"))).skip(1);
    let pairs = behind.map_while(|word| {
        let text = word.to_str()?;
        if text.starts_with('-') {
            return Some(None);
        }
        text.split_once('=').map(|(name, value)| Some((name.to_owned(), value.into())))
    });
    pairs.flatten().collect()
}

/// What is arranged for one run.
#[derive(Debug)]
pub(crate) struct Arrangement {
    target: Target,
    placement: Option<Placement>,
    observer: Option<Observer>,
    host_log: PathBuf,
    rings: PathBuf,
    in_system: bool,
    overrides: String,
}

impl Arrangement {
    /// Arranges everything, and says so in one line.
    ///
    /// # Errors
    /// Our libraries are missing, or cannot stand where they have to.
    pub(crate) fn begin(target: Target, options: &Options, rings: &Path, quiet: bool) -> Result<Arrangement, Failure> {
        let fail = |message: String| Failure::message(exit::CAPTURE, message);
        let in_system = options.place == Place::System;
        let placement = if in_system {
            let prefix =
                target.prefix.as_ref().ok_or_else(|| fail("there is no prefix: set WINEPREFIX or HOME".into()))?;
            if target.carrier == Carrier::Proton {
                reprise_log::warning(
                    "--place system: Proton may put its own libraries there when it sets up the prefix",
                );
            }
            Placement::system(rings, &prefix.system())
        } else {
            let first = target.program.as_deref().and_then(Path::parent).map(absolute);
            let first =
                first.filter(|_| target.executable.as_ref().is_some_and(|known| known.machine == Machine::Bits64));
            let roots: Vec<PathBuf> = target.root().iter().chain(&options.beside).map(|root| absolute(root)).collect();
            Placement::beside(rings, first.as_deref(), &roots)
        };
        let placement = placement.map_err(fail)?;
        let existing = target.assigned.iter().rev().find(|(name, _)| name == OVERRIDES).map(|(_, value)| value.clone());
        let existing = existing.or_else(|| std::env::var_os(OVERRIDES)).unwrap_or_default();
        let merged = overrides::merge(&existing.to_string_lossy());
        if !merged.replaced.is_empty() {
            let replaced = merged.replaced.join(";");
            reprise_log::warning(format_args!(
                "{OVERRIDES}: {replaced} does not count in this run, because our libraries go first"
            ));
        }
        let host_log = host_log::path_beside(rings);
        let _ = std::fs::remove_file(&host_log);
        let observer = Observer::start(rings, target.prefix.clone(), &target.directory);
        let arrangement = Arrangement {
            target,
            placement: Some(placement),
            observer: Some(observer),
            host_log,
            rings: rings.into(),
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
            (false, [first, rest @ ..]) => format!("in {} and {} folders more", first.display(), rest.len()),
            (false, []) => "nowhere".to_owned(),
        };
        reprise_log::info(format_args!(
            "Windows program{name} under {carrier}: d3d12.dll, dxgi.dll {place} for this run"
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
            && let Some(folder) = self.rings.parent()
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

    /// Waits until no Windows process of this capture is left: a launcher may end before the program that it started. Signals are
    /// passed on to them; a second one ends the waiting.
    pub(crate) fn wait(&self) {
        const LOOK: Duration = Duration::from_millis(100);
        let (mut told, begun) = (false, signal::count());
        loop {
            let left = processes::of_capture(&self.rings);
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
        drop(self.placement.take());
        let known = Known {
            executable: self.target.executable.as_ref(),
            told: host_log::take(&self.host_log),
            seen,
            replaced,
            in_system: self.in_system,
        };
        Ended { reason: known.reason() }
    }
}

/// What is known of a run that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Why nothing was recorded, where that is so.
    pub(crate) reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_behind_env() {
        let of = |text: &str| {
            let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            assignments(&words)
                .into_iter()
                .map(|(name, value)| format!("{name}={}", value.display()))
                .collect::<Vec<_>>()
        };
        assert_eq!(of("env -i A=b WINEPREFIX=/p wine x.exe C=d"), ["A=b", "WINEPREFIX=/p"]);
        assert_eq!(of("mangohud /usr/bin/env A=b=c wine"), ["A=b=c"]);
        assert_eq!(of("wine x.exe A=b"), [""; 0]);
    }
}
