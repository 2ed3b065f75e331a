//! A root of Debian 13 with its Wine: made once, entered by a script that looks like Wine.
//!
//! Invariant: the root sees this system's files under the same paths, as far as Wine and the capture need them, in a mount namespace of
//! its own: nothing stays mounted.

use anyhow::{Context, Result, ensure};
use reprise_testing::wine::Wine;
use reprise_testing::{artifact, missing};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUITE: &str = "trixie";
/// Wine's dxgi finds no adapter without OpenGL, which its package only recommends.
const PACKAGES: &str = "wine64,mesa-vulkan-drivers,libvulkan1,libgl1,libglx-mesa0,libgl1-mesa-dri,dxvk-wine64";
/// Where Debian has Wine's programs.
const PROGRAMS: [(&str, &str); 2] = [("wine64", "/usr/lib/wine/wine64"), ("wineserver", "/usr/lib/wine/wineserver64")];

/// The root's Wine, or the reason why there is none.
pub(super) fn wine() -> Result<Result<Wine, String>> {
    if let Err(missing) = missing::root() {
        return Ok(Err(missing.to_string()));
    }
    let folder = artifact::workspace().join("target/debian13");
    let root = folder.join("root");
    let packages = folder.join("packages");
    if !root.is_dir() || fs::read_to_string(&packages).ok().as_deref() != Some(PACKAGES) {
        if let Err(missing) = missing::program("debootstrap", "debootstrap") {
            return Ok(Err(format!("{missing}; apt-get install debootstrap")));
        }
        if let Err(error) = make(&folder, &root) {
            return Ok(Err(format!("{error:#}")));
        }
        fs::write(&packages, PACKAGES).with_context(|| packages.display().to_string())?;
    }
    for (name, program) in PROGRAMS {
        let path = folder.join(name);
        fs::write(&path, script(&root, program)).with_context(|| path.display().to_string())?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    let entered = Command::new(folder.join("wine64")).arg("--version").output().context("cannot run unshare")?;
    if !entered.status.success() {
        return Ok(Err(String::from_utf8_lossy(&entered.stderr).trim().to_owned()));
    }
    Ok(Ok(Wine::at(folder.join("wine64"))))
}

/// DXVK's `dxgi.dll`.
pub(super) fn dxvk() -> PathBuf {
    // It ends in the name of a library for Linux, and is one for Windows.
    artifact::workspace().join("target/debian13/root/usr/lib/dxvk/wine64/dxgi.dll.so")
}

/// Makes the root under another name first, so that one that is there is whole.
fn make(folder: &Path, root: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let half = folder.join("unfinished");
    if half.exists() {
        fs::remove_dir_all(&half)?;
    }
    println!("wine: debootstrap {SUITE} (some minutes, 2 GB, once)");
    let mut debootstrap = Command::new("debootstrap");
    debootstrap.args(["--variant=minbase", &format!("--include={PACKAGES}"), SUITE]).arg(&half).arg(mirror()?);
    let output = debootstrap.output().context("cannot run debootstrap")?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "debootstrap: {}", said.lines().last().unwrap_or_default());
    // Packages that are unpacked are not needed again.
    let _ = fs::remove_dir_all(half.join("var/cache/apt"));
    if root.exists() {
        fs::remove_dir_all(root)?;
    }
    fs::rename(&half, root)?;
    Ok(())
}

/// The mirror that this machine uses for Debian itself.
fn mirror() -> Result<String> {
    let mut ask = Command::new("apt-get");
    ask.args(["indextargets", "--format", "$(REPO_URI) $(LABEL)", "Created-By: Packages"]);
    let output = ask.output().context("cannot run apt-get")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let uris = text.lines().filter_map(|line| line.split_whitespace().next());
    let found = uris.map(|uri| uri.trim_end_matches('/')).find(|uri| uri.ends_with("/debian"));
    found.map(str::to_owned).context("apt knows no mirror of Debian")
}

/// Enters the root and starts a program there.
fn script(root: &Path, program: &str) -> String {
    let (root, home) = (root.display(), home());
    let home = home.display();
    let workspace = artifact::workspace().display();
    format!(
        r#"#!/bin/sh
# Made by `cargo xtask wine`: {program} of Debian 13, with this system's files under their own paths.
unset LD_PRELOAD
exec unshare --mount sh -c '
set -e
program=$1; shift
for folder in "{workspace}" "{home}" /tmp /dev /proc; do
    mkdir -p "{root}$folder"
    mount --rbind "$folder" "{root}$folder"
done
exec chroot "{root}" /usr/bin/env -C "$PWD" "$program" "$@"' sh {program} "$@"
"#
    )
}

/// Where the user's files are: downloads lie there, and what Cargo keeps.
fn home() -> PathBuf {
    std::env::var_os("HOME").map_or_else(|| "/root".into(), PathBuf::from)
}
