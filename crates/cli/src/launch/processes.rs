//! The processes of a run, as the system shows them.
//!
//! They are known by a mark in their environment. Wine hands that on to every process, and so does Proton's container, whose
//! processes have the same numbers outside. Wine's server and Windows' own services are passed over: they end by themselves when no
//! program is left.

use crate::launch::mark::Mark;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A process of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Process {
    pub(crate) id: u32,
    /// The program, as the process was started: a path of either system; Wine itself while it begins.
    pub(crate) program: OsString,
    /// The `d3d12.dll` that Wine has mapped for it, as far as it maps the file itself: some are read instead.
    pub(crate) direct3d: Option<PathBuf>,
}

impl Process {
    /// Whether Wine has not come to the program yet.
    pub(crate) fn begins(&self) -> bool {
        !self.program.as_bytes().to_ascii_lowercase().ends_with(b".exe")
    }

    /// The program's name.
    pub(crate) fn name(&self) -> String {
        let program = self.program.to_string_lossy();
        program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
    }
}

/// The Windows processes of a run.
pub(crate) fn of_windows(mark: &Mark) -> Vec<Process> {
    all(mark, program)
}

/// The processes of a run, of whichever system.
pub(crate) fn of_any(mark: &Mark) -> Vec<Process> {
    all(mark, |line| if is_wines_own(line) { None } else { first(line).map(<[u8]>::to_vec) })
}

fn all(mark: &Mark, program: fn(&[u8]) -> Option<Vec<u8>>) -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| process(id, mark, program)).collect()
}

fn process(id: u32, mark: &Mark, program: fn(&[u8]) -> Option<Vec<u8>>) -> Option<Process> {
    let read = |name: &str| std::fs::read(format!("/proc/{id}/{name}")).ok();
    let program = program(&read("cmdline")?)?;
    // Other users' processes do not let it be read, and are none of ours.
    if !mark.is_in(&read("environ")?) {
        return None;
    }
    // One that has ended and was not waited for has no maps.
    let maps = read("maps").filter(|maps| !maps.is_empty())?;
    Some(Process { id, program: OsString::from_vec(program), direct3d: direct3d(&maps) })
}

/// The first word of a command line.
fn first(line: &[u8]) -> Option<&[u8]> {
    line.split(|byte| *byte == 0).next().filter(|first| !first.is_empty())
}

/// The Windows program in a command line: Wine puts it into the place of its own name, once it has begun.
fn program(line: &[u8]) -> Option<Vec<u8>> {
    let first = first(line)?;
    let is_windows = is_loader(first) || first.to_ascii_lowercase().ends_with(b".exe");
    (is_windows && !is_wines_own(line)).then(|| first.to_vec())
}

/// Whether it is the program that begins all others of Wine.
fn is_loader(first: &[u8]) -> bool {
    let name = first.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_ascii_lowercase();
    matches!(name.as_slice(), b"wine" | b"wine64" | b"wine-preloader" | b"wine64-preloader")
}

/// Whether a command line is that of Wine's server or of one of Windows' own services. A service that has not begun has its name
/// behind Wine's. Where its server has gone by then, it waits for the server's answer for ever.
fn is_wines_own(line: &[u8]) -> bool {
    let lower = line.split(|byte| *byte == 0).find(|word| !is_loader(word)).unwrap_or_default().to_ascii_lowercase();
    let name = lower.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    name.starts_with(b"wineserver") || lower.get(1..).is_some_and(|rest| rest.starts_with(br":\windows\"))
}

fn direct3d(maps: &[u8]) -> Option<PathBuf> {
    let paths = maps.split(|byte| *byte == b'\n').filter_map(|line| {
        let at = line.iter().position(|byte| *byte == b'/')?;
        Some(Path::new(OsStr::from_bytes(&line[at..])))
    });
    let mut paths = paths.filter(|path| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("d3d12.dll")));
    paths.next().map(Path::to_owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_services() {
        let program = |line: &str| program(line.as_bytes()).map(|program| String::from_utf8(program).unwrap());
        assert_eq!(program("C:\\Games\\Game.exe\0-x\0").as_deref(), Some("C:\\Games\\Game.exe"));
        assert_eq!(program("/g/game.EXE\0").as_deref(), Some("/g/game.EXE"));
        let begins = "/usr/lib/wine/wine64";
        assert_eq!(program(&format!("{begins}\0game.exe\0")).as_deref(), Some(begins));
        for none in [
            "",
            "/usr/lib/wine/wineserver64\0-p0\0",
            "C:\\windows\\system32\\services.exe\0",
            "c:\\Windows\\explorer.exe\0",
            "/usr/lib/wine/wine64\0C:\\windows\\system32\\winedevice.exe\0",
            "/usr/lib/wine/wine64-preloader\0/usr/lib/wine/wine64\0C:\\windows\\system32\\winedevice.exe\0",
        ] {
            assert_eq!(program(none), None, "{none}");
        }
    }

    #[test]
    fn a_mapped_library() {
        let maps = b"7f00-7f01 r--p 00000000 08:01 5 /usr/lib/wine/x86_64-windows/dxgi.dll\n\
            7f02-7f03 r-xp 00000000 08:01 6 /pre fix/D3D12.dll\n";
        assert_eq!(direct3d(maps), Some("/pre fix/D3D12.dll".into()));
        assert_eq!(direct3d(b"7f00-7f01 rw-p 0 00:00 0\n"), None);
    }

    /// A shell that calls itself a Windows program stands in for one.
    #[test]
    fn processes_are_known_by_their_environment() {
        use std::os::unix::process::CommandExt;
        let mark = Mark::new("REPRISE_TEST_MARK", Path::new(&format!("/nowhere/{}", std::process::id())));
        let start = |name: &str, folder: &Path| {
            let mut command = std::process::Command::new("sleep");
            command.arg0(name).arg("100").env(&mark.variable, folder).spawn().unwrap()
        };
        let game = "C:\\Games\\game.exe";
        let (mut own, mut other) = (start(game, &mark.folder), start(game, Path::new("/nowhere/else")));
        let found = loop {
            // Until it has called `exec`.
            let found = of_windows(&mark);
            if !found.is_empty() {
                break found;
            }
        };
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].id, found[0].name().as_str()), (own.id(), "game.exe"));
        own.kill().unwrap();
        own.wait().unwrap();
        assert_eq!(of_windows(&mark), []);
        let mut native = ["wineserver64", "sh"].map(|name| start(name, &mark.folder));
        while of_any(&mark).is_empty() {}
        assert_eq!((of_any(&mark).len(), of_any(&mark)[0].id), (1, native[1].id()));
        assert_eq!(of_windows(&mark), []);
        native.iter_mut().for_each(|child| child.kill().unwrap());
        native.iter_mut().for_each(|child| _ = child.wait().unwrap());
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
