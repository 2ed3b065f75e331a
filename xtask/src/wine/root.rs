//! A root of Debian 13 with its Wine: made once, entered by a script that looks like Wine.
//!
//! Invariant: the root sees this system's files under the same paths, as far as Wine and the capture need them, in a mount namespace of
//! its own: nothing stays mounted.

use crate::debian::{Recipe, Root};
use anyhow::{Context, Result};
use reprise_testing::wine::Wine;
use reprise_testing::{artifact, missing};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: Recipe = Recipe { suite: "trixie", include: PACKAGES, further: None, script: "" };
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
    let root = match Root::made(&folder.join("root"), &ROOT) {
        Ok(root) => root,
        Err(error) => return Ok(Err(format!("{error:#}"))),
    };
    for (name, program) in PROGRAMS {
        let path = folder.join(name);
        fs::write(&path, script(root.path(), program)).with_context(|| path.display().to_string())?;
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
