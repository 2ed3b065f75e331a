//! Wine, with prefixes that are made and ended here, and the Windows files of others that set-up downloads.
//!
//! A prefix for the programs of others says Windows 10, has a virtual desktop (without a window manager windows get other sizes than they ask for), the real
//! `d3dcompiler_47.dll` (Wine's own compiles few of wgpu's shaders) and, where Wine lacks it, our `bcryptprimitives.dll`.

pub mod case;

use crate::artifact;
use crate::missing::{self, Missing};
use crate::program::{self, Finished};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Nothing of Wine's own takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// The target of what we build for Windows.
pub const TARGET: &str = "x86_64-pc-windows-gnu";
/// Makes Wine's own d3d12 keep descriptors by root signature. Without it each heap takes it 1.4 s and 900 MB on lavapipe, and wgpu
/// makes seven.
pub const SMALL_HEAPS: (&str, &str) = ("VKD3D_CONFIG", "virtual_heaps");

/// An installed Wine.
#[derive(Clone, Debug)]
pub struct Wine {
    /// Starts a Windows program.
    pub program: PathBuf,
    server: PathBuf,
}

impl Wine {
    /// Debian's, of this system.
    ///
    /// # Errors
    /// [`Missing`] names the package.
    pub fn installed() -> Result<Wine, Missing> {
        missing::file(&["/usr/lib/wine/wine64", "/usr/bin/wine64"], "wine64").map(Wine::at)
    }

    /// The one whose program is this; its server lies beside it, or is found by name.
    pub fn at(program: PathBuf) -> Wine {
        let server = program.with_file_name("wineserver");
        let server = if server.exists() { server } else { "wineserver".into() };
        Wine { program, server }
    }

    /// The version in Wine's own words, such as `wine-8.0 (Debian 8.0~repack-4)`.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn version(&self) -> Result<String> {
        let finished = program::run_quietly(Command::new(&self.program).arg("--version"), PATIENCE)?;
        ensure!(finished.status.success(), "{} --version: {}", self.program.display(), finished.errors());
        Ok(finished.text().trim().to_owned())
    }
}

/// A prefix of a Wine. Its server, and with it all of its programs, ends when this is dropped.
#[derive(Debug)]
pub struct Prefix {
    wine: Wine,
    folder: PathBuf,
    display: String,
}

impl Prefix {
    /// Makes the prefix as Wine makes it, or brings an older one up to date.
    ///
    /// # Errors
    /// When Wine fails.
    pub fn plain(wine: Wine, folder: &Path, display: &str) -> Result<Prefix> {
        let prefix = Prefix { wine, folder: folder.to_owned(), display: display.to_owned() };
        prefix.wine(&["wineboot", "--init"])?;
        Ok(prefix)
    }

    /// Makes the prefix, or brings an older one up to date, with the settings and files that programs of others need.
    ///
    /// # Errors
    /// When Wine fails, or a file cannot be put into the prefix.
    pub fn new(wine: Wine, folder: &Path, display: &str, files: &WindowsFiles) -> Result<Prefix> {
        let prefix = Prefix::plain(wine, folder, display)?;
        let settings = folder.join("reprise.reg");
        std::fs::write(&settings, SETTINGS).with_context(|| settings.display().to_string())?;
        prefix.wine(&["regedit", "/S", &windows_path(&settings)])?;
        let system = folder.join("drive_c/windows/system32");
        let put = |from: &Path| {
            let name = from.file_name().unwrap_or_default();
            std::fs::copy(from, system.join(name)).with_context(|| format!("cannot copy {}", from.display()))
        };
        put(&files.compiler)?;
        if !system.join("bcryptprimitives.dll").exists() {
            put(&files.random)?;
        }
        Ok(prefix)
    }

    fn wine(&self, arguments: &[&str]) -> Result<()> {
        let finished = program::run_quietly(self.command().args(arguments), PATIENCE)?;
        ensure!(finished.status.success() && !finished.timed_out, "{arguments:?}: {}", finished.errors());
        Ok(())
    }

    /// Wine in this prefix, without arguments.
    pub fn command(&self) -> Command {
        self.with_environment(Command::new(&self.wine.program))
    }

    /// Another program that is to start Wine in this prefix.
    pub fn with_environment(&self, mut command: Command) -> Command {
        command.env("WINEPREFIX", &self.folder).env("WINEDEBUG", "-all").env("DISPLAY", &self.display);
        // Remarks of Wine's own d3d12 would be taken for the program's.
        command.env("VKD3D_DEBUG", "none").env("VKD3D_SHADER_DEBUG", "none").env_remove("WINEDLLOVERRIDES");
        command
    }

    /// Runs a Windows program to its end.
    ///
    /// # Errors
    /// As [`program::run_quietly`].
    pub fn run(&self, program: &Path, arguments: &[&str], patience: Duration) -> Result<Finished> {
        program::run_quietly(self.command().arg(program).args(arguments), patience)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The program that starts Windows programs.
    pub fn program(&self) -> &Path {
        &self.wine.program
    }

    /// Ends the prefix's server, and with it all of its programs.
    pub fn end(&self) {
        for what in ["-k", "-w"] {
            let _ = self.with_environment(Command::new(&self.wine.server)).arg(what).status();
        }
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        self.end();
    }
}

/// Windows 10; the real shader compiler before Wine's; a virtual desktop.
const SETTINGS: &str = r#"REGEDIT4

[HKEY_CURRENT_USER\Software\Wine]
"Version"="win10"

[HKEY_CURRENT_USER\Software\Wine\DllOverrides]
"d3dcompiler_47"="native"

[HKEY_CURRENT_USER\Software\Wine\Explorer]
"Desktop"="reprise"

[HKEY_CURRENT_USER\Software\Wine\Explorer\Desktops]
"reprise"="1024x768"
"#;

/// A file of Linux as Windows programs name it under Wine.
pub fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.to_string_lossy().replace('/', r"\"))
}

/// What programs need in a prefix and Wine does not have.
#[derive(Clone, Debug)]
pub struct WindowsFiles {
    /// The real `d3dcompiler_47.dll`.
    pub compiler: PathBuf,
    /// Our `bcryptprimitives.dll`.
    pub random: PathBuf,
}

/// Where `cargo xtask setup` keeps the Windows files that it downloads: in Cargo's own folder, so that they are downloaded once.
pub fn downloads() -> PathBuf {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let usual = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    cargo.or_else(usual).unwrap_or_else(|| artifact::workspace().join("target")).join("reprise-tools/windows")
}

/// A file that set-up has downloaded.
///
/// # Errors
/// [`Missing`] says to run set-up.
pub fn downloaded(path: &str) -> Result<PathBuf, Missing> {
    let found = downloads().join(path);
    if found.exists() {
        return Ok(found);
    }
    Err(Missing { what: path.to_owned(), remedy: "run `cargo xtask setup`".to_owned() })
}

/// Copies a folder that set-up has downloaded, for a program that is to be captured: the launcher puts libraries beside it, and two
/// captures must not do that in one folder.
///
/// # Errors
/// When `cp` fails.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let copied = program::run_quietly(Command::new("cp").arg("-a").arg(from).arg(to), PATIENCE)?;
    ensure!(copied.status.success(), "{}: {}", from.display(), copied.errors());
    Ok(())
}

/// The programs of the folder `programs` of this workspace, built for Windows; gives the folder with what was built.
///
/// # Errors
/// When they do not build.
pub fn build_programs() -> Result<PathBuf> {
    let target = artifact::workspace().join("target/programs-windows");
    cargo_build(&artifact::workspace().join("programs"), &["--target-dir", &target.to_string_lossy()])?;
    Ok(target.join(TARGET).join("debug"))
}

/// Builds the small programs of `crates/windows-programs`, and gives their folder.
///
/// # Errors
/// When the build fails.
pub fn build_small_programs() -> Result<PathBuf> {
    cargo_build(artifact::workspace(), &["--package", "reprise-windows-programs"])?;
    artifact::target().parent().map(|target| target.join(TARGET).join("debug")).context("no target folder")
}

fn cargo_build(folder: &Path, arguments: &[&str]) -> Result<()> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder).args(["build", "--quiet", "--locked", "--target", TARGET]).args(arguments);
    let output = cargo.output().context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "{} does not build for {TARGET}: {}",
        folder.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
