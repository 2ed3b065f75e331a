//! Environments of Python under `target/edge`, with the libraries that a package's `requirements.txt` pins.

use anyhow::{Context, Result, ensure};
use reprise_testing::artifact;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreter for which `requirements.txt` is pinned, and one that any distribution has.
const INTERPRETERS: &[&str] = &["python3.11", "python3"];

/// The environment of a package below `edge`.
pub(super) struct Environment(&'static str);

impl Environment {
    /// Makes it, anew where what is pinned changed; `install` puts the package itself in, once.
    pub(super) fn new(name: &'static str, install: impl FnOnce(&Environment) -> Result<()>) -> Result<Environment> {
        let environment = Environment(name);
        let (package, folder) = (environment.package(), environment.folder());
        let wanted =
            fs::read(package.join("requirements.txt")).with_context(|| format!("edge/{name}/requirements.txt"))?;
        let stamp = folder.join("installed.txt");
        if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(environment);
        }
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let works =
            |name: &&&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
        let python = INTERPRETERS.iter().find(works).context("no python3: install python3 and python3-venv")?;
        let venv = folder.join("venv").display().to_string();
        environment.program(Path::new(python), &["-m", "venv", "--clear", &venv])?;
        environment.python(&["-m", "pip", "install", "--quiet", "-r", "requirements.txt"])?;
        install(&environment)?;
        fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())?;
        Ok(environment)
    }

    /// Runs its Python in the package's folder.
    pub(super) fn python(&self, arguments: &[&str]) -> Result<()> {
        self.program(&self.bin().join("python"), arguments)
    }

    /// Runs a program in the package's folder.
    fn program(&self, program: &Path, arguments: &[&str]) -> Result<()> {
        self.run(self.command(program).args(arguments))
    }

    /// A program that is to run in the package's folder.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.package()).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Runs it.
    pub(super) fn run(&self, command: &mut Command) -> Result<()> {
        let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
        ensure!(status.success(), "{command:?} failed in edge/{}", self.0);
        Ok(())
    }

    /// The sources of the package.
    pub(super) fn package(&self) -> PathBuf {
        artifact::workspace().join("edge").join(self.0)
    }

    /// Where the environment is.
    pub(super) fn folder(&self) -> PathBuf {
        artifact::workspace().join("target/edge").join(self.0)
    }

    /// Its programs.
    pub(super) fn bin(&self) -> PathBuf {
        self.folder().join("venv/bin")
    }
}
