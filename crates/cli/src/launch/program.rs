//! Starts a program, with our libraries where it looks for them, and waits for it.

use crate::launch::signal;
use crate::terminal::exit::{self, Failure};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
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

impl NotStarted {
    /// In words, for the program as the user named it.
    pub(crate) fn failure(&self, shown: &Path) -> Failure {
        let shown = shown.display();
        match self {
            NotStarted::NotFound => {
                Failure::message(exit::NOT_FOUND, format!("{shown}: it, or its interpreter, is not there"))
            }
            NotStarted::CannotRun(error) => {
                Failure::message(exit::CANNOT_RUN, format!("{shown}: cannot be run: {error}"))
            }
        }
    }
}

/// Starts a program and waits for its end, and with `after` for what it left; signals meant for it are passed on meanwhile.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn run(
    program: &Path,
    arguments: &[OsString],
    environment: &[(&str, OsString)],
    after: &dyn Fn(),
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
    signal::pass_on_to(0);
    after();
    // What is left to do ends by itself: from here on Ctrl-C is for us.
    signal::restore();
    status
}

/// The exit code a shell would report: the program's own, or 128 and the signal that ended it.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// The value of `LD_PRELOAD` that loads our library first, or where the user put it, and keeps what was asked for already.
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
    // Who names us has chosen our place among the others.
    let is_us = |path: &Path| path == library || path.canonicalize().is_ok_and(|path| path == library);
    if let Some(list) = &existing
        && list
            .as_bytes()
            .split(|byte| matches!(byte, b':' | b' '))
            .any(|path| is_us(Path::new(OsStr::from_bytes(path))))
    {
        return Ok(list.clone());
    }
    let mut list = library.as_os_str().to_owned();
    if let Some(existing) = existing.filter(|list| !list.is_empty()) {
        list.push(":");
        list.push(existing);
    }
    Ok(list)
}

/// Refuses a program that would run with rights that its user has not: the loader preloads nothing into it.
///
/// # Errors
/// A message that says which rights, and what to do.
pub(crate) fn refuse_foreign_rights(program: &Path) -> Result<(), String> {
    // What cannot be asked is for the start itself to tell.
    let Ok(data) = std::fs::metadata(program) else { return Ok(()) };
    // SAFETY: no memory is involved.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let what = foreign_rights(data.mode(), (data.uid(), data.gid()), (user, group)).or(has_capabilities(program));
    what.map_or(Ok(()), |what| {
        Err(format!(
            "{} cannot have our libraries: it {what}, and the system loads no library of another into such programs; run it as \
             that user, or from a copy without these rights",
            program.display()
        ))
    })
}

/// Rights that come with the file and that the caller does not have.
fn foreign_rights(mode: u32, file: (u32, u32), caller: (u32, u32)) -> Option<&'static str> {
    if mode & libc::S_ISUID != 0 && file.0 != caller.0 {
        Some("is set-user-id")
    } else if mode & libc::S_ISGID != 0 && mode & libc::S_IXGRP != 0 && file.1 != caller.1 {
        Some("is set-group-id")
    } else {
        None
    }
}

fn has_capabilities(program: &Path) -> Option<&'static str> {
    let path = std::ffi::CString::new(program.as_os_str().as_bytes()).ok()?;
    // SAFETY: two terminated texts; with a size of 0 nothing is written.
    let size = unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) };
    // SAFETY: no memory is involved. For root they add nothing.
    (size > 0 && unsafe { libc::geteuid() } != 0).then_some("has file capabilities")
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
        for chosen in ["a.so:/opt/libreprise_capture.so", "a.so /opt/libreprise_capture.so b.so"] {
            assert_eq!(preload(library, Some(chosen.into())).unwrap(), chosen);
        }
    }

    #[test]
    fn rights_are_foreign_only_where_the_caller_lacks_them() {
        let (user, other) = ((1000, 1000), (0, 50));
        assert_eq!(foreign_rights(0o755, other, user), None);
        assert_eq!(foreign_rights(0o4755, other, user), Some("is set-user-id"));
        assert_eq!(foreign_rights(0o2755, other, user), Some("is set-group-id"));
        // Its own: the system does not take the program for another's.
        assert_eq!(foreign_rights(0o6755, user, user), None);
        // Without the right to execute, this bit means file locking.
        assert_eq!(foreign_rights(0o2745, other, user), None);
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
