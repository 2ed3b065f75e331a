//! Which glibc the libraries of a wheel ask for. Installers believe the name of a wheel, so a name that says less than its libraries need gives
//! a module that cannot be loaded, on a system that pip took to be new enough.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A version of glibc: its major and minor number.
type Version = (u32, u32);

/// Fails where a library of a wheel asks for a newer glibc than the wheel's name says, or where it has no library at all.
pub(super) fn check(wheel: &Path) -> Result<()> {
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    let said = said(&name).with_context(|| format!("{name}: the name has no manylinux_X_Y"))?;
    let unpacked = tempfile::tempdir()?;
    let mut unpack = Command::new("python3");
    unpack.args(["-m", "zipfile", "-e"]).arg(wheel).arg(unpacked.path());
    ensure!(unpack.status().context("cannot run python3")?.success(), "{} cannot be unpacked", wheel.display());
    let libraries = libraries(unpacked.path())?;
    ensure!(!libraries.is_empty(), "{name} has no library");
    for library in libraries {
        let told = Command::new("objdump").args(["--private-headers", "--"]).arg(&library).output();
        let told = told.context("cannot run objdump (apt install binutils)")?;
        ensure!(told.status.success(), "objdump cannot read {}", library.display());
        let needs = needs(&String::from_utf8_lossy(&told.stdout));
        let file = library.file_name().unwrap_or_default().to_string_lossy();
        ensure!(!needs.is_empty(), "{name}: {file} names no version of glibc");
        let newer: Vec<String> =
            needs.iter().filter(|needs| **needs > said).map(|(major, minor)| format!("{major}.{minor}")).collect();
        ensure!(
            newer.is_empty(),
            "{name} says that glibc {}.{} will do, and its {file} asks for {}",
            said.0,
            said.1,
            newer.join(", ")
        );
    }
    Ok(())
}

/// The version that a wheel's name says.
fn said(name: &str) -> Option<Version> {
    let tag = name.strip_suffix(".whl")?.split(['-', '.']).find_map(|part| part.strip_prefix("manylinux_"))?;
    let mut parts = tag.split('_');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The versions that `objdump --private-headers` lists as referred to. What a library asks for only where it is there counts, too: no
/// loader needs it, but a name that counts it is right in any case.
fn needs(told: &str) -> Vec<Version> {
    let references = told.split_once("Version References:").map_or("", |(_, references)| references);
    let version = |line: &str| {
        let (major, minor) = line.split_whitespace().last()?.strip_prefix("GLIBC_")?.split_once('.')?;
        // A third number is of versions before 2.4.
        Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
    };
    references.lines().filter_map(version).collect()
}

fn libraries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(libraries(&path)?);
        } else if path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so")) {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_a_version() {
        assert_eq!(said("reprise-0.1.0-cp39-abi3-manylinux_2_28_x86_64.whl"), Some((2, 28)));
        let both = "reprise-0.1.0-cp39-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl";
        assert_eq!(said(both), Some((2, 17)));
        assert_eq!(said("reprise-0.1.0-cp39-abi3-linux_x86_64.whl"), None);
    }

    #[test]
    fn references_are_versions_and_definitions_are_not() {
        let told = "Version definitions:\n1 0x01 0x0 GLIBC_2.99\n\nVersion References:\n  required from libc.so.6:\n    \
                    0x0d696912 0x00 08 GLIBC_2.2.5\n    0x069691b4 0x02 05 GLIBC_2.34\n  required from libgcc_s.so.1:\n    \
                    0x0b792650 0x00 04 GCC_3.0\n";
        assert_eq!(needs(told), [(2, 2), (2, 34)]);
        assert!(needs("").is_empty());
    }

    /// A wheel of one library, which is a copy of the shell.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_that_says_too_little_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let program = Path::new("/bin/sh");
        let told = Command::new("objdump").arg("-p").arg(program).output().unwrap();
        let newest = needs(&String::from_utf8_lossy(&told.stdout)).into_iter().max().unwrap();
        let wheel = |(major, minor): Version| {
            let path = folder.path().join(format!("x-1-cp39-abi3-manylinux_{major}_{minor}_x86_64.whl"));
            let library = folder.path().join("x.so");
            fs::copy(program, &library).unwrap();
            let mut pack = Command::new("python3");
            pack.args(["-m", "zipfile", "-c"]).arg(&path).arg(&library);
            assert!(pack.status().unwrap().success());
            path
        };
        check(&wheel(newest)).unwrap();
        let refused = check(&wheel((newest.0, newest.1 - 1))).unwrap_err().to_string();
        assert!(refused.contains(&format!("asks for {}.{}", newest.0, newest.1)), "{refused}");
    }
}
