//! Debian's package manager: what is installed, where packages come from, installing.
//!
//! Invariant: files of the machine are only added, one (`reprise-backports.sources`), and only when backports are not
//! configured already; the mirror is the one that the machine uses.

use anyhow::{Context, Result, bail, ensure};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RELEASE: &str = "bookworm";
const BACKPORTS: &str = "bookworm-backports";
const OUR_SOURCES: &str = "/etc/apt/sources.list.d/reprise-backports.sources";

/// Installed packages and their versions. Takes milliseconds: asks the package database, not the archive.
pub(super) fn installed() -> Result<HashMap<String, String>> {
    let output = Command::new("dpkg-query")
        .args(["--show", "--showformat", "${db:Status-Abbrev} ${Package} ${Version}\\n"])
        .output()
        .context(
            "cannot run dpkg-query: setup knows Debian 12 only; install the packages of xtask/src/setup.rs by hand",
        )?;
    Ok(parse_installed(&String::from_utf8_lossy(&output.stdout)))
}

fn parse_installed(listing: &str) -> HashMap<String, String> {
    listing
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (state, name, version) = (words.next()?, words.next()?, words.next()?);
            // "ii": wanted and installed; a half-installed package is as good as none.
            (state == "ii").then(|| (name.to_owned(), version.to_owned()))
        })
        .collect()
}

/// Compares the leading numbers of two versions: `25.0.7-2~bpo12+1` is at least `24`.
pub(super) fn at_least(version: &str, oldest: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        // An epoch ("2:1.0") is not part of what upstream calls the version.
        let text = text.split_once(':').map_or(text, |(_, rest)| rest);
        text.split(['.', '-', '~', '+']).map_while(|part| part.parse().ok()).collect()
    };
    numbers(version) >= numbers(oldest)
}

/// Setup installs on Debian 12 alone: package names and versions differ elsewhere.
pub(super) fn check_distribution() -> Result<()> {
    let text = std::fs::read_to_string("/etc/os-release").context("cannot read /etc/os-release")?;
    let field = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).map(|value| value.trim_matches('"'))
    };
    let release = field("VERSION_CODENAME").unwrap_or("unknown");
    if field("ID") != Some("debian") || release != RELEASE {
        bail!(
            "packages are missing and this is not Debian 12 ({release}): install the packages above, or newer ones, by hand"
        );
    }
    Ok(())
}

/// How commands are run with the rights to install.
pub(super) struct Root {
    prefix: &'static [&'static str],
}

impl Root {
    /// Root itself, or sudo.
    pub(super) fn find() -> Result<Root> {
        // SAFETY: reads the process's user id; no memory is involved.
        if unsafe { libc::geteuid() } == 0 {
            return Ok(Root { prefix: &[] });
        }
        let sudo = Command::new("sudo").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        ensure!(
            sudo.is_ok_and(|status| status.success()),
            "installing packages needs root: run `cargo xtask setup` as root, or install sudo"
        );
        println!("setup: installs through sudo");
        Ok(Root { prefix: &["sudo", "--preserve-env=DEBIAN_FRONTEND"] })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = match self.prefix.split_first() {
            Some((sudo, options)) => {
                let mut command = Command::new(sudo);
                command.args(options).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        command
    }
}

/// Refreshes the package lists.
pub(super) fn update(root: &Root) -> Result<()> {
    println!("setup: apt-get update");
    let status = root.command("apt-get").args(["update", "-qq"]).status().context("cannot run apt-get")?;
    // One broken third-party source must not stop the set-up; a missing package will name itself below.
    if !status.success() {
        println!("setup: apt-get update reported errors ({status}); going on with what it could fetch");
    }
    Ok(())
}

/// Installs packages, from a named release when given.
pub(super) fn install(root: &Root, release: Option<&str>, names: &[&str]) -> Result<()> {
    let mut command = root.command("apt-get");
    command.args(["install", "-y", "-qq", "--no-install-recommends"]);
    if let Some(release) = release {
        command.args(["-t", release]);
    }
    println!("setup: apt-get install {}{}", release.map(|r| format!("-t {r} ")).unwrap_or_default(), names.join(" "));
    let status = command.args(names).stdout(Stdio::null()).status().context("cannot run apt-get")?;
    ensure!(status.success(), "apt-get could not install {} ({status}); its messages are above", names.join(", "));
    Ok(())
}

/// Adds bookworm-backports, from the mirror that the machine gets Debian from, unless it is configured already.
pub(super) fn enable_backports(root: &Root) -> Result<()> {
    let sources = read_sources();
    if sources.iter().any(|(_, text)| names_suite(text, BACKPORTS)) {
        return Ok(());
    }
    let mirror = sources.iter().find_map(|(_, text)| mirror_of(text, RELEASE));
    let (mirror, signed_by) = mirror.with_context(|| {
        format!("no source of {RELEASE} in /etc/apt: add {BACKPORTS} yourself, then run `cargo xtask setup` again")
    })?;
    println!("setup: writes {OUR_SOURCES} ({BACKPORTS} from {mirror})");
    let mut text = format!("Types: deb\nURIs: {mirror}\nSuites: {BACKPORTS}\nComponents: main\n");
    if let Some(key) = signed_by {
        text.push_str(&format!("Signed-By: {key}\n"));
    }
    let mut child = root
        .command("tee")
        .arg(OUR_SOURCES)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .context("cannot run tee")?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    ensure!(child.wait()?.success(), "cannot write {OUR_SOURCES}");
    Ok(())
}

fn read_sources() -> Vec<(PathBuf, String)> {
    let folder = std::fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|entry| entry.path());
    std::iter::once(Path::new("/etc/apt/sources.list").to_path_buf())
        .chain(folder)
        .filter_map(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text)))
        .collect()
}

fn names_suite(text: &str, suite: &str) -> bool {
    live_lines(text).any(|line| {
        (line.starts_with("deb ") || line.starts_with("Suites:")) && line.split_whitespace().any(|word| word == suite)
    })
}

fn live_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.starts_with('#'))
}

/// The mirror, and the key if stated, of the first source of a release, in either of apt's two formats.
fn mirror_of(text: &str, release: &str) -> Option<(String, Option<String>)> {
    for line in live_lines(text).filter(|line| line.starts_with("deb ")) {
        let words: Vec<&str> =
            line.split_whitespace().filter(|word| !word.starts_with('[') && !word.ends_with(']')).collect();
        if words.get(2) == Some(&release) {
            let key = line.split_once("signed-by=").map(|(_, rest)| rest);
            let key = key.and_then(|rest| rest.split([' ', ']', ',']).next()).map(str::to_owned);
            return Some((words.get(1)?.to_string(), key));
        }
    }
    let stanzas = text.split("\n\n").filter(|stanza| live_lines(stanza).any(|line| line.starts_with("Suites:")));
    for stanza in stanzas {
        let field = |name: &str| live_lines(stanza).find_map(|line| line.strip_prefix(name)).map(str::trim);
        if field("Suites:")?.split_whitespace().any(|suite| suite == release) {
            let mirror = field("URIs:")?.split_whitespace().next()?.to_owned();
            return Some((mirror, field("Signed-By:").filter(|key| key.starts_with('/')).map(str::to_owned)));
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn installed_means_fully_installed() {
        let found = parse_installed("ii  gcc 4:12.2.0-3\nrc  wine64 8.0\niU  xvfb 2:21\n");
        assert_eq!(found.keys().collect::<Vec<_>>(), ["gcc"]);
        assert_eq!(found["gcc"], "4:12.2.0-3");
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(at_least("25.0.7-2~bpo12+1", "24"));
        assert!(at_least("24.0", "24"));
        assert!(!at_least("22.3.6-1+deb12u1", "24"));
        assert!(at_least("1.614.1-1~bpo12+1", "1.610"));
        assert!(!at_least("1.608.2b-1", "1.610"));
        assert!(at_least("2:21.1.7-3", "21.1"));
    }

    #[test]
    fn mirrors_in_both_formats() {
        let old =
            "# deb http://old/ bookworm main\ndeb [arch=amd64 signed-by=/k.gpg] http://mirror/debian bookworm main\n";
        assert_eq!(mirror_of(old, RELEASE), Some(("http://mirror/debian".into(), Some("/k.gpg".into()))));
        let new = "Types: deb\nURIs: http://security\nSuites: bookworm-security\nSigned-By: /s.gpg\n\n\
                   Types: deb\n# URIs: http://snapshot\nURIs: http://mirror/debian\nSuites: bookworm bookworm-updates\n";
        assert_eq!(mirror_of(new, RELEASE), Some(("http://mirror/debian".into(), None)));
        assert!(!names_suite(new, BACKPORTS));
        assert!(names_suite("deb http://m bookworm-backports main", BACKPORTS));
        assert!(!names_suite("#deb http://m bookworm-backports main", BACKPORTS));
        assert_eq!(mirror_of("deb http://m trixie main", RELEASE), None);
    }
}
