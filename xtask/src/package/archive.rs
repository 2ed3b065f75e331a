//! Archives whose bytes follow from their files alone: names in order, one time, no owners.

use super::stage::{LICENCES, OF_LIBRARIES, Stage, WINDOWS};
use super::{licences, tool, version};
use crate::edge;
use anyhow::{Context, Result};
use reprise_testing::artifact;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs, libraries and pages, for any distribution: unpacked anywhere, `bin/reprise` finds `lib/reprise` beside it. Symbols are an archive of
/// their own.
pub(super) fn tarball(stages: &[Stage], files: &Path, epoch: u64, fast: bool) -> Result<()> {
    let name = format!("reprise-{}-x86_64-linux", version());
    let trees: Vec<_> = stages
        .iter()
        .flat_map(|stage| std::iter::once(&stage.root).chain(stage.further.iter().map(|(_, root)| root)))
        .map(|root| root.join("usr"))
        .collect();
    pack(&trees, &name, files, epoch, fast)?;
    let debug: Vec<_> = stages.iter().map(|stage| stage.debug.clone()).collect();
    pack(&debug, &format!("{name}-debug"), files, epoch, fast)
}

fn pack(trees: &[PathBuf], name: &str, files: &Path, epoch: u64, fast: bool) -> Result<()> {
    let work = tempfile::tempdir_in(files)?;
    let top = work.path().join(name);
    fs::create_dir(&top)?;
    for tree in trees {
        tool(Command::new("cp").args(["-a"]).arg(tree.join(".")).arg(&top))?;
    }
    println!("package: {name}.tar.xz");
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rw,go-w,a+rX", "--format=gnu"]);
    // Threads would make other bytes on another number of processors.
    tar.arg(format!("--mtime=@{epoch}")).args([
        "--use-compress-program",
        if fast { "xz --threads=1 -0" } else { "xz --threads=1 -6" },
        "-cf",
    ]);
    tool(tar.arg(files.join(format!("{name}.tar.xz"))).arg("-C").arg(work.path()).arg(name))
}

/// `reprise.exe` and the libraries, from the folder that `cargo xtask build-windows` makes.
pub(super) fn zip(windows: &Path, files: &Path, epoch: u64) -> Result<()> {
    let name = format!("reprise-{}-x86_64-windows", version());
    println!("package: {name}.zip");
    let work = tempfile::tempdir_in(files)?;
    let top = work.path().join(&name);
    fs::create_dir(&top)?;
    // The folder also has our test programs, and may have what an interrupted build left.
    for file in WINDOWS.into_iter().chain(["reprise.exe"]) {
        let to = top.join(file);
        fs::create_dir_all(to.parent().unwrap_or(&top))?;
        fs::copy(windows.join(file), &to).with_context(|| windows.join(file).display().to_string())?;
    }
    for licence in LICENCES {
        fs::copy(artifact::workspace().join(licence), top.join(licence))?;
    }
    let mut list = Vec::new();
    list_files(&top, Path::new(&name), &mut list)?;
    list.sort();
    for file in &list {
        let path = work.path().join(file);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
        tool(Command::new("touch").arg("-d").arg(format!("@{epoch}")).arg(&path))?;
    }
    // Times in zips are local.
    tool(
        Command::new("zip")
            .args(["-X", "-q", "-9"])
            .arg(files.join(format!("{name}.zip")))
            .args(&list)
            .env("TZ", "UTC")
            .current_dir(work.path()),
    )
}

fn list_files(folder: &Path, name: &Path, list: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = name.join(entry.file_name());
        if entry.file_type()?.is_dir() { list_files(&entry.path(), &name, list)? } else { list.push(name) }
    }
    Ok(())
}

/// `reprise-farm` as a package for pip: Debian has none of what it needs.
pub(super) fn wheel(files: &Path, epoch: u64) -> Result<()> {
    println!("package: reprise-farm (wheel)");
    // What setuptools leaves behind stays out of the sources.
    let work = tempfile::tempdir_in(files)?;
    let sources = work.path().join("farm");
    tool(Command::new("cp").arg("-a").arg(artifact::workspace().join("edge/farm")).arg(&sources))?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--disable-pip-version-check", "--wheel-dir"])
        .arg(files)
        .arg(&sources);
    tool(pip.env("SOURCE_DATE_EPOCH", epoch.to_string()))
}

/// The Python module `reprise`; its wheel.
pub(super) fn module(files: &Path, epoch: u64) -> Result<PathBuf> {
    println!("package: reprise (Python module)");
    // Ours, and those of all that is linked in: the module goes to people without its sources.
    let mut texts = vec![(OF_LIBRARIES, licences::text("edge/python/Cargo.toml")?)];
    for name in LICENCES {
        texts.push((name, fs::read_to_string(artifact::workspace().join(name)).context(name)?));
    }
    let wheel = edge::module(epoch, &texts)?;
    let packed = files.join(wheel.file_name().context("the wheel has no name")?);
    fs::copy(&wheel, &packed).with_context(|| wheel.display().to_string())?;
    Ok(packed)
}
