//! Starts the program to be captured, with the capture library preloaded, and waits for it.

use crate::signal;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// How a program could not be started.
#[derive(Debug)]
pub(crate) enum NotStarted {
    /// There is no such file.
    NotFound,
    /// It is there, but it cannot be run.
    CannotRun(io::Error),
}

/// Starts a program and waits for its end; signals meant for it are passed on meanwhile.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn run(
    program: &Path,
    arguments: &[OsString],
    environment: &[(&str, OsString)],
) -> Result<ExitStatus, NotStarted> {
    signal::install().map_err(NotStarted::CannotRun)?;
    let mut command = Command::new(program);
    command.args(arguments);
    for (name, value) in environment {
        command.env(name, value);
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => NotStarted::NotFound,
        _ => NotStarted::CannotRun(error),
    })?;
    signal::pass_on_to(child.id());
    let status = child.wait().map_err(NotStarted::CannotRun);
    // What is left to do ends by itself: from here on Ctrl-C is for us.
    signal::restore();
    status
}

/// The exit code a shell would report: the program's own, or 128 and the signal that ended it.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// The value of `LD_PRELOAD` that loads our library first and keeps what was asked for already.
///
/// # Errors
/// A message when the loader could not find the library under its path: it splits the list at colons and spaces.
pub(crate) fn preload(library: &Path, existing: Option<OsString>) -> Result<OsString, String> {
    if library.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b':' | b' ')) {
        return Err(format!(
            "the capture library cannot be preloaded from {}: the loader splits paths at colons and spaces",
            library.display()
        ));
    }
    let mut list = library.as_os_str().to_owned();
    if let Some(existing) = existing.filter(|list| !list.is_empty()) {
        list.push(":");
        list.push(existing);
    }
    Ok(list)
}

/// Where a program is, as the shell would find it; `None` where it is not.
pub(crate) fn find(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        let path = PathBuf::from(program);
        return path.exists().then_some(path);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|candidate| candidate.is_file())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_preload_is_kept() {
        let library = Path::new("/opt/libreprise_capture.so");
        assert_eq!(preload(library, None).unwrap(), library.as_os_str());
        assert_eq!(preload(library, Some("".into())).unwrap(), library.as_os_str());
        assert_eq!(preload(library, Some("a.so:b.so".into())).unwrap(), "/opt/libreprise_capture.so:a.so:b.so");
        assert!(preload(Path::new("/my programs/x.so"), None).is_err());
    }

    #[test]
    fn exit_codes_as_a_shell_reports_them() {
        assert_eq!(exit_code(ExitStatus::from_raw(0)), 0);
        assert_eq!(exit_code(ExitStatus::from_raw(7 << 8)), 7);
        assert_eq!(exit_code(ExitStatus::from_raw(libc::SIGKILL)), 137);
        assert_eq!(exit_code(ExitStatus::from_raw(libc::SIGSEGV | 0x80)), 139);
    }

    #[test]
    fn programs_are_found_as_a_shell_finds_them() {
        assert!(find(OsStr::new("sh")).is_some_and(|path| path.is_absolute()));
        assert_eq!(find(OsStr::new("/bin/sh")), Some("/bin/sh".into()));
        assert_eq!(find(OsStr::new("no-such-program-anywhere")), None);
        assert_eq!(find(OsStr::new("./no-such-program")), None);
    }
}
