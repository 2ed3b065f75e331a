//! The Windows program of a command line, and whether our libraries can serve it.

use crate::launch::windows::command_line::{self, Carrier, Line};
use crate::launch::windows::executable::{Executable, Machine};
use crate::launch::windows::explanation::NARROW;
use crate::launch::windows::folders;
use crate::launch::windows::options::{Options, Place};
use crate::launch::windows::prefix::Prefix;
use crate::terminal::exit::{self, Failure};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A Windows program that is to be run.
#[derive(Debug)]
pub(crate) struct Target {
    pub(super) carrier: Carrier,
    pub(super) program: Option<PathBuf>,
    pub(super) executable: Option<Executable>,
    pub(super) prefix: Option<Prefix>,
    /// `NAME=VALUE` words of the command line, which `env` puts into the environment after us.
    pub(super) assigned: Vec<(String, OsString)>,
    pub(super) directory: PathBuf,
}

impl Target {
    /// What a command line brings to run; `None` for native programs.
    ///
    /// # Errors
    /// A Windows program that our libraries cannot serve, and why.
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
                    Machine::Arm64 => format!("{shown} is a program for ARM64: our libraries are for x86-64"),
                    _ => format!("{shown} is a program for another processor: our libraries are for x86-64"),
                };
                // Whatever is given a file need not run it.
                if windows.carrier == Carrier::Other {
                    reprise_log::warning(format_args!("{what}; taken for a native program"));
                    return Ok(None);
                }
                return refuse(what);
            }
        }
        if windows.program.is_none() && options.place == Place::Program && options.beside.is_empty() {
            return refuse(format!(
                "no word of the command names a Windows program that is there, so our libraries have no place: name the \
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

    /// Whether it may be a native program as well: only whoever runs it knows.
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
    pub(super) fn root(&self) -> Option<PathBuf> {
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

pub(super) fn absolute(path: &Path) -> PathBuf {
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
