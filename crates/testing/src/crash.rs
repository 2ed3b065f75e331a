//! Whose crash it was: a library that is preloaded tells the frames of a process that dies of a signal, and the innermost one
//! outside the C library decides.
//!
//! Invariant: only a crash that is shown to be the driver's is called so. Runs are repeated for those alone, so no crash of
//! ours is hidden by a repetition that goes well.

use crate::missing::{self, Missing};
use crate::program;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SOURCE: &str = include_str!("crash/crash.c");

/// Where every stack begins or a signal is raised: the frame outside them counts.
const PASSED_OVER: [&str; 5] = ["libc.so", "libpthread", "ld-linux", "linux-vdso", "reprise-crash.so"];
/// What the names of Vulkan drivers, and of the libraries that they are made of, begin with.
const DRIVERS: [&str; 5] = ["libvulkan_", "libLLVM", "libgallium", "libnvidia", "libGLX_nvidia"];
/// The word that stands for memory of no module.
const NO_MODULE: &str = "?";

/// The library that tells.
#[derive(Debug, Clone)]
pub struct Teller(PathBuf);

impl Teller {
    /// Builds it into a folder.
    ///
    /// # Errors
    /// [`Missing`] when there is no C compiler.
    ///
    /// # Panics
    /// When the folder cannot be written, or the compiler does not take the library.
    pub fn build(folder: &Path) -> Result<Teller, Missing> {
        let compiler = missing::program("gcc", "gcc")?;
        let (source, library) = (folder.join("reprise-crash.c"), folder.join("reprise-crash.so"));
        std::fs::write(&source, SOURCE).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", "-O1", "-Wall", "-o"]).arg(&library).arg(&source).arg("-ldl");
        let finished = program::run_quietly(&mut command, Duration::from_secs(120));
        let finished = finished.unwrap_or_else(|error| panic!("gcc: {error}"));
        assert!(finished.status.success(), "{}", finished.errors());
        let _ = std::fs::remove_file(&source);
        Ok(Teller(library))
    }

    /// The value of `LD_PRELOAD` for a program: what is preloaded anyway, and the library.
    pub fn preload(&self) -> OsString {
        let mut value = std::env::var_os("LD_PRELOAD").unwrap_or_default();
        if !value.is_empty() {
            value.push(":");
        }
        value.push(&self.0);
        value
    }
}

/// A crash, as its process told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crash {
    /// In a Vulkan driver, or in code that it made.
    pub driver: bool,
    /// Module and function of the frame that shows it.
    pub frame: String,
}

impl Crash {
    /// The first crash that an output tells of; `None` where it tells of none, or no frame says anything.
    pub fn find(output: &str) -> Option<Crash> {
        let told = output.lines().skip_while(|line| !line.starts_with("CRASH signal ")).skip(1);
        let frames = told.map_while(|line| line.strip_prefix("CRASH frame "));
        let begins = |module: &str, names: &[&str]| names.iter().any(|name| module.starts_with(name));
        let mut frames = frames.map(|frame| (frame.split(' ').next().unwrap_or_default(), frame));
        let (module, frame) = frames.find(|(module, _)| !begins(module, &PASSED_OVER))?;
        Some(Crash { driver: module == NO_MODULE || begins(module, &DRIVERS), frame: frame.to_owned() })
    }
}

/// How many runs were repeated because of a crash in the driver, by the frame that shows whose it was.
pub fn repetitions<'a>(frames: impl Iterator<Item = &'a String>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    frames.for_each(|frame| *counts.entry(frame).or_default() += 1);
    let mut text = format!("crashed in the driver and repeated: {}\n", counts.values().sum::<usize>());
    for (frame, count) in counts {
        let _ = writeln!(text, "{count:6} in {frame}");
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_frame_outside_the_c_library_decides() {
        let told = |frames: &[&str]| {
            let frames: String = frames.iter().map(|frame| format!("CRASH frame {frame}\n")).collect();
            Crash::find(&format!("noise\n\nCRASH signal 6\n{frames}more\nCRASH frame other x\n"))
        };
        let crash = |driver, frame: &str| Some(Crash { driver, frame: frame.into() });
        assert_eq!(
            told(&["libc.so.6 abort", "libvulkan_lvp.so +0x10", "libreprise_d3d12.so x"]),
            crash(true, "libvulkan_lvp.so +0x10")
        );
        assert_eq!(told(&["? 0x7f00"]), crash(true, "? 0x7f00"));
        assert_eq!(
            told(&["libc.so.6 free", "libreprise_d3d12.so x", "libvulkan_lvp.so y"]),
            crash(false, "libreprise_d3d12.so x")
        );
        assert_eq!(told(&["libc.so.6 raise"]), None);
        assert_eq!(Crash::find("CRASH frame libvulkan_lvp.so x"), None);
    }

    /// A program of ours that crashes in itself, and one in a library that has a driver's name.
    #[test]
    fn a_process_tells_where_it_crashed() {
        let Some(compiler) = crate::require(missing::program("gcc", "gcc")) else { return };
        let folder = crate::artifact::target().join("tests").join(format!("crash-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let teller = Teller::build(&folder).unwrap();
        let build = |name: &str, source: &str, arguments: &[&str]| {
            let file = folder.join(format!("{name}.c"));
            std::fs::write(&file, source).unwrap();
            let mut command = Command::new(&compiler);
            command.current_dir(&folder).args(["-O0", "-w", "-o", name]).arg(&file).args(arguments);
            assert!(command.status().unwrap().success());
        };
        build("libvulkan_test.so", "void die(void) { *(volatile int *)8 = 1; }", &["-shared", "-fPIC"]);
        let main = "void die(void); int main(int c, char **v) { if (c > 1) die(); *(volatile int *)8 = 1; }";
        build("dies", main, &["-L.", "-l:libvulkan_test.so", "-Wl,-rpath,$ORIGIN"]);
        let run = |arguments: &[&str]| {
            let mut command = Command::new(folder.join("dies"));
            let finished = program::run_quietly(
                command.args(arguments).env("LD_PRELOAD", teller.preload()),
                Duration::from_secs(60),
            );
            let finished = finished.unwrap();
            assert_eq!(std::os::unix::process::ExitStatusExt::signal(&finished.status), Some(libc::SIGSEGV));
            Crash::find(&finished.errors()).unwrap()
        };
        let (own, driver) = (run(&[]), run(&["x"]));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(!own.driver && own.frame.starts_with("dies "), "{own:?}");
        assert_eq!(driver, Crash { driver: true, frame: "libvulkan_test.so die".into() });
    }
}
