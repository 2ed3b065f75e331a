//! The choice of processes: which processes of a program the user wants recorded. It may be all, the first, or those of one
//! name.
//!
//! Invariant: a process that is not wanted runs as without this library: nothing is wrapped, no file is made.

use crate::host;
use crate::session::environment;
use reprise_environment::capture::{CHILDREN, LAUNCHER, NONE, PROCESS_NAME};
use std::ffi::OsStr;
use std::path::Path;

/// Whether the user wants this process, which has not been forked off by one that is recorded.
pub(crate) fn is_wanted() -> bool {
    if alone() {
        let launcher = environment::get(LAUNCHER).and_then(|pid| pid.to_str()?.parse::<u32>().ok());
        if launcher.is_some_and(|launcher| host::process::parent() != Some(launcher)) {
            return false;
        }
    }
    let Some(wanted) = environment::get(PROCESS_NAME) else { return true };
    let executable = std::env::current_exe().ok();
    let first = std::env::args_os().next();
    is_named(&wanted, executable.as_deref().map(Path::as_os_str), first.as_deref())
}

/// Whether only the first process is recorded.
pub(crate) fn alone() -> bool {
    environment::get(CHILDREN).is_some_and(|value| value == NONE)
}

/// By the last part of either path: a Windows program's first argument has backslashes.
fn is_named(wanted: &OsStr, executable: Option<&OsStr>, first: Option<&OsStr>) -> bool {
    let last = |path: &OsStr| {
        let path = path.to_string_lossy();
        path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
    };
    let wanted = wanted.to_string_lossy();
    [executable, first].into_iter().flatten().any(|path| last(path) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_named_by_its_file_or_its_first_argument() {
        let named = |wanted: &str, executable: &str, first: &str| {
            is_named(wanted.as_ref(), Some(executable.as_ref()), Some(first.as_ref()))
        };
        assert!(named("game", "/opt/game", "sh"));
        assert!(named("game.exe", "/usr/bin/wine64-preloader", "C:\\games\\game.exe"));
        assert!(!named("game", "/opt/game-launcher", "/opt/game-launcher"));
        assert!(!named("gam", "/opt/game", "game"));
        assert!(!is_named("game".as_ref(), None, None));
    }
}
