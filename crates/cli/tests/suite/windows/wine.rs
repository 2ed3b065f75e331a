//! Wine with a prefix of its own, and folders with Windows programs in it.

use crate::bench::{Bench, PATIENCE};
use reprise_testing::wine::{self, Prefix, TARGET};
use reprise_testing::{Display, Finished, artifact, missing, program, require};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Wine {
    pub(super) bench: Bench,
    pub(super) prefix: Prefix,
    /// Beside the bench's own folder, which is for tests to look at.
    work: PathBuf,
    programs: PathBuf,
    pub(super) libraries: PathBuf,
    /// Lives as long as the prefix.
    pub(super) display: Display,
}

impl Wine {
    /// A new prefix. `None` where the machine lacks what that takes.
    pub(super) fn new() -> Option<Wine> {
        let installed = require(wine::Wine::installed())?;
        require(missing::program("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"))?;
        require(missing::program("x86_64-w64-mingw32-g++-posix", "g++-mingw-w64-x86-64"))?;
        require(Display::available())?;
        let bench = Bench::new();
        let work = bench.folder.with_extension("work");
        std::fs::create_dir_all(&work).unwrap();
        let (programs, libraries) = (wine::build_small_programs().unwrap(), libraries());
        let display = Display::start().unwrap();
        let prefix = Prefix::plain(installed, &work.join("prefix"), &display.name()).unwrap();
        prefix.end();
        Some(Wine { bench, prefix, work, programs, libraries, display })
    }

    /// A program that starts Wine in this prefix.
    pub(super) fn command(&self, program: &Path) -> Command {
        self.with_environment(Command::new(program))
    }

    /// The program that starts Windows programs.
    pub(super) fn program(&self) -> &Path {
        self.prefix.program()
    }

    fn with_environment(&self, command: Command) -> Command {
        let mut command = self.prefix.with_environment(command);
        command.current_dir(&self.bench.folder).env("REPRISE_WINDOWS_LIBRARIES", &self.libraries);
        command
    }

    /// A new folder with programs, by names such as `bin/game.exe` and what they are: `late`, `linked` or `sdk`.
    pub(super) fn folder(&self, name: &str, programs: &[(&str, &str)]) -> PathBuf {
        let folder = self.work.join(name);
        for (path, kind) in programs {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::copy(self.programs.join(format!("windows_{kind}.exe")), path).unwrap();
        }
        folder
    }

    /// Runs a program without us.
    pub(super) fn bare(&self, program: &Path, steps: &[&str]) -> Finished {
        program::run(self.command(self.program()).arg(program).args(steps), PATIENCE).unwrap()
    }

    /// `reprise` with the environment of this Wine.
    pub(super) fn reprise(&self) -> Command {
        let mut command = self.bench.command();
        // Others' programs have large heaps.
        command.env_remove(artifact::FEW_VIEWS.0);
        self.with_environment(command)
    }

    /// A script of this name that can be run.
    pub(super) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.work.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// `reprise capture` with options, ready to be changed.
    pub(super) fn capture(&self, options: &[&str], program: &Path, steps: &[&str]) -> Command {
        let mut command = self.reprise();
        command.arg("capture").args(options).arg("--").arg(self.program()).arg(program).args(steps);
        command
    }

    /// Runs it to its end.
    pub(super) fn captured(&self, options: &[&str], program: &Path, steps: &[&str]) -> Finished {
        let finished = program::run(&mut self.capture(options, program, steps), PATIENCE).unwrap();
        assert!(!finished.timed_out, "{steps:?} hangs");
        finished
    }

    /// Builds a library of the program's own beside it.
    pub(super) fn build_own_library(&self, folder: &Path) {
        self.build_library(include_str!("own.c"), &folder.join("D3D12.dll"));
    }

    /// Builds the part that programs with the Agility SDK bring, in a folder beside the program.
    pub(super) fn build_own_core(&self, folder: &Path) {
        let folder = folder.join("D3D12");
        std::fs::create_dir_all(&folder).unwrap();
        self.build_library(include_str!("core.c"), &folder.join("D3D12Core.dll"));
    }

    fn build_library(&self, source: &str, library: &Path) {
        let file = self.work.join("library.c");
        std::fs::write(&file, source).unwrap();
        let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
        compiler.args(["-shared", "-o"]).arg(library).arg(&file);
        assert!(program::run(&mut compiler, PATIENCE).unwrap().status.success());
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        self.prefix.end();
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.work);
        }
    }
}

/// All files and links below a folder, with their contents. A file that is removed meanwhile is none.
pub(super) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                let to = std::fs::read_link(&path).unwrap();
                files.insert(path, to.into_os_string().into_encoded_bytes());
            } else {
                match std::fs::read(&path) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    bytes => _ = files.insert(path, bytes.unwrap()),
                }
            }
        }
    }
    files
}

/// The capture libraries: `REPRISE_WINDOWS_LIBRARIES`, or built.
pub(crate) fn libraries() -> PathBuf {
    if let Some(folder) = std::env::var_os("REPRISE_WINDOWS_LIBRARIES") {
        return folder.into();
    }
    let mut cargo = Command::new(env!("CARGO"));
    // Unoptimised: a release build of everything for Windows takes a third of the whole test's time.
    cargo.args(["xtask", "build-windows", "--debug"]).current_dir(artifact::workspace());
    assert!(cargo.status().unwrap().success(), "cannot build the libraries for {TARGET}");
    artifact::target().parent().unwrap().join("windows")
}
